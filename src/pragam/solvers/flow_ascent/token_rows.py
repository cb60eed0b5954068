"""The rows of X as sweeps read them: a packed copy where it is small, else X in place.

The copy leaves out zeros, and values if all are one. It also leaves out *lone* features, which occur at one token
only: their weights follow from the flow of that token (``own``, the sum of their squares, is all that a sweep needs),
and the table of weights gets shorter. On text most features are lone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.records.flows import Floats
from pragam.operators.storage import Storage

#: The copy may take as many bytes a token,
_BYTES_A_TOKEN = 100
#: or as many in all, whichever is more.
_BYTES = 32 * 2**20
#: Columns with as many entries are next to each other in the table, which keeps them in the cache.
_FREQUENT = 64


@dataclass(frozen=True)
class Lone:
    """The entries of features that occur once, in the order of their tokens."""

    at: NDArray[np.uint32]  # token and column of each, in turn
    values: Floats


@dataclass(frozen=True)
class TokenRows:
    """Rows for the kernels, and where the columns of X are in the table of weights."""

    kind: str  # of the kernels that read them: "csr", "dense" or "pattern"
    arrays: tuple[Any, ...]
    place: NDArray[np.int32]  # of each column, its row of the table; -1: none
    n_rows: int  # of the table
    norms: Floats  # |x_t|^2
    own: Floats  # the part of lone features
    lone: Lone

    @property
    def entries_a_token(self) -> float:
        return (self.arrays[1] if self.kind == "csr" else self.arrays[0]).size / max(len(self.norms), 1)


def token_rows(storage: Storage) -> TokenRows:
    """The packed copy of X, or X itself if that would take too much memory."""
    kind, raw = storage.rows()
    n, d = storage.shape
    counts = np.zeros(d, dtype=np.int32)
    ones = _kernels.get(f"flow_count_{kind}")(*raw, n, counts)
    several = counts > 1
    n_rows, n_kept, n_lone = int(several.sum()), int(counts[several].sum(dtype=np.int64)), int((counts == 1).sum())
    index = np.uint16 if n_rows <= 2**16 else np.int32
    size = n_kept * (np.dtype(index).itemsize + (0 if ones else 4)) + 12 * n_lone
    is_copied = size <= max(_BYTES_A_TOKEN * n, _BYTES)
    if is_copied:
        place = np.full(d, -1, dtype=np.int32)
        place[np.concatenate([np.flatnonzero(counts >= _FREQUENT), np.flatnonzero(several & (counts < _FREQUENT))])] = (
            np.arange(n_rows, dtype=np.int32)
        )
    else:
        place, n_rows, n_kept, n_lone = np.arange(d, dtype=np.int32), d, 0, 0
    norms, own = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    indptr = np.zeros(n + 1 if is_copied else 0, dtype=np.int64)
    indices, values = np.empty(n_kept, dtype=np.int32), np.empty(0 if ones else n_kept, dtype=np.float32)
    lone = Lone(np.empty(2 * n_lone, dtype=np.uint32), np.empty(n_lone, dtype=np.float32))
    _kernels.get(f"flow_pack_{kind}")(*raw, place, indptr, indices, values, lone.at, lone.values, norms, own)
    if not is_copied:
        return TokenRows(kind, raw, place, n_rows, norms, own, lone)
    indices = indices.astype(index, copy=False)
    arrays = (indices, indptr) if ones else (values, indices, indptr)
    return TokenRows("pattern" if ones else "csr", arrays, place, n_rows, norms, own, lone)
