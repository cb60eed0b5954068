"""Threads: how many a product with the data may use, and BLAS on one while a solve or a certificate runs.

No result depends on either, to the last bit. The kernels see to it for the first. BLAS sums in another order on
another number of threads, hence one: its products here are short vectors and small matrices, for which threads cost
more than they bring (far more on a busy machine).
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from math import inf
from typing import Any

ThreadCount = tuple[Callable[[], int], Callable[[int], Any]]  # one library's number of threads: get, set

#: More have not been measured.
_DEFAULT = 2
#: With fewer entries the kernels take one thread in any case (``_kernels/common/parallel.hpp``, worthwhile).
_FEW = 2**19

#: What a caller has chosen for what it calls; None: nothing.
_chosen: ContextVar[int | None] = ContextVar("chosen", default=None)

_lock = threading.Lock()
_inside = 0  # contexts open at the moment, in all threads
_restore: list[tuple[Callable[[int], Any], int]] = []


def n_threads(entries: float = inf) -> int:
    """How many threads a kernel may use: what :func:`using` says, else the environment variable PRAGAM_NUM_THREADS,
    else OMP_NUM_THREADS, else two where there are as many processors.

    Always 1 in worker processes (joblib's, multiprocessing's) and in threads other than the main one: there the others
    work at the same time. A loop over few entries takes no more than one, and nothing is looked up for it.
    """
    if entries < _FEW:
        return 1
    asked = _asked()
    if _in_worker():
        return 1
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    return _default() if asked is None else asked


def _asked() -> int | None:
    """What PRAGAM_NUM_THREADS says; None if it is not set."""
    asked = os.environ.get("PRAGAM_NUM_THREADS")
    if asked is not None and not (asked.isdecimal() and int(asked) >= 1):
        raise ValueError(f"PRAGAM_NUM_THREADS is {asked!r}: expected a positive whole number")
    return None if asked is None else int(asked)


@contextmanager
def using(count: int | None) -> Iterator[None]:
    """A context in which kernels may use ``count`` threads; None changes nothing."""
    token = _chosen.set(_chosen.get() if count is None else count)
    try:
        yield
    finally:
        _chosen.reset(token)


def _default() -> int:
    others = os.environ.get("OMP_NUM_THREADS", "")
    if others.isdecimal() and int(others) >= 1:
        return int(others)
    return min(_DEFAULT, _processors())


@cache
def _processors() -> int:
    """How many the process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _in_worker() -> bool:
    processes = sys.modules.get("multiprocessing.process")  # loaded in every worker process
    return threading.get_ident() != threading.main_thread().ident or (
        processes is not None and processes.parent_process() is not None
    )


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread, in the whole process: a solve, with few entries or many.

    So a wrong PRAGAM_NUM_THREADS is refused here, before it matters.
    """
    _asked()
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
