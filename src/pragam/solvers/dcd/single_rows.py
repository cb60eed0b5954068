r"""A copy of all sparse rows in single precision, for the few sweeps that lead to a low accuracy.

A sweep reads all of X, 12 bytes an entry in double precision. The copy has 6, or 8 where 16 bits do not tell the
columns apart, and each row is padded to whole vector registers. Sweeps take half to two thirds of the time on it, and
making it costs as much as one. So a solve to 1e-2 or 1e-3 takes 0.7 of the time on news20 and on 20 MB of generated
text, and with wide indices 0.85 to 0.95 on 40 MB of generated text and on news20 with bigrams. Data that the caches
hold gain nothing.

The rows are dealt from several places of X in turn, as cards are. Sweeps meet neighbours in memory together, and data
are often sorted by class: a block of one class pulls w to one side, which the next one has to undo. So dealt, the gap
of news20 after eight sweeps is a fifth smaller.

The rows that are swept over are then slightly others than those of X, by a rounding of each entry
(:mod:`pragam.solvers.dcd.single_precision`). What is certified is not: that is computed on X.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam import _kernels
from pragam._kernels.coordinate.records import Indices, Single
from pragam.numerics.memory import fresh
from pragam.numerics.remade import remade
from pragam.operators.base import Rows
from pragam.solvers.dcd.sweep import WorkingSet

#: The rows come from this many places in turn.
_PLACES = 16
#: The entries of a row are padded to a multiple of this.
_LANES = 8
#: The most columns that indices of 16 bits tell apart, and of 32.
_NARROW, _WIDE = 2**16, 2**32
#: The least bytes of X for a copy with such indices. With 14 MB, narrow ones took 1.05 of the time; with 23 MB, wide
#: ones 1.1.
_LEAST_NARROW, _LEAST_WIDE = 2**24, 2**25
#: No copy above this many bytes: then X is so large that it may be all that the memory holds.
LARGEST = 2**30


class Dealt(NamedTuple):
    """The copy, and where to find in it what X has."""

    rows: Rows
    order: Indices  # of the dual variables, as their rows follow one another in the copy


def dealt(work: WorkingSet) -> Dealt | None:
    """The rows of a CSR matrix in single precision.

    None if it is too small, a value or a column does not fit, or there is no room.
    """
    return _dealt(work.rows, work.w.size)


@remade
def _dealt(rows: Rows, d: int) -> Dealt | None:
    data, indices, indptr = rows.arrays
    n, read = rows.stored, rows.number
    is_narrow = d <= _NARROW
    if d > _WIDE or data.nbytes + indices.nbytes < (_LEAST_NARROW if is_narrow else _LEAST_WIDE):
        return None
    order = _dealt_order(n)
    ends = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(-(-np.diff(indptr) // _LANES)[order] * _LANES, out=ends[1:])
    size = int(ends[-1])
    index = np.dtype(np.uint16 if is_narrow else np.uint32)
    if (4 + index.itemsize) * size > LARGEST:
        return None
    copy = Single(fresh(size, index), fresh(size, np.float32), ends)
    if not _kernels.get("csr_single")(data, indices, indptr, order, copy):
        return None
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    number = place if read is None else place[read]
    variables = order if read is None else np.argsort(number, kind="stable")
    return Dealt(Rows("single", copy, rows.scale, number), variables)


def _dealt_order(n: int) -> Indices:
    """0 .. n-1, the first of each of the places, then the second of each, and so on."""
    share = -(-n // _PLACES)
    order = np.arange(_PLACES * share, dtype=np.int64).reshape(_PLACES, share).T.ravel()
    return np.ascontiguousarray(order[order < n])
