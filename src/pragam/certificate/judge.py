"""A certificate from an upper and a lower bound, in as many digits as it needs."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from pragam.certificate.bound import Bound
from pragam.certificate.lower import Lower
from pragam.certificate.proof import Certificate
from pragam.certificate.upper import Upper
from pragam.numerics.arguments import flat
from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.runtime.threads import one_blas_thread

#: What may be rounding, as a share of the gap or, at the limit of float64, of the primal value. More is computed again
#: in twice the precision.
SHARE, _FLOOR = 0.1, 1e-13
#: What may be rounding, relative to the primal value: float64 should always give that. More is computed again where
#: there is no gap to compare it with.
RESOLVED = 2e-13
#: Where a part of the problem bounds no rounding, a dual value may exceed a primal one by this much of their sizes.
ROUNDING = 1e-9


def certify(problem: AnyProblem, w: Vector, alpha: Any = None, bias: float | Vector | None = None) -> Certificate:
    """Judge anybody's weights, dual variables and intercept, from the problem alone.

    Parameters
    ----------
    problem : Problem
    w : array of length d, or of any shape that flattens to it
    alpha : array of the length of Q's points, or of any shape that flattens to it, optional
        Or a dual point in another form that Q knows, as ``Result.alpha`` has it.
        Without it the dual value is -inf: the certificate bounds J from above and proves no gap.
    bias : float, or array of the length of the biases, optional
        The intercepts to judge. Without them, the best ones for w are used.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If alpha lies outside Q by more than rounding explains, or a shape is wrong.
    ArithmeticError
        If the dual value exceeds the primal one: weak duality is violated, so some formula of the problem is wrong.
    """
    with one_blas_thread():
        lower = None if alpha is None else Lower(problem, alpha)
        return certificate_of(problem, Upper(problem, flat("w", w, problem.n_weights), bias), lower)


def certificate_of(problem: AnyProblem, upper: Upper, lower: Lower | None) -> Certificate:
    """The certificate of an upper and a lower bound; the products are sharpened where their rounding shows in the gap.

    It depends on the two points alone, not on what was computed of them before.
    """
    primal, dual = upper.quick, Bound(-inf, 0.0, 0.0) if lower is None else lower.quick
    finer_primals, finer_duals = list(upper.levels[1:]), [] if lower is None else list(lower.levels[1:])
    while finer_primals or finer_duals:
        allowed = max(SHARE * (primal.value - dual.value), _FLOOR * abs(primal.value))
        allowed = RESOLVED * abs(primal.value) if lower is None else allowed
        if isfinite(primal.value) and primal.slack + dual.slack <= allowed:
            break
        # The larger slack first: with that out of the gap, the other one may show.
        if finer_duals and (dual.slack > primal.slack or not finer_primals):
            dual = getattr(lower, finer_duals.pop(0))
        else:
            primal = getattr(upper, finer_primals.pop(0))
    rigorous = all(part.rigorous for part in (problem.A, problem.B, problem.Q, problem.domain, problem.g))
    _check_weak_duality(primal, dual, rigorous)
    slack = primal.slack + dual.slack
    return Certificate(primal.value, dual.value, primal.biases, problem.Q.exact, rigorous, slack)


def _check_weak_duality(primal: Bound, dual: Bound, rigorous: bool) -> None:
    allowed = 0.0 if rigorous else ROUNDING * (primal.size + dual.size)
    if isfinite(primal.value) and dual.value - primal.value > allowed:
        raise ArithmeticError(
            f"weak duality is violated: D(alpha) = {dual.value!r} exceeds J(w) = {primal.value!r}; "
            "the problem's operator, offset and polytope do not belong together"
        )
