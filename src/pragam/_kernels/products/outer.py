"""Sums of outer products of the rows of a sparse matrix, as in a Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import csr_rows
from pragam.numerics.vector import Vector

__all__ = ["csr_gram_add", "pattern_gram_add"]


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
