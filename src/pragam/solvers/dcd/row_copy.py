r"""A contiguous copy of the active rows, for the many sweeps over few rows at the end of coordinate ascent.

Columns are numbered in the order in which they are met, in 16 bits if that is enough, so that w is small and near. A
column with one entry a_ij among these rows is left out: only alpha_i moves its weight, w_j = w_j0 - (alpha_i -
alpha_i0) a_ij / lam, so that its share of the slope of row i is exactly

    a_ij w_j = (a_ij w_j0 + alpha_i0 a_ij^2 / lam) - (a_ij^2 / lam) alpha_i,

a constant, added to c_i, and a curvature of the row's own, added to own_i. A data row that several of the variables
read is copied once, and none of its columns is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.coordinate.records import ALPHA, OWN, SCALE, C, Compact, Indices, Planes, Variables
from pragam.numerics.memory import fresh
from pragam.numerics.remade import made_as, remade
from pragam.operators.base import Rows, Vector
from pragam.solvers.dcd.sweep import WorkingSet, empty_table

#: The copy may take this share of the memory of X.
LARGEST = 0.35
#: A copy of no more than this many bytes is always allowed.
ALWAYS = 2**22
#: What making it costs for each entry of the rows, in entries met by a sweep.
PRICE = 3.0
#: What making it costs for each column of X, in the same unit.
PRICE_COLUMN = 2.0


class DataRows(NamedTuple):
    """The rows of a CSR matrix that some variables read."""

    read: Indices  # by each variable
    distinct: Indices  # in order, each once
    number: Indices | None  # which of these each variable reads; None: each its own

    def entries(self, work: WorkingSet) -> int:
        """How many entries a copy of them has."""
        return work.rows.entries_of(self.distinct)


def data_rows(work: WorkingSet, chosen: Indices) -> DataRows:
    """What these variables read."""
    if work.variables.number is None:
        return DataRows(chosen, chosen, None)
    read = work.variables.number[chosen]
    distinct, number = np.unique(read, return_inverse=True)
    return DataRows(read, distinct, number)


def price(work: WorkingSet, entries: int) -> float:
    """What a copy of rows with this many entries costs, in entries met by a sweep."""
    return PRICE * entries + PRICE_COLUMN * work.w.size


class Survey(NamedTuple):
    """What the columns of some rows are like, and whether there is room for a copy."""

    rows: DataRows
    counts: NDArray[np.int32]  # in how many entries of how many variables each occurs
    columns: int  # how many occur more than once
    entries: int  # how many entries the copy has
    room: float  # the memory that a copy may take over the memory that it needs


def survey(work: WorkingSet, rows: DataRows) -> Survey:
    """What a copy of these rows of a CSR matrix would hold."""
    data, indices, indptr = work.rows.arrays
    counts = np.zeros(work.w.size, dtype=np.int32)
    _kernels.get("csr_count_columns")(indices, indptr, rows.read, counts)
    columns = int(np.count_nonzero(counts > 1))
    entries = rows.entries(work) - int(np.count_nonzero(counts == 1))
    needed = entries * (data.itemsize + _index(columns).itemsize)
    room = max(LARGEST * (data.nbytes + indices.nbytes), ALWAYS) / max(needed, 1)
    return Survey(rows, counts, columns, entries, room)


def compact(work: WorkingSet, chosen: Indices, found: Survey, lam: float) -> WorkingSet:
    """The variables ``chosen`` as a working set of their own, on a copy of the rows that they read."""
    rows, before = found.rows, work.w.astype(np.float64, copy=False)
    copy = _copied(work.rows, rows.distinct, found.counts, found.entries, before)
    made_as(copy[:3], copied_rows, work.rows, rows.distinct, found.counts, found.entries)
    variables = _fold(_variables(work.variables, chosen, rows.number), copy, lam)
    new = Rows("csr", (copy.data, copy.indices, copy.indptr), variables.table[:, SCALE], rows.number)
    active = np.arange(len(chosen), dtype=np.int64)
    return WorkingSet(new, variables, _planes(work.planes, chosen), copy.w, active, len(chosen))


@remade
def copied_rows(
    rows: Rows, distinct: Indices, counts: NDArray[np.int32], entries: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """The copy of the rows alone, which w has no part in."""
    return _copied(rows, distinct, counts, entries, np.zeros(len(counts)))[:3]


def _copied(rows: Rows, distinct: Indices, counts: NDArray[np.int32], entries: int, w: Vector) -> Compact:
    columns, n = int(np.count_nonzero(counts > 1)), len(distinct)
    copy = Compact(
        fresh(entries, rows.arrays[0].dtype), fresh(entries, _index(columns)), np.empty(n + 1, dtype=np.int64),
        np.empty(columns), np.empty(n), np.empty(n),
    )  # fmt: skip
    _kernels.get("csr_compact")(*rows.arrays, distinct, w, counts.copy(), copy)
    return copy


def _variables(variables: Variables, chosen: Indices, number: Indices | None) -> Variables:
    table = empty_table(len(chosen))
    table[:] = variables.table[chosen]
    kappa = None if variables.kappa is None else variables.kappa[chosen]
    return Variables(table, number, kappa, variables.joint)


def _fold(variables: Variables, copy: Compact, lam: float) -> Variables:
    """Add what the columns that were left out contribute. Only a row with one variable has such columns."""
    table, number = variables.table, variables.number
    score, norm2 = (copy.score, copy.norm2) if number is None else (copy.score[number], copy.norm2[number])
    own = table[:, SCALE] ** 2 * norm2 / lam
    table[:, C] += table[:, SCALE] * score + own * table[:, ALPHA]
    table[:, OWN] += own
    return variables


def _planes(planes: Planes, chosen: Indices) -> Planes:
    if not planes.multiplier.size:
        return planes
    return planes._replace(terms=planes.terms[chosen], group=None if planes.group is None else planes.group[chosen])


def _index(columns: int) -> np.dtype[Any]:
    return np.dtype(np.uint16 if columns <= 2**16 else np.int32)
