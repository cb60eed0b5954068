r"""The method for any set with a prox and a derivative.

A stage maximises D(alpha) - mu/2 |alpha - centre|^2 over the feasible dual points, from the other side:

    Psi(w, b) = lam/2 |w|^2 + <tilt, w> - <levels, b> + max over Q of <alpha, s> - g(alpha) - mu/2 |alpha - centre|^2
    s = A w + B b + c,    gradient (lam w + tilt + A' alpha, B' alpha - levels) at the maximising alpha
    Hessian lam I + [A B]' P [A B],    P = Q.derivative: a mask for a box, a centred mask for a simplex

Then the centre moves to alpha, and mu shrinks. Biases are variables like w, without lam: nothing is eliminated. Where a
plane has no curvature, a ridge |gradient| / reach keeps the step finite; it vanishes at the minimum. Line searches need
no product with the data, since s moves along a line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, cg

from pragam.numerics.remade import remade
from pragam.numerics.slope_search import vanishing_slope
from pragam.operators.base import Vector
from pragam.problem import ProxProblem
from pragam.solvers.base import Start, State
from pragam.solvers.proximal_newton.cost import has_small_matrices

#: mu shrinks by this factor from one stage to the next.
_SHRINK = 0.25
#: mu is no less than this share of the first one: below, s / mu has no digits left. Of 2,000
#: max_affine problems of ``benchmarks/ordinary.py`` 44 are missed with 1e-10, 39 with 1e-12, 40 with 1e-14.
_LEAST = 1e-12
#: A stage ends when |gradient|^2 / (2 lam) is below this share of its proximal term.
_INNER = 0.3
#: A stage ends after this many steps in any case.
_STEPS = 40
#: A line search ends where the slope has fallen to this share of the first one.
_FLAT = 0.1
#: What alpha may be off the planes by when it is proposed, times the largest score: so much of the gap asked for.
_OFF = 1e-3
#: The same relative to the size of alpha: well within what a certificate repairs.
_REPAIRABLE = 1e-8
#: The relative residual at which conjugate gradients end.
_CG_TOL = 0.1
#: The number of their iterations at the most.
_CG_STEPS = 200
_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)
#: A slope along ds is rounding if it is no more than this times <|alpha|, |ds|>.
_ROUNDING = 8 * _EPS


@dataclass
class ProximalState(State):
    w: Vector
    b: Vector
    alpha: Vector
    centre: Vector
    scores: Vector  # A w + B b + c
    adjoint: Vector  # A' alpha + tilt
    mu: float
    least_mu: float
    matrix: Vector | None  # [A B], where it is small
    tol: float
    steps: int = 0  # of this stage
    is_at_rest: bool = False  # whether the last step was rounding
    gap: float = np.inf  # the estimate
    value: float = 0.0  # the size of J there


def init(problem: ProxProblem, start: Start | None, tol: float) -> ProximalState:
    alpha = problem.start() if start is None else start.alpha.copy()
    w = np.zeros(problem.n_weights) if start is None else start.w.copy()
    scores = problem.scores(w)
    b = problem.best_biases(scores)
    scores = scores + problem.B.matvec(b)
    mu = max(_steepness(problem, scores), _slope_over_size(problem, scores, alpha))
    matrix = _matrix(problem) if has_small_matrices(problem) else None
    passes = 4.0 if matrix is None else 4.0 + problem.n_weights
    return _placed(problem, ProximalState(passes, w, b, alpha, alpha, scores, w, mu, _LEAST * mu, matrix, tol))


def step(problem: ProxProblem, state: ProximalState) -> None:
    if state.steps and (state.is_at_rest or _is_inner_optimal(problem, state) or state.steps >= _STEPS):
        state.centre, state.steps = state.alpha, 0
        state.mu = max(_SHRINK * state.mu, state.least_mu)
        _placed(problem, state)
    _move(problem, state)
    state.steps += 1
    state.passes += 1
    _placed(problem, state)


def candidate(problem: ProxProblem, state: ProximalState) -> tuple[Vector, Vector]:
    """alpha moves onto the planes where what it is off them by would show; a certificate repairs and pays less."""
    off = float(np.abs(_off(problem, state)).sum())
    is_cheap = off * float(np.abs(state.scores).max(initial=0.0)) <= _OFF * state.tol * state.value
    is_near = is_cheap and off <= _REPAIRABLE * float(np.abs(state.alpha).sum())
    return state.w, state.alpha if is_near else problem.domain.project(state.alpha)


def _move(problem: ProxProblem, state: ProximalState) -> None:
    """A Newton step with a line search, unless the slope along it is rounding.

    Such a step would lead far away where all biases move together, which changes nothing but rounding.
    """
    dw, db = _direction(problem, state)
    ds = problem.A.matvec(dw) + problem.B.matvec(db)
    slope = _slope_along(problem, state, dw, db, ds)
    state.is_at_rest = -slope(0.0) <= _ROUNDING * float(np.abs(state.alpha) @ np.abs(ds))
    if not state.is_at_rest:
        t = vanishing_slope(slope, _FLAT)
        state.w, state.b, state.scores = state.w + t * dw, state.b + t * db, state.scores + t * ds


def _placed(problem: ProxProblem, state: ProximalState) -> ProximalState:
    """The maximising alpha at (w, b), A' alpha there, and the gap that they suggest."""
    state.alpha = _maximiser(problem, state, state.scores)
    state.adjoint = problem.adjoint(state.alpha)
    state.passes += 1
    w, lam, linear = state.w, problem.lam, float(problem.tilt @ state.w) - float(problem.levels @ state.b)
    primal = 0.5 * lam * float(w @ w) + linear + problem.g.support(problem.Q, state.scores)
    dual = float(problem.c @ state.alpha) - problem.g.value(state.alpha)
    dual -= 0.5 * float(state.adjoint @ (state.adjoint / lam)) + float(np.abs(state.b) @ np.abs(_off(problem, state)))
    primal, dual = problem.constant + primal, problem.constant + dual
    state.value = max(abs(primal), abs(dual), _TINY)
    state.gap = (primal - dual) / state.value
    return state


