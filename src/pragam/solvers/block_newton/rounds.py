"""The round that looks at a point, and the feasible pair that it proposes, whose products are at hand."""

from __future__ import annotations

import numpy as np

from pragam.operators.base import Vector
from pragam.operators.storage.rounds import Round
from pragam.polytopes.base import Repair
from pragam.polytopes.on_planes import boxes_on_planes
from pragam.problem import DataProblem
from pragam.solvers.block_newton.state import BlockNewtonState, Looked, point_of
from pragam.solvers.block_newton.tasks import Entry, Seen, alpha_of, first_centre, look, position, within
from pragam.solvers.newton.state import steepness, with_biases

#: Repairs after which the row of least alpha has taken what it can.
_REPAIRS = 4


def look_at(problem: DataProblem, state: BlockNewtonState) -> None:
    """A round: the problem of the stage at (w, b), and a feasible point next to its alpha."""
    A, form, stage, places = problem.A, state.form, state.stage, state.blocks.places
    sums, adjoint, elsewhere = Seen.zero(problem.n_weights, problem.n_biases), *np.zeros((2, problem.n_weights))
    look_round = A.storage.round(look, point_of(state), state.w, places)  # type: ignore[attr-defined]
    products = []
    for k, found in enumerate(look_round):
        products.append(found.product)
        sums.add(found.found)
        adjoint += found.adjoint
        if k + 1 == len(places.away):
            elsewhere = adjoint.copy()
    state.passes += 1.0
    scores = A.scores_of(np.concatenate(products))
    s = with_biases(scores + form.c, form.B, state.b)
    if not stage.centre.size:
        stage.centre = first_centre(form.boxes, s, state.band)
    u = position(form.boxes._replace(base=stage.centre), s, stage.tau)
    beta, own = within(form.boxes, u), state.blocks.duals
    free = form.ends.anchor[own] + form.boxes.size[own] * u[own]
    alpha = alpha_of(form.ends, form.boxes.size, beta)
    off = problem.levels - problem.B.rmatvec(alpha)
    state.looked = Looked(alpha, beta, adjoint + problem.tilt, off, sums, free)
    w, b = state.w, state.b
    primal = problem.constant + 0.5 * problem.lam * float(w @ w) + problem.risk(w, b, scores + problem.c)
    state.values = min(state.values[0], primal), state.values[1]
    _propose(problem, state, look_round, elsewhere)


def _propose(problem: DataProblem, state: BlockNewtonState, look_round: Round, adjoint: Vector) -> None:
    """Put alpha onto the planes by the rows held here, if they have room for it; ``adjoint`` is that of the others."""
    assert state.looked is not None
    A, alpha = problem.A, state.looked.alpha
    if problem.n_biases:
        alpha = alpha.copy()
        own = _onto_planes(problem, alpha, state.looked.free, state.blocks.duals)
        if own is None:
            return
        alpha[state.blocks.duals] = own
        try:
            repaired = _repaired_here(problem, alpha, state.blocks.duals)
        except ValueError:  # it is too far from them
            return
        if not repaired.feasible:
            return
        alpha = repaired.point  # what a certificate takes it for, and asks the product of
    look_round.recall(A.gathered(state.looked.alpha))
    coefficients, row = A.gathered(alpha), int(A.storage.ends[len(state.blocks.places.away)])  # type: ignore[attr-defined]
    for place in state.blocks.places.here:
        for X in place.content.storages():
            adjoint += X.rmatvec(coefficients[row : row + X.shape[0]])
            row += X.shape[0]
    u = adjoint + problem.tilt
    dual = problem.constant + float(problem.c @ alpha) - problem.g.value(alpha) - 0.5 * float(u @ u) / problem.lam
    state.alpha, state.values = alpha, (state.values[0], max(state.values[1], dual))


def _onto_planes(problem: DataProblem, alpha: Vector, free: Vector, place: slice) -> Vector | None:
    """The part of alpha at ``place``, moved so that all of it is on the planes; None if it cannot.

    It is the alpha of other biases: so those rows move whose slopes are nearest to 0, which costs D least.
    """
    held = np.arange(place.start, place.stop)
    B = problem.B.take(held)
    levels = problem.levels - problem.B.rmatvec(alpha) + B.rmatvec(alpha[place])
    try:
        return boxes_on_planes(problem.Q.take(held), B, levels).project(free)
    except ValueError:  # they have no room for it
        return None


def _repaired_here(problem: DataProblem, alpha: Vector, here: slice) -> Repair:
    """The repair of alpha, by variables at ``here`` if these can take it: of the others the product is known.

    A repair moves the first variable that suits it. So the smallest one here makes its move instead, until it finds
    nothing to move elsewhere.
    """
    sigma, group, Q = problem.B.sigma, problem.B.group, problem.Q
    own = np.arange(here.start, here.stop)
    for _ in range(_REPAIRS):
        repaired = problem.domain.repair(alpha)
        moved = np.flatnonzero(repaired.point != alpha)
        moved = moved[(moved < here.start) | (moved >= here.stop)]
        if not moved.size:
            break
        alpha = alpha.copy()
        for j in moved:
            like = own[(group[own] == group[j]) & (sigma[own] != 0)]
            there = alpha[like] + sigma[j] * (repaired.point[j] - alpha[j]) / sigma[like]
            can = (Q.lower[like] <= there) & (there <= Q.upper[like])
            if not can.any():
                return repaired
            k = int(np.argmin(np.where(can, np.abs(alpha[like]), np.inf)))
            alpha[like[k]] = there[k]
    return repaired


def begin_stage(problem: DataProblem, state: BlockNewtonState) -> None:
    """The centre moves to beta, and all is looked at again."""
    assert state.looked is not None
    stage, beta = state.stage, state.looked.beta
    state.log = (*state.log, Entry(state.w, state.b, stage.tau))
    stage.centre = beta
    # On data that can be separated, alpha fills a tiny part of its box, whose size says nothing then.
    largest = max(float(beta.max(initial=0.0)), -float(beta.min(initial=0.0)))
    stage.unit = min(1.0, 2 * largest) if largest > 0 else 1.0
    stage.begin(state.form)
    state.steepness = steepness(state.form, stage.tau)
    look_at(problem, state)
