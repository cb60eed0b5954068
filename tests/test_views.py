"""Newton and dcd on rows of one value each work on a packed copy, and nobody sees it but the clock."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.operators.pattern import PatternRows
from pragam.solvers import Start
from pragam.solvers.dcd import Dcd
from pragam.solvers.dcd import solver as dcd
from pragam.solvers.newton import Newton
from pragam.solvers.newton import solver as newton
from pragam.views import View, packed


def data(seed, n=1500, d=12, dtype=np.float64):
    """Binary features times a value for each row, some rows empty, with labels that follow some of the columns."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < np.linspace(0.1, 0.7, d)).astype(float)
    X[rng.random(n) < 0.02] = 0.0
    y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0.3, 1, -1)
    value = rng.choice([-1.0, 1.0], n) * rng.uniform(0.3, 2.0, n)
    return sparse.csr_array((value[:, None] * X).astype(dtype)), y, rng


def problem(seed, bias=False, dtype=np.float64, weighted=False, lam=1e-4):
    X, y, rng = data(seed, dtype=dtype)
    weight = rng.exponential(size=len(y)) * rng.integers(0, 3, len(y)) if weighted else None
    return pragam.hinge(X, y, lam, bias=bias, sample_weight=weight)


@pytest.mark.parametrize("bias", [False, True])
def test_the_packed_problem_is_the_same_in_another_order(bias):
    for seed in range(5):
        p = problem(seed, bias, weighted=True)
        view = packed(p)
        assert isinstance(view.problem.A, PatternRows)
        alpha, w = (
            p.domain.sample(np.random.default_rng(seed)),
            np.random.default_rng(seed).standard_normal(p.n_weights),
        )
        assert np.array_equal(view.lift(view.restrict(alpha)), alpha)
        assert view.problem.domain.violation(view.restrict(alpha)) <= 1e-12
        assert view.problem.dual(view.restrict(alpha)) == pytest.approx(p.dual(alpha), rel=1e-12)
        assert view.problem.primal(w) == pytest.approx(p.primal(w), rel=1e-12)
        assert packed(view.problem) == View(view.problem)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("module, name, tol", [(newton, "newton", 1e-9), (dcd, "dcd", 1e-8)])
def test_the_answer_is_that_of_the_unpacked_problem(module, name, tol, bias, dtype, weighted, monkeypatch):
    p = problem(1, bias, dtype, weighted)
    mine = pragam.solve(p, name, tol=tol)
    monkeypatch.setattr(module, "packed", lambda problem: View(problem))
    plain = pragam.solve(p, name, tol=tol)
    assert mine.converged and plain.converged
    assert mine.certificate == certify(p, mine.w, mine.alpha)
    assert mine.certificate.primal == pytest.approx(plain.certificate.primal, rel=2 * tol)
    # J is lam-strongly convex: lam/2 |w - w*|^2 <= gap for both, and a gap is known up to the rounding of J.
    rounding = 4 * np.finfo(float).eps * mine.certificate.primal
    room = sum(np.sqrt(2 * (r.certificate.gap + rounding) / p.lam) for r in (mine, plain))
    assert np.linalg.norm(mine.w - plain.w) <= room


@pytest.mark.parametrize("bias", [False, True])
def test_newton_agrees_with_dcd(bias):
    p = problem(1, bias)
    mine, theirs = (pragam.solve(p, name, tol=1e-8) for name in ("newton", "dcd"))
    assert mine.converged and theirs.converged
    assert mine.certificate.primal == pytest.approx(theirs.certificate.primal, rel=2e-8)


@pytest.mark.parametrize("bias", [False, True])
def test_a_warm_start_of_dcd_is_in_the_users_order(bias):
    p, method = problem(2, bias), Dcd()
    cold = pragam.solve(p, "dcd", tol=1e-9)
    state = method.init(p, np.random.default_rng(0), Start(cold.w, cold.alpha), 1e-9)
    assert state.work.rows.kind == "pattern"
    assert np.array_equal(state.packed.lift(state.work.alpha), cold.alpha)
    assert certify(p, *method.candidate(p, state)).relative_gap <= 1e-8


@pytest.mark.parametrize("bias", [False, True])
def test_a_warm_start_of_newton_is_in_the_users_order(bias):
    p, method = problem(2, bias), Newton()
    cold = pragam.solve(p, "newton", tol=1e-10)
    state = method.init(p, np.random.default_rng(0), Start(cold.w, cold.alpha), 1e-9)
    assert isinstance(state.packed.problem.A, PatternRows)
    width = p.Q.upper - p.Q.lower
    assert np.allclose(width * state.packed.lift(state.stage.centre), cold.alpha - p.Q.lower, atol=1e-12)
    warm = pragam.solve(p, "newton", tol=1e-9, start=cold, screening=False)
    assert warm.converged and warm.n_iter < cold.n_iter


def test_a_working_set_and_samples_are_packed_too(monkeypatch):
    X, y, _ = data(3, n=4000)
    p, method, views = pragam.hinge(X, y, 1e-5, bias=False), Newton(), []
    monkeypatch.setattr(newton, "packed", lambda problem: views.append(packed(problem)) or views[-1])
    state = method.init(p, np.random.default_rng(0), None, 1e-9)
    assert len(views) > 1 and all(isinstance(view.problem.A, PatternRows) for view in views)
    smallest = p.Q.size
    for _ in range(200):
        if method.estimate(p, state) <= 1e-9:
            break
        state = method.step(p, state)
        assert isinstance(state.active.A, PatternRows)
        smallest = min(smallest, len(state.active.s))
    assert smallest < p.Q.size
    assert certify(p, *method.candidate(p, state)).relative_gap <= 1e-8


def test_repeated_entries_add_up():
    """1 twice in a column is 2: such data are not packed, and the answer is that of the summed matrix."""
    X, y, _ = data(4, n=300)
    ones = sparse.csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    twice = sparse.csr_array((np.ones(2 * X.nnz), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    assert packed(pragam.hinge(ones, y, 1e-3)).variables is not None
    assert packed(pragam.hinge(twice, y, 1e-3)).variables is None
    results = [pragam.solve(pragam.hinge(Z, y, 1e-3), "newton", tol=1e-10) for Z in (twice, 2 * ones)]
    assert results[0].certificate.primal == pytest.approx(results[1].certificate.primal, rel=1e-9)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("stored", [True, False])
def test_no_entries_or_only_stored_zeros(stored, bias):
    zeros = np.zeros(6), np.tile([0, 1], 3), np.array([0, 2, 4, 6])
    X = sparse.csr_array(zeros if stored else (3, 2), shape=(3, 2))
    result = pragam.solve(pragam.hinge(X, [1, -1, 1], 0.1, bias=bias), "newton", tol=1e-9)
    assert result.converged and not result.w.any()
