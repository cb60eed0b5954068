"""A live line of progress for people: iteration, passes over the data, certified gap. A callback of solve."""

from __future__ import annotations

from types import TracebackType

from pragam.solve import Progress


class ProgressLine:
    """Shows each certificate as it comes, on one line of the terminal (``with`` it, then pass it as callback).

    On a terminal the line is live; elsewhere (a pipe, a notebook's log) only the last state is written.
    """

    def __init__(self, label: str = "", file: object = None) -> None:
        from rich.console import Console

        self._console = Console(stderr=file is None, file=file)  # type: ignore[arg-type]
        self._status = self._console.status(label) if self._console.is_terminal else None
        self._label = label
        self._text = ""

    def __call__(self, progress: Progress) -> None:
        self._text = f"{self._label} {describe(progress)}".strip()
        if self._status is not None:
            self._status.update(self._text)

    def __enter__(self) -> ProgressLine:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
        if self._text:
            self._console.print(self._text, markup=False, highlight=False)


def describe(progress: Progress) -> str:
    """One line about where a solve stands."""
    return (
        f"iteration {progress.iteration}, {progress.passes:.0f} passes, {progress.seconds:.1f} s: "
        f"relative gap {progress.certificate.relative_gap:.2e} (tolerance {progress.tol:g})"
    )
