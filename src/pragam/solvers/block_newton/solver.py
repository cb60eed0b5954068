r"""Semismooth Newton for data in blocks: two rounds over the blocks a step, and no state where the blocks are.

The method is that of :mod:`pragam.solvers.newton.solver`, with these rounds, which are
:mod:`~pragam.solvers.block_newton.tasks`:

::

    look           (w, b)   -> X w,  A' alpha,  the Hessian over the rows inside their boxes
    slopes_ahead   (dw, db) -> the derivative along the direction at 25 steps at once, between which t is interpolated

So a line search needs no further round. A stage's end takes one more ``look``, at its new proximal term. Blocks may lie
on the disk or in other processes: what a task needs of earlier stages it replays from a log of their (w, b, tau).

It starts at the solution of a sample, the rows of the last blocks, which stay in memory. They do more: after a round
they take the step that puts all of alpha onto the planes of the biases, so that what is proposed is feasible, and its
product A' alpha is at hand: the certificate reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any
from uuid import uuid4

import numpy as np

from pragam.engines import InTurn, Kept, Task
from pragam.numerics.remade import remade
from pragam.operators.base import Vector
from pragam.polytopes.on_planes import boxes_on_planes
from pragam.problem import AnyProblem, DataProblem
from pragam.solvers.base import Cost, Solver, Start, State, Tools, unbounded_and_flat
from pragam.solvers.block_newton.cost import block_newton_cost
from pragam.solvers.block_newton.posed import Duals, Posed
from pragam.solvers.block_newton.tasks import (
    Ahead,
    Entry,
    Point,
    Seen,
    alpha_of,
    first_centre,
    look,
    position,
    slopes_ahead,
    within,
)
from pragam.solvers.newton.box_form import BoxForm, box_form
from pragam.solvers.newton.state import Stage, steepness, with_biases
from pragam.solvers.newton.system import LARGEST_MATRIX, back_substitute, cholesky
from pragam.solvers.rows_in_memory import rows_within
from pragam.views import sampled

#: The solution on the sample need be no better than the sample is like the whole.
_SAMPLE_TOL = 1e-3
#: The rows of the sample: this share of all, and this many for each column.
_SHARE, _ROWS_PER_COLUMN = 0.05, 20.0
#: The first delta, and what it shrinks by from stage to stage. 0.03 and 0.1 take up to half as many rounds more on
#: covtype and on ten noised copies of it.
_FIRST_DELTA, _SHRINK = 0.04, 0.25
#: A score is off by about sqrt(d / rows of the sample): dual variables whose slopes are beyond this many times that, in
#: units of a usual score, begin at a bound. 1 and 3 take more rounds on the same sets.
_BAND = 2.0
#: The inner problem is solved when |grad|^2/(2 lam) is below this many times the proximal term.
_INNER = 3.0
#: After this many steps in one stage the proximal term is made stronger.
_STAGE_STEPS = 40
#: The steps at which a direction is looked along; the full one comes first.
_STEPS = np.concatenate([[1.0], np.geomspace(1e-3, 8.0, 24)])
#: A full step is taken if the derivative at its end is at most this share of that at its start.
_GOOD = 0.3
#: The blur of the Hessian shrinks by this factor with each step of more than a half.
_BLUR_SHRINK = 0.25
#: A blur smaller than this is none.
_LEAST_BLUR = 0.01
#: Where no row of a plane is inside its box, its bias has at least this share of the curvature with all of them inside.
_LEAST_STEEPNESS = 1e-10
_TINY = np.finfo(np.float64).tiny


@dataclass
class Looked:
    """What a round has found: the problem of the stage at its point."""

    alpha: Vector
    beta: Vector
    adjoint: Vector  # A' alpha + tilt
    off: Vector  # levels - B' alpha
    sums: Seen  # over all blocks
    free: Vector  # what alpha would be without bounds, of the dual variables held here


@dataclass(frozen=True, eq=False)
class OnBlocks:
    """The blocks with their dual variables."""

    elsewhere: list[Kept]
    held: list[Kept]  # the last blocks, which this process works on itself
    place: slice  # of the dual variables of these


@dataclass
class BlockNewtonState(State):
    tol: float
    form: BoxForm
    blocks: OnBlocks
    band: float  # of the slopes that begin between the bounds
    w: Vector
    b: Vector
    stage: Stage
    log: tuple[Entry, ...]
    steepness: Vector  # the curvature along each bias, over tau, with all rows inside their boxes
    means: Vector  # of the rows on each plane, by their weights in the last step
    alpha: Vector  # feasible, with its product at hand
    looked: Looked | None = None
    values: tuple[float, float] = (inf, -inf)  # the best J and D, as nearly as plain sums say


@dataclass(frozen=True)
class BlockNewton(Solver[DataProblem, BlockNewtonState]):
    """Newton's method on blocks, from the solution on some of them.

    Parameters
    ----------
    solver : str
        What solves on the sample.
    """

    solver: str = "auto"
    tools: Tools | None = None

    name = "block-newton"
    needs = ("A.each_block", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    def given(self, tools: Tools) -> BlockNewton:
        return BlockNewton(self.solver, tools)

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        d = problem.n_weights
        large = [] if d <= LARGEST_MATRIX else [f"needs at most {LARGEST_MATRIX:,} columns, and there are {d:,}"]
        return large + unbounded_and_flat(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return block_newton_cost(problem, tol, self._sample(problem) / max(problem.A.storage.shape[0], 1))

    def _sample(self, problem: DataProblem) -> float:
        """The rows of the sample, if the memory holds so many."""
        n, d = problem.A.storage.shape
        least = max(_SHARE * n, min(_ROWS_PER_COLUMN * d, n))
        return min(least, rows_within(None if self.tools is None else self.tools.memory, problem, least / max(n, 1)))

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> BlockNewtonState:
        form = box_form(problem)
        blocks = _posed(problem, form, self._sample(problem))
        size = blocks.place.stop - blocks.place.start
        if start is None:
            w, b = self._from_sample(problem, rng, blocks.place, max(tol, _SAMPLE_TOL))
        else:
            w, b = start.w.copy(), np.zeros(problem.n_biases) if start.b is None else start.b.copy()
            if start.b is None and problem.n_biases:
                b = problem.best_biases(problem.scores(w))
        stage = Stage(np.zeros(0), _FIRST_DELTA)
        stage.begin(form)
        band = _BAND * form.scale * sqrt(max(problem.n_weights, 1) / size)
        stage.blur = 0.0  # about the sample's solution enough rows are inside their boxes
        state = BlockNewtonState(
            0.0 if start is not None else size / max(problem.Q.size, 1),
            tol, form, blocks, band, w, b, stage, (Entry(w.copy(), b.copy(), 0.0),),
            steepness(form, stage.tau), np.zeros((problem.n_biases, problem.n_weights)), problem.start(),
        )  # fmt: skip
        _look(problem, state)
        return state

    def step(self, problem: DataProblem, state: BlockNewtonState) -> BlockNewtonState:
        if state.stage.is_over:
            _begin_stage(problem, state)
        dw, db = _direction(state)
        t = _search(problem, state, dw, db)
        state.w, state.b = state.w + t * dw, state.b + t * db
        stage = state.stage
        stage.steps += 1
        if t > 0.5:
            stage.blur *= _BLUR_SHRINK
        _look(problem, state)
        is_optimal = _is_inner_optimal(state)
        if is_optimal or stage.steps >= _STAGE_STEPS:
            stage.delta *= _SHRINK if is_optimal else 1 / _SHRINK**2
            stage.is_over = True
        return state

    def candidate(self, problem: DataProblem, state: BlockNewtonState) -> tuple[Vector, Vector]:
        return state.w, state.alpha

    def estimate(self, problem: DataProblem, state: BlockNewtonState) -> float:
        primal, dual = state.values
        return (primal - dual) / max(abs(primal), abs(dual), _TINY) if np.isfinite(primal - dual) else inf

    def _from_sample(
        self, problem: DataProblem, rng: np.random.Generator, place: slice, tol: float
    ) -> tuple[Vector, Vector]:
        """The weights that are right for the rows of the last blocks."""
        if self.tools is None:
            raise RuntimeError("block-newton solves a sample by the driver's loop: call pragam.solve")
        part = sampled(problem, np.arange(place.start, place.stop)).problem
        seed = int(rng.integers(2**31))
        found = self.tools.solve(part, self.solver, tol=tol, random_state=seed, screening=False)
        return found.w.copy(), found.biases.copy()


@remade
def _posed(problem: DataProblem, form: BoxForm, sample: float) -> OnBlocks:
    """The problem on its blocks, the last of which have so many rows."""
    A, storage = problem.A, problem.A.storage
    ends = storage.ends.tolist()  # type: ignore[attr-defined]
    first = next(k for k in reversed(range(len(ends) - 1)) if k == 0 or ends[-1] - ends[k] >= sample)
    name = str(uuid4())  # no number follows from it
    kept = []
    for k, block in enumerate(storage.blocks):  # type: ignore[attr-defined]
        duals = Duals.of(A, form, A.duals_of(ends[k], ends[k + 1]), ends[k])
        kept.append(Kept(name, k, Posed(block, duals)))
    return OnBlocks(kept[:first], kept[first:], A.duals_of(ends[first], ends[-1]))


def _round(problem: DataProblem, state: BlockNewtonState, task: Task, common: Any) -> Iterator[Any]:
    """What a task finds on each block: first on those elsewhere, then on the last ones, here."""
    yield from problem.A.each_block(task, common, state.blocks.elsewhere)
    yield from InTurn().map(task, state.blocks.held, common)
    state.passes += 1.0


def _look(problem: DataProblem, state: BlockNewtonState) -> None:
    """A round: the problem of the stage at (w, b), and a feasible point next to its alpha."""
    form, stage, elsewhere = state.form, state.stage, np.zeros(problem.n_weights)
    sums, products = Seen.zero(problem.n_weights, problem.n_biases), []
    for k, seen in enumerate(_round(problem, state, look, _point(state))):
        products.append(seen.product)
        sums.add(seen)
        if k + 1 == len(state.blocks.elsewhere):
            elsewhere = sums.adjoint.copy()
    product = np.concatenate(products)
    scores = problem.A.scores_of(product)
    s = with_biases(scores + form.c, form.B, state.b)
    if not stage.centre.size:
        stage.centre = first_centre(form.boxes, s, state.band)
    u = position(form.boxes._replace(base=stage.centre), s, stage.tau)
    beta = within(form.boxes, u)
    free = form.ends.anchor[state.blocks.place] + form.boxes.size[state.blocks.place] * u[state.blocks.place]
    alpha = alpha_of(form.ends, form.boxes.size, beta)
    off = problem.levels - problem.B.rmatvec(alpha)
    state.looked = Looked(alpha, beta, sums.adjoint + problem.tilt, off, sums, free)
    problem.A.storage.remember((state.w.copy(), product), None)  # type: ignore[attr-defined]
    w, b = state.w, state.b
    primal = problem.constant + 0.5 * problem.lam * float(w @ w) + problem.risk(w, b, scores + problem.c)
    state.values = min(state.values[0], primal), state.values[1]
    _propose(problem, state, elsewhere)


def _propose(problem: DataProblem, state: BlockNewtonState, adjoint: Vector) -> None:
    """Put alpha onto the planes by the rows held here, if they have room for it; ``adjoint`` is that of the others."""
    assert state.looked is not None
    A, alpha = problem.A, state.looked.alpha
    if problem.n_biases:
        alpha = alpha.copy()
        own = _onto_planes(problem, alpha, state.looked.free, state.blocks.place)
        if own is None:
            return
        alpha[state.blocks.place] = own
        try:
            repaired = problem.domain.repair(alpha)
        except ValueError:  # it is too far from them
            return
        if not repaired.feasible:
            return
        alpha = repaired.point  # what a certificate takes it for, and asks the product of
    coefficients = A.gathered(alpha)
    for block in state.blocks.held:
        rows = slice(*A.storage.ends[block.k : block.k + 2].tolist())  # type: ignore[attr-defined]
        adjoint += block.content.X.open().rmatvec(coefficients[rows])
    A.storage.remember(None, (coefficients, adjoint))  # type: ignore[attr-defined]
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


def _point(state: BlockNewtonState) -> Point:
    stage = state.stage
    blur = stage.blur * stage.unit if stage.blur >= _LEAST_BLUR else 0.0
    return Point(state.w, state.b, stage.tau, blur, state.band, state.log)


def _begin_stage(problem: DataProblem, state: BlockNewtonState) -> None:
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
    _look(problem, state)


def _direction(state: BlockNewtonState) -> tuple[Vector, Vector]:
    """The Newton direction of w and the biases; these are eliminated, as :mod:`pragam.solvers.newton.system` does."""
    assert state.looked is not None
    looked, stage, lam = state.looked, state.stage, state.form.lam
    least = np.maximum(_LEAST_STEEPNESS * stage.tau * state.steepness, _TINY)
    totals = np.maximum(stage.tau * looked.sums.totals, least)
    state.means = stage.tau * looked.sums.border / totals[:, None]
    matrix = stage.tau * looked.sums.outer
    sizes = matrix.diagonal().copy()
    matrix -= (state.means.T * totals) @ state.means
    dw = -back_substitute(cholesky(matrix, lam, sizes), _gradient(state))
    return dw, looked.off / totals - state.means @ dw


def _gradient(state: BlockNewtonState) -> Vector:
    """That of the stage's problem by w, with the biases eliminated."""
    assert state.looked is not None
    return state.form.lam * state.w + state.looked.adjoint + state.looked.off @ state.means


