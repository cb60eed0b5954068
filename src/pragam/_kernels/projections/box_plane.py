"""Passes over a box cut by a plane, {lower <= alpha <= upper, <sigma, alpha> = z}.

Each column (lower, upper, sigma, d) is as long as the first argument, or has length 1 and applies to all rows.
"""

from __future__ import annotations

import numpy as np

from pragam.numerics.vector import Vector

__all__ = [
    "box_plane_bias",
    "box_plane_kink",
    "box_plane_point",
    "box_plane_range",
    "box_plane_sums",
    "box_plane_support",
]

BLOCK = 1024  # rows in a block of the sampled sums


def box_plane_sums(
    m: Vector, lower: Vector, upper: Vector, sigma: Vector, d: Vector, t: float, every: int
) -> tuple[float, float, float]:
    """(sum sigma alpha, its slope in t, sum |sigma alpha|) at alpha(t) = clip(m + t sigma/d^2, lower, upper).

    If ``every`` > 1, only every ``every``-th block of rows is read, and the sums are scaled up to all rows.
    A row at one of its bounds counts as moving.
    """
    rows = np.flatnonzero(np.arange(m.size) // BLOCK % every == 0)
    lower, upper, sigma, d = (x if x.size == 1 else x[rows] for x in (lower, upper, sigma, d))
    total, slope, size = box_plane_point(m[rows], lower, upper, sigma, d, t, np.empty(rows.size))
    scale = m.size / max(rows.size, 1)
    return scale * total, scale * slope, scale * size


def box_plane_point(
    m: Vector, lower: Vector, upper: Vector, sigma: Vector, d: Vector, t: float, out: Vector
) -> tuple[float, float, float]:
    """Write alpha(t) to ``out`` and return the sums of :func:`box_plane_sums` over all rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        rate = sigma / d / d
        x = m + t * rate
        np.minimum(np.maximum(x, lower), upper, out=out)
        term = sigma * out
        slope = np.where(out == x, sigma * rate, 0.0)
        return float(term.sum()), float(slope.sum()), float(np.abs(term).sum())


def box_plane_kink(m: Vector, lower: Vector, upper: Vector, sigma: Vector, d: Vector, t: float, forward: bool) -> float:
    """The kink of alpha(.) nearest to t on the right (forward) or the left. Infinite if there is none."""
    rate = np.broadcast_to(sigma / d / d, m.shape)
    moving = (rate != 0) & (lower < upper)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        kinks = np.concatenate([((bound - m) / rate)[moving] for bound in (lower, upper)])
    if forward:
        return float(np.min(kinks[kinks > t], initial=np.inf))
    return float(np.max(kinks[kinks < t], initial=-np.inf))


def _ends(lower: Vector, upper: Vector, sigma: Vector) -> tuple[Vector, Vector]:
    """The ends of beta = sigma alpha over the box (0 where sigma is 0, also if a bound is infinite)."""
    with np.errstate(invalid="ignore"):
        down = np.where(sigma == 0, 0.0, sigma * np.where(sigma > 0, lower, upper))
        up = np.where(sigma == 0, 0.0, sigma * np.where(sigma > 0, upper, lower))
    return down, up


def box_plane_range(lower: Vector, upper: Vector, sigma: Vector, n: int) -> tuple[float, float, float, float, bool]:
    """The interval [low, high] of <sigma, alpha>, the sizes of its sums, and whether all rows are valid."""
    lower, upper, sigma = (np.broadcast_to(x, (n,)) for x in (lower, upper, sigma))
    ordered = (lower <= upper) & (lower < np.inf) & (upper > -np.inf)
    down, up = _ends(lower, upper, sigma)
    valid = bool(np.all(ordered & np.isfinite(sigma)))
    return float(down.sum()), float(up.sum()), float(np.abs(down).sum()), float(np.abs(up).sum()), valid


def box_plane_support(s: Vector, lower: Vector, upper: Vector, sigma: Vector, b: float, kappa: Vector) -> float:
    """Sum over rows of max over alpha in [lower, upper] of alpha (s - b sigma) - kappa/2 alpha^2."""
    r = s - b * sigma
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        alpha = np.clip(r / kappa, lower, upper)
        straight = np.where(r == 0, 0.0, np.where(r > 0, upper, lower) * r)
        return float(np.where(kappa > 0, alpha * (r - 0.5 * kappa * alpha), straight).sum())


def box_plane_bias(s: Vector, lower: Vector, upper: Vector, sigma: Vector, z: float) -> tuple[float, float]:
    """The interval of b that minimise sum max(lower r, upper r) + b z, r = s - b sigma. (inf, -inf) if empty.

    Left of a row's kink s/sigma, its beta = sigma alpha is at its upper end. Right of the kink it is at its lower
    end. An infinite end confines b to one side of the kink. Slopes within rounding of zero count as zero.
    """
    rows = np.flatnonzero(np.broadcast_to(sigma != 0, s.shape))
    s, lower, upper, sigma = (x[rows] if x.size == s.size else x for x in (s, lower, upper, sigma))
    with np.errstate(over="ignore"):
        kinks = s / sigma
    down, up = (np.broadcast_to(x, s.shape) for x in _ends(lower, upper, sigma))
    left = float(np.max(kinks[up == np.inf], initial=-np.inf))
    right = float(np.min(kinks[down == -np.inf], initial=np.inf))
    if left > right:
        return np.inf, -np.inf
    start = np.where(up < np.inf, up, np.where(down > -np.inf, down, 0.0))
    size = abs(z) + np.maximum(np.abs(start), np.where(down > -np.inf, np.abs(down), 0.0)).sum()
    flat = 32 * np.finfo(float).eps * size
    finite = (up < np.inf) & (down > -np.inf) & (down < up)
    order = np.argsort(kinks[finite])
    # slopes[k] is the slope right of the k-th entry of `at`; for k = 0, from -inf onwards
    at = np.concatenate([[-np.inf], kinks[finite][order], [np.inf]])
    slopes = z - start.sum() + np.concatenate([[0.0], np.cumsum((up - down)[finite][order]), [np.inf]])
    low, high = at[np.argmax(slopes > -flat)], at[np.argmax(slopes > flat)]
    return float(np.clip(low, left, right)), float(np.clip(high, left, right))
