"""Engines of processes: results in order, deaths that change nothing, and errors that say what to do."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import threading
import time

import engine_tasks as tasks
import numpy as np
import pytest

import pragam
from pragam.engines import EngineError, InTurn, Kept, Processes, remote
from pragam.packed import Spread

NUMBERS = [tasks.Number(k) for k in range(7)]


@pytest.fixture(scope="module")
def two():
    with Processes(2) as engine:
        yield engine


def test_results_are_in_the_order_of_the_blocks(two):
    for engine in (InTurn(), two):
        assert list(engine.map(tasks.times, NUMBERS, 3)) == [3 * k for k in range(7)]
        assert list(engine.map(tasks.times, NUMBERS, 3, range(7))) == [4 * k for k in range(7)]
        assert list(engine.map(tasks.times, [], 3)) == []


def test_each_worker_has_one_share_of_neighbours(two):
    pids = list(two.map(tasks.process, NUMBERS, None))
    assert set(pids) == set(two.pids()) and len(set(pids)) == 2
    assert sum(a != b for a, b in itertools.pairwise(pids)) == 1


def test_an_error_of_a_task_is_its_own(two):
    with pytest.raises(ValueError, match="chunk 0: is damaged"):
        list(two.map(tasks.fails, NUMBERS[:1], None))
    assert list(two.map(tasks.times, NUMBERS, 1)) == list(range(7))


def test_a_worker_out_of_memory_is_reported_as_that(two):
    with pytest.raises(EngineError, match="a worker ran out of memory with block 0 of 1: give workers more memory"):
        list(two.map(tasks.eats, NUMBERS[:1], None))


def test_a_death_in_the_midst_of_a_task_changes_nothing(two, tmp_path):
    before = set(two.pids())
    assert list(two.map(tasks.dies_once, NUMBERS, str(tmp_path))) == list(range(7))
    assert (tmp_path / "dead").exists() and len(set(two.pids()) - before) == 1


@pytest.mark.parametrize("count", [1, 2])
def test_a_death_in_the_midst_of_an_answer_is_no_wait_for_the_rest(count, tmp_path):
    with Processes(count) as engine:
        assert list(engine.map(tasks.dies_in_its_answer, NUMBERS, str(tmp_path))) == list(range(7))
    assert (tmp_path / "half").exists()


def test_blocks_that_always_kill_are_given_up(two):
    with pytest.raises(EngineError, match=r"3 workers have died with block.*: they are killed"):
        list(two.map(tasks.dies, NUMBERS, None))
    assert list(two.map(tasks.times, NUMBERS, 1)) == list(range(7))


def test_a_worker_that_stands_still_does_not_stop_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "_SLOW_SECONDS", 0.5)
    with Processes(2) as engine:
        list(engine.map(tasks.times, NUMBERS, 1))
        assert list(engine.map(tasks.stops_once, NUMBERS, str(tmp_path))) == list(range(7))
        assert list(engine.map(tasks.times, NUMBERS, 2)) == [2 * k for k in range(7)]  # without the one that stopped


def test_kept_blocks_are_sent_once(two):
    class Heavy:
        sent = 0

        def needs(self):
            return ()

        def __reduce__(self):
            Heavy.sent += 1
            return int, (5,)

    blocks = [Kept("some", k, Heavy()) for k in range(4)]
    for factor in (1, 2, 3):
        assert list(two.map(tasks.times, blocks, factor)) == [5 * factor] * 4
    assert Heavy.sent == 4
    os.kill(two.pids()[0], signal.SIGKILL)
    assert list(two.map(tasks.times, blocks, 2)) == [10] * 4
    assert Heavy.sent <= 8


def test_processes_end_with_the_engine():
    engine = Processes(2)
    list(engine.map(tasks.times, NUMBERS, 1))
    pids = engine.pids()
    engine.close()
    assert len(pids) == 2 and not any(_runs(pid) for pid in pids)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


#: Of the solvers that work on blocks where they are.
TOLS = {"block-newton": 1e-6, "merged-ascent": 1e-2}


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 8)) * np.linspace(0.5, 2, 8) + 0.2
    y = np.where(X @ rng.standard_normal(8) + rng.standard_normal(30_000) > 0.5, 1.0, -1.0)
    folder = tmp_path_factory.mktemp("data") / "packed"
    pragam.pack([(X, y)], folder, chunk_bytes=20_000)
    return pragam.open_packed(folder)


def fitted(packed, engine, solver="block-newton"):
    problem = pragam.hinge(Spread(packed, engine, runs=6), lam=1e-3)
    return pragam.solve(problem, solver, tol=TOLS[solver])


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


def test_any_number_of_processes_finds_the_same_bits(packed, undisturbed, solver):
    for count in (1, 2, 3):
        with Processes(count) as engine:
            same(fitted(packed, engine, solver), undisturbed)


def test_the_certificate_is_that_of_the_whole_in_memory(packed, undisturbed):
    X = packed.take(np.arange(packed.shape[0]))
    whole = pragam.certify(pragam.hinge(X, packed.y, 1e-3), undisturbed.w, undisturbed.alpha, undisturbed.biases)
    assert abs(whole.gap - undisturbed.certificate.gap) <= 0.05 * whole.gap


def test_standardised_columns(packed):
    """Blocks are runs of chunks, which are data in blocks again: whoever walks over rows gets those of the chunks."""
    with Processes(2) as engine:
        X = Spread(packed, engine)
        assert [part.shape[0] for part in X.parts()] == [part.shape[0] for part in packed]
        there = pragam.LinearSVC(C=0.01, standardize=True).fit(X)
    here = pragam.LinearSVC(C=0.01, standardize=True).fit(packed)
    for one, other in ((here, there), (there, here)):
        assert one.certificate_.dual <= other.certificate_.primal
    assert there.certificate_.relative_gap <= there.tol and there.certify(packed).relative_gap <= there.tol


@pytest.mark.parametrize("round_", [1, 3])
def test_workers_that_die_again_and_again_are_no_reason_for_another_solver(packed, round_):
    """auto goes on with another solver where one has failed: here none has, and the answer would be another one."""

    class Ended(InTurn):
        def map(self, *args):
            if self.rounds + 1 == round_:
                self.rounds += 1
                raise EngineError("3 workers have died")
            return super().map(*args)

    found = pragam.solve(pragam.hinge(Spread(packed, Ended()), lam=1e-3), tol=1e-6)
    assert found.status.name == "FAILED" and "3 workers have died" in found.reason
    assert "block-newton" in found.solver or round_ == 1


@pytest.mark.parametrize("when", ["load", "step", "between", "both in turn", "both at once"])
def test_kills_change_no_bit(packed, undisturbed, solver, when):
    with Processes(2) as engine:
        kills = Kills(engine, when)
        same(fitted(packed, kills, solver), undisturbed)
        assert not kills.plan


class Kills:
    """An engine whose workers are killed at some rounds: in the midst of them, or before."""

    def __init__(self, engine, when):
        self.engine = engine
        self.plan = {
            "load": {1: ([0], 0.05)}, "step": {3: ([1], 0.01)}, "between": {3: ([0], None)},
            "both in turn": {3: ([0], 0.01), 5: ([1], 0.01)}, "both at once": {4: ([0, 1], 0.01)},
        }[when]  # fmt: skip

    def map(self, *args):
        workers, delay = self.plan.pop(self.engine.rounds + 1, ((), None))
        pids = self.engine.pids() if workers else []
        if delay is None:
            self._kill(pids, workers)
            return self.engine.map(*args)
        timer = threading.Timer(delay, lambda: self._kill(self.engine.pids(), workers))
        timer.start()
        found = list(self.engine.map(*args))
        timer.join()
        return iter(found)

    def _kill(self, pids, workers):
        for k in workers:
            if k < len(pids):
                os.kill(pids[k], signal.SIGKILL)
        time.sleep(0.01)


def test_a_damaged_chunk_is_named_by_the_worker_that_reads_it(packed, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(packed.path, folder)
    victim = folder / "chunks" / "000003.X.npy"
    content = bytearray(victim.read_bytes())
    content[-1] ^= 1
    victim.write_bytes(content)
    with Processes(2) as engine:
        found = fitted(pragam.open_packed(folder), engine)
    assert found.status.name == "FAILED" and "000003.X.npy" in found.reason and "is damaged" in found.reason
