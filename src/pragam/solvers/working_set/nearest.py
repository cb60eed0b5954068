r"""Which rows of a block come into memory: those that would move next.

The slope of dual variable j is s_j = (A w + B b + c)_j. It is *wrong* if alpha_j could follow it: s_j > 0 below the
upper bound, or s_j < 0 above the lower one. It is at the distance |s_j| / size_j, size_j^2 = |a_j|^2 + sigma_j^2 times
the mean of |a|^2: a change of (w, b) by so much, in these units, may turn it. A row is as near as its nearest variable.

Of each block the same share of its rows is kept, as many as the memory holds: the farthest wrong ones, up to a part of
them, and then the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import made_as
from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows, Met
from pragam.operators.storage import Storage
from pragam.operators.storage.blocked import Blocked, Gathered, taken

#: Rows with a wrong slope may take this share of the places.
_WRONG = 0.75


class Slopes(NamedTuple):
    """Of some dual variables: the slopes, how far the nearest turn is, and which of them alpha could follow."""

    value: Vector
    distance: Vector
    wrong: NDArray[np.bool_]


def slopes_of(value: Vector, size: Vector, alpha: Vector, lower: Vector, upper: Vector) -> Slopes:
    """From the slopes themselves."""
    wrong = ((value > 0) & (alpha < upper)) | ((value < 0) & (alpha > lower))
    return Slopes(value, np.abs(value) / size, wrong)


@dataclass
class Kept:
    """The rows that were kept during a reading."""

    share: float
    gathered: Gathered
    numbers: list[NDArray[np.int64]] = field(default_factory=list)

    @classmethod
    def of(cls, X: Storage, share: float) -> Kept:
        """None yet, of this share of the rows."""
        rows, entries = (int(share * count) + 1 for count in (X.shape[0], X.stored))
        return cls(share, Gathered(rows, entries, X.shape[1]))

    def keep(self, met: Met, slopes: Slopes) -> None:
        """Some rows of a block."""
        X, number = met.A.storage, met.A.number
        n = X.shape[0]
        distance, wrong = (
            _of_rows(slopes.distance, number, n, np.minimum),
            _of_rows(slopes.wrong, number, n, np.maximum),
        )
        value = _of_rows(np.where(slopes.wrong, np.abs(slopes.value), 0.0), number, n, np.maximum)
        chosen = _chosen(distance, wrong > 0, value, int(self.share * n))
        self.numbers.append(chosen + met.rows.start if isinstance(met.rows, slice) else met.rows[chosen])
        self.gathered.add(X, chosen)

    def operator(self, A: Any) -> tuple[NDArray[np.int64], DataRows]:
        """(the dual variables that read the rows kept, their operator)."""
        numbers, X = np.concatenate(self.numbers), self.gathered.storage()
        if isinstance(A.storage, Blocked):
            made_as(X, taken, A.storage, numbers)
        duals, own = A.of_rows(numbers, X)
        return duals, own


def _of_rows(values: Vector | NDArray[np.bool_], number: NDArray[np.int64] | None, n: int, best: Any) -> Vector:
    """The least or the largest value of the dual variables of each row."""
    if number is None:
        return values.astype(np.float64, copy=False)
    found = np.full(n, np.inf if best is np.minimum else 0.0)
    best.at(found, number, values.astype(np.float64, copy=False))
    return found


def _chosen(distance: Vector, wrong: NDArray[np.bool_], value: Vector, count: int) -> NDArray[np.int64]:
    """So many rows, in their order."""
    if count >= len(distance):
        return np.arange(len(distance))
    violators = _first(np.flatnonzero(wrong), -value, int(_WRONG * count))
    is_left = np.ones(len(distance), bool)
    is_left[violators] = False
    others = _first(np.flatnonzero(is_left), distance, count - len(violators))
    return np.sort(np.concatenate([violators, others]))


def _first(among: NDArray[np.int64], order: Vector, count: int) -> NDArray[np.int64]:
    """The ``count`` of these with the least values."""
    if count >= len(among):
        return among
    if count <= 0:
        return among[:0]
    return among[np.argpartition(order[among], count - 1)[:count]]
