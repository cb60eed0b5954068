r"""What a certificate says of the optimum itself: where its weights and its biases can be.

With a certified primal >= J(w, b), a dual <= min J and any optimum (w*, b*):

*Weights.* min over b of J is lam-strongly convex in w, hence

    |w - w*| <= r,   r = sqrt(2 (primal - dual) / lam).

*Biases.* A row's score at w* is within r |a_i| of its score at w, so b* are best biases for some scores that near
(``domain.multiplier_bounds``).

So an output <w_k*, x> + b_k* lies within r |x| of <w_k, x> plus the interval of b_k. Models with a bias for each of
several classes have no such intervals: the same number may be added to all of their biases.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from pragam.certificate import Certificate
from pragam.numerics.rounding import TINY, gamma
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem


class Neighbourhood(NamedTuple):
    """Where every optimum is: |w - w*| <= radius and low_k <= b_k* <= high_k for each bias; 0 if there is none.

    A model has an output for each row of its weights, or for each bias if it has one row of weights and several.
    """

    radius: float
    low: Vector
    high: Vector

    def decisions(self, X: Storage, w: Vector) -> Vector:
        """(n, outputs, 2): the least and the greatest value of <w_k*, x> + b_k* for every row x of X and output k."""
        near = [self._near(X, row) for row in np.reshape(w, (-1, X.shape[1]))]
        outputs = max(len(near), len(self.low))
        near = near * outputs if len(near) == 1 else near
        ends = [np.broadcast_to(end, outputs).tolist() for end in (self.low, self.high)]
        return np.stack([ends_of(*pair, *b) for pair, *b in zip(near, *ends, strict=True)], axis=1)

    def _near(self, X: Storage, w: Vector) -> tuple[Vector, Vector]:
        """(scores, room): for every row x of X, <w*, x> is within the room of its score."""
        with np.errstate(invalid="ignore", over="ignore"):
            return X.matvec(w), (X.product_error(w) + self.radius * X.row_bounds) * (1 + gamma(4))


def ends_of(scores: Vector, room: Vector, low: float, high: float) -> Vector:
    """(n, 2): the ends of scores within their room, plus a bias from low to high; one of the two may be infinite."""
    with np.errstate(invalid="ignore", over="ignore"):
        ends = np.stack([scores - room + low, scores + room + high], axis=1)
        size = (np.abs(scores) + room)[:, None] + np.abs([low, high])
        ends += np.array([-1.0, 1.0]) * np.nextafter(gamma(4) * size, inf)
    return np.where(np.isnan(ends), np.array([-inf, inf]), ends)


def neighbourhood(problem: AnyProblem, w: Vector, certificate: Certificate) -> Neighbourhood:
    """What ``certify(problem, w, alpha)`` says of the optimum. One product with the data if there is a bias."""
    ends = bias_intervals(problem, w, certificate) if problem.n_biases else (np.zeros(1), np.zeros(1))
    return Neighbourhood(radius(certificate, problem.lam), *ends)


def radius(certificate: Certificate, lam: float) -> float:
    """A bound of |w - w*|, inf where the certificate proves none."""
    if not (certificate.rigorous and isfinite(certificate.gap)):
        return inf
    return sqrt(2.0) * sqrt(max(certificate.gap, TINY)) / sqrt(lam) * (1 + gamma(8)) + TINY  # gap / lam may underflow


def bias_intervals(problem: AnyProblem, w: Vector, certificate: Certificate) -> tuple[Vector, Vector]:
    """(low, high) between which all biases of every optimum lie; infinite where nothing can be said."""
    nothing = np.full(problem.n_biases, -inf), np.full(problem.n_biases, inf)
    r = radius(certificate, problem.lam)
    if problem.cut is None or not (certificate.relative_gap < 1 and isfinite(r)):  # a gap of 1 is not worth a product
        return nothing
    return problem.cut.multiplier_bounds(*scores_near(problem, w, r), problem.g.curvature)


def scores_near(problem: AnyProblem, w: Vector, r: float) -> tuple[Vector, Vector]:
    """(s, room): for every v with |v - w| <= r, the scores A v + c are within ``room`` of s. One product."""
    A = problem.A
    with np.errstate(invalid="ignore", over="ignore"):
        s = A.matvec(w) + problem.c
        room = r * A.row_bounds(np.arange(s.size)) + A.matvec_error(w) + gamma(1) * np.abs(s) + TINY
    return s, room * (1 + gamma(8))
