"""A live line of progress for people: iteration, passes over the data, certified gap. A callback of solve."""

from __future__ import annotations

import time
from types import TracebackType

from pragam.driver.path import PathProgress
from pragam.driver.solve import Callback, Progress
from pragam.runtime.screen import Screen


class ProgressLine:
    """Shows each certificate as it comes, on one line (``with`` it, then pass it as callback).

    On a terminal and in a notebook the line is live; elsewhere (a pipe, a log) only the last state is written. Several
    problems that are solved together share the line: each has a callback of its own, :meth:`part`.
    """

    def __init__(self, label: str = "", file: object = None, n_problems: int = 1, quiet: bool = False) -> None:
        self._screen = Screen(file, quiet)
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
        self._screen.show(self._text)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.close(self._text)


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
