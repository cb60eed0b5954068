"""Calls that other threads may make ahead, and that nobody waits for before they have begun.

A thread may never come: the system has none, or it has no memory to begin with, as under a limit. ``threading`` then
waits for its first sign without an end, and so does whoever waits for a ``Future``. Here a call is taken by whoever
comes first. When its answer is wanted and nobody has begun it, the caller makes it. What a thread does after it has
begun needs no memory of its own: it ends by releasing a lock.
"""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from pragam.runtime.threads import using

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_NOTHING: Any = object()


class _Call(Generic[Item, Answer]):
    """A call that is made once, by one thread."""

    __slots__ = ("_answer", "_begun", "_end", "_error", "_function", "_item", "_over")

    def __init__(self, function: Callable[[Item], Answer], item: Item) -> None:
        self._function, self._item = function, item
        self._answer: Answer = _NOTHING
        self._error: BaseException | None = None
        self._begun, self._over = _thread.allocate_lock(), _thread.allocate_lock()
        self._over.acquire()
        self._end = self._over.release

    def make(self) -> bool:
        """Make it here, unless somebody has begun."""
        if not self._begun.acquire(False):
            return False
        try:
            self._answer = self._function(self._item)
        except BaseException as error:  # the caller's business
            self._error = error
        finally:
            self._end()
        return True

    def answer(self) -> Answer:
        """What it has given, or raises what it has raised."""
        if not self.make():
            self._over.acquire()
        if self._error is not None:
            raise self._error
        if self._answer is _NOTHING:
            raise MemoryError("a thread has ended for want of memory")
        return self._answer

    def drop(self) -> None:
        """It is not wanted any more: wait for its end if it has begun."""
        if not self._begun.acquire(False):
            self._over.acquire()


def computed(function: Callable[[Item], Answer], items: Iterable[Item], count: int) -> Iterator[Answer]:
    """``function`` of each item, in their order, by ``count`` threads that are at most one item each ahead.

    For calls of BLAS and NumPy, during which other threads run. With one thread nothing is computed ahead.
    """

    def alone(item: Item) -> Answer:
        with using(1):
            return function(item)

    return map(function, items) if count == 1 else _in_order(alone, items, count - 1, count)


def one_ahead(function: Callable[[Item], Answer], items: Iterable[Item]) -> Iterator[Answer]:
    """``function`` of each item, in their order; a thread works on the next one while the one before is used.

    For reading from a disk, which one processor can do beside computing.
    """
    return _in_order(function, items, 1, 1)


def _in_order(function: Callable[[Item], Answer], items: Iterable[Item], helpers: int, ahead: int) -> Iterator[Answer]:
    """By so many threads beside this one, with so many calls ahead of the answer that is wanted."""
    calls: SimpleQueue[_Call[Item, Answer] | None] = SimpleQueue()
    waiting: deque[_Call[Item, Answer]] = deque()
    try:
        for _ in range(helpers):
            with suppress(RuntimeError, MemoryError):  # there is none: this one does the work
                _thread.start_new_thread(_help, (calls,))
        for item in chain(items, [_NOTHING] * ahead):
            if item is not _NOTHING:
                waiting.append(_Call(function, item))
                calls.put(waiting[-1])
            if waiting and (item is _NOTHING or len(waiting) > ahead):
                yield waiting.popleft().answer()
    finally:  # an interrupt waits for what has begun
        for _ in range(helpers):
            calls.put(None)
        for call in waiting:
            call.drop()


def _help(calls: SimpleQueue[_Call[Any, Any] | None]) -> None:
    """What another thread does."""
    with suppress(MemoryError):
        while (call := calls.get()) is not None:
            call.make()
