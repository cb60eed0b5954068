r"""A contiguous copy of the active rows, for the many sweeps over few rows at the end of coordinate ascent.

Columns are numbered in the order in which they are met, in 16 bits if that is enough, so that w is small and near. A
column with one entry a_ij among these rows is left out: only alpha_i moves its weight, w_j = w_j0 - (alpha_i -
alpha_i0) a_ij / lam, so that its share of the slope of row i is exactly

    a_ij w_j = (a_ij w_j0 + alpha_i0 a_ij^2 / lam) - (a_ij^2 / lam) alpha_i,

a constant, added to c_i, and a curvature, added to delta_i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import Rows
from pragam.solvers.working_set import ALPHA, DELTA, SCALE, C, WorkingSet, aligned

#: The copy may take this share of the memory of X, ...
LARGEST = 0.35
#: ... or so many bytes, which nobody will miss.
ALWAYS = 2**22
#: What making it costs, in sweeps over the same rows.
PRICE = 3.0


def active_entries(work: WorkingSet) -> int:
    """How many entries the active rows of a CSR matrix have."""
    indptr, rows = work.rows.arrays[2], work.active[: work.n_active]
    return int((indptr[rows + 1] - indptr[rows]).sum())


def compact(work: WorkingSet, rows: NDArray[np.int64], lam: float) -> WorkingSet | None:
    """These rows of a CSR matrix as a working set of their own; None if that would be too large."""
    data, indices, indptr = work.rows.arrays
    labels = np.zeros(work.w.size, dtype=np.int32)
    _kernels.get("csr_count_columns")(indices, indptr, rows, labels)
    kept = labels > 1
    entries, columns = int(labels.sum(where=kept, dtype=np.int64)), int(kept.sum())
    index = np.dtype(np.uint16 if columns <= 2**16 else np.int32)
    if entries * (data.itemsize + index.itemsize) > max(LARGEST * (data.nbytes + indices.nbytes), ALWAYS):
        return None
    new = (np.empty(entries, data.dtype), np.empty(entries, index), np.empty(len(rows) + 1, dtype=np.int64))
    w, score, norm2 = np.empty(columns), np.empty(len(rows)), np.empty(len(rows))
    _kernels.get("csr_compact")(data, indices, indptr, rows, work.w, labels, *new, w, score, norm2)
    table = aligned(len(rows))
    table[:] = work.table[rows]
    own = table[:, SCALE] ** 2 * norm2 / lam
    table[:, C] += table[:, SCALE] * score + own * table[:, ALPHA]
    table[:, DELTA] += own
    plane = work.plane[rows] if len(work.plane) else work.plane
    active = np.arange(len(rows), dtype=np.int64)
    return WorkingSet(Rows("csr", new, work.rows.scale[rows]), table, plane, w, active, len(rows))
