"""Blocked Newton over workers: rounds, seconds, whether the bits stay, and what a kill costs.

    python benchmarks/cluster.py [DIR] [--lam 1e-4] [--engine processes|dask] [--rows 100000]

DIR is a packed directory, such as ``make_large.py`` makes; without one, so many rows are generated. Each line is a
training to 1e-6: with one worker, with two, and with two of which one is killed in each of two rounds. A round's time
is the wall's; the client's own work is not in it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import pragam
from pragam.engines import Processes
from pragam.packed import Spread

#: The tolerances at which rounds are counted.
TOLS = (1e-3, 1e-6)
#: Rounds in which a worker is killed.
KILLS = (3, 6)


@contextlib.contextmanager
def engine_of(kind: str, count: int) -> Iterator[Any]:
    """(the engine, a function that says the processes of its workers)."""
    if kind == "processes":
        with Processes(count) as engine:
            yield engine, engine.pids
        return
    from distributed import Client, LocalCluster
    from pragam.distributed import DaskFutures

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50, "memory_limit": 0}
    with (
        LocalCluster(n_workers=count, threads_per_worker=1, processes=True, **options) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield DaskFutures(client), lambda: sorted(client.run(os.getpid).values())


def timed(engine: Any, pids: Any, kills: set[int], walls: list[float]) -> None:
    """Write down how long each round takes, and kill a worker in some."""
    original = engine.map

    def mapped(*args: Any) -> Iterator[Any]:
        if engine.rounds + 1 in kills:
            kills.discard(engine.rounds + 1)
            threading.Timer(0.1, killed, (pids()[0],)).start()
        begun = time.perf_counter()
        found = list(original(*args))
        walls.append(time.perf_counter() - begun)
        return iter(found)

    engine.map = mapped


def killed(pid: int) -> None:
    """End a worker, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def measure(kind: str, count: int, packed: Any, lam: float, kills: tuple[int, ...] = ()) -> str:
    """A line: rounds to each tolerance, seconds, the rounds' median and longest, and a sum of all bits."""
    with engine_of(kind, count) as (engine, pids):
        walls: list[float] = []
        timed(engine, pids, set(kills), walls)
        problem = pragam.hinge(Spread(packed, engine), lam=lam)
        counts = []
        for tol in TOLS:
            before, begun = engine.rounds, time.perf_counter()
            if tol == TOLS[-1]:
                walls.clear()
            found = pragam.solve(problem, "block-newton", tol=tol)
            counts.append(f"{engine.rounds - before} to {tol:g}" + ("" if found.converged else f" ({found.reason})"))
        seconds = time.perf_counter() - begun
    bits = hashlib.sha256(found.w.tobytes() + found.alpha.tobytes()).hexdigest()[:12]
    return (
        f"{kind} {count}, kills {len(kills)}: rounds {', '.join(counts)}; {seconds:.1f} s, median round "
        f"{np.median(walls):.2f} s, longest {max(walls):.2f} s, bits {bits}"
    )


def main() -> None:
    """One worker, two, and two with kills."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--lam", type=float, default=1e-4)
    parser.add_argument("--engine", choices=("processes", "dask"), default="dask")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packed = pragam.open_packed(args.directory or generated(args.rows, folder))
        print(packed, flush=True)
        for count, kills in ((1, ()), (2, ()), (2, KILLS)):
            print(measure(args.engine, count, packed, args.lam, kills), flush=True)


def generated(n: int, folder: str) -> str:
    """A packed directory of noisy labels of a linear function."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20)).astype(np.float32)
    y = np.where(X @ rng.standard_normal(20) + 2 * rng.standard_normal(n) > 0, 1, -1)
    pragam.pack([(X, y)], f"{folder}/rows", chunk_bytes=100_000)
    return f"{folder}/rows"


if __name__ == "__main__":
    main()
