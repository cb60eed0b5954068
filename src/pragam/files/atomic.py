"""Writing a file so that it appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


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
    draft = target.with_name(f".{target.name[:200]}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        with open(draft, "xb") as stream:
            if mode is not None:
                os.chmod(draft, stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
