"""A live line of progress for people: iteration, passes over the data, certified gap. A callback of solve."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol

from pragam.driver.path import PathProgress
from pragam.driver.solve import Callback, Progress

#: Seconds between two updates of a notebook: each is a message to the browser.
_PAUSE = 0.1


class ProgressLine:
    """Shows each certificate as it comes, on one line (``with`` it, then pass it as callback).

    On a terminal and in a notebook the line is live; elsewhere (a pipe, a log) only the last state is written. Several
    problems that are solved together share the line: each has a callback of its own, :meth:`part`.
    """

    def __init__(self, label: str = "", file: object = None, n_problems: int = 1) -> None:
        self._screen: _Screen = _Notebook() if file is None and in_notebook() else _Console(label, file)
        self._label = label
        self._text = ""
        self._begin = time.perf_counter()
        self._parts: list[Progress | None] = [None] * n_problems

    def __call__(self, progress: Progress) -> None:
        self._show(describe(progress))

    def part(self, k: int) -> Callback:
        """The callback of problem k."""
        if len(self._parts) == 1:
            return self

        def show(progress: Progress) -> None:
            self._parts[k] = progress
            known = [part for part in self._parts if part is not None]
            self._show(describe_several(known, len(self._parts), time.perf_counter() - self._begin))

        return show

    def _show(self, text: str) -> None:
        self._text = f"{self._label} {text}".strip()
        self._screen.update(self._text)

    def __enter__(self) -> ProgressLine:
        self._screen.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.end(self._text)


class _Screen(Protocol):
    """Where a line is shown while it changes."""

    def begin(self) -> None: ...

    def update(self, text: str) -> None: ...

    def end(self, text: str) -> None: ...


class _Console:
    """A terminal, or what stands for one: without a terminal, the last text alone."""

    def __init__(self, label: str, file: object) -> None:
        from rich.console import Console

        self._console = Console(stderr=file is None, file=file, force_jupyter=False)  # type: ignore[arg-type]
        self._status = self._console.status(label) if self._console.is_terminal else None

    def begin(self) -> None:
        if self._status is not None:
            self._status.start()

    def update(self, text: str) -> None:
        if self._status is not None:
            self._status.update(text)

    def end(self, text: str) -> None:
        if self._status is not None:
            self._status.stop()
        if text:
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class _Notebook:
    """One output of the cell, which changes."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._shown_at = 0.0

    def begin(self) -> None:
        pass

    def update(self, text: str) -> None:
        if time.perf_counter() - self._shown_at >= _PAUSE:
            self._put(text)
            self._shown_at = time.perf_counter()

    def end(self, text: str) -> None:
        if text:
            self._put(text)

    def _put(self, text: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": text}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this: one that shows outputs, unlike IPython in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def describe(progress: Progress) -> str:
    """One line about where a solve stands, and at which lam if it is a point of a path."""
    point = ""
    if isinstance(progress, PathProgress):
        point = f"point {progress.point + 1} of {progress.n_points}, lam = {progress.lam:.3g}, "
    return point + (
        f"iteration {progress.iteration}, {progress.passes:.0f} passes, {progress.seconds:.1f} s: "
        f"relative gap {progress.certificate.relative_gap:.2e} (tolerance {progress.tol:g})"
    )


def describe_several(begun: list[Progress], n_problems: int, seconds: float) -> str:
    """One line about where several solves stand, of which some have begun."""
    gaps = [progress.certificate.relative_gap for progress in begun]
    done = sum(gap <= progress.tol for gap, progress in zip(gaps, begun, strict=True))
    iterations, passes = sum(progress.iteration for progress in begun), sum(progress.passes for progress in begun)
    return (
        f"{done} of {n_problems} problems, iteration {iterations}, {passes:.0f} passes, {seconds:.1f} s: "
        f"largest relative gap {max(gaps):.2e} (tolerance {begun[-1].tol:g})"
    )
