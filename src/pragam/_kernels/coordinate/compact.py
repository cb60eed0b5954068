"""A compact copy of some rows of a CSR matrix: the specification of ``csr_count_columns`` and ``csr_compact``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import csr_rows
from pragam._kernels.coordinate.records import Compact, Indices, Vector

__all__ = ["csr_compact", "csr_count_columns"]


def csr_count_columns(indices: Any, indptr: Indices, rows: Indices, counts: NDArray[np.int32]) -> None:
    """Add to ``counts`` the number of entries that these rows have in each column."""
    for i in rows:
        np.add.at(counts, indices[indptr[i] : indptr[i + 1]], 1)


def csr_compact(
    data: Any, indices: Any, indptr: Indices, rows: Indices, w: Vector, labels: NDArray[np.int32], copy: Compact
) -> None:
    """Copy these rows, with columns renumbered in the order of their first occurrence.

    On entry ``labels`` holds the number of entries in each column. On return it holds minus the new number minus one. A
    column with one entry is not copied. ``score`` and ``norm2`` of the copy are the sums of x_ij w_j and x_ij^2 over
    such columns j of row i.
    """
    row, to, columns = csr_rows(data, indices, indptr), 0, 0
    copy.indptr[0] = 0
    for k, i in enumerate(rows):
        copy.score[k] = copy.norm2[k] = 0.0
        for j, x in zip(*row(int(i)), strict=True):
            if labels[j] == 1:
                copy.score[k] += x * w[j]
                copy.norm2[k] += x * x
                continue
            if labels[j] > 0:
                copy.w[columns] = w[j]
                labels[j] = -1 - columns
                columns += 1
            copy.data[to], copy.indices[to] = x, -1 - labels[j]
            to += 1
        copy.indptr[k + 1] = to
