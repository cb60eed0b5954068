"""BLAS on one thread while a solve or a certificate runs.

Its products here are short vectors and small matrices, for which threads cost more than they bring (far more on a busy
machine); and the result then does not depend, to the last bit, on how many cores there are.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib import import_module
from typing import Any

ThreadCount = tuple[Callable[[], int], Callable[[int], Any]]  # one library's number of threads: get, set

_lock = threading.Lock()
_inside = 0  # contexts open at the moment, in all threads
_restore: list[tuple[Callable[[int], Any], int]] = []


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread, in the whole process."""
    counts = _openblas_counts()
    return _controller().limit(limits=1, user_api="blas") if counts is None else _one_each(counts)


@contextmanager
def _one_each(counts: list[ThreadCount]) -> Iterator[None]:
    """The first of several overlapping contexts sets the number, the last restores it."""
    global _inside, _restore
    with _lock:
        _inside += 1
        if _inside == 1:
            _restore = [(set_count, get_count()) for get_count, set_count in counts]
            for set_count, _ in _restore:
                set_count(1)
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                for set_count, before in _restore:
                    set_count(before)


@cache
def _openblas_counts() -> list[ThreadCount] | None:
    """Of numpy's and of scipy's OpenBLAS; None if either uses another BLAS, or none that can be found so.

    A symbol asked of an extension module is sought in the libraries it is linked to as well (not on Windows). That
    takes 0.2 ms; threadpoolctl's search through all libraries of the process some 10 ms, as long as a small solve.
    """
    try:
        return [_openblas_count(name) for name in ("numpy.linalg._umath_linalg", "scipy.linalg.cython_blas")]
    except (ImportError, AttributeError, OSError):
        return None


def _openblas_count(extension: str) -> ThreadCount:
    library = ctypes.CDLL(str(import_module(extension).__file__))
    for prefix in ("scipy_openblas_", "openblas_"):
        for suffix in ("", "64_", "_64"):
            if hasattr(library, f"{prefix}set_num_threads{suffix}"):
                names = (f"{prefix}{verb}_num_threads{suffix}" for verb in ("get", "set"))
                get_count, set_count = (getattr(library, name) for name in names)
                return get_count, set_count
    raise AttributeError(f"{extension} is not linked to OpenBLAS")


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
