"""One line that changes while something goes on, for whoever watches: on a terminal, or as an output of a notebook.

All progress goes through a :class:`Screen`. It is on the standard error, and where nobody watches, in a pipe or a log,
nothing is shown. What has to stay is said by :meth:`Screen.say` and :meth:`Screen.close`.

The logger ``pragam`` hears the same: what stays at the level INFO, each state of the line at DEBUG.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

#: The one logger of the package. Without a handler of the user's it is silent.
LOGGER = logging.getLogger("pragam")
LOGGER.addHandler(logging.NullHandler())

#: Seconds between two updates of a notebook: each is a message to the browser.
_PAUSE = 0.1
#: Characters of a full bar.
_BAR = 24


class Screen:
    """Shows one line, which is replaced by the next (``with`` it). If it is quiet, the logger alone hears it."""

    def __init__(self, file: Any = None, quiet: bool = False) -> None:
        self._place: _Place
        if quiet:
            self._place = _Nowhere()
        else:
            self._place = _Notebook() if file is None and in_notebook() else _Console(file)

    @property
    def is_live(self) -> bool:
        """Whether somebody watches."""
        return self._place.is_live

    def show(self, text: str, done: int | None = None, total: int | None = None) -> None:
        """The line as it is now, with a bar if it is known how much there is to do."""
        if self.is_live:
            self._place.show(" ".join(filter(None, [text, _count(done, total)])))
        if LOGGER.isEnabledFor(logging.DEBUG):
            LOGGER.debug("%s", text if done is None else f"{text} {_number(done, total)}")

    def track(self, items: Iterable[T], text: str, total: int) -> Iterator[T]:
        """The same items, counted."""
        for done, item in enumerate(items):
            self.show(text, done, total)
            yield item

    def say(self, text: str) -> None:
        """A line that stays, wherever the output goes."""
        self._place.say(text)
        LOGGER.info("%s", text)

    def close(self, text: str = "") -> None:
        """The line ends. If there is a text, it stays in its place."""
        self._place.close(text)
        if text:
            LOGGER.info("%s", text)

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Place(Protocol):
    """Where a line is shown while it changes."""

    is_live: bool

    def show(self, text: str) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self, text: str) -> None: ...


class _Nowhere:
    """Nobody watches, and nothing is written."""

    is_live = False

    def show(self, text: str) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self, text: str) -> None: ...


class _Console:
    """A terminal, or a stream that nobody watches."""

    def __init__(self, file: Any) -> None:
        self._file = sys.stderr if file is None else file
        self._status: Any = None
        self.is_live = self._file.isatty()

    def show(self, text: str) -> None:
        from rich.console import Console
        from rich.text import Text

        line = Text(text, no_wrap=True, overflow="ellipsis")
        if self._status is None:
            self._status = Console(file=self._file, force_jupyter=False).status(line)
            self._status.start()
        else:
            self._status.update(line)

    def say(self, text: str) -> None:
        if self._status is None:
            print(text, file=self._file, flush=True)
        else:
            self._status.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self, text: str) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
        if text:
            self.say(text)


class _Notebook:
    """One output of the cell, which changes."""

    is_live = True

    def __init__(self) -> None:
        self._handle: Any = None
        self._shown_at = 0.0

    def show(self, text: str) -> None:
        if self._handle is None or time.perf_counter() - self._shown_at >= _PAUSE:
            self._put(text)
            self._shown_at = time.perf_counter()

    def say(self, text: str) -> None:
        print(text, file=sys.stderr)

    def close(self, text: str) -> None:
        if text or self._handle is not None:
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


def _count(done: int | None, total: int | None) -> str:
    """How much is done of how much; a bar too if both are known."""
    if done is None:
        return ""
    if not total:
        return _number(done, total)
    full = round(_BAR * min(done / total, 1))
    return f"{'━' * full}{'─' * (_BAR - full)} {_number(done, total)}"


def _number(done: int, total: int | None) -> str:
    return f"{done:,} of {total:,}" if total else f"{done:,}"
