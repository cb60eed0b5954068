"""Data and numbers at the ends of float64, and the smallest problems: a true certificate, or one clear refusal."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pragam
from exact_judge import exact_dual, exact_primal
from pragam import Status
from pragam.conjugates import Quadratic
from pragam.operators import Planes, ScaledRows
from pragam.polytopes import Box


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def gaussian(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1, -1)


def check(problem, result):
    assert 0 <= result.certificate.relative_gap <= 1
    assert np.isfinite(result.w).all() and np.isfinite(result.alpha).all() and np.isfinite(result.bias)
    assert pragam.certify(problem, result.w, result.alpha) == result.certificate


def judge(problem, result):
    """As check, and in rational arithmetic."""
    check(problem, result)
    biases = result.certificate.biases if problem.n_biases > 0 else ()
    assert exact_primal(problem, result.w, biases) <= result.certificate.primal
    assert result.certificate.dual <= exact_dual(problem, result.alpha)


def test_a_smaller_tolerance_is_never_worse():
    """The instance of scikit-learn's issue 22283, where liblinear's objective grew as tol fell."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n, p, C = 1000, 300, 1.0
        X = rng.standard_normal((n, p))
        y = np.sign(X @ rng.standard_normal(p) + rng.standard_normal(n))
        problem = pragam.hinge(X, y, lam=1 / (n * C), bias=False)
        values = {}
        for tol in (1e-4, 1e-8, 1e-12):
            result = pragam.solve(problem, tol=tol)
            assert result.status is Status.CONVERGED and result.certificate.relative_gap <= tol, f"seed {seed}"
            values[tol] = result.certificate.primal
        least = min(values.values())  # at least min J, which values[1e-12] is above by no more than its own gap
        assert values[1e-12] <= least + 1e-12 * values[1e-12], f"seed {seed}"


@pytest.mark.parametrize("solver", ["dcd", "pragam"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-100, 1e-30, 1e-8, 1e8, 1e30, 1e100, 1e150])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_scaled_data(solver, bias, scale, storage):
    """Rows that hardly matter leave a problem in the bias alone, which is solved; huge ones may take any time."""
    X, y = gaussian(40, 5)
    problem = pragam.hinge(storage(scale * X), y, lam=1e-2, bias=bias)
    result = pragam.solve(problem, solver, max_iter=200)
    judge(problem, result)
    assert result.status is (Status.CONVERGED if scale < 1 else Status.MAX_ITER)
    if scale < 1:
        least = 2 * min(np.mean(y > 0), np.mean(y < 0)) if bias else 1.0
        assert result.certificate.primal == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_rows_whose_squares_overflow_are_refused(storage):
    X, y = gaussian(40, 5)
    for bias in (False, True):
        with pytest.raises(ValueError, match="norm overflows float64: scale X"):
            pragam.hinge(storage(1e160 * X), y, lam=1e-2, bias=bias)


