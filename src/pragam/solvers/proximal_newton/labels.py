r"""The method where every example has a row x_i of X and a block of K dual variables: one weight vector for each label.

With alpha_i = totals_i beta_i a stage has a proximal term in units of the totals,

    maximise  D(alpha) - sum_i totals_i |beta_i - base_i|^2 / (2 tau),    beta_i = P(base_i + tau s_i) at its optimum,

P the projection on the unit simplex, or on unit pairs: so an example of weight 2 moves as two copies of it do. Then
base moves to beta, and delta = unit / tau, in units of scores, shrinks. ``unit`` is the size of what beta does: on data
that can be separated it is far below 1.

Only examples of the working set are touched inside a stage (:mod:`working_set`). All are looked at before it ends. Line
searches need no product with the data, since s moves along a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.labels.records import BlockLine, Blocks
from pragam.operators.base import Vector
from pragam.polytopes.pairs import Pairs
from pragam.polytopes.simplices import Simplices
from pragam.problem import AnyProblem
from pragam.solvers.base import State, has
from pragam.solvers.onto_planes import onto_planes
from pragam.solvers.proximal_newton.label_hessian import direction
from pragam.solvers.proximal_newton.working_set import LabelProblem, WorkingSet, amounts, flags, gathered, shares

#: The factors of delta after a stage: if its inner problem was solved, and if not. And the least delta, in units of the
#: largest c, below which rounding in s shows in beta.
_SHRINK, _GROW, _LEAST_DELTA = 0.25, 16.0, 1e-4
#: An inner problem is solved when its error is below _INNER times the proximal term, or below the share _RESOLVED of J.
#: It is given up after _PATIENCE steps.
_INNER, _RESOLVED, _PATIENCE = 1.0, 1e-17, 40
#: Examples as far from leaving their vertex, in units, are not in the working set.
_BAND = 8.0
#: They are looked at once the scores of the others have moved by the band, and a step moves these by no more than this
#: many times as much.
_FAR = 4.0
#: A line search ends with a step of at most _LINE_TOL, relative to t, or after _EVALUATIONS evaluations.
_LINE_TOL, _EVALUATIONS = 1e-2, 60
#: The blur is how far below the threshold, in units, a label still counts in the Hessian. It begins at the first
#: number, shrinks by the second with every full step, and below the third it is 0.
_FIRST_BLUR, _BLUR_SHRINK, _LEAST_BLUR = 0.25, 0.25, 0.01
#: The ridge of biases, as a share of the curvature that all examples would give them: they may move together.
_FLAT = 1e-12
#: What alpha may be off the planes by when it is proposed, times the largest score: so much of the gap asked for.
_OFF = 1e-3
#: The same relative to the size of alpha: well within what a certificate repairs.
_REPAIRABLE = 1e-12
#: At a tolerance below this alpha moves onto the planes in all digits: ``approach`` has cost 5e-9 of J, on random pairs
#: of labels with lam = 1e-4.
_TIGHT = 1e-7
#: A slope along ds is rounding if it is no more than this times the sum of the totals and the largest of ds.
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
#: The rounding of beta, in units of the totals.
_U = 2.0**-52


@dataclass
class LabelState(State):
    w: Vector
    b: Vector
    base: Vector  # the centre, in units of the totals
    beta: Vector  # of all examples; the working set has newer ones of its own
    near: NDArray[np.uint8]  # who is in the working set
    delta: float
    unit: float
    tol: float
    work: WorkingSet
    adjoint: Vector  # A' alpha + tilt
    off: Vector  # B' alpha - levels
    drift: float = 0.0  # of the scores of the working set since all were looked at
    blur: float = 1.0
    steps: int = 0  # of this stage
    is_at_rest: bool = False  # whether the last step was rounding
    gap: float = np.inf  # the estimate
    value: float = 0.0  # the size of J there

    @property
    def tau(self) -> float:
        return self.unit / self.delta


def has_labels(problem: AnyProblem) -> bool:
    """Whether each example has a row and a block, and each label a weight vector and perhaps a bias."""
    Q, B = problem.Q, problem.B
    if not (has(problem, "A.example_rows") and isinstance(Q, Simplices | Pairs) and not np.any(problem.g.curvature)):
        return False
    sign = problem.A.example_rows().sign  # type: ignore[attr-defined]
    signs = np.ones(Q.size) if sign is None else sign
    planes = np.array_equal(B.sigma, signs) and np.array_equal(B.group, np.tile(np.arange(Q.K), Q.n_blocks))
    return np.array_equal(signs, Q.signs) and (B.shape[1] == 0 or (B.shape[1] == Q.K and planes))


def step(problem: LabelProblem, state: LabelState) -> None:
    is_over = state.is_at_rest or state.steps >= _PATIENCE or _is_inner_optimal(problem, state)
    is_far = state.work.examples is not None and state.drift > _BAND * state.delta
    if (is_over or is_far or state.gap <= state.tol) and state.steps:
        _look_at_all(problem, state, is_over)
    _newton_step(problem, state)
    state.steps += 1


def whole_beta(state: LabelState) -> Vector:
    """That of all examples, with the working set's own."""
    if state.work.examples is None:
        return state.work.beta
    beta = state.beta.reshape(len(state.near), -1).copy()
    beta[state.work.examples] = state.work.beta.reshape(-1, beta.shape[1])
    return beta.ravel()


