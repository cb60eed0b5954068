"""Real processes, real signals: no death of a worker changes a bit, and what ends a training says why."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import pragam

pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

import dask.config  # noqa: E402

from distributed import Client, LocalCluster  # noqa: E402
from pragam.distributed import DaskFutures, collected  # noqa: E402
from pragam.engines import Block, EngineError, InTurn, remote  # noqa: E402
from pragam.packed import Spread  # noqa: E402


@contextlib.contextmanager
def cluster(count=2, **options):
    """Workers that are made anew however often they are killed: after a quarter of a minute Dask looks whether one is
    back, and gives it up if it has just been killed again."""
    settings = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50, **options}
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"}),
        LocalCluster(n_workers=count, threads_per_worker=1, processes=True, **settings) as workers,
        Client(workers, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster() as client:
        yield client


def pids(client):
    """Of the workers, when all of them are up: of one that dies while it starts Dask makes no other."""
    nannies, end = client.cluster.workers.values(), time.monotonic() + 60
    while len(found := client.run(os.getpid)) < len(nannies) or any(each.status.name != "running" for each in nannies):
        assert time.monotonic() < end, "a nanny has not started its worker again"
        time.sleep(0.05)
    return sorted(found.values())


def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 8)) * np.linspace(0.5, 2, 8) + 0.2
    return X, np.where(X @ rng.standard_normal(8) + rng.standard_normal(30_000) > 0.5, 1.0, -1.0)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "packed"
    pragam.pack([rows()], folder, chunk_bytes=20_000)
    return pragam.open_packed(folder)


#: Of the solvers that work on blocks where they are.
TOLS = {"block-newton": 1e-6, "merged-ascent": 1e-2}


def fitted(packed, engine, solver="block-newton", tol=None):
    problem = pragam.hinge(Spread(packed, engine, runs=6), lam=1e-3)
    return pragam.solve(problem, solver, tol=TOLS[solver] if tol is None else tol)


def same(one, other):
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.biases, other.biases)
    np.testing.assert_array_equal(one.alpha, other.alpha)
    assert one.certificate == other.certificate


@pytest.fixture(scope="module", params=TOLS)
def solver(request):
    return request.param


@pytest.fixture(scope="module")
def undisturbed(packed, solver):
    found = fitted(packed, InTurn(), solver)
    assert found.converged and found.certificate.rigorous
    return found


class Kills(DaskFutures):
    """Workers are killed in some rounds: so many of them, so many seconds after its tasks were sent, or before."""

    def __init__(self, client, plan):
        super().__init__(client)
        self.plan = dict(plan)

    def map(self, *args):
        count, delay = self.plan.pop(self.rounds + 1, (0, None))
        victims = pids(self.client)[:count] if count else []
        if delay is None:
            self._kill(victims)
            return super().map(*args)
        timer = threading.Timer(delay, self._kill, (victims,))
        timer.start()
        found = list(super().map(*args))
        timer.join()
        return iter(found)

    @staticmethod
    def _kill(victims):
        for pid in victims:
            os.kill(pid, signal.SIGKILL)


PLANS = {
    "nothing": {},
    "during load": {1: (1, 0.02)},
    "in a step": {4: (1, 0.005)},
    "between rounds": {4: (1, None)},
    "both in turn": {3: (1, 0.005), 6: (1, 0.005)},
    "both at once": {4: (2, 0.005)},
}


@pytest.mark.parametrize("when", PLANS)
def test_kills_change_no_bit(client, packed, undisturbed, solver, when):
    engine = Kills(client, PLANS[when])
    same(fitted(packed, engine, solver), undisturbed)
    assert not engine.plan


def test_blocks_in_the_memory_of_a_worker_that_died_are_found_anew(client, solver):
    X, y = rows()
    results = []
    for plan in ({}, {3: (1, 0.005)}):
        engine = Kills(client, plan)
        storage, y, _ = collected(engine, da.from_array(X, chunks=(5000, 8)), y)
        results.append(pragam.solve(pragam.hinge(storage, y, lam=1e-3), solver, tol=TOLS[solver]))
        assert results[-1].converged and not engine.plan
    same(*results)


def test_a_worker_that_stands_still_does_not_stop_progress(packed, undisturbed, solver, monkeypatch):
    monkeypatch.setattr(remote, "_SLOW_SECONDS", 0.5)
    with cluster() as client:
        victim = pids(client)[0]
        fitted(packed, DaskFutures(client), solver, tol=1e-1)  # all is loaded
        os.kill(victim, signal.SIGSTOP)
        try:
            same(fitted(packed, DaskFutures(client), solver), undisturbed)
        finally:
            os.kill(victim, signal.SIGKILL)


def test_a_block_that_cannot_be_read_names_its_file(client, packed, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(packed.path, folder)
    damaged, lost = (folder / "chunks" / f"00000{k}.X.npy" for k in (3, 5))
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    found = fitted(pragam.open_packed(folder), DaskFutures(client))
    assert found.status.name == "FAILED" and damaged.name in found.reason and "is damaged" in found.reason
    shutil.copy(packed.path / "chunks" / damaged.name, damaged)
    whole = pragam.open_packed(folder)
    lost.unlink()
    found = fitted(whole, DaskFutures(client))
    assert found.status.name == "FAILED" and lost.name in found.reason


class Number(Block):
    """A block that can be sent."""

    def open(self):
        return 0


def size_of(value, common, own):
    return own.nbytes


def test_a_task_may_carry_the_dual_variables_of_many_rows_without_a_word(client):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(DaskFutures(client).map(size_of, [Number()], None, [np.zeros(2**21)])) == [2**24]


def eat(value, common, own):
    hoard = []
    while True:
        hoard.append(np.ones(2**23))


def test_a_worker_out_of_memory_is_reported_as_that():
    with (
        cluster(1, memory_limit="400MB") as client,
        pytest.raises(EngineError, match=r"are killed, as .* memory_limit"),
    ):
        list(DaskFutures(client).map(eat, [Number()], None))


@pytest.fixture
def apart(tmp_path):
    """A scheduler and a worker that are processes of their own."""
    file = tmp_path / "scheduler.json"
    started = []

    def start(what, *words):
        program = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", str(file), *words]
        started.append(subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    start("worker", "--host", "127.0.0.1", "--no-nanny", "--no-dashboard", "--death-timeout", "5")
    yield file, scheduler
    for process in reversed(started):
        process.kill()
        process.wait()


def test_a_scheduler_that_is_killed_ends_the_training_with_a_clear_reason(apart, packed):
    file, scheduler = apart
    with Client(scheduler_file=str(file), set_as_default=False, timeout=30) as client:
        client.wait_for_workers(1, timeout=60)

        class Ended(DaskFutures):
            def map(self, *args):
                if self.rounds == 4:
                    scheduler.kill()
                return super().map(*args)

        found = fitted(packed, Ended(client))
    assert found.status.name == "FAILED" and "the Dask scheduler is gone (tcp://127.0.0.1:" in found.reason
    assert found.certificate.rigorous and np.isfinite(found.certificate.primal)
