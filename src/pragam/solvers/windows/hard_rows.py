"""The rows that are kept in memory from a pass: those between their bounds, then those that are nearest to moving.

A row is kept if it is among the nearest of the rows met lately, as many as there is room for. So a block of few rows
may keep many or none, and yet all blocks together fill the room and no more. Rows are copied as they are met, into
arrays that are used again in every pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import RawRows, Rows, Vector
from pragam.solvers.windows.room import Room

_Indices = NDArray[np.int64]

#: About so many rows are compared.
_LATELY = 2000
#: A block may keep more than its share by so many standard deviations of a count.
_CHANCE = 3.0


@dataclass
class HardRows:
    """Rows in memory, and the dual variables that read them."""

    room: Room
    arrays: tuple[NDArray[Any], ...]  # X; or data, indices and indptr
    left: tuple[int, int]  # rows and entries of the data that the pass has not met yet
    rows: int = 0
    entries: int = 0
    duals: list[_Indices] = field(default_factory=list)  # block for block, and
    numbers: list[_Indices] = field(default_factory=list)  # the row that each reads
    slopes: list[Vector] = field(default_factory=list)  # as it was met
    _lately: list[Vector] = field(default_factory=list)  # the distances of the rows that were met last

    @classmethod
    def like(cls, rows: RawRows, room: Room) -> HardRows:
        """Room for such rows."""
        first = rows.arrays[0]
        if rows.is_dense:
            return cls(room, (np.empty((room.rows, first.shape[1]), first.dtype),), (0, 0))
        entries = np.empty(room.entries, first.dtype), np.empty(room.entries, rows.arrays[1].dtype)
        return cls(room, (*entries, np.zeros(room.rows + 1, np.int64)), (0, 0))

    def clear(self, rows: int, entries: int) -> None:
        """Begin a pass over so many rows and entries."""
        self.rows = self.entries = 0
        self.left, self.duals, self.numbers, self.slopes = (rows, entries), [], [], []

    def keep(self, rows: Rows, duals: _Indices, distances: Vector, slopes: Vector) -> None:
        """The hardest rows of a block, in their order; ``distances`` and ``slopes`` are those of ``duals``."""
        kept = self._chosen(rows, distances)
        place = self.rows + np.arange(len(kept))
        if rows.number is None:
            of_duals, number = kept, place
        else:
            is_kept, where = np.zeros(rows.stored, bool), np.zeros(rows.stored, np.int64)
            is_kept[kept], where[kept] = True, place
            of_duals = np.flatnonzero(is_kept[rows.number])
            number = where[rows.number[of_duals]]
        self.duals.append(duals[of_duals])
        self.numbers.append(number)
        self.slopes.append(slopes[of_duals])
        self._copy(rows, kept)

    def _chosen(self, rows: Rows, distances: Vector) -> _Indices:
        """As many of the nearest as are nearer than the rows that would fit in, judged by the rows met lately."""
        n, of_rows = rows.stored, distances
        if rows.number is not None:
            of_rows = np.full(n, np.inf)
            np.minimum.at(of_rows, rows.number, distances)
        entries = n * rows.arrays[0].shape[1] if rows.is_dense else int(rows.arrays[-1][-1])
        room = self.room.rows - self.rows, self.room.entries - self.entries
        share = room[0] / max(self.left[0], 1)
        most = min(self._nearer(of_rows, share), room[0])
        most_entries = min(
            room[1], int(room[1] * entries / max(self.left[1], 1) * max(most / max(share * n, 1.0), 1.0))
        )
        self.left = self.left[0] - n, self.left[1] - entries
        near = np.arange(n) if most >= n else np.argpartition(of_rows, most)[:most]
        near = near[of_rows[near] < np.inf]
        if not rows.is_dense:
            lengths = np.diff(rows.arrays[-1])[near]
            if int(lengths.sum()) > most_entries:
                order = np.argsort(of_rows[near], kind="stable")
                near = near[order[np.cumsum(lengths[order]) <= most_entries]]
        return np.sort(near)

    def _nearer(self, distances: Vector, share: float) -> int:
        """How many of these rows are among the nearest ``share`` of the rows met lately, but not by chance alone."""
        self._lately.append(distances)
        while sum(map(len, self._lately)) - len(self._lately[0]) >= _LATELY:
            self._lately.pop(0)
        lately = np.concatenate(self._lately) if len(self._lately) > 1 else distances
        count = share * len(lately)
        if count >= len(lately):
            return len(distances)
        end = np.partition(lately, int(count))[int(count)]
        of_ties = (count - np.count_nonzero(lately < end)) / np.count_nonzero(lately == end)
        found = np.count_nonzero(distances < end) + of_ties * np.count_nonzero(distances == end)
        fair = share * len(distances)
        return int(min(found, fair + _CHANCE * sqrt(fair) + 1))

    def _copy(self, rows: RawRows, kept: _Indices) -> None:
        last = self.rows + len(kept)
        if rows.is_dense:
            np.take(rows.arrays[0], kept, axis=0, out=self.arrays[0][self.rows : last])
        else:
            data, indices, indptr = self.arrays
            ends = np.zeros(len(kept) + 1, np.int64)
            np.cumsum(np.diff(rows.arrays[-1])[kept], out=ends[1:])
            here = slice(self.entries, self.entries + int(ends[-1]))
            _kernels.get("csr_take")(*rows.arrays, kept, data[here], indices[here], ends, 1)
            indptr[self.rows + 1 : last + 1] = self.entries + ends[1:]
            self.entries = here.stop
        self.rows = last

    def raw(self) -> RawRows:
        """The rows that are kept, in place."""
        if len(self.arrays) == 1:
            return RawRows("dense", (self.arrays[0][: self.rows],))
        data, indices, indptr = self.arrays
        return RawRows("csr", (data[: self.entries], indices[: self.entries], indptr[: self.rows + 1]))

    def variables(self) -> tuple[_Indices, _Indices, Vector]:
        """(the dual variables, the row that each reads, its slope when it was met)."""
        return np.concatenate(self.duals), np.concatenate(self.numbers), np.concatenate(self.slopes)
