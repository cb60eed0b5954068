r"""Where every optimum is, at every lam between two knots of a moving pair.

With A, B and c as at the ends a and b, t = (tau - tau_a)/(tau_b - tau_a), tau = 1/lam, the moving pair leaves

    r^2 = |c|^2 + tau (R - L) <= (1 - t) r_a^2 + t r_b^2 + t (1 - t) bend,
    bend = (tau_b - tau_a)(R_a - R_b) - |c_a - c_b|^2 - tau_a/2 sum_j kappa_j (alpha_aj - alpha_bj)^2,

since R is convex in (w, b), which are linear in tau, and L = <c, alpha> - g(alpha) is concave in alpha, which is linear
in lam: R is at most its chord, and tau L at least its own, with what the curvature of g adds. So r is at most the root
of the largest value of this parabola, and rho = lam r^2 at most lam_a r^2.

*Scores.* <x, c> is linear in tau, so every one lies between those at the ends. To it come r |x - p| and the anchor.
"""

from __future__ import annotations

from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.moving.anchor import Anchor, plus
from pragam.certificate.moving.combinations import Combinations
from pragam.certificate.moving.end import End, radius2, total
from pragam.certificate.moving.known import Known
from pragam.certificate.moving.near import Near
from pragam.certificate.moving.parabola import largest
from pragam.certificate.moving.segment import Segment
from pragam.numerics.arguments import LARGEST
from pragam.numerics.rounding import TINY, gamma, upward
from pragam.operators.base import Vector

#: The order of all rows is looked at where the mean of kinks leaves more open than this share of r |x|, x an average
#: row: less makes no difference to the score of most rows.
_VAGUE = 0.1


class Cell:
    """Every lam from that of ``a``, the larger one, to that of ``b``."""

    def __init__(self, known: Known, segment: Segment, a: End, b: End) -> None:
        self.known, self.segment, self.a, self.b = known, segment, a, b

    @cached_property
    def radius(self) -> float:
        """The largest r."""
        with np.errstate(over="ignore", invalid="ignore"):
            most = radius2(self.a) if self.a is self.b else largest(radius2(self.a), radius2(self.b), self._bend)
        return sqrt(most) * (1 + gamma(4)) + TINY if isfinite(most) else inf

    @cached_property
    def rho(self) -> float:
        """The largest lam r^2."""
        return self.a.lam * self.radius * self.radius * (1 + gamma(4)) + TINY

    @property
    def _bend(self) -> float:
        """At least the bend of the parabola."""
        segment, width = self.segment, self.a.lam - self.b.lam
        fall = total(self.a) - total(self.b)
        rise = width / self.a.lam / self.b.lam * fall
        phi = width / (segment.first.lam - segment.last.lam)
        theta = phi * (segment.first.lam / self.a.lam) * (segment.last.lam / self.b.lam)
        step = theta * segment.step
        moved = step * step + 0.5 / self.a.lam * phi * phi * segment.curved
        return upward(rise, gamma(8) * abs(rise), -min(moved, LARGEST) * (1 - gamma(32)), 4 * TINY)

    @cached_property
    def omega(self) -> float:
        """The most that phi and t differ by: see :mod:`pragam.certificate.known.mean`."""
        roots = sqrt(self.a.lam) + sqrt(self.b.lam)
        return (self.a.lam - self.b.lam) / roots / roots * (1 + gamma(8))

    @cached_property
    def anchors(self) -> list[Anchor]:
        """Those of the bias: of the mean of kinks, and of the order of all rows where that leaves much open."""
        known, found = self.known, []
        if not known.problem.n_biases or not isfinite(self.radius):
            return []
        shares = [(self.segment.theta(end.lam), self.segment.phi(end.lam)) for end in (self.a, self.b)]
        mean = known.mean(self.segment).over(shares, self.radius, self.rho, self.omega)
        if mean is not None:
            found.append(mean)
        if mean is None or not mean.room <= _VAGUE * self.radius * known.length:
            order = known.order.over(self.a, self.b, self.radius)
            found += [] if order is None else [order]
        return found

    def ends(self) -> Vector:
        """(m, 2): the least and the greatest score of every row that matters, at any optimum of any lam of the cell."""
        held, m = self.known.held, self.known.held.shape[0]
        low, high = np.full(m, -inf), np.full(m, inf)
        if isfinite(self.radius):
            with np.errstate(over="ignore", invalid="ignore"):
                if self.known.problem.n_biases:
                    found = [self._around(o.ends, o.below, o.above, o.apart) for o in self.anchors]
                else:
                    found = [self._around(None, 0.0, 0.0, held.row_bounds)]
                for least, most in found:
                    np.fmax(low, least, out=low)
                    np.fmin(high, most, out=high)
            low[self.known.zeros] = high[self.known.zeros] = 0.0
        return np.stack([low, high], axis=1)

    def finer(self, rows: NDArray[np.int64], found: Vector, level: float | None = None) -> Vector:
        """(len(rows), 2): the same of some of the rows, tightened by combinations of kinks; never looser than
        ``found``, which is what ``ends`` or an earlier call says of them.

        With a ``level`` it only matters on which side of it the scores are: rows of which that will not show, or does,
        are left as they are.
        """
        rows = np.asarray(rows)
        kinks = self._combinations
        if kinks is None or not len(rows):
            return found
        one, other = (Near(*(column[rows] for column in end.held_scores)) for end in (self.a, self.b))
        return kinks.tighten(self.known.held.take(rows), (one, other), found, level)

    @cached_property
    def _combinations(self) -> Combinations | None:
        anchors = self.anchors
        if not isfinite(self.radius) or (self.known.problem.n_biases and not anchors):
            return None
        rows = self.known.kink_rows(self.segment)
        if not len(rows.rows):
            return None
        anchor = min(anchors, key=lambda one: one.room) if anchors else None
        if anchor is not None and not isfinite(anchor.room):
            return None
        return Combinations(rows, self.a, self.b, self.radius, self.rho, self.omega, anchor)

    def _around(
        self, ends: tuple[Near, Near] | None, below: float, above: float, apart: Vector
    ) -> tuple[Vector, Vector]:
        """The scores by an anchor, or around 0."""
        scores = [end.held_scores for end in (self.a, self.b)]
        if ends is not None:
            scores = [plus(score, end) for score, end in zip(scores, ends, strict=True)]
        (one, more), (other, lost) = scores
        near, size = np.maximum(more, lost) + self.radius * apart, np.abs(one) + np.abs(other)
        less, more = ((near + room) * (1 + gamma(8)) + gamma(4) * size + 4 * TINY for room in (below, above))
        return np.minimum(one, other) - less, np.maximum(one, other) + more
