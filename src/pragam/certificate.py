"""The only place where a duality gap is computed."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.threads import one_blas_thread

#: alpha may lie outside Q by this much, relative to the size of Q: the rounding of a projection.
FEASIBILITY_TOL = 1e-12

#: A dual value may exceed a primal one by this much of their terms' sizes through rounding alone. More is a bug.
ROUNDING = 1e-9

#: The rounding of a score c_i + <a_i, w>, relative to |c_i| + |<a_i, w>|: some units in the last place.
_SCORE = 8 * float(np.finfo(np.float64).eps)

#: J(w) is taken as computed while the roundings of the scores cannot change it by more than this, relatively.
_RESOLVED = 1e-11

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Certificate:
    """A proof of quality: J(w) - J(w*) <= gap = J(w) - D(alpha), for the true optimum w*.

    Attributes
    ----------
    primal, dual : float
        J(w) at the best bias for w, and D(alpha) with alpha in Q.
    bias : float
        That best bias (0.0 if the model has none).
    exact : bool
        False when the problem is a relaxation of the model: the gap is that of the relaxed problem.
    """

    primal: float
    dual: float
    bias: float = 0.0
    exact: bool = True

    @property
    def gap(self) -> float:
        """J(w) - D(alpha), never below zero: a difference lost in rounding counts as zero."""
        return max(self.primal - self.dual, 0.0)

    @property
    def relative_gap(self) -> float:
        """gap / max(|J|, |D|), inf as long as one of the two bounds is infinite."""
        if not (isfinite(self.primal) and isfinite(self.dual)):
            return float("inf")
        return self.gap / max(abs(self.primal), abs(self.dual), _TINY)

    @property
    def relaxed(self) -> bool:
        """Whether the certificate speaks of a relaxed problem."""
        return not self.exact


def certify(problem: Problem, w: Vector, alpha: Vector) -> Certificate:
    """Certify the pair (w, alpha): recompute J(w) and D(alpha) in float64 from the problem alone.

    Parameters
    ----------
    problem : Problem
    w : array of length d, or of any shape that flattens to it
    alpha : array of the length of Q's points, or of any shape that flattens to it

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If alpha lies outside Q by more than ``FEASIBILITY_TOL`` (relative), or a shape is wrong.
    ArithmeticError
        If D(alpha) exceeds J(w) by more than rounding can explain: weak duality is violated, so some
        formula of the problem is wrong.
    """
    with one_blas_thread():
        return combine(problem, certify_primal(problem, w), certify_dual(problem, alpha))


class Bound(NamedTuple):
    """A certified bound of the optimal value. ``size`` is the sum of the sizes of its terms: rounding is relative
    to that, not to the value, which may be zero. ``rounding`` bounds that of the scores where it would show, else 0."""

    value: float
    size: float
    bias: float = 0.0
    rounding: float = 0.0


def certify_primal(problem: Problem, w: Vector | None) -> Bound:
    """J(w) at the best bias: an upper bound of the optimal value, inf where float64 overflows. None is w = 0.

    On separable data with a tiny lam, J(w) is so small that it consists of losses of rounding, or lacks them. There it
    is computed with every score raised by its rounding: an upper bound, since no alpha in the Q of a risk is negative.
    """
    if w is None:  # where every solve begins
        risk, bias = problem.Q.support(problem.c, problem.kappa)
        return Bound(risk if np.isfinite(risk) else np.inf, abs(risk), bias or 0.0)
    w = _flat("w", w, problem.n_weights)
    with np.errstate(over="ignore", invalid="ignore"):
        product = problem.A.matvec(w)
        risk, bias = problem.Q.support(product + problem.c, problem.kappa)
        regulariser = 0.5 * problem.lam * float(w @ w)
        rounding = _unresolved(problem, product, regulariser + risk)
        if rounding > 0:
            raised = product + problem.c + _SCORE * (np.abs(product) + np.abs(problem.c))
            risk, bias = problem.Q.support(raised, problem.kappa)
    value = regulariser + risk
    return Bound(value if np.isfinite(value) else np.inf, regulariser + abs(risk), bias or 0.0, rounding)


def _unresolved(problem: Problem, product: Vector, value: float) -> float:
    """A bound of the scores' roundings if they may show in J(w) = value, else 0; ``product`` is A w.

    J feels at most that times sum |alpha_i| <= sqrt(m) |alpha| <= sqrt(2 m radius2).
    """
    if not product.any():
        return 0.0
    largest = _SCORE * (_largest(product) + _largest(problem.c))
    felt = largest * float(np.sqrt(2 * problem.Q.size * problem.Q.radius2()))
    return largest if _RESOLVED * abs(value) < felt < np.inf else 0.0


def _largest(x: Vector) -> float:
    """max |x_i|, without a copy of x."""
    return max(float(x.max(initial=0.0)), -float(x.min(initial=0.0)))


def certify_dual(problem: Problem, alpha: Vector) -> Bound:
    """D(alpha): a lower bound of the optimal value, -inf where float64 overflows."""
    alpha = _flat("alpha", alpha, problem.Q.size)
    violation = problem.Q.violation(alpha)
    if not violation <= FEASIBILITY_TOL:
        raise ValueError(
            f"alpha is not in Q: it violates the constraints by {violation:.3g} relative to the size of Q, "
            f"and {FEASIBILITY_TOL:g} is allowed"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        value = problem.dual(alpha)
        linear = float(problem.c @ alpha)
    return Bound(value if np.isfinite(value) else -np.inf, abs(linear) + abs(linear - value))


def combine(problem: Problem, primal: Bound, dual: Bound) -> Certificate:
    """The certificate of an upper and a lower bound that were certified separately."""
    if isfinite(primal.value) and dual.value - primal.value > ROUNDING * (primal.size + dual.size):
        raise ArithmeticError(
            f"weak duality is violated: D(alpha) = {dual.value!r} exceeds J(w) = {primal.value!r}; "
            "the problem's operator, offset and polytope do not belong together"
        )
    return Certificate(primal.value, dual.value, primal.bias, exact=not problem.relaxed)


def _flat(name: str, x: Vector, size: int) -> Vector:
    flat = np.ascontiguousarray(x, dtype=np.float64).reshape(-1)
    if flat.size != size:
        raise ValueError(f"{name} has {flat.size} entries, and the problem needs {size}")
    return flat
