"""Ctrl-C while a solve runs: heard at once where nothing can break, remembered everywhere else.

Python's own handler raises KeyboardInterrupt between any two instructions: inside the last certificate, or inside the
``except`` clause of the first one. While :func:`listen` is open, another handler takes its place. It sets a flag, and
raises only where the caller is ready for it (:meth:`Signals.raising`). What the caller still does after a signal may be
given a time (:meth:`Signals.grace`). A budget that is overrun ends a step as a signal does (:meth:`Signals.until`).

Only Python's own handler is replaced; a handler of the user's stays. To let another signal end a solve in the same way,
give it Python's handler first: ``signal.signal(signal.SIGTERM, signal.default_int_handler)``. Python runs handlers in
the main thread, so in other threads there is nothing to replace. They can be told to end all the same: in a thread
that is :func:`ended_by` something, solves take that for a signal. Long loops look at it, by :func:`check`.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from types import FrameType
from typing import Protocol

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class End(Protocol):
    """What may end the solves of a thread; a ``threading.Event`` does."""

    def is_set(self) -> bool: ...


class Signals:
    """``asked`` tells whether a signal has come, or the end that was given."""

    def __init__(self, end: End | None = None) -> None:
        self._end = end
        self._came = False
        self._raises = False
        self._deadline = inf
        self._end_of_budget = inf

    @property
    def asked(self) -> bool:
        return self._came or (self._end is not None and self._end.is_set())

    @property
    def raising(self) -> Signals:
        """A context that a signal leaves by KeyboardInterrupt; one that came earlier does so at the start."""
        return self

    def __enter__(self) -> None:  # entered at every step: a generator would cost more than the rest of the loop
        if self.asked:
            raise KeyboardInterrupt
        self._raises = True

    def __exit__(self, *error: object) -> None:
        self._raises = False

    @contextmanager
    def quiet(self) -> Iterator[Signals]:
        """A context in which a signal raises nothing, for what runs inside :meth:`raising` and listens by itself."""
        before, self._raises = self._raises, False
        try:
            yield self
        finally:
            self._raises = before

    @contextmanager
    def grace(self, seconds: float) -> Iterator[None]:
        """A context that :meth:`check` leaves by KeyboardInterrupt once it has lasted so long."""
        self._deadline = time.perf_counter() + seconds
        try:
            yield
        finally:
            self._deadline = inf

    @contextmanager
    def until(self, moment: float) -> Iterator[None]:
        """A context in which :meth:`check` raises after this moment of ``time.perf_counter`` too, where it may.

        What runs inside another such context ends with that one at the latest.
        """
        before, self._end_of_budget = self._end_of_budget, min(self._end_of_budget, moment)
        try:
            yield
        finally:
            self._end_of_budget = before

    @contextmanager
    def unhurried(self) -> Iterator[None]:
        """A context in which no such moment counts: for what is the user's own, and for solves that it makes."""
        before, self._end_of_budget = self._end_of_budget, inf
        try:
            yield
        finally:
            self._end_of_budget = before

    def handle(self, number: int, frame: FrameType | None) -> None:
        """What Python calls. It raises once: the next signal must not break the ``except`` clause that follows."""
        self._came = True
        self.check()

    def check(self) -> None:
        """Raise KeyboardInterrupt if it is time and the caller is ready for it."""
        now = time.perf_counter()
        if (self._raises and (self.asked or now > self._end_of_budget)) or now > self._deadline:
            self._raises, self._deadline = False, inf
            raise KeyboardInterrupt


_current: Signals | None = None  # the main thread's


class _Here(threading.local):
    """What another thread listens to."""

    signals: Signals | None = None
    end: End | None = None


_here = _Here()


class ended_by:  # noqa: N801 (entered by every solve of a small fit: a generator would cost three times as much)
    """A context in which the solves of this thread, if it is not the main one, end as by Ctrl-C once ``end`` is set."""

    def __init__(self, end: End) -> None:
        self._end = end

    def __enter__(self) -> None:
        self._before, _here.end = _here.end, self._end

    def __exit__(self, *error: object) -> None:
        _here.end = self._before


def check() -> None:
    """Raise KeyboardInterrupt in a thread that is to end, if its solve is ready for it, or if its time is over.

    For loops that take long, between their parts. In the main thread signals need no such help, but budgets and times
    of grace do.
    """
    signals = _here.signals
    if signals is None and threading.get_ident() == threading.main_thread().ident:
        signals = _current
    if signals is not None:
        signals.check()


def deliver(number: int, frame: FrameType | None) -> bool:
    """Hand a signal to the solve that listens, as a handler of one's own may do; False if none does."""
    if _current is None:
        return False
    _current.handle(number, frame)
    return True


@contextmanager
def listen() -> Iterator[Signals]:
    """Listen for signals while the context is open. Contexts inside it share what it hears."""
    if threading.current_thread() is not threading.main_thread():
        with _elsewhere() as signals:
            yield signals
    elif _current is not None:
        with _current.quiet() as signals:
            yield signals
    else:
        with _replaced() as signals:
            yield signals


@contextmanager
def _elsewhere() -> Iterator[Signals]:
    before, _here.signals = _here.signals, Signals(_here.end)
    try:
        yield _here.signals
    finally:
        _here.signals = before


@contextmanager
def _replaced() -> Iterator[Signals]:
    global _current
    signals = Signals()
    numbers = [number for number in _SIGNALS if signal.getsignal(number) is signal.default_int_handler]
    try:
        _current = signals
        for number in numbers:
            signal.signal(number, signals.handle)
        yield signals
    finally:
        for number in numbers:
            if signal.getsignal(number) == signals.handle:  # else somebody has set another meanwhile
                signal.signal(number, signal.default_int_handler)
        _current = None
