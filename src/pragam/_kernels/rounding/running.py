"""Products, and the sums of the sizes of their partial sums, in the kernels' order of summation.

A sum s_1, s_2, .. of terms has an error of at most u times the sum of the |s_k| (Higham 2002, section 3.3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["csr_running_matvec", "csr_running_rmatvec", "dense_running_matvec"]

Array = NDArray[Any]


def csr_running_matvec(
    data: Array, indices: Array, indptr: Array, w: Vector, value: Vector, partial: Vector, threads: int = 1
) -> None:
    """value = X w, and partial[i] sums the sizes of the partial sums of value[i]: even entries, odd ones, the two."""
    terms = data[: indptr[-1]].astype(np.float64) * w[indices[: indptr[-1]]]
    for i in range(len(value)):
        row = terms[indptr[i] : indptr[i + 1]]
        (even, of_even), (odd, of_odd) = _running(row[::2]), _running(row[1::2])
        value[i], both = _running(np.array([even, odd]))
        partial[i] = of_even + of_odd + (both - abs(even) if odd else 0.0)


def csr_running_rmatvec(
    data: Array, indices: Array, indptr: Array, alpha: Vector, value: Vector, partial: Vector
) -> None:
    """The same for X' alpha, every column in the order of its rows."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    terms = data[: indptr[-1]].astype(np.float64) * alpha[rows]
    for j in range(len(value)):
        value[j], partial[j] = _running(terms[indices[: indptr[-1]] == j])


def dense_running_matvec(X: Array, w: Vector, value: Vector, partial: Vector, threads: int = 1) -> None:
    """The same for X w, X dense and of any strides, every row in order."""
    for i, row in enumerate(np.asarray(X, dtype=np.float64)):
        value[i], partial[i] = _running(row * w)


def _running(terms: Vector) -> tuple[float, float]:
    """The sum in order, and the sum of the sizes of its partial sums; a term of 0 rounds nothing."""
    sums = np.cumsum(terms[terms != 0])
    return (float(sums[-1]), float(np.abs(sums).sum())) if sums.size else (0.0, 0.0)
