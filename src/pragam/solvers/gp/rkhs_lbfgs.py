r"""L-BFGS in the inner product of the weights ("rkhs-lbfgs"; Liu and Nocedal, Mathematical Programming 1989).

The gradient of J in the inner product that belongs to A is

    grad J(w) = lam w + A' alpha(w),   alpha(w) the marginals of forward-backward at the scores A w.

Every stored vector keeps its representer (``A.lift``), so that inner products are plain dot products, and every step
takes one product with a Gram matrix, that of the new gradient, or two with a factor. No Cholesky factor is needed, and
the Gram may be singular. A line search needs forward-backward alone: the scores along the direction are known.

*Gap.* w + grad J(w) / -lam is w(alpha(w)), so J(w) - D(alpha(w)) = |grad J(w)|^2 / (2 lam) exactly. That is the
estimate. The dual point proposed is the one of the highest D so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.solvers.base import Cost, Solver, Start, State
from pragam.solvers.gp.cost import rkhs_lbfgs_cost
from pragam.solvers.gp.memory import Memory
from pragam.structured.gp.problem import GPProblem

#: Sufficient decrease, and by how much the slope must flatten (Wolfe's conditions).
_DECREASE, _FLATTEN = 1e-4, 0.9
#: Evaluations in one line search.
_TRIALS = 30
#: Below this tolerance products are summed in float64 even where the data are float32.
_FINE = 1e-5
_TINY = float(np.finfo(np.float64).tiny)


class At(NamedTuple):
    """The problem at some scores."""

    scores: Vector
    risk: float
    point: Any  # the dual point, the marginals of these scores
    x: Vector  # its coordinates


@dataclass
class LbfgsState(State):
    w: Vector  # lifted
    gradient: Vector  # lifted
    at: At
    J: float
    best: Any  # the dual point of the highest D so far
    D: float
    is_fast: bool
    memory: Memory


@dataclass(frozen=True)
class RkhsLbfgs(Solver[GPProblem, LbfgsState]):
    """``memory`` steps are remembered."""

    memory: int = 60

    name = "rkhs-lbfgs"
    needs = ("A.lift", "A.scores", "A.fast_rmatvec", "Q.posterior", "Q.log_loss")
    serves = "Gaussian-process sequences (gp_sequences)"

    def cost(self, problem: GPProblem, tol: float) -> Cost:
        return rkhs_lbfgs_cost(problem, tol)

    def init(self, problem: GPProblem, rng: np.random.Generator, start: Start | None, tol: float) -> LbfgsState:
        A, is_fast = problem.A, tol >= _FINE
        w = A.lift(np.zeros(problem.n_weights) if start is None else start.w.copy(), is_fast)
        at = _at(problem, A.scores(w, is_fast))
        gradient = _gradient(problem, w, at, is_fast)
        memory = Memory(self.memory, gradient, np.float32 if is_fast else np.float64)
        J, D = _values(problem, w, at, gradient)
        return LbfgsState(1.0 if start is None else 3.0, w, gradient, at, J, at.point, D, is_fast, memory)

    def step(self, problem: GPProblem, state: LbfgsState) -> LbfgsState:
        direction = state.memory.direction(state.gradient)
        if not _inner(direction, state.gradient) < 0:  # rounding has spoilt the memory
            state.memory.clear()
            direction = state.memory.direction(state.gradient)
        length, at = _line_search(problem, state, direction)
        direction *= length
        w = state.w + direction
        gradient = _gradient(problem, w, at, state.is_fast)
        state.memory.add(direction, state.gradient, gradient)
        J, D = _values(problem, w, at, gradient)
        best, D = (at.point, D) if D > state.D else (state.best, state.D)
        return LbfgsState(state.passes + 1, w, gradient, at, J, best, D, state.is_fast, state.memory)

    def candidate(self, problem: GPProblem, state: LbfgsState) -> tuple[Vector, Any]:
        return state.w[0], state.best

    def estimate(self, problem: GPProblem, state: LbfgsState) -> float | None:
        return (state.J - state.D) / max(abs(state.J), abs(state.D), _TINY)


def _at(problem: GPProblem, scores: Vector) -> At:
    point = problem.Q.posterior(scores)
    return At(scores, problem.Q.log_loss(scores, point), point, problem.Q.coordinates(point))


def _gradient(problem: GPProblem, w: Vector, at: At, is_fast: bool) -> Vector:
    """grad J(w), lifted: lam w + A' alpha."""
    A = problem.A
    slope = A.fast_rmatvec(at.x) if is_fast else A.rmatvec(at.x)
    return A.lift(problem.lam * w[0] + slope, is_fast)


def _values(problem: GPProblem, w: Vector, at: At, gradient: Vector) -> tuple[float, float]:
    """J(w), and D at the marginals of w."""
    J = 0.5 * problem.lam * _inner(w, w) + at.risk
    return J, J - max(_inner(gradient, gradient), 0.0) / (2 * problem.lam)


def _inner(v: Vector, w: Vector) -> float:
    return float(v[0] @ w[-1])


def _line_search(problem: GPProblem, state: LbfgsState, direction: Vector) -> tuple[float, At]:
    """A length that decreases J enough and flattens its slope enough, by bisection: J is convex."""
    lam, w = problem.lam, state.w
    along = problem.A.scores(direction, state.is_fast)
    square, cross, long = _inner(w, w), _inner(w, direction), _inner(direction, direction)
    slope = _inner(state.gradient, direction)
    low, high, following = 0.0, np.inf, 1.0
    for _ in range(_TRIALS):
        length = following
        at = _at(problem, state.at.scores + length * along)
        value = 0.5 * lam * (square + length * (2 * cross + length * long)) + at.risk
        allowed = state.J + _DECREASE * length * slope + 4e-16 * abs(state.J)
        if not value <= allowed:
            high = length
        elif lam * (cross + length * long) + float(along @ at.x) < _FLATTEN * slope:
            low = length
        else:
            break
        following = 2 * length if high == np.inf else 0.5 * (low + high)
    return length, at
