r"""Where the best biases of smooth losses can be: proven by the sign of a slope.

The multiplier b of the plane of a box minimises the convex function

    F(b) = sum_i max over alpha in [l_i, u_i] of alpha (s_i - b sigma_i) - kappa_i/2 alpha^2  +  b z,
    F'(b) = z - sum_i sigma_i alpha_i,     alpha_i = clip((s_i - b sigma_i)/kappa_i, l_i, u_i).

F' does not fall as b grows. So every minimiser is right of a b with F'(b) < 0, and left of a b with F'(b) > 0. The sign
is proven if the computed F'(b) is farther from 0 than its rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from pragam.numerics.rounding import TINY, gamma
from pragam.polytopes.base import Vector

#: The first step away from the b that float64 finds, relative to the sizes of it and of s/sigma. Each next one is
#: _GROWTH times as long, up to _STEPS of them. So a bound is at most _GROWTH times as far off as rounding asks for.
_FIRST, _GROWTH, _STEPS = 2.0**-50, 4.0, 80


@dataclass(frozen=True)
class Slopes:
    """F' of scores s. Rows that can move, l < u, have kappa > 0."""

    s: Vector
    lower: Vector
    upper: Vector
    sigma: Vector
    kappa: Vector
    z: float

    def bound(self, start: float, direction: int) -> float:
        """A b with F'(b) < 0 below ``start`` (direction -1), or > 0 above it (+1); infinite if none is found.

        ``start`` is near a minimiser.
        """
        with np.errstate(all="ignore"):
            kinks = np.abs(self.s / self.sigma)
            reach = abs(start) + float(kinks.max(initial=0.0, where=np.isfinite(kinks))) + TINY
            step = _FIRST * reach
            for _ in range(_STEPS if isfinite(start + step) else 0):
                b = start + direction * step
                value, error = self.at(b)
                if isfinite(b) and direction * value > error:
                    return b
                step *= _GROWTH
        return direction * inf

    def at(self, b: float) -> tuple[float, float]:
        """(F'(b), a bound of its rounding). An alpha lies between those of the scores at the ends of their rounding."""
        shift = b * self.sigma
        t, off = self.s - shift, gamma(8) * (np.abs(self.s) + np.abs(shift)) + 4 * TINY
        low, alpha, high = (self._alpha(score) for score in (t - off, t, t + off))
        terms, sigma = self.sigma * alpha, np.abs(self.sigma)
        rounding = gamma(len(alpha) + 8) * (float(np.abs(terms).sum()) + abs(self.z))
        rounding += 4 * TINY * float(np.sum(1 + sigma)) + TINY
        error = 1.01 * float(sigma @ (high - low)) + rounding
        return self.z - float(terms.sum()), error if isfinite(error) else inf

    def _alpha(self, t: Vector) -> Vector:
        """argmax of alpha t - kappa/2 alpha^2 in the box. It does not fall as t grows, rounded or not."""
        moves = self.lower < self.upper
        return np.where(moves, np.clip(t / np.where(moves, self.kappa, 1.0), self.lower, self.upper), self.lower)
