r"""How the memory is divided. What is counted, beside vectors of the lengths of w and alpha:

- the hard rows: their entries, and for each row where it begins;
- for each dual variable of theirs: which it is, the row that it reads and its slope, 32 bytes; and while they are swept
  over, a table of these variables, 150 bytes more. Meanwhile no certificate is computed: of the vectors that are
  announced 40 bytes for each dual variable of the whole are free for it;
- while a block is met: as much for its variables, their distances and products, 240 bytes each; and the block itself
  where it is not met in place.

Blocks are met in place, on maps of their files, so there are no windows to copy. What is left of the memory is for the
hard rows; without a limit these are a fifth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.operators.base import RawRows
from pragam.operators.storage import Blocked
from pragam.problem import DataProblem

#: Bytes for each dual variable of the hard rows; more while they are swept over; and for each of all, free meanwhile.
_PER_DUAL, _SWEPT, _LEFT = 32, 150, 40
#: Bytes for each row: where it begins.
_PER_ROW = 8
#: Bytes for each dual variable of a block that is met.
_PER_MET = 240
#: Copies of a block that is not met in place, but mapped: the mapped rows, and what that takes on the way.
_COPIES = 3.0
#: The share of the data that is kept where no memory is given.
_SHARE = 0.2


class Room(NamedTuple):
    """The most that is kept."""

    rows: int
    entries: int


def room_for(problem: DataProblem, memory: float | None, rows: RawRows) -> Room:
    """The room for hard rows, where ``rows`` are those of some block."""
    storage = problem.A.storage
    n, stored, per_row = max(storage.shape[0], 1), storage.stored, problem.A.shape[0] / max(storage.shape[0], 1)
    per_entry = sum(array.itemsize for array in rows.arrays[: 1 if rows.is_dense else 2])
    if memory is None:
        return Room(int(_SHARE * n), int(_SHARE * stored))
    largest = float(np.diff(storage.ends).max(initial=0))  # type: ignore[attr-defined]  # data in blocks have ends
    copied = 0.0 if isinstance(storage, Blocked) else _COPIES * per_entry * stored / n
    met = largest * (_PER_MET * per_row + copied)
    share = _share(memory - met, per_entry * stored + n * _PER_ROW, n * per_row)
    return Room(int(share * n), int(share * stored))


def kept_share(problem: DataProblem, memory: float | None) -> float:
    """The share of the data that there is room for, before any block was seen: an entry takes 16 bytes at most."""
    storage = problem.A.storage
    if memory is None:
        return _SHARE
    n, per_row = max(storage.shape[0], 1), problem.A.shape[0] / max(storage.shape[0], 1)
    return _share(memory, storage.stored * (8.0 if storage.is_dense else 16.0) + n * _PER_ROW, n * per_row)


def _share(memory: float, rows: float, duals: float) -> float:
    """The share of the data that fits in, where all rows take so many bytes and have so many dual variables."""
    kept = rows + _PER_DUAL * duals
    share = min(memory / max(kept, 1.0), (memory + _LEFT * duals) / max(kept + _SWEPT * duals, 1.0))
    return min(max(share, 0.0), 1.0)
