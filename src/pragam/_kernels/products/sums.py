"""Norms and sums of the rows and columns of a CSR matrix, and its check.

``threads`` changes the time, never the result.
"""

from __future__ import annotations

import numpy as np

from pragam._kernels.products.csr import Array, entries

__all__ = ["csr_abs_sums", "csr_check", "csr_column_norms2", "csr_row_norms2"]


def csr_row_norms2(
    data: Array, indices: Array, indptr: Array, n_columns: int, norms2: Array, repeated: Array, threads: int = 1
) -> int:
    """norms2[i] = sum over j of X_ij^2. repeated[i] sums the sizes of entries whose column occurred before in row i.

    The entries of a repeated column whose sum is 0 all count. Returns the most repetitions of a column: no column has
    more entries than that and the number of rows.
    """
    again = _squares(data, indices, indptr, n_columns, 0, norms2, repeated)
    return int(np.bincount(entries(data, indices, indptr)[1][again], minlength=1).max())


def csr_column_norms2(data: Array, indices: Array, indptr: Array, norms2: Array, repeated: Array) -> None:
    """norms2[j] and repeated[j] for every column."""
    _squares(data, indices, indptr, len(norms2), 1, norms2, repeated)


def _squares(
    data: Array, indices: Array, indptr: Array, n_columns: int, axis: int, norms2: Array, repeated: Array
) -> Array:
    """Writes both, and returns which entries have a column that occurred before in their row."""
    at = entries(data, indices, indptr)
    places = _summed_entries(data, indices, indptr, n_columns)
    norms2[:] = np.bincount(places[axis], weights=places[2] ** 2, minlength=len(norms2))
    keys = at[0] * np.int64(max(n_columns, 1)) + at[1]
    found, first, place, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    again = np.ones(len(keys), dtype=bool)
    again[first] = False
    counts = again | ((places[2][: len(found)] == 0) & (times > 1))[place]
    repeated[:] = np.bincount(at[axis], weights=np.where(counts, np.abs(at[2]), 0.0), minlength=len(repeated))
    return again


def _summed_entries(data: Array, indices: Array, indptr: Array, n_columns: int) -> tuple[Array, Array, Array]:
    """As ``entries``, with one entry for every occupied (row, column): the sum of its repetitions."""
    rows, columns, values = entries(data, indices, indptr)
    keys, entry = np.unique(rows * np.int64(max(n_columns, 1)) + columns, return_inverse=True)
    rows, columns = np.divmod(keys, max(n_columns, 1))
    return rows, columns, np.bincount(entry, weights=values, minlength=len(keys))


def csr_abs_sums(data: Array, indices: Array, indptr: Array, rows: Array, columns: Array) -> None:
    """Sums of the stored |X_ij| by row and by column. Repeated entries are summed one by one, so these are bounds."""
    i, j, values = entries(data, indices, indptr)
    rows[:] = np.bincount(i, weights=abs(values), minlength=len(rows))
    columns[:] = np.bincount(j, weights=abs(values), minlength=len(columns))


def csr_check(data: Array, indices: Array, indptr: Array, n_columns: int, threads: int = 1) -> tuple[int, int, int]:
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
    rows, columns, values = entries(data, indices, indptr)
    in_range = (columns >= 0) & (columns < n_columns)
    faults = np.flatnonzero(~in_range | ~np.isfinite(values))
    if len(faults) == 0:
        return 0, 0, 0
    position = int(faults[0])
    return (5 if in_range[position] else 4), int(rows[position]), position
