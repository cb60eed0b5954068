r"""Two certified pairs at lam_1 > lam_2, and what moves between them.

With tau = 1/lam, w and b are linear in tau and alpha is linear in lam. All is feasible, as Q is convex:

    w = (1 - theta) w_1 + theta w_2,      theta = (tau - tau_1)/(tau_2 - tau_1),
    alpha = (1 - phi) alpha_1 + phi alpha_2,      phi = (lam_1 - lam)/(lam_1 - lam_2).

u = A' alpha + tilt is linear in lam, so v = -tau u and the centre c = (w + v)/2 are linear in tau, with theta. Hence

    |c|^2 = (1 - theta) |c_1|^2 + theta |c_2|^2 - theta (1 - theta) |c_1 - c_2|^2,
    L(alpha) = (1 - phi) L_1 + phi L_2 + phi (1 - phi)/2 sum_j kappa_j (alpha_1j - alpha_2j)^2.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt

import numpy as np

from pragam.certificate.moving.near import Share
from pragam.certificate.moving.pair import Pair
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector

#: lam_1 / lam_2 at most: so no share of a lam between them that is not 0 underflows.
_WIDEST = 1e140


class Segment:
    """Everything between two pairs, the one of the larger lam first; or one pair twice, and nothing between."""

    def __init__(self, first: Pair, last: Pair) -> None:
        self.first, self.last = first, last

    @property
    def is_point(self) -> bool:
        return self.first is self.last

    def theta(self, lam: float) -> Share:
        """(1 - theta, theta)."""
        if lam == self.first.lam:
            return Share(1.0, 0.0)
        if lam == self.last.lam:
            return Share(0.0, 1.0)
        rest, part = self.phi(lam)
        return Share(rest * (self.first.lam / lam), part * (self.last.lam / lam))

    def phi(self, lam: float) -> Share:
        """(1 - phi, phi)."""
        if lam == self.first.lam:
            return Share(1.0, 0.0)
        if lam == self.last.lam:
            return Share(0.0, 1.0)
        width = self.first.lam - self.last.lam
        return Share((lam - self.last.lam) / width, (self.first.lam - lam) / width)

    @cached_property
    def step(self) -> float:
        """At most |c_1 - c_2|."""
        if self.is_point:
            return 0.0
        one, other = self.first, self.last
        with np.errstate(over="ignore", invalid="ignore"):
            length = norm(one.centre - other.centre) * (1 - gamma(LANES))
            lost = one.drift + other.drift + gamma(1) * (norm(one.centre) + norm(other.centre))
        return max(length - 1.01 * lost - 2 * TINY * sqrt(len(one.centre)), 0.0)

    @cached_property
    def curved(self) -> float:
        """At most sum_j kappa_j (alpha_1j - alpha_2j)^2."""
        kappa = self.first.problem.g.curvature
        if self.is_point or not np.any(kappa):
            return 0.0
        one, other = self.first.lower.repaired, self.last.lower.repaired
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            moved = one.point - other.point
            for repaired in (one, other):
                moved[repaired.rows] = 0.0
            total = float(np.sum(kappa * (moved * moved)))
        lost = 4 * TINY * len(moved) * (1 + float(np.max(kappa)))
        return max(total * (1 - gamma(len(moved) + 8)) - lost, 0.0) if self._is_proven else 0.0

    @property
    def _is_proven(self) -> bool:
        return not (self.first.lower.repaired.distance or self.last.lower.repaired.distance)

    def square(self, lam: float) -> float:
        """At least |c|^2 at lam."""
        theta = self.theta(lam)
        most = theta.most(self.first.square, self.last.square)
        return most - theta.rest * theta.part * self.step * self.step * (1 - gamma(24)) + gamma(2) * most + TINY

    def level(self, lam: float) -> float:
        """At most L(alpha) at lam."""
        phi = self.phi(lam)
        chord = -phi.most(-self.first.level, -self.last.level)
        gain = 0.5 * phi.rest * phi.part * self.curved * (1 - gamma(24))
        return chord + gain - gamma(2) * (abs(chord) + gain) - TINY

    def mixed(self, lam: float) -> tuple[Vector, Vector]:
        """(w, alpha) at lam, with their rounding: for a solver to start from."""
        (w, alpha), (v, beta) = self.first.start, self.last.start
        Q = self.first.problem.Q
        return self.theta(lam).plain(w, v), np.clip(self.phi(lam).plain(alpha, beta), Q.lower, Q.upper)


def segment_of(one: Pair, other: Pair | None = None) -> Segment:
    """The segment between two pairs in any order, or of one alone."""
    other = one if other is None else other
    first, last = (one, other) if one.lam >= other.lam else (other, one)
    if first is not last and not (last.lam < first.lam <= _WIDEST * last.lam):
        raise ValueError(
            f"two pairs need different lams within a factor of {_WIDEST:g}, not {one.lam:g}, {other.lam:g}"
        )
    return Segment(first, last)
