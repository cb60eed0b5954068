"""What ``pragam compare`` shows while it runs: what is being measured, how much is left. On the standard error."""

from __future__ import annotations

from types import TracebackType

from pragam.compare import Observer
from pragam.runtime.screen import Screen


class Line(Observer):
    """A live line on a terminal; elsewhere, since it may take hours, a plain line for each measurement."""

    def __init__(self) -> None:
        self._screen = Screen()

    def working(self, what: str, done: int, total: int) -> None:
        if self._screen.is_live:
            self._screen.show(what, done, total)
        else:
            self._screen.say(f"[{done} of {total}] {what}")

    def note(self, sentence: str) -> None:
        self._screen.say(f"pragam: {sentence}")

    def __enter__(self) -> Line:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.close()
