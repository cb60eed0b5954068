"""Products in two doubles, high + low, with the sums of the sizes of their terms. The sums here are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.rounding.columns import exact_sum
from pragam.numerics.vector import Vector

__all__ = ["csr_twofold_matvec", "csr_twofold_rmatvec", "dense_twofold_matvec"]


Array = NDArray[Any]


def csr_twofold_matvec(
    data: Array, indices: Array, indptr: Array, w: Vector, high: Vector, low: Vector, size: Vector, threads: int = 1
) -> None:
    """high + low = X w in twice the precision; size = |X| |w|."""
    x = data[: indptr[-1]].astype(np.float64)
    at = w[indices[: indptr[-1]]]
    for i in range(len(high)):
        row = slice(indptr[i], indptr[i + 1])
        high[i], low[i], size[i] = _twofold(x[row], at[row])


def csr_twofold_rmatvec(
    data: Array, indices: Array, indptr: Array, alpha: Vector, high: Vector, low: Vector, size: Vector
) -> None:
    """high + low = X' alpha in twice the precision; size = |X|' |alpha|."""
    order = np.argsort(indices[: indptr[-1]], kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(indices[: indptr[-1]], minlength=len(high)))])
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))[order]
    csr_twofold_matvec(data[: indptr[-1]][order], rows, ends, alpha, high, low, size)


def dense_twofold_matvec(X: Array, w: Vector, high: Vector, low: Vector, size: Vector, threads: int = 1) -> None:
    """high + low = X w in twice the precision; size = |X| |w|; X of any strides."""
    for i, row in enumerate(np.asarray(X, dtype=np.float64)):
        high[i], low[i], size[i] = _twofold(row, w)


def _twofold(x: Vector, y: Vector) -> tuple[float, float, float]:
    """(high, low, size) of <x, y>. The error of a product is computed as by Dekker."""
    with np.errstate(over="ignore", invalid="ignore"):
        p = x * y
        parts = []
        for v in (x, y):
            t = 134217729.0 * v
            parts.append((t - (t - v), v - (t - (t - v))))
        (xh, xl), (yh, yl) = parts
        terms = np.concatenate([p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl])
    high = exact_sum(terms)
    low = exact_sum(np.append(terms, -high))
    return high, low, exact_sum(np.abs(p))
