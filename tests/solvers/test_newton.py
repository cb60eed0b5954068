"""The semismooth Newton method: its linear systems, its stages, and hard data that coordinate ascent crawls on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.operators import ScaledRows
from pragam.solvers import newton, newton_start, newton_system
from pragam.solvers.hardness import hardness
from pragam.solvers.newton import Newton
from pragam.solvers.newton_start import by_sweeps, in_the_middle
from pragam.solvers.newton_system import Centre, NewtonSystem


@pytest.fixture(params=["dense", "csr"])
def operator(request):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 20)) * (rng.random((50, 20)) < 0.4)
    return ScaledRows(sparse.csr_array(X) if request.param == "csr" else X, rng.choice([-1.0, 1.0], 50))


def reference(operator, lam, factor, weights, rhs, centre=None):
    A = np.stack([operator.matvec(e) for e in np.eye(20)], axis=1)
    if centre is not None:
        A -= np.outer(centre.sigma, centre.mean)
    return np.linalg.solve(lam * np.eye(20) + factor * (A.T * weights) @ A, rhs)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("n_rows", "limit"), [(5, 3000), (40, 3000), (40, 0)], ids=["woodbury", "cholesky", "cg"])
def test_all_three_ways_solve_the_same_system(operator, n_rows, limit, centred, monkeypatch):
    monkeypatch.setattr(newton_system, "LARGEST_MATRIX", limit)
    monkeypatch.setattr(newton_system, "_CG_TOL", 1e-12)
    rng = np.random.default_rng(1)
    system = NewtonSystem(operator, 0.3)
    for _ in range(6):  # the same object: weights that come, change and go
        weights = np.zeros(50)
        weights[rng.choice(50, n_rows, replace=False)] = rng.random(n_rows)
        system.weights = weights
        sigma, rhs, centre = rng.standard_normal(50), rng.standard_normal(20), None
        if centred:
            total = 2.5 * float(weights @ sigma**2)
            centre = Centre(sigma, operator.rmatvec(2.5 * weights * sigma) / total, total)
        x = system.solve(2.5, rhs, centre)
        assert np.allclose(x, reference(operator, 0.3, 2.5, weights, rhs, centre), rtol=1e-8, atol=1e-9)


def test_without_rows_the_system_is_the_regulariser(operator):
    system = NewtonSystem(operator, 0.5)
    assert np.array_equal(system.solve(1.0, np.ones(20)), np.full(20, 2.0))


def test_rows_may_be_exchanged_under_the_hessian(operator):
    rng = np.random.default_rng(3)
    system, weights, rows = NewtonSystem(operator, 0.3), rng.random(50), None
    for n_rows in (50, 30, 25, 50, 40):
        new = None if n_rows == 50 else np.sort(rng.choice(50, n_rows, replace=False))
        system.exchange_rows(operator, rows, new, operator if new is None else operator.take(new))
        rows = new
        system.weights = weights[slice(None) if rows is None else rows]
        everywhere = np.zeros(50)
        everywhere[slice(None) if rows is None else rows] = system.weights
        expected = reference(operator, 0.3, 2.0, everywhere, np.ones(20))
        assert np.allclose(system.solve(2.0, np.ones(20)), expected, rtol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_sample_of_the_rows_preconditions_conjugate_gradients(kind):
    """Columns of very different sizes: conjugate gradients alone take hundreds of iterations."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 60)) * np.logspace(-2, 2, 60)
    A = ScaledRows(kind(X), np.ones(4000))
    weights, rhs = rng.random(4000), rng.standard_normal(60)
    rows = np.arange(4000)
    system = NewtonSystem(A, 1e-3)
    system.weights = weights
    x = system._preconditioned_cg(1.0, rows, rhs, None)
    residual = 1e-3 * x + X.T @ (weights * (X @ x)) - rhs
    assert np.linalg.norm(residual) <= newton_system._CG_TOL * np.linalg.norm(rhs)
    iterations = (system.work - 250) / 8000  # a sample of one row in sixteen, then two products an iteration
    assert iterations <= newton_system._MOST


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("n", "d"), [(600, 20), (150, 300)], ids=["cholesky", "woodbury"])
def test_a_common_offset_of_the_data_makes_no_difference_to_a_model_with_a_bias(n, d, kind):
    """Features such as years or temperatures in kelvin: only the best bias changes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.3, 1, -1)
    results = [pragam.solve(pragam.hinge(kind(X + offset), y, 1e-4), "newton", tol=1e-7) for offset in (0, 100, 1e4)]
    assert all(result.converged for result in results)
    plain = results[0]
    for result in results[1:]:
        assert result.n_iter <= 1.5 * plain.n_iter
        assert result.certificate.primal == pytest.approx(plain.certificate.primal, rel=2e-7)


@pytest.mark.parametrize("offset", [0.0, 10.0, 1e4])
def test_hardness_does_not_see_an_offset_where_there_is_a_bias(offset):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 7)), rng.choice([-1, 1], 400)
    weight = rng.random(400)
    shifted = [pragam.hinge(X + offset, y, 1e-3, bias=bias, sample_weight=weight) for bias in (True, False)]
    centred = pragam.hinge(X - X.mean(0), y, 1e-3, bias=False, sample_weight=weight)
    assert hardness(shifted[0]) == pytest.approx(hardness(centred), rel=1e-6)
    assert offset < 1 or hardness(shifted[1]) > 10 * hardness(centred)


def noisy_problem(bias, n=3000, d=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return pragam.hinge(X, np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1), 1e-5, bias=bias)


@pytest.mark.parametrize("bias", [False, True])
def test_a_working_set_leaves_rows_out_and_the_estimate_right(bias):
    problem, method = noisy_problem(bias), Newton()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    smallest = problem.Q.size
    for _ in range(60):
        if (gap := method.estimate(problem, state)) <= 1e-10:
            break
        if 1e-10 < gap < 1e-3 and not bias:  # with a bias the estimate is at the current one, not at the best
            assert certify(problem, *method.candidate(problem, state)).relative_gap == pytest.approx(gap, rel=1e-3)
        state = method.step(problem, state)
        smallest = min(smallest, len(state.work.s))
    assert certify(problem, *method.candidate(problem, state)).relative_gap <= 1e-9
    assert smallest < 0.1 * problem.Q.size


@pytest.mark.parametrize("bias", [False, True])
def test_rows_that_were_left_out_by_mistake_come_back(bias, monkeypatch):
    """With a band of no width every row outside its box is left out at once, also those that will enter it."""
    monkeypatch.setattr(newton, "BAND", 0.0)
    result = pragam.solve(noisy_problem(bias), "newton", tol=1e-9, max_iter=2000)
    assert result.converged


HARD = ["gaussian", "offset", "separable", "wide", "badly scaled", "duplicated"]


def hard_data(kind):
    rng = np.random.default_rng(0)
    n, d = (30, 80) if kind == "wide" else (200, 10)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)
    if kind == "offset":
        X += 100
    elif kind == "separable":
        X[:, 0] += 5 * y
    elif kind == "badly scaled":
        X *= np.logspace(-4, 4, d)
    elif kind == "duplicated":
        X, y = np.repeat(X[:40], 5, axis=0), np.repeat(y[:40], 5)
    return X, y


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2, 1e3])
@pytest.mark.parametrize("kind", HARD)
def test_hard_data_are_certified_to_nine_digits(kind, lam, bias):
    X, y = hard_data(kind)
    result = pragam.solve(pragam.hinge(X, y, lam, bias=bias), "newton", tol=1e-9, max_iter=3000)
    assert result.converged, (result.status, result.certificate)


@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2, 1e3])
@pytest.mark.parametrize("kind", HARD)
def test_sweeps_may_spoil_the_start_but_not_the_answer(kind, lam, monkeypatch):
    """Where they are of no use, and would not be made, as where they are."""
    monkeypatch.setattr(newton_start, "_worth_a_trial", lambda problem: True)
    monkeypatch.setattr(newton_start, "_PROMISING", np.inf)
    X, y = hard_data(kind)
    problem = pragam.hinge(sparse.csr_array(X), y, lam, bias=False)
    assert by_sweeps(problem, np.random.default_rng(0)).w.any()
    result = pragam.solve(problem, "newton", tol=1e-9, max_iter=3000)
    assert result.converged, (result.status, result.certificate)


def sparse_problem(hardness, positives=0.1, n=2000, d=200, as_array=False, bias=False):
    """With C R^2 = hardness, each row of 20 entries, of 1 but for a factor."""
    rng = np.random.default_rng(5)
    X = np.sqrt(hardness / 20) * (np.argsort(rng.random((n, d)), axis=1) < 20)
    score = X @ rng.standard_normal(d)
    y = np.where(score > np.quantile(score, 1 - positives), 1, -1)
    return pragam.hinge(X if as_array else sparse.csr_array(X), y, 1 / n, bias=bias)


@pytest.mark.parametrize("hardness", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("positives", [0.02, 0.1, 0.5])
def test_sweeps_leave_weights_that_belong_to_the_dual_point_and_a_smaller_gap(hardness, positives):
    problem = sparse_problem(hardness, positives)
    guess, middle = by_sweeps(problem, np.random.default_rng(0)), in_the_middle(problem)
    alpha = problem.Q.lower + (problem.Q.upper - problem.Q.lower) * guess.centre
    assert np.allclose(guess.w, problem.w_of_alpha(alpha), rtol=1e-9, atol=1e-12)
    before = certify(problem, middle.w, problem.Q.upper * middle.centre)
    after = certify(problem, guess.w, alpha)
    assert after.dual > max(before.dual, 0.0)  # 0 is D(0), where the sweeps begin
    assert after.relative_gap < 0.2 < before.relative_gap


@pytest.mark.parametrize(
    "change", [{"hardness": 1e3}, {"hardness": 50.0}, {"n": 1000}, {"as_array": True}, {"bias": True}], ids=str
)
def test_no_sweeps_where_they_do_not_pay(change):
    """But for this one change they do, as the test above shows. C R^2 = 50 fails in the trial."""
    problem = sparse_problem(**{"hardness": 5.0} | change)
    guess = by_sweeps(problem, np.random.default_rng(0))
    assert not guess.w.any() and np.all(guess.centre == 0.5)
    assert (guess.passes > 0) == (change == {"hardness": 50.0})
