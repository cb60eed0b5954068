r"""The rows that come into memory during a reading, and how many rows each of them stands for.

Row i comes with the probability p_i = min(1, theta influence_i + a), and stands for 1/p_i rows: those of most influence
for themselves alone, others for all that are like them. theta is such that the places are filled, block by block; a
gives a share of the places to any row, so that no row stands for too many. The choice is systematic: of rows with
sum p = 1 in their order there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows, HeldRows, Met
from pragam.operators.storage import Room

#: Rounds in which theta is fitted to the first block, and to each later one, where it begins at that of the one before.
_FIRST, _LATER = 40, 3


@dataclass
class Kept:
    """As many rows as ``room``, in units of the mean row; any row may have the share ``spread`` of the places.

    ``shares``: what of the bytes of a mean row each row takes, and each entry.
    """

    A: DataRows
    room: float
    shares: tuple[float, float]
    spread: float
    offset: float
    theta: float = 0.0
    seen: int = 0
    used: float = 0.0
    stands_for: list[Vector] = field(default_factory=list)

    @property
    def space(self) -> Room:
        """What the reading needs to know."""
        entries = int(self.room / max(self.A.storage.shape[0], 1) * self.A.storage.stored) + 1
        return Room(int(self.room / self.shares[0]) + 2, entries)  # rows without entries are the smallest

    def keep(self, met: Met, influence: Vector) -> None:
        """Some rows of a block."""
        X, number = met.A.storage, met.A.number
        n = X.shape[0]
        if number is not None:
            influence = np.bincount(number, influence, minlength=n).astype(np.float64, copy=False)
        self.seen += n
        target = self.room * self.seen / self.A.storage.shape[0] - self.used
        size = np.broadcast_to(self.shares[0] + self.shares[1] * X.counts, n)
        share = self._shares(influence, size, target)
        ends = np.cumsum(share) + self.offset
        is_kept = np.diff(np.floor(ends), prepend=np.floor(self.offset)) > 0
        self.offset = float(ends[-1] % 1.0) if n else self.offset
        if float(size[is_kept].sum()) > self.room - self.used:  # by rounding, at the very end
            is_kept &= np.cumsum(np.where(is_kept, size, 0.0)) <= self.room - self.used
        chosen = np.flatnonzero(is_kept)
        self.used += float(size[chosen].sum())
        self.stands_for.append(1.0 / share[chosen])
        met.keep(chosen)

    def _shares(self, influence: Vector, size: Vector, target: float) -> Vector:
        """The probabilities of the rows of a block whose sizes are to sum to the target in the mean."""
        can = influence > 0
        whole = float(size[can].sum())
        if target >= whole:
            return can.astype(np.float64)
        if target <= 0:
            return np.zeros(len(influence))
        floor = np.where(can, self.spread * target / whole, 0.0)
        rounds = _LATER if self.theta else _FIRST
        self.theta = self.theta or target / float(size @ influence)
        for _ in range(rounds):
            found = float(size @ np.minimum(1.0, self.theta * influence + floor))
            spread = self.spread * target
            self.theta *= min(max((target - spread) / max(found - spread, 1e-3 * target), 0.1), 10.0)
        return np.minimum(1.0, self.theta * influence + floor)

    def weights(self, rows: HeldRows) -> Vector:
        """How many each of the dual variables that were kept stands for."""
        stands_for = np.concatenate(self.stands_for)
        return stands_for if rows.A.number is None else stands_for[rows.A.number]
