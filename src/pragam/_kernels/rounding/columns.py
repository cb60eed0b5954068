"""Sums over columns with the sizes of their terms, and bounds of support functions.

The compiled sums round at most 24 times each. The sums here are exact except for the rounding of their terms.
"""

from __future__ import annotations

from math import fsum

import numpy as np

from pragam.numerics.vector import Vector

__all__ = ["box_plane_support_bound", "dot_and_size"]

UNIT, TINY = 8 * 2.0**-53, 2.0**-1022


def exact_sum(x: Vector) -> float:
    return fsum(x) if np.isfinite(x).all() else float(np.sum(x))


def dot_and_size(x: Vector, y: Vector) -> tuple[float, float]:
    """(sum of x_i y_i, sum of |x_i y_i|)."""
    with np.errstate(over="ignore", invalid="ignore"):
        terms = x * y
        return exact_sum(terms), exact_sum(np.abs(terms))


def box_plane_support_bound(
    s: Vector, slack: Vector, lower: Vector, upper: Vector, sigma: Vector, b: float, kappa: Vector
) -> tuple[float, float, float]:
    """Sum over rows of max over alpha in [lower, upper] of alpha (t - b sigma) - kappa/2 alpha^2, t within slack of s.

    Returns an upper bound, not counting the rounding of this sum; the value at t = s; and the sum of the bounds' sizes.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        shift = b * sigma
        r = s - shift
        d = slack + UNIT * (np.abs(s) + np.abs(shift))
        ends = [_smooth_piece(t, lower, upper, kappa, UNIT) for t in (r - d, r + d)]
        at_lower = np.where(lower > -np.inf, lower * r + np.abs(lower) * d, np.where(r - d < 0, np.inf, -np.inf))
        at_upper = np.where(upper < np.inf, upper * r + np.abs(upper) * d, np.where(r + d > 0, np.inf, -np.inf))
        straight = np.maximum(at_lower, at_upper)
        straight = np.where(straight == -np.inf, 0.0, straight)
        at_score = np.where(r == 0, 0.0, np.where(r > 0, upper, lower) * r)
        most = np.where(kappa > 0, np.maximum(*ends), straight)
        exact = np.where(kappa > 0, _smooth_piece(r, lower, upper, kappa, 0.0), at_score)
        is_zero = ((r + d <= 0) | (upper == 0)) & ((r - d >= 0) | (lower == 0))
        most = most + np.where(is_zero, 0.0, 8 * TINY)
        return exact_sum(most), exact_sum(exact), exact_sum(np.abs(most))


def _smooth_piece(t: Vector, lower: Vector, upper: Vector, kappa: Vector, unit: float) -> Vector:
    """max over [lower, upper] of a t - kappa/2 a^2, raised by ``unit`` times the sizes of its terms."""
    a = np.clip(t / kappa, lower, upper)
    line, bend = a * t, 0.5 * kappa * a * a
    inside = (a > lower) & (a < upper)
    return np.where(inside, t * t / (2 * kappa) * (1 + unit), line - bend + unit * (np.abs(line) + bend))
