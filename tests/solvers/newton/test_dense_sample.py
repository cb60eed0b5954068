"""A small problem's first guess from a sample of its rows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import pragam
from pragam.certificate import certify
from pragam.solvers.newton import dense_sample
from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.newton.sample import drawn_rows

N, D = 6000, 6


def data(n=N):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, D)) + 1.0
    return X, X @ rng.standard_normal(D) + rng.standard_normal(n)


def sign(y):
    return np.where(y > np.median(y), 1, -1)


PROBLEMS = {
    "hinge": lambda X, y: pragam.hinge(X, sign(y), 1e-3),
    "squared_hinge": lambda X, y: pragam.squared_hinge(X, sign(y), 1e-3),
    "tube": lambda X, y: pragam.epsilon_insensitive(X, y, 1e-3, bias=False),
    "tube with a bias": lambda X, y: pragam.epsilon_insensitive(X, y, 1e-3),
    "quantile": lambda X, y: pragam.quantile(X, y, 1e-3, q=0.8),
    "ordinal": lambda X, y: pragam.ordinal_hinge(X, np.digitize(y, [-2.0, 0.0, 2.0]), 1e-3),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_weights_of_the_sample_are_nearly_the_best(name):
    """J there is within a few times d over the number of rows in the sample; at w = 0 it is far larger."""
    problem = PROBLEMS[name](*data())
    state = NewtonDense().init(problem, np.random.default_rng(0), None, 1e-2)
    w = state.iterate.w / state.length
    best = pragam.solve(problem, tol=1e-9).certificate.dual
    assert 0 < state.passes - 2 < 12 and w.any()
    assert certify(problem, w).primal <= (1 + 20 * D * dense_sample.ONE_OF / N) * best
    assert certify(problem, np.zeros(D)).primal > 1.3 * best


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_sample_stands_for_the_whole(name):
    """The sizes of the boxes keep their sum, and each dual variable reads the row that it reads in the whole."""
    problem = NewtonDense().init(PROBLEMS[name](*data(200)), np.random.default_rng(0), None, 1e-2).scaled
    rows = np.array([3, 4, 40, 199])
    part = dense_sample.sampled(problem, rows)
    number = problem.number if problem.number.size else np.arange(200)
    duals = np.flatnonzero(np.isin(number, rows))
    read = part.rows[part.number] if part.number.size else part.rows
    assert np.array_equal(read, problem.rows[number[duals]]) and np.array_equal(part.c, problem.c[duals])
    assert np.allclose(part.size, problem.size[duals] * len(problem.c) / len(duals))


def test_one_of_each_few_neighbours_is_drawn():
    rows = drawn_rows(8000, 5, None, 8, np.random.default_rng(0))
    assert np.array_equal(rows // 8, np.arange(1000)) and len(np.unique(rows % 8)) == 8


@pytest.mark.parametrize("rarer", [10, 100, 4000])
def test_no_sample_has_too_few_rows_of_a_class(rarer):
    """None of 10; one of four at least, and one of eight where 2.5 rows for a weight are left of the rarer class."""
    is_positive = np.arange(8000) < rarer
    rows = drawn_rows(8000, 5, is_positive, 8, np.random.default_rng(0))
    assert (rows is None) == (rarer == 10)
    assert rows is None or (max(b - a for a, b in pairwise(rows)) < 16 and np.count_nonzero(is_positive[rows]) >= 12)


def test_equal_calls_give_equal_answers():
    problem = PROBLEMS["tube"](*data())
    first, second = (pragam.solve(problem, "newton-dense", tol=1e-2) for _ in range(2))
    assert np.array_equal(first.w, second.w)
