"""The entries of a CSR matrix (data, indices, indptr), for the twins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def entries(data: Array, indices: Array, indptr: Array) -> tuple[Array, Array, Array]:
    """(row, column, float64 value) of every stored entry."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return rows, indices[: indptr[-1]], data[: indptr[-1]].astype(np.float64)
