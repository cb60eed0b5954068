"""The copy of the active rows: the same sweeps over less memory, and never too much of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam._kernels.coordinate.records import ALPHA, OWN
from pragam.solvers.dcd import Dcd, row_copy
from pragam.solvers.dcd.row_copy import compact, data_rows, survey
from solvers.dcd.problems import sample, text, working_set


def copy_of(work, chosen, lam):
    return compact(work, chosen, survey(work, data_rows(work, chosen)), lam)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("d", [300, 300_000])
def test_sweeps_over_the_copy_are_sweeps_over_the_rows(bias, dtype, index, d):
    """The same order of the same rows: equal alpha, equal gaps and gains, although most columns were left out."""
    X, y = text(120, d, 40, 0, dtype, index)
    problem = pragam.hinge(X, y, lam=1e-2, bias=bias)
    alpha = sample(problem, 1)
    (ours, _), (theirs, _) = (working_set(problem, alpha) for _ in range(2))
    rows = np.sort(np.random.default_rng(2).permutation(120)[:70])
    copy = copy_of(ours, rows, problem.lam)
    assert copy.w.size < ours.w.size and copy.entries < ours.entries
    theirs.active[:70], theirs.n_active = rows, 70
    for seed in range(5):
        got, wanted = copy.sweep(problem.lam, np.inf, seed), theirs.sweep(problem.lam, np.inf, seed)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-14)
        assert np.allclose(copy.alpha, theirs.alpha[rows], rtol=1e-9, atol=1e-14)
        assert np.allclose(copy.planes.running, theirs.planes.running, atol=1e-12)


def test_a_column_that_one_entry_uses_is_left_out_and_no_other():
    X = sparse.csr_array(np.array([[1.0, 2.0, 0.0, 3.0], [0.0, 5.0, 7.0, 0.0], [1.0, 0.0, 0.0, 0.0]]))
    problem = pragam.hinge(X, [1, -1, 1], lam=1.0, bias=False)
    work, _ = working_set(problem, np.zeros(3))
    rows = np.array([0, 1])
    copy = copy_of(work, rows, 1.0)
    assert copy.rows.arrays[0].tolist() == [2.0, 5.0]  # of column 1 alone; 0, 2 and 3 have one entry in rows 0 and 1
    assert copy.rows.arrays[1].tolist() == [0, 0] and copy.rows.arrays[1].dtype == np.uint16
    assert copy.table[:, OWN].tolist() == [1.0 + 9.0, 49.0]


def test_an_entry_that_is_repeated_within_a_row_is_kept():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
    problem = pragam.hinge(X, [1, -1], lam=1.0, bias=False)
    work, _ = working_set(problem, np.zeros(2))
    rows = np.array([0, 1])
    copy = copy_of(work, rows, 1.0)
    assert copy.rows.arrays[0].tolist() == [1.0, 2.0]
    copy.sweep(1.0, np.inf, 0), work.sweep(1.0, np.inf, 0)
    assert np.allclose(copy.alpha, work.alpha) and work.alpha[0] == pytest.approx(1 / 25)


def test_the_copy_is_never_larger_than_its_limit(monkeypatch):
    X, y = text(50, 30, 20, 0)
    problem = pragam.hinge(X, y, lam=1e-2, bias=False)
    work, _ = working_set(problem, np.zeros(50))
    monkeypatch.setattr(row_copy, "ALWAYS", 0)
    for few in (5, 12, 25, 50):
        columns = survey(work, data_rows(work, np.arange(few)))
        copy = compact(work, np.arange(few), columns, 1e-2)
        needed, of_x = (sum(array.nbytes for array in rows.arrays[:2]) for rows in (copy.rows, work.rows))
        assert columns.room == pytest.approx(row_copy.LARGEST * of_x / needed)
    assert columns.room < 1

    method = Dcd(face=False, momentum=False)
    state = method.init(problem, np.random.default_rng(0), None, 1e-12)
    shares = []
    for _ in range(300):
        state = method.step(problem, state)
        if state.is_copy:
            shares.append(sum(array.nbytes for array in state.work.rows.arrays[:2]) / of_x)
    assert max(shares, default=0.0) <= row_copy.LARGEST


@pytest.mark.parametrize("bias", [False, True])
def test_the_copy_is_used_and_given_back(bias):
    X, y = text(3000, 4000, 40, 1)
    problem = pragam.hinge(X, y, lam=1e-4, bias=bias)
    method = Dcd(face=False)
    state = method.init(problem, np.random.default_rng(0), None, 1e-8)
    seen = []
    for _ in range(300):
        state = method.step(problem, state)
        seen.append(state.is_copy)
        w, alpha = method.candidate(problem, state)
        assert problem.domain.violation(alpha) <= 1e-12
        if state.is_copy:
            assert np.allclose(w, problem.w_of_alpha(alpha), atol=1e-12)
            rest = np.setdiff1d(np.arange(3000), state.copy.rows)
            assert bias or np.array_equal(alpha[rest], state.whole.table[rest, ALPHA])
    assert any(seen) and not all(seen[seen.index(True) :])
    assert pragam.certify(problem, w, alpha).relative_gap <= 1e-8
