"""Rounds of blocked Newton on workers, with what each of them did and the CPU time that it took, for the cost model.

A training is repeated. Its rounds are the same to the bit each time, so the least time of each round is taken: what
else the machine does only adds. CPU time counts, not the clock on the wall; but for what a round waits.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import pragam
from pragam.engines import Processes
from pragam.operators import ScaledRows
from pragam.packed import Spread

#: Steps of a training, and how often it is repeated after a first time, which starts processes and verifies files.
_STEPS, _REPEATS = 5, 3
#: What a Dask worker is asked for.
_PLAIN = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
#: The two kinds of rounds.
KINDS = ("look", "slopes_ahead")


class Stamp(NamedTuple):
    """What a worker has done on one block."""

    pid: int
    free: int  # rows inside their boxes, of which the Hessian is the sum
    task: float  # CPU seconds of the thread
    end: float  # those of the whole process until then


@dataclass(frozen=True)
class Clocked:
    """A task with a clock: its result and a :class:`Stamp`."""

    task: Any

    @property
    def __name__(self) -> str:
        return str(self.task.__name__)

    def __call__(self, opened: Any, common: Any, own: Any) -> tuple[Any, Stamp]:
        free, add_outer = 0, ScaledRows.add_outer

        def counted(A: Any, rows: Any, weights: Any, out: Any) -> None:
            nonlocal free
            free += rows.size
            add_outer(A, rows, weights, out)

        begun = time.thread_time()
        with mock.patch.object(ScaledRows, "add_outer", counted):
            result = self.task(opened, common, own)
        return result, Stamp(os.getpid(), free, time.thread_time() - begun, time.process_time())


@dataclass
class Round:
    """One round as the client saw it; the times of its end are those of the next one's begin."""

    kind: str  # look or slopes_ahead
    begun: tuple[float, float]  # CPU of the client, clock
    stamps: list[Stamp]
    ended: tuple[float, float] = (0.0, 0.0)


