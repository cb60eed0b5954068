"""The semismooth Newton method's loops over rows: the specification of ``csr_gram_add`` and ``box_line_search``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.rows import csr_rows

__all__ = ["box_line_search", "csr_gram_add"]

Vector = NDArray[np.float64]


def csr_gram_add(
    data: Any, indices: Any, indptr: Any, rows: NDArray[np.int64], weights: Vector, d: int, gram: Vector
) -> None:
    """gram += sum_k weights_k x_i x_i', i = rows_k: the lower triangle of a flat, row-major d x d matrix."""
    row = csr_rows(data, indices, indptr)
    matrix = gram.reshape(d, d)
    for i, weight in zip(rows, weights, strict=True):
        columns, values = row(int(i))
        x = np.zeros(d)
        np.add.at(x, columns, values)
        matrix += np.tril(weight * np.outer(x, x))


def box_line_search(
    s: Vector,
    ds: Vector,
    centre: Vector,
    tau: Vector,
    factor: float,
    lower: Vector,
    upper: Vector,
    linear: float,
    quadratic: float,
    evaluations: int,
) -> float:
    """The root t > 0 of  linear + quadratic t + <ds, clip(centre + factor tau (s + t ds), lower, upper)>.

    The function does not decrease and is negative at 0. Newton's method with a bracket as guard, from t = 1.
    """
    low, high, t = 0.0, np.inf, 1.0
    step = factor * tau
    for _ in range(evaluations):
        a = centre + step * (s + t * ds)
        clipped = np.clip(a, lower, upper)
        value = linear + quadratic * t + float(clipped @ ds)
        inside = clipped == a
        curvature = quadratic + float(step[inside] @ ds[inside] ** 2)
        low, high = (t, high) if value < 0 else (low, t)
        following = t - value / curvature if curvature > 0 else low
        if not low < following < high:
            following = 2 * t if np.isinf(high) else 0.5 * (low + high)
        if value == 0 or abs(following - t) <= 1e-12 * t or not following > 0:
            break
        t = following
    return t
