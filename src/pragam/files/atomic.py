"""Writing a file so that it appears whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pragam.files.locks import lock


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream to what is to stand at ``path``.

    A regular file is written beside the old one and takes its place, with all bytes on the disk, when the block ends
    well; otherwise it vanishes and the old one stays. It keeps the old one's mode, and a link goes on pointing to it.
    A device or a FIFO cannot be replaced without destroying it: the stream writes to it.
    """
    try:
        mode = _mode(path)
        with open(path, "wb") if mode and not stat.S_ISREG(mode) else _draft(path, mode) as stream:
            yield stream
    except OSError as error:
        if error.errno is not None:  # a full disk has no name of its own, a draft one that nobody knows
            error.filename = os.fspath(path)
        raise


def _mode(path: str | os.PathLike[str]) -> int | None:
    """The mode of what ``path`` leads to, None if there is nothing."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _draft(path: str | os.PathLike[str], mode: int | None) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    _clear(target)
    draft = target.with_name(f"{_begin(target)}{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        with open(draft, "xb") as stream:
            lock(stream)
            if mode is not None:
                os.chmod(draft, stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _begin(target: Path) -> str:
    """How the names of all drafts of a file begin."""
    return f".{target.name[:200]}."


def _clear(target: Path) -> None:
    """Remove the drafts of writers that were killed: nobody holds a lock on them."""
    for left in target.parent.glob(f"{glob.escape(_begin(target))}*.*.part"):
        with contextlib.suppress(OSError), open(left, "rb") as stream:
            if lock(stream):
                left.unlink(missing_ok=True)
