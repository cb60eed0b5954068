"""Watched solvers answer as unwatched ones do, to the bit, and the notes are what they say."""

from __future__ import annotations

import time

import numpy as np
import pytest

import pragam
from pragam import solvers
from pragam.compare.clocked import Clocked
from pragam.compare.judge import Judge
from pragam.compare.thinning import FULL, Thinning
from pragam.compare.traced import Traced

LIMIT = 30


def problem_of(bias, n=80, d=6):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1.0, -1.0)
    return pragam.hinge(X, y, 1e-2, bias=bias), X, y


def fitting(bias):
    problem, _, _ = problem_of(bias)
    return [name for name in solvers.names() if not solvers.by_name(name).missing(problem)]


CASES = [(name, bias) for bias in (False, True) for name in fitting(bias)]


def solved(problem, method):
    return pragam.solve(problem, method, tol=1e-9, max_iter=LIMIT, stall=False)


@pytest.mark.parametrize(("name", "bias"), CASES)
def test_watching_changes_no_bit(name, bias):
    problem, X, y = problem_of(bias)
    plain = solved(problem, solvers.by_name(name))
    watches = [
        Clocked(solvers.by_name(name)),
        Traced(solvers.by_name(name), Judge(problem, X, y), range(LIMIT + 1)),
    ]
    for watch in watches:
        watched = solved(problem, watch)
        assert watched.n_iter == plain.n_iter and watched.status is plain.status
        assert watched.w.tobytes() == plain.w.tobytes() and watched.alpha.tobytes() == plain.alpha.tobytes()
        assert watched.solver == plain.solver
        np.testing.assert_array_equal(watched.history.gap, plain.history.gap)


@pytest.mark.parametrize(("name", "bias"), CASES)
def test_the_trace_is_what_the_solver_would_answer(name, bias):
    """Its last point is the end of a run with that many steps, and its best J is no worse than what was certified."""
    problem, X, y = problem_of(bias)
    watch = Traced(solvers.by_name(name), Judge(problem, X, y), range(1, LIMIT + 1))
    result = solved(problem, watch)
    points = watch.points
    assert len(points) == result.n_iter
    per_step = solvers.by_name(name).iterations_per_step(problem)
    assert [point.iteration for point in points] == [per_step * t for t in range(1, result.n_iter + 1)]
    assert min(point.primal for point in points) <= result.certificate.primal * (1 + 1e-12)
    assert points[-1].gap == result.certificate.relative_gap


class Script:
    """A judge that says what it is told to."""

    def __init__(self, values):
        self.values, self.asked = iter(values), 0

    def primal(self, w):
        return next(self.values)

    def accuracy(self, w):
        self.asked += 1
        return self.asked / 10

    def chunk_f1(self, w):
        return -self.asked


def test_the_accuracy_is_that_of_the_best_weights_so_far():
    problem, _, _ = problem_of(False)
    watch = Traced(solvers.by_name("ls-bmrm"), Script([3.0, 1.0, 2.0, 1.0, 0.5, np.nan]), [1, 2, 3, 5, 7, 9])
    solved(problem, watch)
    assert [point.accuracy for point in watch.points] == [0.1, 0.2, 0.2, 0.2, 0.3, 0.3]
    assert [point.chunk_f1 for point in watch.points] == [-1, -2, -2, -2, -3, -3]
    assert [point.iteration for point in watch.points] == [1, 2, 3, 5, 7, 9]


def test_the_clock_advances_and_covers_the_certificates():
    problem, _, _ = problem_of(False)
    watch = Clocked(solvers.by_name("ls-bmrm"))
    begin = time.perf_counter()
    result = solved(problem, watch)
    end = time.perf_counter()
    assert len(watch.times) == result.n_iter + 1
    assert begin < watch.times[0] and watch.times[-1] < end
    assert (np.diff(watch.times) > 0).all()


def test_the_raw_iterate_is_seen_where_the_answer_is_a_mean():
    problem, X, y = problem_of(False)
    for name in fitting(False):
        method = solvers.by_name(name)
        if method.missing(problem):
            continue  # it is for structured problems
        watch = Traced(method, Judge(problem, X, y), [1, 2, 3, 4, 5])
        solved(problem, watch)
        raw = [point.iterate for point in watch.points]
        assert np.isnan(raw).all() != name.startswith("pegasos")


def test_the_support_counts_dual_variables():
    problem, X, y = problem_of(False)
    watch = Traced(solvers.by_name("newton"), Judge(problem, X, y), range(1000))
    result = pragam.solve(problem, watch, tol=1e-9)
    assert watch.points[-1].support == np.count_nonzero(result.alpha)


@pytest.mark.parametrize("last", [0, 1, 5, 999, 1000, 1001, 123_456])
@pytest.mark.parametrize("thinning", [FULL, Thinning(3, 1.5)])
def test_thinning_keeps_the_first_steps_and_the_last(thinning, last):
    steps = thinning.steps(last)
    assert steps[-1] == last and (np.diff(steps) > 0).all()
    assert steps[: thinning.every] == list(range(1, min(thinning.every, last) + 1)) or last == 0
    late = np.array([step for step in steps if step > thinning.every], dtype=float)
    assert (late[1:] / late[:-1] <= np.maximum(thinning.factor, 1 + 1 / late[:-1]) + 1e-12).all()


def test_a_judge_without_test_rows_does_not_know():
    problem, X, y = problem_of(True)
    judge = Judge(problem, X[:0], y[:0])
    assert np.isnan(judge.accuracy(np.zeros(X.shape[1])))
    assert judge.primal(np.zeros(X.shape[1])) == problem.primal(np.zeros(X.shape[1]))
