r"""The sphere that every optimal w* is in, and what is left of the gap for the losses of the optima.

For any w and b, a feasible alpha with v = w(alpha), and any optimum (w*, b*) with its scores s* = A w* + B b* + c,

    J(w, b) - J*  >= lam/2 |w - w*|^2,                         J is lam-strongly convex and w* its minimum,
    J* - D(alpha)  = lam/2 |v - w*|^2 + sum_j F_j(s_j*),       F_j(s) = max over Q_j of <., s> - g_j, less its value at
                                                               alpha_j: a gap of Fenchel and Young, so F_j >= 0.

Their sum is at most the gap, and |w - w*|^2 + |v - w*|^2 = 2 |w* - (w + v)/2|^2 + |w - v|^2 / 2, hence

    lam |w* - (w + v)/2|^2 + sum_j F_j(s_j*) <= rho,   rho = gap - lam/4 |w - v|^2.

So w* lies within r = sqrt(rho/lam) of the centre (w + v)/2. (Gap-safe screening, Ndiaye, Fercoq, Gramfort and Salmon
2017, has the first line alone: twice the r^2 and more.) What the sum says is in :mod:`pragam.certificate.kinks`.

*Rounding.* The certificate has primal >= J(w, b) and dual <= D at the feasible point next to alpha that
``domain.repair`` names, as real numbers. That point is meant by alpha here. v is computed to within a known error
(``Lower.slope``), which is counted against the radius.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

from pragam.certificate.lower import Lower
from pragam.certificate.optimum import radius
from pragam.certificate.proof import Certificate
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector
from pragam.problem import AnyProblem


class Sphere(NamedTuple):
    """|w* - centre| <= radius and sum_j F_j(s_j*) <= rho; both infinite where nothing is proved.

    ``dual`` is alpha as it was repaired, the point that F_j belongs to.
    """

    centre: Vector
    radius: float
    rho: float
    dual: Lower


def sphere(problem: AnyProblem, w: Vector, alpha: Any, certificate: Certificate) -> Sphere:
    """That of ``certify(problem, w, alpha)``. One product."""
    apart, lower = radius(certificate, problem.lam), Lower(problem, alpha)
    if not isfinite(apart):
        return Sphere(w, inf, inf, lower)
    u, error = lower.slope()
    lost = sqrt(len(w)) * TINY  # the norm of what flushes to zero in one operation on vectors
    v = u / -problem.lam
    drift = 1.01 * ((error + lost) / problem.lam + gamma(2) * norm(v) + lost)
    if not isfinite(drift):
        return Sphere(w, inf, inf, lower)
    centre = 0.5 * w + 0.5 * v
    shift = 0.5 * drift + gamma(4) * (norm(w) + norm(v)) + 4 * lost  # of the centre
    half = apart / sqrt(2.0) * (1 + gamma(4)) + TINY  # sqrt(gap / lam)
    between = 0.5 * (norm(w - v) * (1 - gamma(2 * LANES)) - drift - 2 * lost)  # at most |w - v|/2
    share = min(max(between / half * (1 - gamma(4)), 0.0), 1.0)
    left = (1 - share) * (1 + share)
    rho = certificate.gap * left * (1 + gamma(8)) + 2 * TINY
    return Sphere(centre, (half * sqrt(left) + shift) * (1 + gamma(16)), rho, lower)