def _search(problem: DataProblem, state: BlockNewtonState, dw: Vector, db: Vector) -> float:
    """A round: the step at which the derivative along the direction vanishes, between two of those looked at."""
    assert state.looked is not None
    lam, looked = state.form.lam, state.looked
    slopes = np.zeros(len(_STEPS))
    for part in _round(problem, state, slopes_ahead, Ahead(_point(state), dw, db, _STEPS)):
        slopes += part
    slopes += lam * (float(state.w @ dw) + _STEPS * float(dw @ dw)) + float(problem.tilt @ dw)
    slopes -= float(problem.levels @ db)
    at_start = lam * float(state.w @ dw) + float(looked.adjoint @ dw) - float(looked.off @ db)
    if abs(slopes[0]) <= _GOOD * abs(at_start):
        return 1.0
    steps, slopes = np.append(0.0, _STEPS[1:]), np.append(at_start, slopes[1:])
    above = np.flatnonzero(slopes > 0)
    if not above.size:
        return float(steps[-1])
    k = max(int(above[0]), 1)
    return float(steps[k - 1] - slopes[k - 1] * (steps[k] - steps[k - 1]) / (slopes[k] - slopes[k - 1]))


def _is_inner_optimal(state: BlockNewtonState) -> bool:
    """Whether the gradient is small against the proximal term."""
    assert state.looked is not None
    looked, stage, lam = state.looked, state.stage, state.form.lam
    gradient = _gradient(state)
    error = float(gradient @ (gradient / (2 * lam)))
    error += 0.5 / stage.tau * float((looked.off**2 / np.maximum(state.steepness, _TINY)).sum())
    away = looked.beta - stage.centre
    return error <= _INNER * 0.5 / stage.tau * float(state.form.boxes.size @ (away * away))
