"""How far the rows are that are left out: what a callback sees, and a live line of it for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pragam.runtime.screen import Screen


@dataclass(frozen=True)
class LeftOutProgress:
    """What a callback sees: how many rows are decided and how many of them wrong, solves made and the seconds."""

    n: int
    decided: int
    wrong: int
    solves: int
    seconds: float


Callback = Callable[[LeftOutProgress], Any]


class LeftOutLine:
    """A callback that shows it on one line (``with`` it): the interval of the errors shrinks."""

    def __init__(self, label: str = "", quiet: bool = False) -> None:
        self._screen, self._label, self._text = Screen(quiet=quiet), label, ""

    def __call__(self, progress: LeftOutProgress) -> None:
        self._text = f"{self._label} {describe(progress)}".strip()
        self._screen.show(self._text)

    def __enter__(self) -> LeftOutLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.close(self._text)


def describe(progress: LeftOutProgress) -> str:
    """One line about where the search stands."""
    n, decided, wrong = progress.n, progress.decided, progress.wrong
    errors = f"{wrong}" if decided == n else f"{wrong} to {wrong + n - decided}"
    return (
        f"{decided} of {n} rows left out are decided, {errors} errors, {progress.solves} solves, "
        f"{progress.seconds:.1f} s"
    )
