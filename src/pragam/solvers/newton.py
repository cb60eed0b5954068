r"""Semismooth Newton inside a proximal-point (augmented Lagrangian) loop: for low and middle dimension.

After Li, Sun and Toh, "A highly efficient semismooth Newton augmented Lagrangian method" (SIAM J. Optim. 2018). The
dual is maximised with a proximal term around a centre a,

    max over the box of  <c, alpha> - |A' alpha|^2/(2 lam) - sum_i (alpha_i - a_i)^2/(2 tau_i),   tau = width / delta,

whose own dual is smooth in w (and in the bias b of a plane <sigma, alpha> = z, which is one more variable):

    Psi(w, b) = lam/2 |w|^2 + b z + sum_i max over the box of alpha_i s_i - (alpha_i - a_i)^2/(2 tau_i)
    s = c + A w - b sigma,     alpha_i(w, b) = clip(a_i + tau_i s_i, lower_i, upper_i)
    grad Psi = (lam w + A' alpha, z - <sigma, alpha>)

One step is a Newton step on Psi with the generalised Hessian lam I + sum over J of tau_i a_i a_i', J the rows strictly
inside their boxes (and, at first, those near them), and an exact line search. When the gradient is small against the
proximal term, the centre moves to alpha and delta shrinks by 4: a few stages reach full accuracy. (w, alpha) are an
independent pair: w need not be w(alpha), and the certificate is J(w) - D(alpha).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam import _kernels
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem
from pragam.solvers.base import BOUNDED, BOX_OR_PLANE, PIECEWISE_LINEAR, ROWS, Solver, Start, State
from pragam.solvers.equality import onto_plane
from pragam.solvers.newton_system import NewtonSystem
from pragam.solvers.sample import sample_rows, sampled_problem

_FIRST_DELTA = 4.0
_SHRINK = 0.25
#: The inner problem is solved when |grad|^2/(2 lam) is below this many times the proximal term.
_INNER = 3.0
#: After this many steps in one stage the proximal term is made stronger.
_PATIENCE = 40
_EVALUATIONS = 60
#: See _row_weights.
_FIRST_BLUR = 1.0
_BLUR_SHRINK = 0.25
_LEAST_BLUR = 0.01
#: A risk below this share of the regulariser may be rounding.
_ROUNDED_RISK = 1e-3
#: How well, and for how long at most, a sample is solved; and the delta to go on with, per weight and sampled row.
_SAMPLE_TOL = 1e-2
_SAMPLE_PASSES = 60.0
_SAMPLE_DELTA = 60.0


@dataclass
class NewtonState(State):
    w: Vector
    bias: float
    s: Vector  # c + A w - bias sigma
    alpha: Vector
    adjoint: Vector  # A' alpha
    centre: Vector
    delta: float
    width: Vector  # upper - lower: tau = width / delta
    system: NewtonSystem
    steps: int  # in this stage
    blur: float  # how far outside its box, in widths, a row still counts in the Hessian
    is_new_stage: bool  # centre and delta have changed since alpha was computed
    sigma: Vector | None


@dataclass
class _Guess:
    """Where the first stage starts."""

    w: Vector
    bias: float | None  # None: the best for w
    centre: Vector
    delta: float
    passes: float

    @classmethod
    def of(cls, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> _Guess:
        assert isinstance(problem.Q, Box)
        if start is not None:
            return cls(start.w.copy(), None, start.alpha.copy(), _FIRST_DELTA * _SHRINK**2, 0.0)
        middle = 0.5 * (problem.Q.lower + problem.Q.upper)
        rows = sample_rows(problem, rng)
        if rows is None:
            return cls(np.zeros(problem.n_weights), None, middle, _FIRST_DELTA, 0.0)
        part = sampled_problem(problem, rows)
        method = Newton()
        state = method.init(part, rng, None, _SAMPLE_TOL)
        while method.estimate(part, state) > _SAMPLE_TOL and state.passes < _SAMPLE_PASSES:
            state = method.step(part, state)
        # The fewer rows for a weight, the less is the guess worth, and the softer the first stage must be.
        delta = min(_SAMPLE_DELTA * problem.n_weights / len(rows), _FIRST_DELTA)
        return cls(state.w, state.bias, middle, delta, state.passes * len(rows) / problem.Q.size)


@dataclass(frozen=True)
class Newton(Solver[NewtonState]):
    """Semismooth Newton augmented Lagrangian method."""

    name = "newton"
    requires = (ROWS, BOX_OR_PLANE, PIECEWISE_LINEAR, BOUNDED)

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> NewtonState:
        Q, A = problem.Q, problem.A
        assert isinstance(Q, Box) and isinstance(A, RowOperator)
        sigma = Q.sigma if isinstance(Q, BoxPlane) else None
        guess = _Guess.of(problem, rng, start, tol)
        s = problem.c + A.matvec(guess.w) if guess.w.any() else problem.c.copy()
        bias = guess.bias
        if sigma is not None:
            bias = (Q.support(s)[1] or 0.0) if bias is None else bias
            s -= bias * sigma
        state = NewtonState(
            passes=guess.passes + 2,
            w=guess.w,
            bias=bias or 0.0,
            s=s,
            alpha=guess.centre,
            adjoint=np.empty(0),
            centre=guess.centre,
            delta=guess.delta,
            width=Q.upper - Q.lower,
            system=NewtonSystem(A, problem.lam),
            steps=0,
            blur=_FIRST_BLUR,
            is_new_stage=False,
            sigma=sigma,
        )
        state.alpha = _maximiser(problem, state)
        state.adjoint = A.rmatvec(state.alpha)
        return state

    def step(self, problem: Problem, state: NewtonState) -> NewtonState:
        A, sigma = problem.A, state.sigma
        if state.is_new_stage:
            _begin_stage(problem, state)
        dw, db = _direction(problem, state)
        ds = A.matvec(dw) if sigma is None else A.matvec(dw) - db * sigma
        t = _line_search(problem, state, dw, db, ds)
        state.w += t * dw
        state.bias += t * db
        state.s += t * ds
        old, state.alpha = state.alpha, _maximiser(problem, state)
        change = state.alpha - old
        state.adjoint += A.rmatvec(change)
        state.passes += 1 + np.count_nonzero(change) / len(change) + state.system.work
        state.system.work = 0.0
        state.steps += 1
        if t > 0.5:
            state.blur *= _BLUR_SHRINK
        if _is_inner_optimal(problem, state):
            _end_stage(state, _SHRINK)
        elif state.steps >= _PATIENCE:
            _end_stage(state, 1 / _SHRINK**2)
        return state

    def candidate(self, problem: Problem, state: NewtonState) -> tuple[Vector, Vector]:
        w = _stretched(problem, state)
        return w, state.alpha if state.sigma is None else onto_plane(problem, state.alpha)

    def estimate(self, problem: Problem, state: NewtonState) -> float:
        """The gap at the current bias, from what is in memory."""
        Q = problem.Q
        primal = 0.5 * problem.lam * float(state.w @ state.w) + _risk(problem, state.s)
        dual = float(problem.c @ state.alpha) - 0.5 * float(state.adjoint @ (state.adjoint / problem.lam))
        if state.sigma is not None:
            off_plane = _off_plane(problem, state)
            primal += state.bias * Q.z  # type: ignore[attr-defined]
            dual -= (1 + abs(state.bias)) * abs(off_plane)
        return (primal - dual) / max(abs(primal), abs(dual), np.finfo(np.float64).tiny)


def _risk(problem: Problem, s: Vector) -> float:
    """The support function of the box at s: the risk, at a given bias and for z = 0."""
    assert isinstance(problem.Q, Box)
    return float(np.maximum(problem.Q.lower * s, problem.Q.upper * s).sum())


def _stretched(problem: Problem, state: NewtonState) -> Vector:
    """w, or (1 + e) w where the risk is all but zero and consists of rounding: separable data at a tiny lam.

    Margins of 1 that are short of it by rounding then cost more than the regulariser of a slightly longer w.
    """
    half = 0.5 * problem.lam * float(state.w @ state.w)
    risk = _risk(problem, state.s)
    if not 0 < risk < _ROUNDED_RISK * half:
        return state.w
    stretches = np.append(0.0, np.logspace(-15, -6.5, 18))
    values = [(1 + e) ** 2 * half + _risk(problem, state.s + e * (state.s - problem.c)) for e in stretches]
    return (1 + stretches[int(np.argmin(values))]) * state.w


def _unclipped(state: NewtonState) -> Vector:
    """centre + tau s."""
    values = state.width * state.s
    values /= state.delta
    values += state.centre
    return values


def _maximiser(problem: Problem, state: NewtonState) -> Vector:
    """alpha(w, b)."""
    assert isinstance(problem.Q, Box)
    values = _unclipped(state)
    return np.clip(values, problem.Q.lower, problem.Q.upper, out=values)


def _row_weights(problem: Problem, state: NewtonState) -> Vector:
    """The rows' weights in the Hessian: their widths inside the box, and a share of it just outside.

    Only the rows inside belong to the generalised Hessian; but after a change of stage many rows are about to enter,
    and a step that does not see them is soon stopped by them.
    """
    assert isinstance(problem.Q, Box)
    values = _unclipped(state)
    outside = np.maximum(problem.Q.lower - values, values - problem.Q.upper)
    if state.blur < _LEAST_BLUR:
        return np.where(outside < 0, state.width, 0.0)
    # width / (1 + 4 (outside / (blur width))^2), cut off where it is below a hundredth.
    reach = 5 * state.blur * state.width
    near = np.flatnonzero(outside < reach)
    weights = np.zeros_like(values)
    distance = np.maximum(outside[near], 0.0) / (state.blur * state.width[near])
    weights[near] = state.width[near] / (1 + 4 * distance**2)
    return weights


def _off_plane(problem: Problem, state: NewtonState) -> float:
    """z - <sigma, alpha>, the derivative of Psi by the bias."""
    assert isinstance(problem.Q, BoxPlane)
    return problem.Q.z - float(problem.Q.sigma @ state.alpha)


def _direction(problem: Problem, state: NewtonState) -> tuple[Vector, float]:
    """The Newton direction; with a bias by elimination of the d-dimensional block."""
    Q, A, sigma, system = problem.Q, problem.A, state.sigma, state.system
    assert isinstance(Q, Box)
    system.reweigh(_row_weights(problem, state))
    factor = 1 / state.delta
    gradient = problem.lam * state.w + state.adjoint
    if sigma is None:
        return -system.solve(factor, gradient)[0], 0.0
    weights = factor * system.weights * sigma
    border = -A.rmatvec(weights)
    system.work += np.count_nonzero(weights) / Q.size
    by_gradient, by_border = system.solve(factor, gradient, border)
    # The ridge only matters when no row is inside its box, and the bias then moves as far as the line search lets it.
    corner = float(weights @ sigma) + 1e-10 * factor * float(state.width @ sigma**2)
    db = (float(border @ by_gradient) - _off_plane(problem, state)) / max(
        corner - float(border @ by_border), 1e-14 * corner
    )
    return -by_gradient - db * by_border, db


def _line_search(problem: Problem, state: NewtonState, dw: Vector, db: float, ds: Vector) -> float:
    Q = problem.Q
    assert isinstance(Q, Box)
    linear = problem.lam * float(state.w @ dw) + (db * Q.z if isinstance(Q, BoxPlane) else 0.0)
    return _kernels.get("box_line_search")(
        state.s, ds, state.centre, state.width, 1 / state.delta, Q.lower, Q.upper,
        linear, problem.lam * float(dw @ dw), _EVALUATIONS,
    )  # fmt: skip


def _is_inner_optimal(problem: Problem, state: NewtonState) -> bool:
    gradient = problem.lam * state.w + state.adjoint
    error = float(gradient @ (gradient / (2 * problem.lam)))
    moved, width = state.alpha - state.centre, state.width
    proximal = 0.5 * state.delta * float(np.divide(moved**2, width, out=np.zeros_like(moved), where=width > 0).sum())
    if state.sigma is not None:
        off = _off_plane(problem, state)
        error += 0.5 * state.delta * off * off / max(float(width @ state.sigma**2), np.finfo(np.float64).tiny)
    return error <= _INNER * proximal


def _end_stage(state: NewtonState, ratio: float) -> None:
    """Move the centre to alpha and change delta. alpha stays as it is, the best dual point at hand."""
    state.centre = state.alpha
    state.delta *= ratio
    state.steps = 0
    state.blur = _FIRST_BLUR
    state.is_new_stage = True


def _begin_stage(problem: Problem, state: NewtonState) -> None:
    """alpha at the new centre; and all that is updated step by step is rebuilt, lest rounding pile up."""
    state.s = problem.c + problem.A.matvec(state.w)
    if state.sigma is not None:
        state.s -= state.bias * state.sigma
    state.alpha = _maximiser(problem, state)
    state.adjoint = problem.A.rmatvec(state.alpha)
    state.passes += 2
    state.is_new_stage = False