def candidate(problem: LabelProblem, state: LabelState) -> tuple[Vector, ...]:
    """alpha moves onto the planes where what it is off them by would show; a certificate repairs and pays less."""
    alpha = amounts(problem.Q.totals, whole_beta(state), problem.Q.K)
    off = float(np.abs(state.off).sum())
    is_cheap = off * float(np.abs(state.work.scores).max(initial=0.0)) <= _OFF * state.tol * state.value
    is_near = is_cheap and off <= _REPAIRABLE * float(np.abs(alpha).sum())
    if not is_near:
        alpha = onto_planes(problem, alpha, state.tol >= _TIGHT)
    return (state.w, alpha, state.b) if problem.n_biases else (state.w, alpha)


def _look_at_all(problem: LabelProblem, state: LabelState, is_over: bool) -> None:
    """Whoever of the others has moved joins the working set; if nobody has and the stage is over, the next begins."""
    if state.work.examples is None:
        scores, beta = state.work.scores, state.work.beta
        moved = False
    else:
        scores = problem.scores(state.w) + problem.B.matvec(state.b)
        state.passes += 1
        before = whole_beta(state)
        beta, near = before.copy(), state.near.copy()
        blocks = Blocks(state.base, problem.Q.totals, flags(problem.Q), problem.Q.K)
        _kernels.get("block_select")(blocks, scores, state.tau, _BAND * state.unit, beta, near)
        away = (beta != before).reshape(len(near), -1).any(axis=1) & (state.near == 0)
        moved = bool(away.any())
        if moved:  # from one vertex to another, too, where they look as far from moving as before
            state.near, state.beta = near | away, beta
    state.drift = 0.0
    if moved and state.steps < _PATIENCE:
        _place(problem, state, scores)
    elif is_over:
        state.base = beta.copy()
        _next_delta(problem, state)
        state.near[:] = 0
        begin_stage(problem, state, scores)


def _next_delta(problem: LabelProblem, state: LabelState) -> None:
    """delta shrinks if the stage was solved. tau may not grow faster than that, also where the unit does."""
    tau, solved = state.tau, state.steps < _PATIENCE
    state.unit = unit_of(problem, state.base)
    delta = (_SHRINK if solved else _GROW) * state.delta
    state.delta = max(delta, least_delta(problem, state.unit), _SHRINK * state.unit / tau)


def least_delta(problem: LabelProblem, unit: float) -> float:
    """Rounding in s, of the size of c, becomes c unit / delta in beta; that in beta, of 1, becomes delta / unit in s.
    Relative to their sizes they are equal where delta is c sqrt(unit)."""
    return max(_LEAST_DELTA * sqrt(unit) * float(np.abs(problem.c).max(initial=0.0)), _TINY)


def unit_of(problem: LabelProblem, base: Vector) -> float:
    """Twice the largest entry by which the centre differs from the truth, or what is left of it at the optimum of one
    example."""
    truth = 0.0 if problem.origin is None else shares(problem.Q.totals, problem.origin, problem.Q.K)
    size = float(problem.Q.totals.sum()) * float(problem.A.row_norms().max(initial=0.0)) ** 2
    least = problem.lam * float(np.abs(problem.c).max(initial=0.0)) / max(size, _TINY)
    return min(max(2 * float(np.abs(base - truth).max(initial=0.0)), min(least, 1.0), _TINY), 1.0)


def begin_stage(problem: LabelProblem, state: LabelState, scores: Vector) -> None:
    """A stage around ``base`` at these scores of all examples."""
    state.beta = np.empty_like(state.base)
    blocks = Blocks(state.base, problem.Q.totals, flags(problem.Q), problem.Q.K)
    _kernels.get("block_select")(blocks, scores, state.tau, _BAND * state.unit, state.beta, state.near)
    state.steps, state.blur, state.is_at_rest = 0, _FIRST_BLUR, False
    _place(problem, state, scores)


def _place(problem: LabelProblem, state: LabelState, scores: Vector) -> None:
    """The working set of those who are near, and all sums anew."""
    state.work = gathered(problem, state.near, state.base, scores, state.beta, state.tau)
    alpha = state.work.alpha
    state.adjoint = state.work.adjoint + state.work.A.rmatvec(alpha)
    state.passes += 1
    _estimate(problem, state)


