"""The columns of sparse data: how many there may be, and how to keep only those that occur.

Training needs vectors of length d, the number of columns. A single index of 2147483647 in a file of one line would need
17 GB per vector. So d is refused if it is large both in itself and relative to the number of stored entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: The largest float64 vector, in bytes, that is allocated for data of any sparsity.
LARGEST = 10**9
#: Above that size, the most columns per stored entry that are accepted.
SPARSEST = 100


def check_width(X: Any, cause: str) -> None:
    """Refuse a CSR matrix that needs long vectors for few entries. ``cause`` says what makes it wide, and where."""
    d, stored = X.shape[1], X.data.size
    if is_too_wide(d, stored):
        raise ValueError(
            f"{cause} makes {d} columns, where {stored} entries are stored: every vector would take "
            f"{8 * d / 1e9:.3g} GB; --compact-columns (in Python datasets.compact_columns) keeps those that occur"
        )


def is_too_wide(d: int, stored: int) -> bool:
    """Whether vectors are long in themselves and for what they are of."""
    return 8 * d > LARGEST and d > SPARSEST * stored


def compact_columns(X: Any) -> tuple[sparse.csr_array, NDArray[np.int64]]:
    """The columns of a sparse X that have entries, and their numbers in X in increasing order."""
    X = sparse.csr_array(X)
    columns = np.unique(X.indices).astype(np.int64, copy=False)
    return restricted(X, columns)[0], columns


def restricted(X: Any, columns: NDArray[np.int64]) -> tuple[sparse.csr_array, int]:
    """The given columns of a CSR matrix, in increasing order, and the number of nonzero entries that are left out."""
    place = np.searchsorted(columns, X.indices)
    place[place == len(columns)] = 0
    kept = columns[place] == X.indices if len(columns) else np.zeros(X.nnz, bool)
    ends = np.concatenate([[0], np.cumsum(kept)])[X.indptr]
    lost = int(np.count_nonzero(X.data[~kept]))
    return sparse.csr_array((X.data[kept], place[kept], ends), shape=(X.shape[0], len(columns))), lost
