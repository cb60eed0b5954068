"""Rows on their way from blocks into memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import made_as, remade
from pragam.operators.storage.base import Array, Storage
from pragam.operators.storage.compressed import Csr
from pragam.operators.storage.dense import Dense
from pragam.operators.storage.known import Held, freeze


@remade
def taken(X: Storage, rows: NDArray[np.int64]) -> Storage:
    """These rows in memory, as a reading that has gathered them leaves them."""
    return _unchanging(X.take(rows))


class Room(NamedTuple):
    """For so many rows, and for about so many entries."""

    rows: int
    entries: int


class Keeper:
    """Rows that a reading keeps in memory: whoever asks for them says which, and the reading copies them."""

    def __init__(self, room: Room | None, d: int) -> None:
        self._room = Room(0, 0) if room is None else room
        self._gathered = Gathered(*self._room, d)
        self._numbers: list[NDArray[np.int64]] = []
        self._block: tuple[slice, Storage] | None = None
        self.last: NDArray[np.int64] = np.empty(0, np.int64)  # those of the block at hand

    def begin(self, rows: slice, X: Storage) -> None:
        """Another block is at hand."""
        self._block, self.last = (rows, X), np.empty(0, np.int64)

    def keep(self, places: NDArray[np.int64]) -> None:
        """Copy the rows at these places of the block, which go up; once for each block."""
        assert self._block is not None
        (rows, X), places = self._block, np.array(places, dtype=np.int64)
        if len(self.last) or (np.diff(places, prepend=-1) <= 0).any() or (places >= X.shape[0]).any():
            raise ValueError(f"places of rows to keep must go up from 0 to less than {X.shape[0]}, once for a block")
        if sum(map(len, self._numbers)) + len(places) > self._room.rows:
            raise ValueError(f"there is room for {self._room.rows} rows, and more are to be kept")
        self._gathered.add(X, places)
        self.last = rows.start + places
        self._numbers.append(self.last)

    def held(self, whole: Storage) -> Held | None:
        """All of them; None if none were kept."""
        if not self._numbers:
            return None
        rows, X = np.concatenate(self._numbers), _unchanging(self._gathered.storage())
        freeze(rows)
        return Held(rows, made_as(X, taken, whole, rows))


def _unchanging(X: Storage) -> Storage:
    """Rows that a certificate may rest on: whoever is given them cannot write into them."""
    for array in X.rows()[1]:
        freeze(array)
    return X


class Gathered:
    """Rows on their way into memory, as they are stored, with room for so many and for about so many entries."""

    def __init__(self, rows: int, entries: int, d: int) -> None:
        self._room, self._d, self._n = (rows, entries), d, 0
        self._arrays: list[Array] = []  # X, or data, indices and indptr
        self._entries = 0

    def add(self, X: Storage, rows: Array | None) -> None:
        """Some rows of a block, or all of them."""
        kind, arrays = X.rows()
        if not self._arrays:
            self._begin(kind, arrays)
        last = self._n + (X.shape[0] if rows is None else len(rows))
        if kind == "dense":
            np.copyto(self._arrays[0][self._n : last], arrays[0] if rows is None else arrays[0][rows])
        else:
            self._add_sparse((X if rows is None else X.take(rows)).rows()[1], last)
        self._n = last

    def _begin(self, kind: str, arrays: tuple[Array, ...]) -> None:
        rows, entries = self._room
        if kind == "dense":
            self._arrays = [np.empty((rows, self._d), arrays[0].dtype)]
        else:
            self._arrays = [np.empty(entries, arrays[0].dtype), np.empty(entries, arrays[1].dtype)]
            self._arrays.append(np.zeros(rows + 1, np.int64))

    def _add_sparse(self, arrays: tuple[Array, ...], last: int) -> None:
        data, indices, indptr = arrays
        end = self._entries + int(indptr[-1])
        if end > len(self._arrays[0]):  # more than were expected
            longer = max(end, len(self._arrays[0]) * 5 // 4)
            self._arrays[:2] = [np.append(own, np.empty(longer - len(own), own.dtype)) for own in self._arrays[:2]]
        self._arrays[0][self._entries : end] = data[: int(indptr[-1])]
        self._arrays[1][self._entries : end] = indices[: int(indptr[-1])]
        if last >= len(self._arrays[2]):
            self._arrays[2] = np.append(
                self._arrays[2], np.zeros(max(last // 4, last + 1 - len(self._arrays[2])), np.int64)
            )
        self._arrays[2][self._n + 1 : last + 1] = indptr[1:] + self._entries
        self._entries = end

    def storage(self) -> Storage:
        """The rows, which are then no longer here."""
        arrays, self._arrays = self._arrays, []
        if not arrays:
            return Dense(np.empty((0, self._d)))
        if len(arrays) == 1:
            return Dense(arrays[0][: self._n])
        data, indices, indptr = arrays
        return Csr((data[: self._entries], indices[: self._entries], indptr[: self._n + 1]), (self._n, self._d))
