"""Several problems under one budget: shares of the time, and stops that reach every job."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import pragam
from pragam import Result, Status
from pragam.driver.solve_all import Stop, Unsolved, solve_all

ZERO = pragam.solve(pragam.hinge(np.array([[1.0], [-1.0]]), [1, -1]), max_iter=0)
PATIENCE = 60.0  # seconds until a test that hangs fails


def wait_for(stop: Stop) -> bool:
    end = time.monotonic() + PATIENCE
    while not stop.is_set() and time.monotonic() < end:
        time.sleep(1e-3)
    return stop.is_set()


def ended(status: Status) -> Result:
    return replace(ZERO, status=status)


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """A clock for solve_all that stands still until a job moves it."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr("pragam.driver.solve_all.time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


@pytest.mark.parametrize("used", [[0.0] * 4, [1.0] * 4, [2.5, 0.0, 0.0, 0.0], [100.0, 1.0, 1.0, 1.0]])
def test_each_job_gets_an_even_share_of_the_time_left(clock, used):
    shares = []

    def job(seconds: float):
        def run(max_seconds, stop):
            shares.append(max_seconds)
            clock.now += seconds
            return ended(Status.CONVERGED)

        return run

    solve_all([job(seconds) for seconds in used], 10.0, n_threads=1)
    spent = np.concatenate([[0.0], np.cumsum(used)[:-1]])
    assert shares == pytest.approx((np.maximum(10.0 - spent, 0) / [4, 3, 2, 1]).tolist())


@pytest.mark.parametrize("n_jobs, n_threads", [(4, 2), (5, 2), (5, 3), (3, 3), (2, 7)])
def test_threads_share_the_time_in_rounds(clock, n_jobs, n_threads):
    shares = []

    def job(max_seconds, stop):
        shares.append(max_seconds)
        return ended(Status.CONVERGED)

    solve_all([job] * n_jobs, 12.0, n_threads)
    rounds = [-(-left // n_threads) for left in range(n_jobs, 0, -1)]
    assert sorted(shares) == pytest.approx(sorted(12.0 / r for r in rounds))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_no_limit_is_no_limit(n_threads):
    shares = []
    results = solve_all([lambda s, stop: (shares.append(s), ended(Status.MAX_ITER))[1]] * 3, None, n_threads)
    assert shares == [None] * 3
    assert [result.status for result in results] == [Status.MAX_ITER] * 3


def test_an_interrupt_ends_the_waiting_jobs_at_their_start():
    seen = []

    def job(status: Status):
        def run(max_seconds, stop):
            seen.append((max_seconds, stop.is_set()))
            return ended(status)

        return run

    order = [Status.CONVERGED, Status.INTERRUPTED, Status.MAX_SECONDS, Status.CONVERGED, Status.STOPPED]
    results = solve_all([job(status) for status in order], 1e6, n_threads=1)
    assert [result.status.name for result in results] == [
        "CONVERGED", "INTERRUPTED", "INTERRUPTED", "CONVERGED", "INTERRUPTED",
    ]  # fmt: skip
    assert [stopped for _, stopped in seen] == [False, False, True, True, True]
    assert [seconds for seconds, _ in seen[2:]] == [0.0] * 3


def test_an_interrupt_ends_the_running_jobs():
    running = threading.Event()

    def interrupted(max_seconds, stop):
        assert running.wait(PATIENCE)
        return ended(Status.INTERRUPTED)

    def endless(max_seconds, stop):
        running.set()
        assert wait_for(stop)
        return ended(Status.INTERRUPTED)

    results = solve_all([interrupted, endless], None, n_threads=2)
    assert [result.status for result in results] == [Status.INTERRUPTED] * 2


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_callback_of_ones_own_stops_one_job_alone(n_threads):
    jobs = [lambda s, stop, status=status: ended(status) for status in (Status.STOPPED, Status.CONVERGED)]
    results = solve_all(jobs, None, n_threads)
    assert [result.status for result in results] == [Status.STOPPED, Status.CONVERGED]


def test_an_error_in_one_job_ends_the_others():
    running = threading.Event()

    def wrong(max_seconds, stop):
        assert running.wait(PATIENCE)
        raise ZeroDivisionError

    def endless(max_seconds, stop):
        running.set()
        assert wait_for(stop)
        return ended(Status.STOPPED)

    with pytest.raises(ZeroDivisionError):
        solve_all([wrong, endless], None, n_threads=2)


@pytest.mark.parametrize("bias", [False, True])
def test_an_unsolved_problem_is_certified_at_zero_or_at_its_start(bias):
    X = np.random.default_rng(0).standard_normal((30, 3))
    problem = pragam.hinge(X, np.arange(30) % 2, bias=bias)
    result = pragam.solve(problem, Unsolved(), max_seconds=0.0)
    assert result.status is Status.MAX_SECONDS and not result.w.any()
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)
    better = pragam.solve(problem, tol=1e-3)
    assert pragam.solve(problem, Unsolved(), tol=0.0, max_seconds=0.0, start=better).certificate == better.certificate
