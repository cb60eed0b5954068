"""The semismooth Newton method's loops over rows: the specification of ``box_*``.

A row's dual variable is alpha_i = anchor_i + size_i beta_i. With a proximal term of size tau around ``base``, it
maximises

    size_i (beta s_i - bend_i beta^2 / 2 - (beta - base_i)^2 / (2 tau)),    low_i <= beta <= high_i,

so beta = clip(u, low, high) at the position u = (base + tau s) / (1 + tau bend), and inside its box size beta grows
with s at the rate tau size / (1 + tau bend). ``threads`` changes the time, never the result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.newton.records import Border, Boxes, Ends, Line, Sums
from pragam.numerics.vector import Vector

__all__ = ["box_line_search", "box_move", "box_select", "box_slopes", "box_weights"]


def bounds_and_bend(rows: Boxes) -> tuple[Vector, Vector, Vector]:
    """low, high and bend, written out."""
    n = len(rows.size)
    return (rows.low, rows.high, rows.bend) if rows.bend.size == n else (np.zeros(n), np.ones(n), np.zeros(n))


def box_weights(rows: Boxes, s: Vector, tau: float, blur: float, out: Vector, threads: int = 1) -> None:
    """The rows' weights in the Hessian, over tau: size / (1 + tau bend) inside the box.

    Just outside it is that / (1 + 4 (distance / blur)^2), up to a distance of 2 blur.
    """
    low, high, bend = bounds_and_bend(rows)
    u = (rows.base + tau * s) / (1 + tau * bend)
    distance = np.maximum(low - u, u - high)
    outside = np.maximum(distance, 0.0) * (2 / blur if blur > 0 else 0.0)
    out[:] = np.where(distance < 2 * blur, rows.size / (1 + tau * bend) / (1 + outside**2), 0.0)


def box_select(
    rows: Boxes,
    s: Vector,
    tau: float,
    band: float,
    ends: Ends,
    beta: Vector,
    near: NDArray[np.uint8],
    fixed: Vector,
    threads: int = 1,
) -> None:
    """Set ``near`` to 1 where u lies within ``band`` of its box. ``fixed`` is the anchor there, elsewhere the bound."""
    low, high, bend = bounds_and_bend(rows)
    u = (rows.base + tau * s) / (1 + tau * bend)
    beta[:] = np.clip(u, low, high)
    near[:] = (near != 0) | ((u > low - band) & (u < high + band))
    fixed[:] = np.where(near != 0, ends.anchor, np.where(u <= low, ends.lower, ends.upper))


def box_line_search(rows: Boxes, s: Vector, ds: Vector, tau: float, line: Line, threads: int = 1) -> float:
    """The root t > 0 of  linear + quadratic t + <size ds, beta(s + t ds)>.

    The function is non-decreasing and negative at 0. Newton's method, safeguarded by a bracket, starts at t = 1 and
    ends with the first step of at most tol t.
    """
    linear, quadratic, tol, evaluations = line
    bounds, bend = bounds_and_bend(rows)[:2], bounds_and_bend(rows)[2]
    slopes = rows.size * ds
    t_low, t_high, t = 0.0, np.inf, 1.0
    for _ in range(evaluations):
        u = (rows.base + tau * (s + t * ds)) / (1 + tau * bend)
        clipped = np.clip(u, *bounds)
        value = linear + quadratic * t + float(clipped @ slopes)
        curvature = quadratic + tau * float(np.sum(slopes * ds / (1 + tau * bend), where=clipped == u))
        t_low, t_high = (t, t_high) if value < 0 else (t_low, t)
        following = t - value / curvature if curvature > 0 else t_low
        if abs(following - t) <= tol * t:
            return min(max(following, t_low), t_high)
        if not t_low < following < t_high:
            following = 2 * t if np.isinf(t_high) else 0.5 * (t_low + t_high)
        if value == 0 or not following > 0:
            break
        t = following
    return t


def box_slopes(rows: Boxes, s: Vector, ds: Vector, tau: float, t: Vector, out: Vector, threads: int = 1) -> None:
    """out_k = <size ds, beta(s + t_k ds)>: what the rows add to the derivative along ds, at several steps at once."""
    low, high, bend = bounds_and_bend(rows)
    for k, step in enumerate(t):
        u = (rows.base + tau * (s + step * ds)) / (1 + tau * bend)
        out[k] = np.clip(u, low, high) @ (rows.size * ds)


def box_move(
    rows: Boxes,
    planes: Border,
    c: Vector,
    t: float,
    s: Vector,
    ds: Vector,
    tau: float,
    beta: Vector,
    change: Vector,
    totals: Vector,
    threads: int = 1,
) -> Sums:
    """s += t ds, and beta follows. ``change`` becomes size times the change of beta.

    ``totals`` becomes the sum of sigma size beta over each plane.
    """
    low, high, bend = bounds_and_bend(rows)
    s += t * ds
    moved = np.clip((rows.base + tau * s) / (1 + tau * bend), low, high)
    change[:] = rows.size * (moved - beta)
    beta[:] = moved
    if totals.size:
        totals[:] = np.bincount(planes.group, planes.sigma * rows.size * beta, minlength=len(totals))
    best = np.where(s > 0, high, low)
    best = np.clip(np.divide(s, bend, out=best, where=bend > 0), low, high)
    return Sums(
        proximal=float(rows.size @ (beta - rows.base) ** 2),
        risk=float(rows.size @ (best * (s - 0.5 * bend * best))),
        linear=float(rows.size @ (beta * (c - 0.5 * bend * beta))),
        moved=float(np.count_nonzero(change)),
    )
