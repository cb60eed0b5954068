"""Locks of files, which end with the process that holds them, however that ends."""

from __future__ import annotations

from typing import BinaryIO


def lock(stream: BinaryIO) -> bool | None:
    """Whether this process holds the lock of a file now. None where files have no locks, as on some systems."""
    try:
        import fcntl  # POSIX alone

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True
