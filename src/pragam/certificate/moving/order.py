r"""The order of all rows: an anchor where no dual variable is inside its box.

b(tau) is the bias of the moving pair, p any point. o - b(tau), o = b* + <p, w* - c>, is a best bias for the scores
<a_j, w*> + c_j + sigma_j (b(tau) - <p, w* - c>), which are within r |a_j - sigma_j p| of <a_j, c> + c_j + sigma_j
b(tau): at every tau between those at the ends of the cell. So it lies between the bounds of multipliers for these
(``domain.multiplier_bounds``). p is the mean of all rows on the plane; distances from it are computed once.
"""

from __future__ import annotations

from math import isfinite

import numpy as np

from pragam.certificate.distances import of_duals, of_rows
from pragam.certificate.moving.anchor import Anchor, plus
from pragam.certificate.moving.end import End
from pragam.certificate.moving.near import Near
from pragam.numerics.rounding import TINY, gamma
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import DataProblem


class Order:
    """For a problem with one bias."""

    def __init__(self, problem: DataProblem, held: Storage) -> None:
        self.problem, sigma = problem, problem.B.sigma
        with np.errstate(over="ignore", invalid="ignore"):
            point = problem.A.rmatvec(sigma) / max(float(sigma @ sigma), TINY)
        self.point = point if np.isfinite(point).all() else np.zeros(len(point))
        self.apart = of_rows(held, self.point)
        self._duals = of_duals(problem, [self.point])

    def over(self, a: End, b: End, radius: float) -> Anchor | None:
        """The anchor of the cell between a and b; None where nothing is known."""
        assert self.problem.cut is not None
        with np.errstate(over="ignore", invalid="ignore"):
            (one, more), (other, lost) = self._scores(a), self._scores(b)
            between = 0.5 * one + 0.5 * other
            room = 0.5 * np.abs(one - other) + np.maximum(more, lost) + radius * self._duals
            room = room * (1 + gamma(8)) + gamma(4) * (np.abs(one) + np.abs(other)) + 8 * TINY
        if not (np.isfinite(between).all() and np.isfinite(room).all()):
            return None
        low, high = (
            float(end[0]) for end in self.problem.cut.multiplier_bounds(between, room, self.problem.g.curvature)
        )
        known = [end for end in (low, high) if isfinite(end)]
        if not known:
            return None
        middle = sum(0.5 * end for end in known) if len(known) == 2 else known[0]
        mid, slip = Near(np.array([middle]), np.zeros(1)), gamma(4) * sum(map(abs, known)) + 4 * TINY
        below, above = (side * (1 + gamma(4)) + slip for side in (middle - low, high - middle))
        return Anchor(self.point, (plus(a.biases, mid), plus(b.biases, mid)), below, above, self.apart)

    def _scores(self, end: End) -> tuple[Vector, Vector]:
        """At the centre, with the bias of the pair."""
        (s, error), b, sigma = end.centre_scores, end.biases, self.problem.B.sigma
        shift = sigma * float(b.value[0])
        lost = np.abs(sigma) * float(b.error[0]) + gamma(4) * (np.abs(s) + np.abs(shift)) + 4 * TINY
        return s + shift, error + lost
