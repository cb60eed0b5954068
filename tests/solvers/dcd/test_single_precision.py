"""dcd with w in single precision: the same path, and never where its roundings would show."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.solvers import Certified, Start
from pragam.solvers.dcd import Dcd, row_copy, single_precision, single_rows, sweep

D = single_precision._COLUMNS


@pytest.fixture(autouse=True)
def no_cache(monkeypatch):
    """The data are small: rows that stay in a cache are not copied."""
    monkeypatch.setattr(sweep, "_CACHE", 0)
    monkeypatch.setattr(single_rows, "_LEAST_NARROW", 0)
    monkeypatch.setattr(single_rows, "_LEAST_WIDE", 0)


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
@pytest.mark.parametrize("room", [0, single_rows.LARGEST])
def test_the_end_is_that_of_double_precision_and_the_path_where_there_is_no_copy(room, tol, bias, risk, monkeypatch):
    """A copy has the rows in another order."""
    monkeypatch.setattr(single_rows, "LARGEST", room)
    for seed in range(3):
        p = problem(seed, bias, risk=risk)
        state = state_of(p, tol)
        assert state.is_single and state.whole.rows.kind == ("single" if room else "csr")
        mine = pragam.solve(p, "dcd", tol=tol)
        with monkeypatch.context() as patch:
            patch.setattr(single_precision, "_COLUMNS", 2 * D)
            assert not state_of(p, tol).is_single
            theirs = pragam.solve(p, "dcd", tol=tol)
        assert mine.converged and theirs.converged and (room or mine.n_iter == theirs.n_iter)
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
@pytest.mark.parametrize("room", [0, single_rows.LARGEST])
def test_two_certificates_that_fail_end_single_precision_and_w_stays_that_of_alpha(room, bias, monkeypatch):
    """Trusted far too much, and with a copy of the active rows on the way."""
    monkeypatch.setattr(single_rows, "LARGEST", room)
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
        if step in (4, 5):
            pair = Start(*method.candidate(p, state))
            state = method.observe(p, state, Certified(pair, pair, certify(p, pair.w, pair.alpha)))
        assert step <= 6 or not (state.is_single or state.whole.rows.kind == "single")
    assert copies > 0
    assert certify(p, *method.candidate(p, state)).relative_gap <= 1e-2


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100])
def test_rows_are_dealt_from_sixteen_places(n):
    """Each once; and of any eight neighbours at most two come from one place."""
    order = single_rows._dealt_order(n)
    assert np.array_equal(np.sort(order), np.arange(n))
    place = order // -(-n // 16) if n else order
    assert all(np.unique(place[k : k + 8], return_counts=True)[1].max() <= 2 for k in range(n - 16))


@pytest.mark.parametrize("value", [1e39, 1e-41])
def test_values_that_single_precision_cannot_hold_leave_the_rows_in_place(value):
    X, y = text(0)
    X.data[5] = value
    p = pragam.hinge(X, y, 1e-2, bias=False)
    work = state_of(p, 1e-12).work
    assert single_rows.dealt(work) is None
    assert state_of(p, 1e-2).whole.rows.kind == "csr"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_storage_of_csr_is_solved_on_a_copy(dtype, index):
    """Empty rows and unsorted, repeated indices too."""
    X, y = text(3)
    lengths = np.diff(X.indptr)
    data, indices, indptr = X.data.astype(dtype), X.indices[::-1].astype(index), X.indptr.astype(index)
    X = sparse.csr_array((data, indices, indptr), shape=X.shape)
    empty = sparse.csr_array((np.repeat(data, 1), indices, np.r_[0, 0, indptr[1:]].astype(index)), shape=(301, D))
    assert lengths.min() > 0 and np.diff(empty.indptr).min() == 0
    for A, labels in ((X, y), (empty, np.r_[1, y])):
        p = pragam.hinge(A, labels, 1e-2, bias=False)
        assert state_of(p, 1e-3).whole.rows.kind == "single"
        assert pragam.solve(p, "dcd", tol=1e-3).converged


def test_several_variables_of_a_row_read_the_same_row_of_the_copy():
    rng = np.random.default_rng(4)
    X, _ = text(4)
    target = np.asarray(X @ rng.standard_normal(D)) + 0.1 * rng.standard_normal(300)
    p = pragam.epsilon_insensitive(X, target, 1e-2, epsilon=0.1, bias=False)
    work = state_of(p, 1e-2).whole
    if work.rows.kind == "single":
        assert np.array_equal(np.sort(work.order), np.arange(600))
        assert np.all(np.diff(work.variables.number[work.order]) >= 0)
    assert pragam.solve(p, "dcd", tol=1e-2).converged


def test_rows_that_stay_in_a_cache_are_not_copied(monkeypatch):
    monkeypatch.setattr(single_rows, "_LEAST_NARROW", np.inf)
    state = state_of(problem(0), 1e-2)
    assert state.is_single and state.whole.rows.kind == "csr"


def test_more_columns_than_16_bits_tell_apart_have_wide_indices_and_the_same_sweeps():
    X, y = text(0)
    X.indices[X.indices == X.indices.max()] = 2**16 - 1
    found = []
    for columns in (2**16, 2**16 + 1):
        wide = sparse.csr_array((X.data, X.indices, X.indptr), shape=(300, columns))
        p = pragam.hinge(wide, y, 1e-2, bias=False)
        index, *_ = state_of(p, 1e-2).whole.rows.arrays
        assert index.dtype == (np.uint16 if columns == 2**16 else np.uint32)
        result = pragam.solve(p, "dcd", tol=1e-3)
        assert result.converged
        found.append((result.alpha, result.w[: 2**16]))
    assert all(np.array_equal(narrow, wide) for narrow, wide in zip(*found, strict=True))


@pytest.mark.parametrize("columns", [2**16, 2**16 + 1])
def test_how_large_the_rows_have_to_be_depends_on_what_an_index_takes(columns, monkeypatch):
    X, y = text(0)
    monkeypatch.setattr(single_rows, "_LEAST_NARROW", X.data.nbytes + X.indices.nbytes)
    monkeypatch.setattr(single_rows, "_LEAST_WIDE", X.data.nbytes + X.indices.nbytes + 1)
    X = sparse.csr_array((X.data, X.indices, X.indptr), shape=(300, columns))
    kind = state_of(pragam.hinge(X, y, 1e-2, bias=False), 1e-2).whole.rows.kind
    assert kind == ("single" if columns == 2**16 else "csr")
