"""Row access for the twins: ``row(i) -> (columns, values)`` for every storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = Callable[[int], tuple[Any, NDArray[np.float64]]]


def csr_rows(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[np.int64]) -> Row:
    def row(i: int) -> tuple[Any, NDArray[np.float64]]:
        part = slice(indptr[i], indptr[i + 1])
        return indices[part], data[part].astype(np.float64)

    return row


def pattern_rows(indices: NDArray[np.uint16], indptr: NDArray[np.int64]) -> Row:
    return csr_rows(np.ones(indices.size), indices, indptr)


def dense_rows(X: NDArray[Any]) -> Row:
    everything = np.arange(X.shape[1])
    return lambda i: (everything, X[i].astype(np.float64))
