"""What ``pragam compare`` shows while it runs: what is being measured, how much is left. On the standard error."""

from __future__ import annotations

import sys
from types import TracebackType

from pragam.compare import Observer


class Line(Observer):
    """A live line on a terminal; elsewhere a plain line for each measurement."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._console = Console(stderr=True)
        what = TextColumn("{task.description}", markup=False)
        columns = (what, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=self._console, transient=True, refresh_per_second=2)
        self._task = self._progress.add_task("", total=None)

    def working(self, what: str, done: int, total: int) -> None:
        if self._console.is_terminal:
            self._progress.update(self._task, description=what, completed=done, total=total)
        else:
            print(f"[{done} of {total}] {what}", file=sys.stderr, flush=True)

    def note(self, sentence: str) -> None:
        self._console.print(f"pragam: {sentence}", markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Line:
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._progress.stop()