@pytest.mark.parametrize("solver", ["dcd", "pragam", "qp-bmrm", "ls-bmrm", "pegasos-n"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lam", [1e-300, 1e-100, 1e-12, 1e12, 1e100, 1e300])
def test_extreme_lam(solver, bias, lam):
    """A large one is solved at once: w* is all but 0. A small one leaves the time to the budget, and nothing fails."""
    X, y = gaussian(40, 5)
    problem = pragam.hinge(X, y, lam=lam, bias=bias)
    result = pragam.solve(problem, solver, max_iter=200)
    judge(problem, result)
    assert result.status is (Status.CONVERGED if lam > 1 else Status.MAX_ITER)
    if lam > 1:
        least = 2 * min(np.mean(y > 0), np.mean(y < 0)) if bias else 1.0
        assert result.certificate.primal == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("solver", ["dcd", "pragam", "qp-bmrm"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.array([[2.0]]), [1]),
        (np.array([[2.0]]), [-1]),
        (np.array([[0.0]]), [1]),
        (np.zeros((3, 0)), [1, -1, 1]),
        (np.zeros((4, 2)), [1, -1, -1, -1]),
        (np.ones((4, 2)), [1, 1, 1, 1]),
        (sparse.csr_array((3, 5)), [1, -1, 1]),
    ],
    ids=["one row", "one negative row", "one zero row", "no columns", "zeros", "one class", "empty CSR"],
)
def test_the_smallest_problems(solver, bias, X, y):
    problem = pragam.hinge(X, np.array(y), lam=0.5, bias=bias)
    result = pragam.solve(problem, solver, tol=1e-4, max_iter=2000)
    assert result.converged
    check(problem, result)


def test_one_row_by_hand():
    """min 1/4 w^2 + [1 - 2w]_+ is at w = 1/2: 1/16."""
    result = pragam.solve(pragam.hinge(np.array([[2.0]]), [1], lam=0.5, bias=False), tol=1e-12)
    assert result.w[0] == pytest.approx(0.5, rel=1e-12) and result.certificate.primal == pytest.approx(1 / 16)


@pytest.mark.parametrize("solver", ["dcd", "pragam", "qp-bmrm", "ls-bmrm", "pegasos-n"])
@pytest.mark.parametrize("bias", [False, True])
def test_boxes_of_a_single_point(solver, bias):
    """What weights of 0 would make, which the risks refuse."""
    X, y = gaussian(10, 3)
    problem = replace(pragam.hinge(X, y, bias=bias), Q=Box(np.zeros(10), np.zeros(10)))
    result = pragam.solve(problem, solver, max_iter=100)
    assert result.converged and result.certificate.primal == 0.0 and not result.w.any()


@pytest.mark.parametrize("bias", [False, True])
def test_weights_of_very_different_sizes(bias):
    X, y = gaussian(30, 4)
    weight = 10.0 ** np.random.default_rng(0).uniform(-12, 6, 30)
    problem = pragam.hinge(X, y, lam=0.1, bias=bias, sample_weight=weight)
    result = pragam.solve(problem, tol=1e-8, max_iter=20_000)
    check(problem, result)
    assert result.converged


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_a_table_as_people_have_it(storage, C):
    """Years, incomes, seconds since 1970: nobody has scaled or centred anything. Some ten Newton steps all the same."""
    rng = np.random.default_rng(0)
    n = 2000
    age, year, latitude = rng.integers(18, 90, n), rng.integers(1990, 2020, n), rng.normal(48, 3, n)
    income, seconds = rng.lognormal(10, 1, n), 1.6e9 + 1e8 * rng.random(n)
    score = age / 20 + year / 10 + np.log(income) + seconds / 3e7 + rng.standard_normal(n)
    X, y = np.column_stack([age, year, latitude, income, seconds]), np.where(score > np.median(score), 1, -1)
    problem = pragam.hinge(storage(X), y, lam=1 / (C * n))
    result = pragam.solve(problem, tol=1e-6)
    check(problem, result)
    assert result.converged and result.n_iter <= 50


def test_squares_below_the_smallest_number_are_paid_for():
    """t^2/(2 kappa) where t^2 underflows and the quotient does not, and kappa/2 alpha^2 where kappa alpha does."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        c = 10.0 ** rng.uniform(-320, -140, 2) * rng.choice([-1, 1], 2)
        lower, upper = -(10.0 ** rng.uniform(-200, 250, 2)) * rng.integers(0, 2, 2), 10.0 ** rng.uniform(-200, 250, 2)
        kappa = 10.0 ** rng.uniform(-322, -10, 2)
        A, B = ScaledRows(np.zeros((2, 1)), np.ones(2)), Planes(np.array([1.0, -1.0]), K=int(rng.integers(2)))
        problem = pragam.Problem(A, c, Box(lower, upper), 1.0, B, Quadratic(kappa))
        proof = pragam.certify(problem, np.zeros(1))
        assert exact_primal(problem, np.zeros(1), proof.biases) <= proof.primal, seed


@pytest.mark.parametrize(("c", "kappa", "upper"), [(1e-170, 1e-300, 1e200), (1e-160, 1e-250, 1e150)])
def test_what_is_paid_for_them_is_little(c, kappa, upper):
    A = ScaledRows(np.zeros((1, 1)), np.ones(1))
    problem = pragam.Problem(A, np.array([c]), Box(np.zeros(1), np.array([upper])), 1.0, g=Quadratic([kappa]))
    assert pragam.certify(problem, np.zeros(1), np.zeros(1)).slack <= 1e-307 / kappa
