"""Several problems under one budget: shares of the time, threads, and Ctrl-C for all.

A caller says how one problem is solved (a :data:`Job`); :func:`solve_all` says when, and for how long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np

from pragam.driver.result import Result, Status
from pragam.numerics.arguments import check_seconds
from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.runtime.interrupts import Signals, ended_by, listen
from pragam.runtime.threads import one_blas_thread
from pragam.solvers.base import Solver, Start, State


class Stop:
    """Whether all jobs are to end: a signal has come, or ``set`` was called."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set or self._signals.asked


class Unsolved(Solver[AnyProblem, State]):
    """Stays at w = 0: for a problem whose turn comes after Ctrl-C, when nobody wants to wait for a solver's start."""

    name = "unsolved"

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> State:
        return State(0.0)

    def step(self, problem: AnyProblem, state: State) -> State:
        return state

    def candidate(self, problem: AnyProblem, state: State) -> tuple[Vector, Vector]:
        return np.zeros(problem.n_weights), problem.start()


#: Solves one problem within the given seconds (None: no limit).
Job = Callable[[float | None, Stop], Result]


def solve_all(jobs: list[Job], max_seconds: float | None, n_threads: int) -> list[Result]:
    """Run the jobs, ``n_threads`` at a time; each gets an even share of the time that is left.

    Ctrl-C ends the running jobs in the middle of an iteration and the waiting ones at their start: every job returns a
    certified result.
    """
    check_seconds(max_seconds)  # a share of what is left is never below 0, so no solve would complain
    end = None if max_seconds is None else time.perf_counter() + max_seconds
    waiting = len(jobs)
    lock = threading.Lock()
    begin = threading.Event()  # nothing runs before the main thread listens for Ctrl-C

    def run(job: Job, stop: Stop) -> Result:
        nonlocal waiting
        begin.wait()
        with lock:
            rounds = -(-waiting // n_threads)
            waiting -= 1
        left = None if end is None else max(end - time.perf_counter(), 0.0) / rounds
        late = stop.is_set()
        with ended_by(stop):
            result = job(0.0 if late else left, stop)
        if result.status is Status.INTERRUPTED:
            stop.set()
        return replace(result, status=Status.INTERRUPTED) if late and not result.converged else result

    with listen() as signals:
        stop = Stop(signals)
        if n_threads == 1:
            begin.set()
            return [run(job, stop) for job in jobs]
        with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
            try:
                futures = [pool.submit(run, job, stop) for job in jobs]
                begin.set()
                _wait(futures)
                return [future.result() for future in futures]
            finally:  # an error in one job ends the others
                stop.set()
                begin.set()


def _wait(futures: list[Future[Result]]) -> None:
    """Until all are done or one has failed. In short turns: not everywhere is a signal handled during a wait."""
    while True:
        done, waiting = wait(futures, timeout=0.05, return_when=FIRST_EXCEPTION)
        if not waiting or any(future.exception() for future in done):
            return
