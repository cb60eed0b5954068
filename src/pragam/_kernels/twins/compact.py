"""A compact copy of some rows of a CSR matrix: the specification of ``csr_count_columns`` and ``csr_compact``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.rows import csr_rows

__all__ = ["csr_compact", "csr_count_columns"]

Vector = NDArray[np.float64]
Indices = NDArray[np.int64]


def csr_count_columns(indices: Any, indptr: Indices, rows: Indices, counts: NDArray[np.int32]) -> None:
    """Add to ``counts`` the number of entries that these rows have in each column."""
    for i in rows:
        np.add.at(counts, indices[indptr[i] : indptr[i + 1]], 1)


def csr_compact(
    data: Any,
    indices: Any,
    indptr: Indices,
    rows: Indices,
    w: Vector,
    labels: NDArray[np.int32],
    new_data: Any,
    new_indices: Any,
    new_indptr: Indices,
    new_w: Vector,
    score: Vector,
    norm2: Vector,
) -> None:
    """Copy these rows, with columns renumbered in the order of their first occurrence.

    On entry ``labels`` holds the number of entries in each column. On return it holds minus the new number minus one. A
    column with one entry is not copied. ``score`` and ``norm2`` are the sums of x_ij w_j and x_ij^2 over such columns j
    of row i.
    """
    row, to, columns = csr_rows(data, indices, indptr), 0, 0
    new_indptr[0] = 0
    for k, i in enumerate(rows):
        score[k] = norm2[k] = 0.0
        for j, x in zip(*row(int(i)), strict=True):
            if labels[j] == 1:
                score[k] += x * w[j]
                norm2[k] += x * x
                continue
            if labels[j] > 0:
                new_w[columns] = w[j]
                labels[j] = -1 - columns
                columns += 1
            new_data[to], new_indices[to] = x, -1 - labels[j]
            to += 1
        new_indptr[k + 1] = to
