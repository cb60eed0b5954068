"""Copies of some rows of X: the specification of ``csr_take``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["csr_take"]


def csr_take(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[np.int64],
    rows: NDArray[np.int64],
    data_out: NDArray[Any],
    indices_out: NDArray[Any],
    ends: NDArray[np.int64],
) -> None:
    """The entries of the given rows, one row after the other; ``ends`` is the indptr of the copy."""
    for k, i in enumerate(rows):
        here, there = slice(ends[k], ends[k + 1]), slice(indptr[i], indptr[i + 1])
        data_out[here], indices_out[here] = data[there], indices[there]
