"""The rows of X as sweeps read them: a packed copy where it is small, else X in place.

The copy leaves out zeros, and values if all are one. It also leaves out *lone* features, which occur at one token
only: their weights follow from the flow of that token (``own``, the sum of their squares, is all that a sweep needs),
and the table of weights gets shorter. On text most features are lone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.flows.records import Weights
from pragam.numerics.remade import remade
from pragam.operators.storage import Storage

#: Bytes a token that the copy may take in any case.
_BYTES_A_TOKEN = 100
#: Bytes that it may take in all, however few the tokens.
_BYTES = 32 * 2**20
#: Tokens that are copied at a time.
_CHUNK = 2**16
#: Columns with at least this many entries are next to each other in the table, which keeps them in the cache.
_FREQUENT = 64


@dataclass(frozen=True)
class Lone:
    """The entries of features that occur once, in the order of their tokens."""

    at: NDArray[np.uint32]  # token and column of each, in turn
    values: Weights


@dataclass(frozen=True)
class TokenRows:
    """Rows for the kernels, and where the columns of X are in the table of weights."""

    kind: str  # of the kernels that read them: "csr", "dense" or "pattern"
    arrays: tuple[Any, ...]
    place: NDArray[np.int32]  # of each column, its row of the table; -1: none
    n_rows: int  # of the table
    constant: int  # the row of a last column of ones that is not stored; -1: there is none
    norms: Weights  # |x_t|^2
    own: Weights  # the part of lone features
    lone: Lone

    @property
    def entries_a_token(self) -> float:
        return (self.arrays[1] if self.kind == "csr" else self.arrays[0]).size / max(len(self.norms), 1)


@remade
def token_rows(storage: Storage, dtype: Any) -> TokenRows:
    """The packed copy of X with values of this type, or X itself if that would take too much memory."""
    stored, has_constant = storage.split_constant()
    copy = _Copy(stored, dtype)
    place, n_rows = copy.place, copy.n_rows
    if has_constant:
        place = np.append(place, np.int32(n_rows))
        copy.norms += 1
    kind, arrays = copy.rows if copy.pays else stored.rows()
    constant = n_rows if has_constant else -1
    return TokenRows(kind, arrays, place, n_rows + has_constant, constant, copy.norms, copy.own, copy.lone)


class _Copy:
    """A copy of X that leaves out what sweeps need not read; just the norms of its rows if it would be too large.

    It is made some tokens at a time, for the sake of memory.
    """

    def __init__(self, storage: Storage, dtype: Any) -> None:
        self.storage, self.dtype = storage, np.dtype(dtype)
        n, d = storage.shape
        counts = np.zeros(d, dtype=np.int32)
        self.ones = True
        for first, last, kind, raw in self._parts():
            self.ones &= _kernels.get(f"flow_count_{kind}")(*raw, last - first, counts)
        several = counts > 1
        self.n_rows, kept = int(several.sum()), int(counts[several].sum(dtype=np.int64))
        lone = int((counts == 1).sum())
        index = np.dtype(np.uint16 if self.n_rows <= 2**16 else np.int32)
        size = kept * (index.itemsize + (0 if self.ones else self.dtype.itemsize)) + 16 * lone
        self.pays = size <= max(_BYTES_A_TOKEN * n, _BYTES)
        if self.pays:
            self.place = np.full(d, -1, dtype=np.int32)
            frequent = np.flatnonzero(counts >= _FREQUENT), np.flatnonzero(several & (counts < _FREQUENT))
            self.place[np.concatenate(frequent)] = np.arange(self.n_rows, dtype=np.int32)
        else:
            self.place, self.n_rows, kept, lone = np.arange(d, dtype=np.int32), d, 0, 0
        self.norms, self.own = np.zeros(n, dtype=dtype), np.zeros(n, dtype=dtype)
        self.indptr = np.zeros(n + 1 if self.pays else 0, dtype=np.int64)
        self.indices, self.values = np.empty(kept, dtype=index), np.empty(0 if self.ones else kept, dtype=dtype)
        self.lone = Lone(np.empty(2 * lone, dtype=np.uint32), np.empty(lone, dtype=dtype))
        self._fill()

    def _parts(self) -> Iterator[tuple[int, int, str, tuple[Any, ...]]]:
        n = self.storage.shape[0]
        for first in range(0, n, _CHUNK):
            last = min(first + _CHUNK, n)
            yield first, last, *self.storage.part(first, last).rows()

    def _fill(self) -> None:
        left = 0
        for first, last, kind, raw in self._parts():
            room = raw[0].size if self.pays else 0
            indptr, lone = np.zeros(last - first + 1 if self.pays else 0, dtype=np.int64), self.lone.at[2 * left :]
            indices, values = np.empty(room, dtype=np.int32), np.empty(0 if self.ones else room, dtype=self.dtype)
            found = _kernels.get(f"flow_pack_{kind}")(
                *raw, self.place, indptr, indices, values, lone, self.lone.values[left:], self.norms[first:last],
                self.own[first:last],
            )  # fmt: skip
            if self.pays:
                lone[: 2 * found : 2] += np.uint32(first)
                begin, more = int(self.indptr[first]), int(indptr[-1])
                self.indptr[first : last + 1] = begin + indptr
                self.indices[begin : begin + more] = indices[:more]
                if not self.ones:
                    self.values[begin : begin + more] = values[:more]
                left += found

    @property
    def rows(self) -> tuple[str, tuple[Any, ...]]:
        """As the storage has them, by the kind of kernel."""
        if self.ones:
            return "pattern", (self.indices, self.indptr)
        return "csr", (self.values, self.indices, self.indptr)
