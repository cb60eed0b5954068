"""SIGTERM, which batch systems send before they kill a process, ends training as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, TypeVar

from pragam.runtime.interrupts import deliver

T = TypeVar("T")


class Termination:
    """Within its context, the first SIGTERM ends the running solve, and every later solve at its start.

    Outside a solve the signal is only noted, so that a finished model is not lost before it is written.
    """

    def __init__(self) -> None:
        self.asked = False
        self._solving = False
        self._before: Any = None

    def run(self, solve: Callable[[float | None], T], max_seconds: float | None) -> T:
        """``solve(max_seconds)``, with no time left after a SIGTERM."""
        try:
            self._solving = True
            return solve(0.0 if self.asked else max_seconds)
        except KeyboardInterrupt:
            if not self.asked:
                raise
            self._solving = False
            return solve(0.0)  # the signal came before the solve handled signals
        finally:
            self._solving = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        first, self.asked = not self.asked, True
        if first and self._solving and not deliver(number, frame):
            raise KeyboardInterrupt

    def __enter__(self) -> Termination:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