def _estimate(problem: LabelProblem, state: LabelState) -> None:
    work, w, b, lam = state.work, state.w, state.b, problem.lam
    state.off = work.off + work.B.rmatvec(work.alpha) if problem.n_biases else work.off
    primal = 0.5 * lam * float(w @ w) + float(work.adjoint @ w) + float(work.off @ b) + work.linear + work.sums.risk
    dual = work.linear + work.sums.linear - 0.5 * float(state.adjoint @ (state.adjoint / lam))
    dual -= float(np.abs(b) @ np.abs(state.off))
    primal, dual = problem.constant + primal, problem.constant + dual
    state.value = max(abs(primal), abs(dual), _TINY)
    state.gap = (primal - dual) / state.value


def _is_inner_optimal(problem: LabelProblem, state: LabelState) -> bool:
    """Whether the gradient is small against the proximal term, or no more than the roundings of beta in it."""
    gradient = problem.lam * state.w + state.adjoint
    mass = max(float(problem.Q.totals.sum()), _TINY)
    error = float(gradient @ (gradient / (2 * problem.lam))) + float(state.off @ state.off) / (2 * state.tau * mass)
    rounding = _U * mass * float(problem.A.row_norms().max(initial=0.0))
    resolved = max(_RESOLVED * state.value, rounding * (rounding / (2 * problem.lam)))
    return error <= max(_INNER * state.work.sums.proximal / (2 * state.tau), resolved)


def _newton_step(problem: LabelProblem, state: LabelState) -> None:
    """With a line search, unless the slope along it is rounding.

    Such a step would lead far away where all biases move together, which changes nothing but rounding.
    """
    work, tau = state.work, state.tau
    dw, db = _direction(problem, state)
    ds = work.A.matvec(dw) + work.B.matvec(db) if problem.n_biases else work.A.matvec(dw)
    gradient = problem.lam * state.w + state.adjoint
    slope = float(gradient @ dw) + float(state.off @ db)
    state.is_at_rest = not -slope > _ROUNDING * state.unit * float(work.blocks.totals.sum()) * float(
        np.abs(ds).max(initial=0.0)
    )
    if state.is_at_rest:
        return
    linear = float((problem.lam * state.w + work.adjoint) @ dw) + float(work.off @ db)
    line = BlockLine(linear, problem.lam * float(dw @ dw), _LINE_TOL, _EVALUATIONS)
    t = min(_kernels.get("block_line_search")(work.blocks, work.scores, ds, tau, line), _reach(state, ds))
    state.w, state.b = state.w + t * dw, state.b + t * db
    change = work.move(t, ds, tau)
    state.adjoint = state.adjoint + work.A.rmatvec(change)
    state.passes += 2 * len(work.blocks.totals) / max(len(state.near), 1)
    state.drift += t * float(np.abs(ds).max(initial=0.0))
    if t > 0.5:
        state.blur *= _BLUR_SHRINK
    _estimate(problem, state)


def _reach(state: LabelState, ds: Vector) -> float:
    """How far a step may lead: the examples left out, which it does not see, may move once scores do by the band."""
    if state.work.examples is None:
        return np.inf
    return _FAR * _BAND * state.delta / max(float(np.abs(ds).max(initial=0.0)), _TINY)


def _direction(problem: LabelProblem, state: LabelState) -> tuple[Vector, Vector]:
    """The Newton direction of (w, b)."""
    work, K = state.work, problem.Q.K
    weights, by_side = np.empty(len(work.scores)), np.empty(len(work.blocks.totals), dtype=np.uint8)
    blur = state.blur if state.blur >= _LEAST_BLUR else 0.0
    _kernels.get("block_weights")(work.blocks, work.scores, state.tau, blur * state.unit, weights, by_side)
    gradient = (problem.lam * state.w + state.adjoint).reshape(K, -1)
    ridge = np.full(gradient.shape, problem.lam)
    if problem.n_biases:
        reach = float(np.ptp(work.scores)) + float(np.abs(state.b).max()) + _TINY if work.scores.size else 1.0
        flat = _norm(state.off) / reach + _FLAT * state.tau * float(problem.Q.totals.sum()) + _TINY
        gradient, ridge = np.column_stack([gradient, state.off]), np.column_stack([ridge, np.full(K, flat)])
    z, read = direction(work.A, work.blocks, weights, by_side, state.tau, ridge, -gradient)
    state.passes += read * len(by_side) / max(len(state.near), 1)
    d = problem.n_weights // K
    dw, db = z[:, :d].ravel(), z[:, d:].ravel()
    return dw, db - db.mean() if db.size else db  # all biases together change nothing: a block's signed mass is fixed


def _norm(x: Vector) -> float:
    return float(scipy.linalg.norm(x, check_finite=False)) if x.size else 0.0
