"""Where checkpoints are: a file for one solve, a directory for several."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pragam.driver.checkpoint.digest import Digests

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Checkpoint:
    """The file of a solve. Several solves of the same data share what is known of these.

    begins_anywhere : whether the start is not the user's but what came of an earlier solve, which a budget may have cut
        elsewhere. A result from another start is one all the same; an unfinished solve begins anew.
    """

    path: AnyPath
    digests: Digests = field(default_factory=Digests)
    begins_anywhere: bool = False


@dataclass(frozen=True)
class Checkpoints:
    """A directory with a file for each of several solves, made where it is missing."""

    path: Path
    digests: Digests = field(default_factory=Digests)
    begins_anywhere: bool = False  # what the files are

    def __post_init__(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"{self.path}: is a file, and the checkpoints of several solves are a directory")
        try:
            self.path.mkdir(exist_ok=True)
        except OSError as error:
            what = f"no checkpoints can be written here ({error.strerror})"
            raise ValueError(f"{self.path}: {what}: give another path") from error

    def of(self, name: str) -> Checkpoint:
        """That of one solve."""
        return Checkpoint(self.path / f"{name}.checkpoint", self.digests, self.begins_anywhere)

    def within(self, name: str, begins_anywhere: bool = False) -> Checkpoints:
        """A directory in this one."""
        return Checkpoints(self.path / name, self.digests, begins_anywhere)


def checkpoint_of(given: AnyPath | Checkpoint | None) -> Checkpoint | None:
    """What the argument ``checkpoint`` of one solve means."""
    return given if given is None or isinstance(given, Checkpoint) else _made(Checkpoint, given, "a file")


def checkpoints_of(given: AnyPath | Checkpoints | None) -> Checkpoints | None:
    """What the argument ``checkpoint`` of several solves means."""
    if given is None or isinstance(given, Checkpoints):
        return given
    made: Checkpoints = _made(lambda path: Checkpoints(Path(path)), given, "a directory")
    return made


def _made(make: Callable[[AnyPath], Any], given: Any, what: str) -> Any:
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise ValueError(f"checkpoint must be None or the path of {what}, not {given!r:.60}")
    return make(given)
