"""The engine whose workers are those of a Dask cluster: one named task for each of them and round.

Tasks are pinned loosely: to the worker that had its share before, or to any other if that one is gone. So Dask runs
them again by itself when a worker dies, and nothing waits for all workers at once: two trainings on one cluster take
turns, and cannot block each other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import dask.config
from dask.sizeof import sizeof
from distributed.client import FutureCancelledError

from distributed import KilledWorker
from pragam.distributed.held import work_with
from pragam.engines import Block, EngineError
from pragam.engines.remote import Future, Job, Remote
from pragam.runtime import interrupts

#: What a round shares goes along with each task if it is smaller; else it is scattered, once (bytes).
_SCATTER = 2**20
#: Dask warns of tasks that carry data, from a size on. The dual variables of all rows go out once in a training.
_QUIET = {"distributed.admin.large-graph-warning-threshold": "1GB"}
#: Seconds to wait for a first worker.
_WAIT = 60.0


class DaskFutures(Remote):
    """Tasks as futures of a Dask client. What a task is called is what the dashboard shows."""

    def __init__(self, client: Any) -> None:
        super().__init__()
        self.client = client
        self._scattered: tuple[Any, Any] = (None, None)

    def places(self) -> list[str]:
        begun = time.perf_counter()
        while not (found := sorted(self._info())):
            interrupts.check()
            if time.perf_counter() - begun > _WAIT:
                raise EngineError(f"no worker is connected to {self._address}: start some")
            time.sleep(0.05)
        return found

    def shares(self, blocks: Sequence[Block], places: list[str]) -> list[list[int]]:
        """Blocks that lie somewhere are worked on there."""
        futures = {key: future for block in blocks for key, future in block.needs()}
        if not futures:
            return super().shares(blocks, places)
        where = self._asked(lambda: self.client.who_has(list(futures.values())))
        at: dict[str, list[int]] = {place: [] for place in places}
        for k, block in enumerate(blocks):
            homes = [home for _, future in block.needs() for home in where.get(future.key, ()) if home in at]
            at[homes[0] if homes else min(at, key=lambda place: len(at[place]))].append(k)
        return list(at.values())

    def submit(self, place: str, job: Job) -> Future:
        what = getattr(job.task, "__name__", "task")
        with dask.config.set(_QUIET):
            future: Future = self._asked(
                lambda: self.client.submit(
                    work_with,
                    dict(job.needs),
                    job.task,
                    job.blocks,
                    self._shared(job.common),
                    job.own,
                    key=f"pragam-{what}-{uuid4().hex}",
                    workers=[place],
                    allow_other_workers=True,
                    pure=False,
                )
            )
        return future

    def lost(self, place: str, error: BaseException) -> bool:
        if isinstance(error, KilledWorker):  # again and again
            raise EngineError(
                f"workers have died again and again with the same blocks, last {error.last_worker.address}: they are "
                "killed, as Dask does at its memory_limit, and a system whose memory is short: give workers more "
                "memory, or make smaller blocks"
            ) from error
        is_gone = isinstance(error, FutureCancelledError | OSError | TimeoutError)
        if is_gone and not self._is_up():
            raise self._no_scheduler() from error
        if isinstance(error, FutureCancelledError):  # what was scattered has died with those who had it
            self._scattered = (None, None)
            return True
        return False

    def _shared(self, common: Any) -> Any:
        if sizeof(common) < _SCATTER:
            return common
        if self._scattered[0] is not common:
            self._scattered = common, self.client.scatter(common, broadcast=True, hash=False)
        return self._scattered[1]

    def _info(self) -> Any:
        return self._asked(lambda: self.client.scheduler_info(n_workers=-1))["workers"]

    def _asked(self, question: Any) -> Any:
        """An answer of the scheduler; an error of one line if there is none."""
        if not self._is_up():
            raise self._no_scheduler()
        try:
            return question()
        except (OSError, TimeoutError) as error:
            raise self._no_scheduler() from error

    def _is_up(self) -> bool:
        return self.client.status == "running"

    @property
    def _address(self) -> str:
        return str(getattr(self.client.scheduler, "address", "the scheduler"))

    def _no_scheduler(self) -> EngineError:
        return EngineError(f"the Dask scheduler is gone ({self._address}): start a cluster again, and train from there")
