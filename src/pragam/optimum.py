r"""What a certificate says of the optimum itself: where its weights and its bias can be.

With a certified primal >= J(w, b), a dual <= min J and any optimum (w*, b*):

*Weights.* min over b of J is lam-strongly convex in w, hence

    |w - w*| <= r,   r = sqrt(2 (primal - dual) / lam).

*Bias.* A row's score at w* is within r |a_i| of its score at w, and |w*| >= |w| - r. So J(w*, b) is at least

    L(b) = lam/2 ([|w| - r]_+)^2 + sum_i min over |t| <= r |a_i| of max over alpha in [l_i, u_i] of alpha (s_i + t - b sigma_i),

with s = A w + c, and only a b with L(b) <= primal can be optimal. L is convex, so these b form an interval. It is found by
bisection from outside: each end that is returned has L > primal, all roundings counted against it.

So a prediction <w*, x> + b* lies within r |x| of <w, x> plus that interval.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nextafter, sqrt

import numpy as np

from pragam import _kernels
from pragam.certificate import Certificate
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.polytopes import BoxPlane
from pragam.problem import Problem
from pragam.rounding import LANES, downward, gamma, norm

#: An end of the interval is found to this share of its distance from the bias.
_SHARE = 0.01
_ZERO = np.zeros(1)


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
    if not (isfinite(r) and problem.kappa == 0 and (Q.lower <= 0).all() and (Q.upper >= 0).all()):
        return -inf, inf
    least = _least(problem, Q, w, r)
    bias = float(certificate.biases[0])
    return _end(least, certificate.primal, bias, -1.0), _end(least, certificate.primal, bias, 1.0)


def decision_bounds(X: Storage, w: Vector, r: float, biases: tuple[float, float]) -> Vector:
    """(n, 2): the least and the greatest value of <w*, x> + b* for every row x of X."""
    scores = X.matvec(w)
    with np.errstate(invalid="ignore", over="ignore"):
        room = X.product_error(w) + r * X.row_bounds
        room = room + gamma(4) * (np.abs(scores) + room)
        ends = [np.nextafter(scores + sign * room + b, sign * inf) for sign, b in zip((-1, 1), biases, strict=True)]
        ends = [end + sign * gamma(4) * np.abs(end) for sign, end in zip((-1, 1), ends, strict=True)]
    low, high = (np.where(np.isnan(end), sign * inf, end) for sign, end in zip((-1, 1), ends, strict=True))
    return np.stack([low, high], axis=1)


def _least(problem: Problem, Q: BoxPlane, w: Vector, r: float) -> Callable[[float], float]:
    """b -> a lower bound of L(b), roundings included.

    A row's term is u_i (score - room)_+ + l_i (score + room)_-, since l_i <= 0 <= u_i.
    """
    A, support = problem.A, _kernels.get("box_plane_support")
    s = A.matvec(w) + problem.c
    room = A.matvec_error(w) + r * A.row_bounds(np.arange(Q.size))
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


def _end(least: Callable[[float], float], primal: float, bias: float, sign: float) -> float:
    """The end of {b : L(b) <= primal} on the side ``sign`` of the bias, from outside."""
    step = max(abs(bias), 1.0) * 1e-12
    while not least(bias + sign * step) > primal:
        step *= 8
        if not isfinite(bias + sign * step):
            return sign * inf
    inner, outer = step / 8, step
    while outer - inner > _SHARE * outer:
        middle = 0.5 * (inner + outer)
        if least(bias + sign * middle) > primal:
            outer = middle
        else:
            inner = middle
    return nextafter(bias + sign * outer, sign * inf)
