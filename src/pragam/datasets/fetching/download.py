"""Downloading a file: resumed, verified, and at its place as a whole or not at all.

The bytes are collected in ``NAME.part`` beside the goal. ``NAME.part.version`` holds what the server said of their
version, so that a later attempt, by this process or another one, asks for the rest of the same version (If-Range). A
file that has changed, or a server that sends no parts, starts the download anew. ``NAME.lock`` keeps a second process
out, which finds the finished file when it is let in.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pragam.datasets.fetching.checksums import sha256_of
from pragam.datasets.fetching.lock import locked
from pragam.datasets.fetching.web import DownloadError, PassingError, body, extent, open_url, validator
from pragam.datasets.record import File

#: Told the bytes so far and the bytes in all, if they are known.
Watcher = Callable[[int, int | None], None]


def _unwatched(done: int, total: int | None) -> None:
    """Nobody watches."""


class Patience(NamedTuple):
    """``timeout`` seconds for each wait for the server. ``attempts`` in a row that bring nothing new end the download.
    The pause after the first is ``pause`` seconds, and each later one is twice as long."""

    timeout: float = 30.0
    attempts: int = 4
    pause: float = 1.0


class _Part:
    """The bytes that are there so far, and the version of the file that they belong to."""

    def __init__(self, goal: Path, url: str) -> None:
        self.path = goal.with_name(goal.name + ".part")
        self._note = goal.with_name(goal.name + ".part.version")
        self._url = url
        self.resumed = False

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> str:
        """What the server said of the version of these bytes, "" if it is not known."""
        url, _, version = self._note.read_text("utf-8").partition("\n") if self._note.exists() else ("", "", "")
        return version if self.size and url == self._url else ""

    def request(self) -> dict[str, str]:
        """The headers that ask for what is missing. Bytes of an unknown version are dropped."""
        headers = {"User-Agent": "pragam", "Accept-Encoding": "identity"}
        if version := self.version:
            return {**headers, "Range": f"bytes={self.size}-", "If-Range": version}
        self.restart("")
        return headers

    def restart(self, version: str) -> None:
        """No bytes, and the version that will come."""
        self.path.write_bytes(b"")
        self._note.write_text(f"{self._url}\n{version}", "utf-8")

    def discard(self) -> None:
        for path in (self.path, self._note):
            path.unlink(missing_ok=True)

    def become(self, goal: Path) -> None:
        """The finished file, with all bytes on the disk."""
        with open(self.path, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(self.path, goal)
        self.discard()


def download(file: File, goal: Path, patience: Patience | None = None, watch: Watcher = _unwatched) -> None:
    """Bring ``file`` from its address to ``goal``. Its size and checksum are compared before it is there.

    A failure raises a DownloadError of one line. What has come so far stays in ``NAME.part`` for the next attempt,
    unless it is wrong.
    """
    goal.parent.mkdir(parents=True, exist_ok=True)
    with locked(goal.with_name(goal.name + ".lock")):
        if goal.exists():  # another process was first
            return
        part = _Part(goal, file.url)
        _complete(file, part, patience or Patience(), watch)
        part.become(goal)


def _complete(file: File, part: _Part, patience: Patience, watch: Watcher) -> None:
    """Try until the part is the file. Attempts count only if they did not get further than all before them."""
    best, failures = part.size, 0
    while True:
        try:
            _receive(file, part, patience.timeout, watch)
            _verify(file, part)
            return
        except PassingError as problem:
            failures = 1 if part.size > best else failures + 1
            best = max(best, part.size)
            if failures >= patience.attempts:
                kept = f"; {part.size} bytes are kept in {part.path}" if part.size else ""
                raise DownloadError(f"{file.url}: {problem}{kept}") from None
        time.sleep(patience.pause * 2 ** (failures - 1))


def _receive(file: File, part: _Part, timeout: float, watch: Watcher) -> None:
    """One request and as much of its answer as comes."""
    if part.size == file.size and part.version:  # all is there: a process ended before it could verify it
        part.resumed = True
        return
    answer = open_url(file.url, part.request(), timeout)
    if answer is None:  # the part is longer than what the server has
        part.discard()
        raise PassingError("the server has no such range")
    with contextlib.closing(answer):
        if answer.headers.get_content_type() == "text/html":
            raise DownloadError(f"{file.url}: the server sends a web page, not the file")
        start, total = extent(answer)
        if start == 0:
            part.restart(validator(answer))
        elif start != part.size:
            part.discard()
            raise PassingError("the server resumes at another place than asked")
        part.resumed = start > 0
        expected = total if file.size is None else file.size
        _check_room(part, expected)
        with open(part.path, "ab", buffering=0) as stream:
            done = part.size
            for block in body(answer):
                _write(stream.write, block, part.path)
                done += len(block)
                watch(done, expected)
                if expected is not None and done > expected:
                    break
    if total is not None and part.size < total:
        raise PassingError(f"the connection ended after {part.size} of {total} bytes")


def _write(write: Callable[[memoryview], int | None], block: bytes, path: Path) -> None:
    """All of the block. An unbuffered file may take less at a time, and names no path when the disk is full."""
    rest = memoryview(block)
    try:
        while rest:
            rest = rest[write(rest) or 0 :]
    except OSError as error:
        error.filename = os.fspath(path)
        raise


def _check_room(part: _Part, expected: int | None) -> None:
    if expected is not None and expected - part.size > shutil.disk_usage(part.path.parent).free:
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)} for {expected} bytes", os.fspath(part.path))


def _verify(file: File, part: _Part) -> None:
    """Compare size and checksum. A part that was resumed may be at fault itself, so it gets another chance."""
    if part.size < (file.size or 1):
        raise PassingError(f"the server sent {part.size} of {file.size or 'some'} bytes")
    if file.size is not None and part.size > file.size:
        problem = f"the server sends more than the {file.size} bytes on record"
    elif file.sha256 and (found := sha256_of(part.path)) != file.sha256:
        problem = f"the sha256 of what came is {found}, not {file.sha256}"
    else:
        return
    part.discard()
    if part.resumed:
        raise PassingError(problem)
    raise DownloadError(f"{file.url}: {problem}")
