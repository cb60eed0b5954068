"""dcd with w in single precision: the same path, and never where its roundings would show."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.solvers import Certified, Start
from pragam.solvers.dcd import Dcd, row_copy, single_precision

D = single_precision._COLUMNS


def text(seed, n=300, entries=20, offset=0.0):
    """Sparse rows with many columns of their own, two of which tell the classes apart; or a common large entry."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], n)
    columns = np.sort(rng.integers(3, D, (n, entries)), axis=1)
    signal = np.column_stack([np.zeros(n, int), np.where(y > 0, 1, 2)])
    values = np.column_stack([np.full(n, offset), rng.random(n), rng.random((n, entries))])
    indptr = np.arange(n + 1) * (entries + 2)
    return sparse.csr_array((values.ravel(), np.hstack([signal, columns]).ravel(), indptr), shape=(n, D)), y


def problem(seed, bias=False, lam=1e-2, offset=0.0, risk=pragam.hinge):
    X, y = text(seed, offset=offset)
    return risk(X, y, lam, bias=bias)


def state_of(p, tol):
    return Dcd().init(p, np.random.default_rng(0), None, tol)


@pytest.mark.parametrize("risk", [pragam.hinge, pragam.squared_hinge])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-4])
def test_the_path_is_that_of_double_precision(tol, bias, risk, monkeypatch):
    for seed in range(3):
        p = problem(seed, bias, risk=risk)
        assert state_of(p, tol).is_single
        mine = pragam.solve(p, "dcd", tol=tol)
        with monkeypatch.context() as patch:
            patch.setattr(single_precision, "_COLUMNS", 2 * D)
            assert not state_of(p, tol).is_single
            theirs = pragam.solve(p, "dcd", tol=tol)
        assert mine.converged and mine.n_iter == theirs.n_iter
        assert mine.w.dtype == np.float64
        assert mine.certificate == certify(p, mine.w, mine.alpha)
        assert mine.certificate.primal == pytest.approx(theirs.certificate.primal, rel=tol)
        assert mine.certificate.dual == pytest.approx(theirs.certificate.dual, rel=tol)


def test_a_warm_start_may_be_in_single_precision_too():
    p = problem(1)
    cold = pragam.solve(p, "dcd", tol=1e-9)
    warm = pragam.solve(p, "dcd", tol=1e-3, start=cold.alpha, screening=False)
    assert warm.converged and warm.n_iter == 0


def test_a_large_c_is_in_double_precision():
    assert not state_of(problem(0, lam=1e-4), 1e-2).is_single


def test_high_accuracy_is_in_double_precision():
    assert not state_of(problem(0), 1e-6).is_single
    assert pragam.solve(problem(0), "dcd", tol=1e-9).converged


@pytest.mark.parametrize("bias", [False, True])
def test_large_scores_that_cancel_are_in_double_precision(bias):
    """An entry of 10^6 in every row: the roundings of its product with w would drown the margins."""
    p = problem(0, bias, offset=1e6)
    assert not state_of(p, 1e-2).is_single
    assert pragam.solve(p, "dcd" if bias else "newton", tol=1e-2).converged


def test_double_precision_takes_over_where_the_optimum_turns_out_to_be_too_small():
    """At the start only J(0) is known; near the optimum the tolerance may be a thousandth of what it seemed."""
    p, method = problem(0, lam=3e-3), Dcd()
    state = state_of(p, 5e-5)
    assert state.is_single
    for _ in range(300):
        state = method.step(p, state)
        if not state.is_single:
            break
    assert not state.is_single and state.precision.fresh_at > 1
    alpha = state.work.alpha.copy()
    assert np.allclose(state.whole.w, p.w_of_alpha(alpha), rtol=1e-9, atol=1e-9 * np.abs(state.whole.w).max())
    assert pragam.solve(p, "dcd", tol=5e-5).converged


@pytest.mark.parametrize("bias", [False, True])
def test_a_certificate_that_fails_ends_single_precision_and_w_stays_that_of_alpha(bias, monkeypatch):
    """Trusted far too much, and with a copy of the active rows on the way."""
    monkeypatch.setattr(single_precision, "_UPDATES", 1e-9)
    monkeypatch.setattr(single_precision, "_HARDEST", np.inf)
    monkeypatch.setattr(row_copy, "PRICE", 1e-3)
    monkeypatch.setattr(row_copy, "PRICE_COLUMN", 1e-6)
    p, method = problem(0, bias, lam=1e-7), Dcd()
    state = state_of(p, 1e-2)
    assert state.is_single
    copies = 0
    for step in range(400):
        state = method.step(p, state)
        copies += state.is_copy
        expected = p.w_of_alpha(state.whole.alpha.copy())
        precision = 1e-4 if state.is_single else 1e-9
        assert np.allclose(state.whole.w, expected, rtol=precision, atol=precision * np.abs(expected).max())
        if step == 5:
            pair = Start(*method.candidate(p, state))
            state = method.observe(p, state, Certified(pair, pair, certify(p, *pair)))
        assert step <= 6 or not state.is_single
    assert copies > 0
    assert certify(p, *method.candidate(p, state)).relative_gap <= 1e-2