@dataclass
class Log:
    """Clocks an engine: its rounds, of one training at a time."""

    engine: Any
    rounds: list[Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._map = self.engine.map
        self.engine.map = self.map

    def map(self, task: Any, blocks: Any, common: Any, own: Any = None) -> Iterator[Any]:
        begun = self._now()
        if self.rounds:
            self.rounds[-1].ended = begun
        found = list(self._map(Clocked(task), blocks, common, own))
        name = getattr(common, "task", task).__name__  # a round asks the solver's task between two products
        self.rounds.append(Round(name, begun, [stamp for _, stamp in found]))
        return (result for result, _ in found)

    def take(self) -> list[Round]:
        """The rounds of a training that has just ended, but for the last, whose end is not one of a round."""
        found, self.rounds = self.rounds[:-1], []
        return found

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.process_time(), time.perf_counter()


@contextlib.contextmanager
def engine_of(kind: str, workers: int, latency: float) -> Iterator[Any]:
    """Workers as processes, or those of a Dask cluster, with a latency of each way between a worker and the others."""
    if kind == "processes":
        with Processes(workers) as engine:
            yield engine
        return
    from distributed import Client, LocalCluster
    from pragam.distributed import DaskFutures

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with (
        contextlib.ExitStack() as stack,
        LocalCluster(n_workers=0, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        stack.enter_context(_dask_workers(int(cluster.scheduler_address.rsplit(":", 1)[1]), workers, latency))
        client.wait_for_workers(workers, timeout=60)
        yield DaskFutures(client)


@contextlib.contextmanager
def _dask_workers(scheduler: int, count: int, latency: float) -> Iterator[None]:
    """So many, each with a relay in front of it, if there is latency, and one in front of the scheduler."""
    here = Path(__file__).parent
    door, *ports = _free_ports(1 + 2 * count)
    fronts, backs = (ports[:count], ports[count:]) if latency else (ports[:count], ports[:count])
    commands = []
    if latency:
        pairs = [(door, scheduler), *zip(fronts, backs, strict=True)]
        commands.append([str(here / "_delay.py"), str(latency), *(f"{port}:{target}" for port, target in pairs)])
    for front, back in zip(fronts, backs, strict=True):
        addresses = [f"tcp://127.0.0.1:{port}" for port in (door if latency else scheduler, back, front)]
        commands.append(["-m", "distributed.cli.dask_worker", addresses[0], "--listen-address", addresses[1],
                         "--contact-address", addresses[2], *_PLAIN])  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.fspath(here)}
    with contextlib.ExitStack() as stack:
        for command in commands:
            process = subprocess.Popen([sys.executable, *command], env=environment, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


class Share(NamedTuple):
    """What one worker does in a round: the mean over the rounds of a kind."""

    blocks: int
    rows: int
    entries: int
    pairs: float  # the sum of (entries of a row)^2 over the rows inside their boxes
    task: float = 0.0  # CPU seconds in tasks
    whole: float = 0.0  # of its process


@dataclass(frozen=True)
class Kind:
    """The rounds of one kind of a training."""

    count: int
    shares: list[Share]
    client: float  # CPU seconds from its begin to the next round's
    wait: float  # seconds beyond those of the busiest worker and the client, in the round that was disturbed least


@dataclass(frozen=True)
class Measured:
    """A training: its sizes and its rounds."""

    name: str
    engine: str
    workers: int
    latency: float
    is_dense: bool
    columns: int
    rows: int
    held: Share  # the blocks that the client works on itself
    kinds: dict[str, Kind]


def measure(name: str, packed: Any, engine: str, workers: int, blocks: int, latency: float = 0.0) -> Measured:
    """Train some times, and take the least time of each round."""
    with engine_of(engine, workers, latency) as there:
        log, trainings = Log(there), []
        spread = Spread(packed, there, blocks)
        for _ in range(1 + _REPEATS):
            pragam.solve(pragam.hinge(spread, lam=1e-4), "block-newton", tol=1e-6, max_iter=_STEPS)
            trainings.append(log.take())
    sizes = np.array([[rows, spread.load(k).stored] for k, rows in enumerate(np.diff(spread.ends))])
    worked = len(trainings[0][0].stamps)
    kinds = {kind: _kind(kind, trainings[1:], sizes) for kind in KINDS}
    rows, entries = sizes[worked:].sum(axis=0).tolist()
    everywhere = sum(share.pairs for share in kinds["look"].shares) / sizes[:worked, 0].sum()
    held = Share(len(sizes) - worked, rows, entries, everywhere * rows)
    (n, d), is_dense = packed.shape, packed.is_dense
    return Measured(name, engine, workers, latency, is_dense, d, n, held, kinds)


def _kind(kind: str, trainings: list[list[Round]], sizes: Any) -> Kind:
    """The least of each round, and of those the mean; the first round has nobody before it and is left out."""
    chosen = [k for k, each in enumerate(trainings[0]) if k and each.kind == kind]
    rounds = [[(training[k - 1], training[k]) for k in chosen] for training in trainings]
    pids = list(dict.fromkeys(stamp.pid for stamp in trainings[0][0].stamps))
    tasks, wholes = np.min([[_seconds(*pair, pids) for pair in each] for each in rounds], axis=0).transpose(1, 0, 2)
    client = np.min([[after.ended[0] - after.begun[0] for _, after in each] for each in rounds], axis=0)
    wait = min(_wait(*pair, pids) for each in rounds for pair in each)
    shares = []
    for pid, task, whole in zip(pids, tasks.mean(axis=0), wholes.mean(axis=0), strict=True):
        mine = [k for k, stamp in enumerate(trainings[0][0].stamps) if stamp.pid == pid]
        free = np.mean([[after.stamps[k].free for k in mine] for _, after in rounds[0]], axis=0)
        rows, entries = sizes[mine].T
        shares.append(Share(len(mine), rows.sum(), entries.sum(), free @ (entries / rows) ** 2, task, whole))
    return Kind(len(chosen), shares, float(client.mean()), wait)


def _seconds(before: Round, after: Round, pids: list[int]) -> tuple[list[float], list[float]]:
    """Of each worker: CPU in its tasks, and of its process since the round before."""
    tasks = [sum(stamp.task for stamp in after.stamps if stamp.pid == pid) for pid in pids]
    ends = [[max(s.end for s in each.stamps if s.pid == pid) for pid in pids] for each in (before, after)]
    return tasks, [b - a for a, b in zip(*ends, strict=True)]


def _wait(before: Round, after: Round, pids: list[int]) -> float:
    """What the clock on the wall says beyond the CPU times."""
    cpu, wall = (b - a for a, b in zip(after.begun, after.ended, strict=True))
    return wall - cpu - max(_seconds(before, after, pids)[1])
