r"""A contiguous copy of the active rows, for the many sweeps over few rows at the end of coordinate ascent.

Columns are numbered in the order in which they are met, in 16 bits if that is enough, so that w is small and near. A
column with one entry a_ij among these rows is left out: only alpha_i moves its weight, w_j = w_j0 - (alpha_i -
alpha_i0) a_ij / lam, so that its share of the slope of row i is exactly

    a_ij w_j = (a_ij w_j0 + alpha_i0 a_ij^2 / lam) - (a_ij^2 / lam) alpha_i,

a constant, added to c_i, and a curvature of the row's own, added to own_i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import Rows
from pragam.solvers.dcd.sweep import ALPHA, OWN, SCALE, C, WorkingSet, aligned

#: The copy may take this share of the memory of X.
LARGEST = 0.35
#: A copy of no more than this many bytes is always allowed.
ALWAYS = 2**22
#: What making it costs for each entry of the rows, in entries met by a sweep.
PRICE = 3.0
#: What making it costs for each column of X, in the same unit.
PRICE_COLUMN = 2.0


def entries_of(work: WorkingSet, rows: NDArray[np.int64]) -> int:
    """How many entries these rows of a CSR matrix have."""
    indptr = work.rows.arrays[2]
    return int((indptr[rows + 1] - indptr[rows]).sum())


def price(work: WorkingSet, entries: int) -> float:
    """What a copy of rows with this many entries costs, in entries met by a sweep."""
    return PRICE * entries + PRICE_COLUMN * work.w.size


class Survey(NamedTuple):
    """What the columns of some rows are like, and whether there is room for a copy."""

    counts: NDArray[np.int32]  # the number of entries in each
    number: int  # how many have more than one
    entries: int  # how many entries those have
    room: float  # the memory that a copy may take over the memory that it needs


def survey(work: WorkingSet, rows: NDArray[np.int64]) -> Survey:
    """What a copy of these rows of a CSR matrix would hold."""
    data, indices, indptr = work.rows.arrays
    counts = np.zeros(work.w.size, dtype=np.int32)
    _kernels.get("csr_count_columns")(indices, indptr, rows, counts)
    number = int(np.count_nonzero(counts > 1))
    entries = entries_of(work, rows) - int(np.count_nonzero(counts == 1))
    needed = entries * (data.itemsize + _index(number).itemsize)
    return Survey(counts, number, entries, max(LARGEST * (data.nbytes + indices.nbytes), ALWAYS) / max(needed, 1))


def compact(work: WorkingSet, rows: NDArray[np.int64], found: Survey, lam: float) -> WorkingSet:
    """These rows as a working set of their own."""
    new = (
        np.empty(found.entries, work.rows.arrays[0].dtype),
        np.empty(found.entries, _index(found.number)),
        np.empty(len(rows) + 1, dtype=np.int64),
    )
    w, score, norm2 = np.empty(found.number), np.empty(len(rows)), np.empty(len(rows))
    before = work.w.astype(np.float64, copy=False)
    _kernels.get("csr_compact")(*work.rows.arrays, rows, before, found.counts.copy(), *new, w, score, norm2)
    table = aligned(len(rows))
    table[:] = work.table[rows]
    own = table[:, SCALE] ** 2 * norm2 / lam
    table[:, C] += table[:, SCALE] * score + own * table[:, ALPHA]
    table[:, OWN] += own
    plane = work.plane[rows] if len(work.plane) else work.plane
    active = np.arange(len(rows), dtype=np.int64)
    return WorkingSet(Rows("csr", new, work.rows.scale[rows]), table, plane, w, active, len(rows))


def _index(columns: int) -> np.dtype[Any]:
    return np.dtype(np.uint16 if columns <= 2**16 else np.int32)
