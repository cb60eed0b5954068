r"""The bias is the multiplier of the dual's equality constraint.

Problem:    g*(a) = sup over rho in Q_2 of <rho, a> + sum rho, Q_2 = {0 <= rho_i <= 1/n, sum y_i rho_i = 0}.
Algorithm:  The left side by linear programming (HiGHS), the right side by trying every kink b = y_i (1 +
            a_i), and the polytope's support function, which is what the certificate uses.
Guarantee:  g*(a) = min over b of (1/n) sum_i [1 + a_i - y_i b]_+, and the multiplier that ``support`` returns
            attains it.
Source:     Saha, Zhang and Vishwanathan, appendix C.
Tight:      Yes, an equality.
Corrected:  Nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.polytopes import BoxPlane

REFERENCE = "Saha, Zhang and Vishwanathan, appendix C"


def check() -> Iterator[Check]:
    cases = [(y, a, _best_mean(y, a)) for y, a in _instances()]
    for part, statement, left in (
        ("linear_program", "The linear program over Q_2 equals the minimum over the bias.", _linear_program),
        ("support", "The support function of Q_2 equals the minimum over the bias.", _support_value),
        ("multiplier", "The multiplier of the equality attains the minimum over the bias.", _at_multiplier),
    ):
        yield worst_case(
            f"biased_hinge_conjugate.{part}",
            statement,
            ((left(y, a), right) for y, a, right in cases),
            "==",
            1e-9,
            REFERENCE,
        )


def _instances() -> Iterator[tuple[Vector, Vector]]:
    """Labels of both signs, balanced or not, and scores with and without ties."""
    rng = np.random.default_rng(0)
    for n in (2, 5, 24, 81):
        for share in (0.2, 0.5):
            y = np.where(np.arange(n) < max(1, share * n), 1.0, -1.0)
            for size in (0.1, 1.0, 30.0):
                yield y, size * rng.standard_normal(n)
                yield y, size * rng.integers(-2, 3, n).astype(np.float64)


def _linear_program(y: Vector, a: Vector) -> float:
    answer = linprog(-(1 + a), A_eq=y[None, :], b_eq=[0.0], bounds=(0, 1 / len(y)), method="highs")
    return np.nan if answer.x is None else float((1 + a) @ answer.x)


def _mean_hinge(y: Vector, a: Vector, b: float) -> float:
    return float(np.maximum(0, 1 + a - y * b).mean())


def _best_mean(y: Vector, a: Vector) -> float:
    """A convex piecewise linear function has its minimum at a kink."""
    return min(_mean_hinge(y, a, b) for b in y * (1 + a))


def _support(y: Vector, a: Vector) -> tuple[float, float]:
    n = len(y)
    Q = BoxPlane(np.zeros(n), np.full(n, 1 / n), sigma=y)
    return Q.support(1 + a), Q.multiplier(1 + a)


def _support_value(y: Vector, a: Vector) -> float:
    return _support(y, a)[0]


def _at_multiplier(y: Vector, a: Vector) -> float:
    b = _support(y, a)[1]
    return np.nan if b is None else _mean_hinge(y, a, b)
