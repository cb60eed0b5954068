"""Blocks made of what is at hand: storages, other blocks that are changed, some rows of other blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pragam.operators.storage.base import Storage
from pragam.operators.storage.blocked import Blocked


class InMemory(Blocked):
    """Blocks that are storages at hand."""

    rigorous = True

    def __init__(self, blocks: Sequence[Storage]) -> None:
        super().__init__()
        self._blocks = list(blocks)
        widths = {X.shape[1] for X in blocks}
        if len(widths) != 1:
            raise ValueError(f"blocks must have columns in the same number, not {sorted(widths)}")
        self.ends = np.concatenate([[0], np.cumsum([X.shape[0] for X in blocks])]).astype(np.int64)
        self.shape, self.stored = (int(self.ends[-1]), widths.pop()), sum(X.stored for X in blocks)
        self.is_dense = blocks[0].is_dense
        self.rigorous = type(self).rigorous and all(X.rigorous for X in blocks)

    def load(self, k: int) -> Storage:
        return self._blocks[k]


class Mapped(Blocked):
    """Other blocks, each changed when it is loaded; rows remain rows, and columns are as many as are said."""

    rigorous = True

    def __init__(self, whole: Blocked, change: Callable[[Storage], Storage], d: int) -> None:
        super().__init__()
        self._whole, self._change = whole, change
        self.ends, self.is_dense = whole.ends, whole.is_dense
        self.shape, self.stored = (whole.shape[0], d), whole.stored + whole.shape[0] * (d - whole.shape[1])
        self.rigorous = type(self).rigorous and whole.rigorous

    def load(self, k: int) -> Storage:
        return self._change(self._whole.load(k))

    def ahead(self, k: int) -> None:
        self._whole.ahead(k)


class Run(Blocked):
    """The rows from ``first`` up to ``last`` of other blocks."""

    rigorous = True

    def __init__(self, whole: Blocked, first: int, last: int) -> None:
        super().__init__()
        begin = max(int(np.searchsorted(whole.ends, first, side="right")) - 1, 0)
        end = max(int(np.searchsorted(whole.ends, last)), begin + 1)
        self._whole, self._begin, self._first = whole, begin, first
        self.ends = np.clip(whole.ends[begin : end + 1], first, last) - first
        self.shape = last - first, whole.shape[1]
        self.stored = -(-whole.stored * (last - first) // max(whole.shape[0], 1))  # a guess, for costs
        self.is_dense, self.rigorous = whole.is_dense, type(self).rigorous and whole.rigorous

    def load(self, k: int) -> Storage:
        start = int(self._whole.ends[self._begin + k])
        first, last = (int(end) + self._first - start for end in self.ends[k : k + 2])
        block = self._whole.load(self._begin + k)
        return block if (first, last) == (0, block.shape[0]) else block.part(first, last)
