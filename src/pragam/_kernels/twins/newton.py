"""The semismooth Newton method's loops over rows: the specification of ``*_gram_add`` and ``box_*``.

A row's dual variable is alpha_i = lower_i + width_i beta_i. A row at the position u = base + factor s has
beta = clip(u, 0, 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.rows import csr_rows

__all__ = ["box_line_search", "box_move", "box_select", "box_weights", "csr_gram_add", "pattern_gram_add"]

Vector = NDArray[np.float64]


def csr_gram_add(
    data: Any,
    indices: Any,
    indptr: Any,
    rows: NDArray[np.int64],
    weights: Vector,
    d: int,
    gram: Vector,
    threads: int = 1,
) -> None:
    """gram += sum_k weights_k x_i x_i', i = rows_k: the upper triangle of a flat, row-major d x d matrix."""
    row = csr_rows(data, indices, indptr)
    matrix = gram.reshape(d, d)
    for i, weight in zip(rows, weights, strict=True):
        columns, values = row(int(i))
        x = np.zeros(d)
        np.add.at(x, columns, values)
        matrix += np.triu(weight * np.outer(x, x))


def pattern_gram_add(
    indices: Any, indptr: Any, rows: NDArray[np.int64], weights: Vector, d: int, gram: Vector, threads: int = 1
) -> None:
    """The same for a matrix of zeros and ones."""
    csr_gram_add(np.ones(len(indices)), indices, indptr, rows, weights, d, gram)


def box_weights(s: Vector, base: Vector, width: Vector, factor: float, blur: float, out: Vector) -> None:
    """The rows' weights in the Hessian: width inside the box, width / (1 + 4 (distance / blur)^2) just outside."""
    u = base + factor * s
    distance = np.maximum(-u, u - 1)
    outside = np.maximum(distance, 0.0) * (2 / blur if blur > 0 else 0.0)
    out[:] = np.where(distance < 2 * blur, width / (1 + outside**2), 0.0)


def box_select(
    s: Vector,
    base: Vector,
    factor: float,
    band: float,
    lower: Vector,
    upper: Vector,
    beta: Vector,
    near: NDArray[np.uint8],
    fixed: Vector,
) -> None:
    """Set ``near`` to 1 where u lies within ``band`` of [0, 1]. Above that ``fixed`` is upper, elsewhere lower."""
    u = base + factor * s
    beta[:] = np.clip(u, 0.0, 1.0)
    near[:] = (near != 0) | ((u > -band) & (u < 1 + band))
    fixed[:] = np.where((near != 0) | (u <= 0), lower, upper)


def box_line_search(
    s: Vector,
    ds: Vector,
    base: Vector,
    width: Vector,
    factor: float,
    linear: float,
    quadratic: float,
    tol: float,
    evaluations: int,
) -> float:
    """The root t > 0 of  linear + quadratic t + <width ds, clip(base + factor (s + t ds), 0, 1)>.

    The function is non-decreasing and negative at 0. Newton's method, safeguarded by a bracket, starts at t = 1 and
    ends with the first step of at most tol t.
    """
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(evaluations):
        u = base + factor * (s + t * ds)
        clipped = np.clip(u, 0.0, 1.0)
        value = linear + quadratic * t + float(clipped @ (width * ds))
        inside = clipped == u
        curvature = quadratic + factor * float(width[inside] @ ds[inside] ** 2)
        low, high = (t, high) if value < 0 else (low, t)
        following = t - value / curvature if curvature > 0 else low
        if abs(following - t) <= tol * t:
            return min(max(following, low), high)
        if not low < following < high:
            following = 2 * t if np.isinf(high) else 0.5 * (low + high)
        if value == 0 or not following > 0:
            break
        t = following
    return t


def box_move(
    t: float,
    s: Vector,
    ds: Vector,
    base: Vector,
    width: Vector,
    c: Vector,
    sigma: Vector,
    factor: float,
    beta: Vector,
    change: Vector,
) -> tuple[float, float, float, float, float]:
    """s += t ds, and beta = clip(base + factor s, 0, 1). ``change`` becomes width times the change of beta.

    Returns the sums of  width (beta - base)^2,  width [s]_+,  c width beta  and  sigma width beta,  and the number of
    rows whose alpha changed.
    """
    s += t * ds
    moved = np.clip(base + factor * s, 0.0, 1.0)
    change[:] = width * (moved - beta)
    beta[:] = moved
    filled = width * beta
    proximal, hinge = float(width @ (beta - base) ** 2), float(width @ np.maximum(s, 0.0))
    return proximal, hinge, float(c @ filled), float(sigma @ filled), float(np.count_nonzero(change))
