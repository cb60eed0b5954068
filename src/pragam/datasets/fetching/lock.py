"""A lock between processes. The system releases it when its holder ends, however it ends."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait until nobody else holds the lock at ``path``, then hold it. The empty file stays: removing it is a race."""
    with open(path, "ab") as stream:
        if sys.platform == "win32":
            while True:
                try:
                    msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    time.sleep(0.1)
        else:
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield
