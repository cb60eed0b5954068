"""Workers that are processes of this machine, on data that each of them can open: a packed directory.

Each has an executor of its own, so that the death of one breaks nothing else. It is replaced, and its task done again.
Executors are joblib's (loky), whose workers do not run the user's script once more. They notice every death but that of
a worker in the midst of its answer: half of it is in a pipe then, and a thread reads on for as long as anybody could
write into that pipe, which this process could. So its own end is closed when a dead worker has not been noticed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any

from pragam.engines.kept import work
from pragam.engines.remote import Future, Job, Remote

#: Seconds in which an executor usually notices a death a hundred times.
_NOTICED = 1.0


class Processes(Remote):
    """So many processes. They start when they are first needed, and end with this one or by :meth:`close`."""

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"an engine needs at least one process, not {count}")
        super().__init__()
        self._pools: dict[str, Any] = {str(k): None for k in range(count)}
        self._dead: dict[str, float] = {}  # since when a worker that is listed has been

    def places(self) -> list[str]:
        return list(self._pools)

    def submit(self, place: str, job: Job) -> Future:
        for pool in (self._pool(place), None):
            with contextlib.suppress(BrokenProcessPool):  # it has died since the last round
                return (pool or self._anew(place)).submit(work, *job[:4])
        raise BrokenProcessPool(f"worker {place} dies at its start")

    def lost(self, place: str, error: BaseException) -> bool:
        if not isinstance(error, BrokenProcessPool):
            return False
        self._end(place)
        return True

    def idle(self) -> None:
        """Have a death heard of that its executor has not noticed in time."""
        now = time.perf_counter()
        for place, pool in self._pools.items():
            if pool is None or not _is_dead(pool):
                self._dead.pop(place, None)
            elif now - self._dead.setdefault(place, now) > _NOTICED:
                pool._result_queue._writer.close()

    def pids(self) -> list[int]:
        """Of the processes that run."""
        return [pid for pool in self._pools.values() if pool is not None for pid in list(pool._processes or ())]

    def close(self) -> None:
        for place in self._pools:
            self._end(place)

    def _pool(self, place: str) -> Any:
        return self._pools[place] or self._anew(place)

    def _anew(self, place: str) -> Any:
        self._end(place)
        from joblib.externals.loky import ProcessPoolExecutor

        pool = self._pools[place] = ProcessPoolExecutor(1, initializer=_begin, initargs=(os.getpid(),))
        return pool

    def _end(self, place: str) -> None:
        pool, self._pools[place] = self._pools[place], None
        self._known.pop(place, None)
        self._dead.pop(place, None)
        if pool is not None:
            _stop(pool)


def _is_dead(pool: Any) -> bool:
    """Whether its worker was killed, and is still listed."""
    return bool(wait([worker.sentinel for worker in list((pool._processes or {}).values())], timeout=0))


def _stop(pool: Any) -> None:
    """Kill its worker, which would stay if it is stopped or at work, and have its threads end."""
    for pid in list(pool._processes or ()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    thread, answers = pool._executor_manager_thread, pool._result_queue
    pool.shutdown(wait=False, kill_workers=True)
    if thread is not None:
        thread.join(_NOTICED)
        if thread.is_alive():
            answers._writer.close()
            thread.join()


def _begin(parent: int) -> None:
    """In a new process: Ctrl-C is the business of the one that has started it, and so is its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
