"""Budgets of seconds: a step that overruns one is broken off where long loops listen."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

import pragam
from pragam import Status
from pragam.driver import record
from pragam.polytopes import plane_newton
from pragam.runtime import interrupts
from pragam.solvers.base import Solver, State


@dataclass(frozen=True)
class Endless(Solver):
    """A first step, and then one that would take a minute."""

    name = "endless"
    needs = ()
    in_init: bool = False

    def init(self, problem, rng, start, tol):
        if self.in_init:
            _long()
        return State(0.0)

    def step(self, problem, state):
        if state.passes:
            _long()
        return State(state.passes + 1)

    def candidate(self, problem, state):
        if not state.passes:
            return np.zeros(problem.n_weights), problem.start()
        alpha = problem.domain.project(np.full(problem.Q.size, 1e-5))
        return problem.w_of_alpha(alpha), alpha


def _long():
    end = time.perf_counter() + 60  # a hang, not a measure
    while time.perf_counter() < end:
        interrupts.check()
        time.sleep(1e-3)
    raise AssertionError("it was never broken off")


@pytest.fixture
def problem():
    X = np.random.default_rng(0).standard_normal((30, 3))
    return pragam.hinge(X, np.arange(30) % 2)


@pytest.mark.parametrize("in_init", [False, True])
def test_a_step_that_overruns_is_broken_off(problem, monkeypatch, in_init):
    monkeypatch.setattr(record, "_OVERRUN_SECONDS", 0.01)
    result = pragam.solve(problem, Endless(in_init), tol=0.0, max_seconds=0.05)
    assert result.status is Status.MAX_SECONDS and result.n_iter == (0 if in_init else 1)
    assert result.certificate == pragam.certify(problem, result.w, result.alpha)
    assert bool(result.alpha.any()) is not in_init  # what the first step reached is certified


def test_an_end_that_is_asked_for_is_no_matter_of_the_budget(problem):
    end = threading.Event()
    end.set()

    def run():
        with interrupts.ended_by(end):
            return pragam.solve(problem, Endless(), tol=0.0, max_seconds=30)

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(run).result()
    assert result.status is Status.INTERRUPTED


def test_a_budget_breaks_no_callback_off(problem, monkeypatch):
    """What it computes is the user's; a solve inside it has its own budget, or none."""
    monkeypatch.setattr(record, "_OVERRUN_SECONDS", 0.0)
    statuses = []

    def callback(progress):
        time.sleep(1.2)  # beyond the budget, which the step before it has not spent
        problem.A.matvec(progress.w)
        statuses.append(pragam.solve(problem, "qp-bmrm", tol=1e-6).status)

    assert pragam.solve(problem, "pragam", tol=0.0, max_seconds=1.0, callback=callback).status is Status.MAX_SECONDS
    assert statuses == [Status.CONVERGED]


def test_budgets_within_budgets():
    """The nearer end counts, and the outer one returns."""
    now = time.perf_counter()
    with interrupts.listen() as signals, signals.raising:
        with signals.until(now + 60):
            with signals.until(now - 1), pytest.raises(KeyboardInterrupt):
                signals.check()
            with signals.raising:
                signals.check()
        with signals.until(now - 1), signals.until(now + 60), signals.raising, pytest.raises(KeyboardInterrupt):
            signals.check()
        with signals.raising:
            signals.check()


def test_the_linear_program_of_biases_listens(monkeypatch):
    """Many labels with biases: each of its Newton steps takes long, so each looks at the clock."""
    asked = []
    monkeypatch.setattr(plane_newton.interrupts, "check", lambda: asked.append(1))
    rng = np.random.default_rng(0)
    problem = pragam.multiclass_hinge(rng.standard_normal((40, 3)), rng.integers(0, 4, 40), bias=True)
    problem.domain.maximise_linear(rng.standard_normal(problem.Q.size))
    assert len(asked) > 5
