r"""What a certificate says of the optimum itself: where its weights and its bias can be.

With a certified primal >= J(w, b), a dual <= min J and any optimum (w*, b*):

*Weights.* min over b of J is lam-strongly convex in w, hence

    |w - w*| <= r,   r = sqrt(2 (primal - dual) / lam).

*Bias.* A row's score at w* is within r |a_i| of its score at w, so b* is a best bias for some scores that near
(``domain.multiplier_bounds``).

So a prediction <w*, x> + b* lies within r |x| of <w, x> plus that interval.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from pragam.certificate import Certificate
from pragam.numerics.rounding import TINY, gamma
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem


class Neighbourhood(NamedTuple):
    """Where every optimum is: |w - w*| <= radius and low <= b* <= high."""

    radius: float
    low: float
    high: float

    def to_record(self) -> list[float | None]:
        """As JSON can hold it, which has no infinity: null."""
        return [x if isfinite(x) else None for x in self]

    @classmethod
    def from_record(cls, entry: Any) -> Neighbourhood:
        """What ``to_record`` wrote; ValueError if it is something else."""
        good = isinstance(entry, list) and len(entry) == 3 and all(x is None or type(x) is float for x in entry)
        if not good or (entry[0] is not None and entry[0] < 0):
            raise ValueError(f"a neighbourhood of the optimum must be three numbers, not {entry!r:.60}")
        return cls(*(sign * inf if x is None else x for x, sign in zip(entry, (1, -1, 1), strict=True)))

    def decisions(self, X: Storage, w: Vector) -> Vector:
        """(n, 2): the least and the greatest value of <w*, x> + b* for every row x of X."""
        scores = X.matvec(w)
        with np.errstate(invalid="ignore", over="ignore"):
            room = (X.product_error(w) + self.radius * X.row_bounds) * (1 + gamma(4))
            ends = np.stack([scores - room + self.low, scores + room + self.high], axis=1)
            size = np.abs(scores) + room + max(abs(self.low), abs(self.high))
            ends += np.array([-1.0, 1.0]) * np.nextafter(gamma(4) * size, inf)[:, None]
        return np.where(np.isnan(ends), np.array([-inf, inf]), ends)


def neighbourhood(problem: AnyProblem, w: Vector, certificate: Certificate) -> Neighbourhood:
    """What ``certify(problem, w, alpha)`` says of the optimum. One product with the data if there is a bias.

    It speaks of one decision function, hence of at most one bias.
    """
    low, high = bias_intervals(problem, w, certificate)
    return Neighbourhood(radius(certificate, problem.lam), float(low.sum()), float(high.sum()))


def radius(certificate: Certificate, lam: float) -> float:
    """A bound of |w - w*|, inf where the certificate proves none."""
    if not (certificate.rigorous and isfinite(certificate.gap)):
        return inf
    return sqrt(2.0) * sqrt(max(certificate.gap, TINY)) / sqrt(lam) * (1 + gamma(8)) + TINY  # gap / lam may underflow


def bias_intervals(problem: AnyProblem, w: Vector, certificate: Certificate) -> tuple[Vector, Vector]:
    """(low, high) between which all biases of every optimum lie; infinite where nothing can be said."""
    nothing = np.full(problem.n_biases, -inf), np.full(problem.n_biases, inf)
    r = radius(certificate, problem.lam)
    is_open = not (certificate.relative_gap < 1 and isfinite(r)) or bool(np.any(problem.g.curvature))
    if problem.n_biases == 0 or is_open:  # a gap of 1 is not worth a product
        return nothing
    return problem.domain.multiplier_bounds(*scores_near(problem, w, r))


def scores_near(problem: AnyProblem, w: Vector, r: float) -> tuple[Vector, Vector]:
    """(s, room): for every v with |v - w| <= r, the scores A v + c are within ``room`` of s. One product."""
    A = problem.A
    with np.errstate(invalid="ignore", over="ignore"):
        s = A.matvec(w) + problem.c
        room = r * A.row_bounds(np.arange(s.size)) + A.matvec_error(w) + gamma(1) * np.abs(s) + TINY
    return s, room * (1 + gamma(8))