def _maximiser(problem: ProxProblem, state: ProximalState, scores: Vector) -> Vector:
    return problem.g.prox(problem.Q, scores + state.mu * state.centre, state.mu)


def _off(problem: ProxProblem, state: ProximalState) -> Vector:
    """B' alpha - levels, the derivative of Psi by the biases."""
    return problem.B.rmatvec(state.alpha) - problem.levels


def _gradient(problem: ProxProblem, state: ProximalState) -> Vector:
    return np.concatenate([problem.lam * state.w + state.adjoint, _off(problem, state)])


def _is_inner_optimal(problem: ProxProblem, state: ProximalState) -> bool:
    """Whether the gradient is small against the proximal term."""
    gradient, d = _gradient(problem, state), problem.n_weights
    moved = state.alpha - state.centre
    proximal = 0.5 * state.mu * float(moved @ moved)
    error = float(gradient[:d] @ (gradient[:d] / (2 * problem.lam)))
    off = 0.5 * state.mu * float(gradient[d:] @ gradient[d:])
    return error + off <= _INNER * proximal or error <= _EPS**2


def _direction(problem: ProxProblem, state: ProximalState) -> tuple[Vector, Vector]:
    """The Newton direction of (w, b)."""
    d, gradient = problem.n_weights, _gradient(problem, state)
    kappa = problem.g.curvature + state.mu
    reach = float(np.ptp(state.scores)) + float(np.abs(state.b).max(initial=0.0)) + _TINY
    ridge = np.concatenate([np.full(d, problem.lam), np.full(len(gradient) - d, _norm(gradient[d:]) / reach)])
    if state.matrix is not None:
        bent = [problem.Q.derivative(state.alpha, kappa, column) for column in state.matrix.T]
        step = _solve(state.matrix.T @ _from_columns(bent, problem.Q.size), ridge, -gradient)
    else:
        step = _conjugate_gradients(problem, state, kappa, ridge, -gradient)
    return step[:d], step[d:]


def _solve(hessian: Vector, ridge: Vector, rhs: Vector) -> Vector:
    """(hessian + diag(ridge)) x = rhs. What rounding leaves in doubt of the diagonal is added, as little as helps."""
    sizes = np.maximum(hessian.diagonal(), _TINY)
    more = 0.0
    while True:
        try:
            factor = scipy.linalg.cho_factor(hessian + np.diag(ridge + more * sizes), check_finite=False)
            return scipy.linalg.cho_solve(factor, rhs, check_finite=False)
        except np.linalg.LinAlgError:
            more = max(4 * more, _EPS)
            if more >= 1:
                raise


def _conjugate_gradients(
    problem: ProxProblem, state: ProximalState, kappa: Vector | float, ridge: Vector, rhs: Vector
) -> Vector:
    d, A, B = problem.n_weights, problem.A, problem.B
    products = 0

    def product(x: Vector) -> Vector:
        nonlocal products
        products += 1
        bent = problem.Q.derivative(state.alpha, kappa, A.matvec(x[:d]) + B.matvec(x[d:]))
        return ridge * x + np.concatenate([A.rmatvec(bent), B.rmatvec(bent)])

    matrix = LinearOperator((len(rhs), len(rhs)), matvec=product, dtype=np.float64)
    step = cg(matrix, rhs, rtol=_CG_TOL, maxiter=_CG_STEPS)[0]
    state.passes += 2 * products
    return step


def _slope_along(
    problem: ProxProblem, state: ProximalState, dw: Vector, db: Vector, ds: Vector
) -> Callable[[float], float]:
    """t -> the derivative of Psi at (w, b) + t (dw, db)."""
    fixed = float((problem.lam * state.w + problem.tilt) @ dw) - float(problem.levels @ db)
    square = problem.lam * float(dw @ dw)

    def slope(t: float) -> float:
        return fixed + t * square + float(_maximiser(problem, state, state.scores + t * ds) @ ds)

    return slope


@remade
def _matrix(problem: ProxProblem) -> Vector:
    """[A B] as a matrix."""
    columns = [problem.A.matvec(e) for e in np.eye(problem.n_weights)]
    columns += [problem.B.matvec(e) for e in np.eye(problem.n_biases)]
    return _from_columns(columns, problem.Q.size)


def _from_columns(columns: list[Vector], size: int) -> Vector:
    """The matrix with these columns of this size, perhaps none."""
    return np.array(columns).reshape(len(columns), size).T


def _steepness(problem: ProxProblem, s: Vector) -> float:
    """|A' s|^2 / (lam |s|^2): the curvature of D along s; where all scores are 0, along the longest row."""
    size = _norm(s)
    rise = _norm(problem.A.rmatvec(s / size)) if size else float(problem.A.row_norms().max(initial=0.0))
    return max(rise * (rise / problem.lam), _TINY)


def _slope_over_size(problem: ProxProblem, s: Vector, alpha: Vector) -> float:
    """The range of the scores over the size of alpha: where w hardly matters, D is flat but for the proximal term."""
    size = max(float(np.abs(x).max(initial=0.0)) for x in (alpha, problem.g.oracle(problem.Q, s)))
    return float(np.ptp(s)) / size if size > 0 and s.size else 0.0


def _norm(x: Vector) -> float:
    return float(scipy.linalg.norm(x, check_finite=False)) if x.size else 0.0
