"""The rows of a matrix in NumPy's files, from a memory map where the file stores its arrays uncompressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scipy import sparse

from pragam.files.rows import labels_beside, read_matrix
from pragam.files.source import Source
from pragam.operators import check_data
from pragam.packed.incoming import parts
from pragam.packed.sources import Read

#: So many rows of a sparse matrix are copied at a time if their entries are not in order.
_ROWS = 2**14


class MatrixRows:
    """CSR of an ``.npz``, dense of an ``.npy`` with its labels beside it. ``at`` is the first row that was not read."""

    zero_based = None

    def read(self, opened: Source, at: Any) -> Iterator[Read]:
        """The rows from ``at`` on."""
        found = read_matrix(opened)
        X, y = found.X, found.y
        name, begin = opened.name, at or 0
        if y is None:
            where = "y into the file" if sparse.issparse(X) else f"them into {labels_beside(name)}"
            raise ValueError(f"{name}: there are no labels; put {where}")
        if not X.shape[0]:
            raise ValueError(f"{name}: no samples")
        for block, first in _blocks(X, y, begin, name):
            for part in parts(block, name, first):
                begin += part.rows
                yield Read(part, f"{name}, rows {begin - part.rows} to {begin - 1}", begin)


def _blocks(X: Any, y: Any, begin: int, name: str) -> Iterator[tuple[Any, int]]:
    """(X, y) from the row ``begin`` on, and where that is in it: a dense matrix whole, a sparse one in pieces."""
    is_sparse = sparse.issparse(X)
    if not is_sparse:
        yield (X, y), begin
        return
    check_data(X, f"{name}: X")  # of all rows, so that errors have their numbers
    for first in range(begin, X.shape[0], _ROWS):
        last = min(first + _ROWS, X.shape[0])
        yield (X[first:last], y[first:last]), 0
