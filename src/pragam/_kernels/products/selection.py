"""Copies of some rows of X: the specification of ``csr_take``, ``entries_take`` and ``csr_row_values``.

``threads`` changes the time, never the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["csr_row_values", "csr_take", "entries_take"]


def csr_take(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[np.int64],
    rows: NDArray[np.int64],
    data_out: NDArray[Any],
    indices_out: NDArray[Any],
    ends: NDArray[np.int64],
    threads: int = 1,
) -> None:
    """The entries of the given rows, one row after the other. ``ends`` is the indptr of the copy."""
    for k, i in enumerate(rows):
        here, there = slice(ends[k], ends[k + 1]), slice(indptr[i], indptr[i + 1])
        data_out[here], indices_out[here] = data[there], indices[there]


def entries_take(
    entries: NDArray[Any],
    indptr: NDArray[np.int64],
    rows: NDArray[np.int64],
    out: NDArray[Any],
    ends: NDArray[np.int64],
    threads: int = 1,
) -> None:
    """The same for the data or the indices alone, as numbers of the type of ``out``, which must hold them."""
    for k, i in enumerate(rows):
        out[ends[k] : ends[k + 1]] = entries[indptr[i] : indptr[i + 1]]


def csr_row_values(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[np.int64], values: NDArray[np.float64]
) -> bool:
    """Whether every row has a single value, and columns that increase. ``values`` holds them, 1 for an empty row."""
    for i in range(len(values)):
        row = slice(indptr[i], indptr[i + 1])
        if (data[row] != data[row][:1]).any() or (np.diff(indices[row]) <= 0).any():
            return False
        values[i] = data[row][0] if len(data[row]) else 1.0
    return True
