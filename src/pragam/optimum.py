r"""What a certificate says of the optimum itself: where its weights and its bias can be.

With a certified primal >= J(w, b), a dual <= min J and any optimum (w*, b*):

*Weights.* min over b of J is lam-strongly convex in w, hence

    |w - w*| <= r,   r = sqrt(2 (primal - dual) / lam).

*Bias.* A row's score at w* is within r |a_i| of its score at w, and |w*| >= |w| - r. So J(w*, b) is at least

    L(b) = lam/2 ([|w| - r]_+)^2
           + sum_i min over |t| <= r |a_i| of max over alpha in [l_i, u_i] of alpha (s_i + t - b sigma_i),

with s = A w + c, and only a b with L(b) <= primal can be optimal. L is convex, so these b form an interval. It is found
by bisection from outside: each end that is returned has L > primal, all roundings counted against it.

So a prediction <w*, x> + b* lies within r |x| of <w, x> plus that interval.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nextafter, sqrt
from typing import Any, NamedTuple

import numpy as np

from pragam import _kernels
from pragam.certificate import Certificate
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.polytopes import BoxPlane
from pragam.problem import Problem
from pragam.rounding import LANES, downward, gamma, norm

#: An end of the interval is found to this share of its distance from the bias.
_SHARE = 0.05
_ZERO = np.zeros(1)


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


def neighbourhood(problem: Problem, w: Vector, certificate: Certificate) -> Neighbourhood:
    """What ``certify(problem, w, alpha)`` says of the optimum. One product with the data if there is a bias."""
    return Neighbourhood(radius(certificate, problem.lam), *bias_interval(problem, w, certificate))


def radius(certificate: Certificate, lam: float) -> float:
    """A bound of |w - w*|, inf where the certificate proves none."""
    if not (certificate.rigorous and isfinite(certificate.gap)):
        return inf
    return sqrt(certificate.gap / lam) * sqrt(2.0) * (1 + gamma(8))


def bias_interval(problem: Problem, w: Vector, certificate: Certificate) -> tuple[float, float]:
    """(low, high) between which every optimal bias lies; infinite where nothing can be said, (0, 0) without a bias."""
    Q = problem.Q
    if not isinstance(Q, BoxPlane):
        return 0.0, 0.0
    r = radius(certificate, problem.lam)
    proves_nothing = not certificate.relative_gap < 1  # nor is its answer worth a product
    if proves_nothing or not (isfinite(r) and problem.kappa == 0 and (Q.lower <= 0).all() and (Q.upper >= 0).all()):
        return -inf, inf
    room = r * problem.A.row_bounds(np.arange(Q.size))
    least = _least(problem, Q, w, r, room)
    bias = float(certificate.biases[0])
    step = max(float(room.max(initial=0.0)), abs(bias) * 1e-12, 1e-300)
    low, high = (_end(least, certificate.primal, bias, sign * step) for sign in (-1, 1))
    return low, high


def _least(problem: Problem, Q: BoxPlane, w: Vector, r: float, room: Vector) -> Callable[[float], float]:
    """b -> a lower bound of L(b), roundings included.

    A row's term is u_i (score - room)_+ + l_i (score + room)_-, since l_i <= 0 <= u_i.
    """
    A, support = problem.A, _kernels.get("box_plane_support")
    s = A.matvec(w) + problem.c
    room = room + A.matvec_error(w)
    above, below = s - room, s + room
    two_sided = bool((Q.lower < 0).any())
    reach = np.maximum(-Q.lower, Q.upper)
    size = float(reach @ (np.abs(s) + np.abs(problem.c) + room))
    spread = float(reach @ np.abs(Q.sigma))
    inside = max(norm(w) * (1 - gamma(LANES)) - r, 0.0)
    regulariser = 0.5 * problem.lam * inside * inside * (1 - gamma(8))

    def least(b: float) -> float:
        value = support(above, _ZERO, Q.upper, Q.sigma, b, 0.0)
        if two_sided:
            value += support(below, Q.lower, _ZERO, Q.sigma, b, 0.0)
        rounding = gamma(LANES + 16) * (size + abs(b) * (spread + abs(Q.z)))
        return downward(regulariser, value, b * Q.z, -rounding)

    return least


def _end(least: Callable[[float], float], primal: float, bias: float, step: float) -> float:
    """The end of {b : L(b) <= primal} on the side of the bias that ``step`` points to, from outside."""
    inner, outer = 0.0, step
    while not least(bias + outer) > primal:
        inner, outer = outer, 4 * outer
        if not isfinite(bias + outer):
            return outer
    while abs(outer - inner) > _SHARE * abs(outer):
        middle = 0.5 * (inner + outer)
        if middle in (inner, outer):
            break
        if least(bias + middle) > primal:
            outer = middle
        else:
            inner = middle
    return nextafter(bias + outer, outer * inf)
