"""Twins of the products with a data matrix. CSR is (data, indices, indptr), and repeated entries are added.

A pattern is CSR without data. All its entries are 1.

``threads`` changes the time, never the result.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "csr_abs_sums",
    "csr_check",
    "csr_column_norms2",
    "csr_matmat",
    "csr_matvec",
    "csr_rmatmat",
    "csr_rmatvec",
    "csr_row_norms2",
    "dense_matvec",
    "pattern_matvec",
    "pattern_rmatvec",
    "transpose",
]

Array = NDArray[Any]


def _entries(data: Array, indices: Array, indptr: Array) -> tuple[Array, Array, Array]:
    """(row, column, float64 value) of every stored entry."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return rows, indices[: indptr[-1]], data[: indptr[-1]].astype(np.float64)


def _summed_entries(data: Array, indices: Array, indptr: Array, n_columns: int) -> tuple[Array, Array, Array]:
    """As ``_entries``, with one entry for every occupied (row, column): the sum of its repetitions."""
    rows, columns, values = _entries(data, indices, indptr)
    keys, entry = np.unique(rows * np.int64(max(n_columns, 1)) + columns, return_inverse=True)
    rows, columns = np.divmod(keys, max(n_columns, 1))
    return rows, columns, np.bincount(entry, weights=values, minlength=len(keys))


def csr_matvec(
    data: Array, indices: Array, indptr: Array, scale: Array | None, w: Array, out: Array, threads: int = 1
) -> None:
    """out = diag(scale) X w. ``scale`` None means ones."""
    rows, columns, values = _entries(data, indices, indptr)
    out[:] = np.bincount(rows, weights=values * w[columns], minlength=len(out))
    if scale is not None:
        out *= scale


def csr_rmatvec(
    data: Array, indices: Array, indptr: Array, scale: Array | None, alpha: Array, out: Array, threads: int = 1
) -> None:
    """out = X' (scale * alpha). ``scale`` None means ones."""
    rows, columns, values = _entries(data, indices, indptr)
    a = alpha if scale is None else scale * alpha
    out[:] = np.bincount(columns, weights=values * a[rows], minlength=len(out))


def csr_matmat(data: Array, indices: Array, indptr: Array, W: Array, out: Array, threads: int = 1) -> None:
    """out = X W, with W of shape (columns of X, K)."""
    for k in range(W.shape[1]):
        csr_matvec(data, indices, indptr, None, W[:, k], out[:, k])


def csr_rmatmat(data: Array, indices: Array, indptr: Array, B: Array, out: Array) -> None:
    """out += X' B, with B of shape (rows of X, K)."""
    for k in range(B.shape[1]):
        column = np.empty(len(out))
        csr_rmatvec(data, indices, indptr, None, B[:, k], column)
        out[:, k] += column


def csr_row_norms2(data: Array, indices: Array, indptr: Array, n_columns: int, norms2: Array, repeated: Array) -> int:
    """norms2[i] = sum over j of X_ij^2. repeated[i] sums the sizes of entries whose column occurred before in row i.

    The entries of a repeated column whose sum is 0 all count. Returns a number such that no column has more entries
    than that and the number of rows: the most of a column from the first row on that repeats one, among the rows whose
    columns do not increase.
    """
    again = _squares(data, indices, indptr, n_columns, 0, norms2, repeated)
    if not again.any():
        return 0
    rows, columns, _ = _entries(data, indices, indptr)
    rises = np.array([(np.diff(indices[a:b]) > 0).all() for a, b in pairwise(indptr)], dtype=bool)
    return int(np.bincount(columns[(rows >= rows[again].min()) & ~rises[rows]]).max())


def csr_column_norms2(data: Array, indices: Array, indptr: Array, norms2: Array, repeated: Array) -> None:
    """norms2[j] and repeated[j] for every column."""
    _squares(data, indices, indptr, len(norms2), 1, norms2, repeated)


def _squares(
    data: Array, indices: Array, indptr: Array, n_columns: int, axis: int, norms2: Array, repeated: Array
) -> Array:
    """Writes both, and returns which entries share their place with another."""
    at = _entries(data, indices, indptr)
    places = _summed_entries(data, indices, indptr, n_columns)
    norms2[:] = np.bincount(places[axis], weights=places[2] ** 2, minlength=len(norms2))
    keys = at[0] * np.int64(max(n_columns, 1)) + at[1]
    found, first, place, entries = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    again = np.ones(len(keys), dtype=bool)
    again[first] = places[2][: len(found)] == 0
    shares = entries[place] > 1
    repeated[:] = np.bincount(at[axis], weights=np.where(again & shares, np.abs(at[2]), 0.0), minlength=len(repeated))
    return shares


def csr_abs_sums(data: Array, indices: Array, indptr: Array, rows: Array, columns: Array) -> None:
    """Sums of the stored |X_ij| by row and by column. Repeated entries are summed one by one, so these are bounds."""
    i, j, values = _entries(data, indices, indptr)
    rows[:] = np.bincount(i, weights=abs(values), minlength=len(rows))
    columns[:] = np.bincount(j, weights=abs(values), minlength=len(columns))


def csr_check(data: Array, indices: Array, indptr: Array, n_columns: int) -> tuple[int, int, int]:
    """(fault, row, position) of the first fault in the arrays, or (0, 0, 0).

    1: indptr does not start at 0. 2: it decreases after ``row``. 3: it ends beyond the entries. Then, entry by
    entry, 4: the index at ``position`` is outside [0, n_columns). 5: the value there is not finite.
    """
    if len(indptr) == 0 or indptr[0] != 0:
        return 1, 0, 0
    falls = np.flatnonzero(np.diff(indptr) < 0)
    if len(falls):
        return 2, int(falls[0]), int(indptr[falls[0] + 1])
    if indptr[-1] > min(len(data), len(indices)):
        return 3, len(indptr) - 1, int(indptr[-1])
    rows, columns, values = _entries(data, indices, indptr)
    in_range = (columns >= 0) & (columns < n_columns)
    faults = np.flatnonzero(~in_range | ~np.isfinite(values))
    if len(faults) == 0:
        return 0, 0, 0
    position = int(faults[0])
    return (5 if in_range[position] else 4), int(rows[position]), position


def pattern_matvec(indices: Array, indptr: Array, scale: Array | None, w: Array, out: Array, threads: int = 1) -> None:
    """out = diag(scale) X w. ``scale`` None means ones."""
    csr_matvec(np.ones(len(indices)), indices, indptr, scale, w, out)


def pattern_rmatvec(
    indices: Array, indptr: Array, scale: Array | None, alpha: Array, out: Array, threads: int = 1
) -> None:
    """out = X' (scale * alpha). ``scale`` None means ones."""
    csr_rmatvec(np.ones(len(indices)), indices, indptr, scale, alpha, out)


def dense_matvec(X: Array, w: Array, out: Array, threads: int = 1) -> None:
    """out = X w in float64, for X of any strides."""
    np.einsum("ij,j->i", X, w, out=out, dtype=np.float64)


def transpose(X: Array, n: int, out: Array, threads: int = 1) -> None:
    """out (d, n) = X' for X (n, d), both flat."""
    out.reshape(-1, n)[:] = X.reshape(n, -1).T
