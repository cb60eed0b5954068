"""Blocks that lie in the memory of workers, as Dask's futures. Dask finds them anew when a worker has died."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from pragam.engines import Block
from pragam.engines.kept import work
from pragam.operators.storage import Storage

#: What this process was brought, for as long as Dask keeps it here.
_brought: WeakValueDictionary[str, Any] = WeakValueDictionary()
_lock = threading.Lock()


class Held(Block):
    """The rows from ``first`` up to ``last`` of the storage that a future stands for."""

    def __init__(self, key: str, first: int, last: int, future: Any = None) -> None:
        self.key, self.first, self.last, self.future = key, first, last, future
        self._here: Storage | None = None

    def open(self) -> Storage:
        with _lock:
            whole = _brought.get(self.key)
        if whole is not None:
            return self._part(whole)
        if self._here is None:  # where the futures are, which keeps the rows that it has asked for
            self._here = self._part(self.future.result())
        return self._here

    def needs(self) -> tuple[Any, ...]:
        return ((self.key, self.future),)

    def __reduce__(self) -> tuple[Any, ...]:
        return Held, (self.key, self.first, self.last)

    def _part(self, whole: Storage) -> Storage:
        return whole if (self.first, self.last) == (0, whole.shape[0]) else whole.part(self.first, self.last)


def work_with(brought: Mapping[str, Any], task: Any, blocks: Sequence[Block], common: Any, own: Sequence[Any]) -> Any:
    """:func:`pragam.engines.kept.work` with what was brought."""
    with _lock:
        _brought.update(brought)
    return work(task, blocks, common, own)
