"""The parts of dcd: the compact copy, momentum, the estimate and what is remembered between steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.solvers import compact as compact_module
from pragam.solvers.acceleration import Momentum
from pragam.solvers.compact import compact, survey
from pragam.solvers.dcd import Dcd
from pragam.solvers.equality import equality_of
from pragam.solvers.working_set import ALPHA, DELTA, C, whole
from zoo import BOXES


def text(n, d, per_row, seed, dtype=np.float64, index=np.int32):
    """Sparse rows in which most columns are rare."""
    rng = np.random.default_rng(seed)
    words = np.floor(d * rng.random((n, per_row)) ** 3).astype(index)
    values = rng.standard_normal(n * per_row).astype(dtype)
    X = sparse.csr_array((values, words.ravel(), np.arange(n + 1) * per_row), shape=(n, d))
    X.sum_duplicates()
    score = X @ rng.standard_normal(d)
    return X, np.where(score + 0.3 * rng.standard_normal(n) > 0, 1.0, -1.0)


def working_set(problem, alpha, lam):
    w = problem.w_of_alpha(alpha)
    equality, q = equality_of(problem, w, alpha)
    return whole(problem, w, alpha.copy(), q, equality), equality


def sample(problem, seed):
    """A point of the box with some rows at each bound."""
    rng = np.random.default_rng(seed)
    return problem.Q.project(problem.Q.upper * np.clip(rng.uniform(-0.5, 1.5, problem.Q.size), 0, 1))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("d", [300, 300_000])
def test_sweeps_over_the_copy_are_sweeps_over_the_rows(bias, dtype, index, d):
    """The same order of the same rows: equal alpha, equal gaps and gains, although most columns were left out."""
    X, y = text(120, d, 40, 0, dtype, index)
    problem = pragam.hinge(X, y, lam=1e-2, bias=bias)
    alpha = sample(problem, 1)
    (ours, equality), (theirs, other) = (working_set(problem, alpha, 1e-2) for _ in range(2))
    rows = np.sort(np.random.default_rng(2).permutation(120)[:70])
    copy = compact(ours, rows, survey(ours, rows), problem.lam)
    assert copy.w.size < ours.w.size and copy.entries < ours.entries
    theirs.active[:70], theirs.n_active = rows, 70
    for seed in range(5):
        got, wanted = copy.sweep(problem.lam, equality, np.inf, seed), theirs.sweep(problem.lam, other, np.inf, seed)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-14)
        assert np.allclose(copy.alpha, theirs.alpha[rows], rtol=1e-9, atol=1e-14)
        assert np.allclose(equality.running, other.running, atol=1e-12)


def test_a_column_that_one_entry_uses_is_left_out_and_no_other():
    X = sparse.csr_array(np.array([[1.0, 2.0, 0.0, 3.0], [0.0, 5.0, 7.0, 0.0], [1.0, 0.0, 0.0, 0.0]]))
    problem = pragam.hinge(X, [1, -1, 1], lam=1.0, bias=False)
    work, _ = working_set(problem, np.zeros(3), 1.0)
    rows = np.array([0, 1])
    copy = compact(work, rows, survey(work, rows), 1.0)
    assert copy.rows.arrays[0].tolist() == [2.0, 5.0]  # of column 1 alone; 0, 2 and 3 have one entry in rows 0 and 1
    assert copy.rows.arrays[1].tolist() == [0, 0] and copy.rows.arrays[1].dtype == np.uint16
    assert copy.table[:, 5].tolist() == [1.0 + 9.0, 49.0]


def test_an_entry_that_is_repeated_within_a_row_is_kept():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
    problem = pragam.hinge(X, [1, -1], lam=1.0, bias=False)
    work, equality = working_set(problem, np.zeros(2), 1.0)
    rows = np.array([0, 1])
    copy = compact(work, rows, survey(work, rows), 1.0)
    assert copy.rows.arrays[0].tolist() == [1.0, 2.0]
    copy.sweep(1.0, equality, np.inf, 0), work.sweep(1.0, equality, np.inf, 0)
    assert np.allclose(copy.alpha, work.alpha) and work.alpha[0] == pytest.approx(1 / 25)


def test_the_copy_is_never_larger_than_its_limit(monkeypatch):
    X, y = text(50, 30, 20, 0)
    problem = pragam.hinge(X, y, lam=1e-2, bias=False)
    work, _ = working_set(problem, np.zeros(50), 1e-2)
    monkeypatch.setattr(compact_module, "ALWAYS", 0)
    for few in (5, 12, 25, 50):
        columns = survey(work, np.arange(few))
        copy = compact(work, np.arange(few), columns, 1e-2)
        needed, of_x = (sum(array.nbytes for array in rows.arrays[:2]) for rows in (copy.rows, work.rows))
        assert columns.room == pytest.approx(compact_module.LARGEST * of_x / needed)
    assert columns.room < 1

    method = Dcd(face=False, momentum=False)
    state = method.init(problem, np.random.default_rng(0), None, 1e-12)
    shares = []
    for _ in range(300):
        state = method.step(problem, state)
        if state.is_copy:
            shares.append(sum(array.nbytes for array in state.work.rows.arrays[:2]) / of_x)
    assert max(shares, default=0.0) <= compact_module.LARGEST


def _problem(kind, bias, seed):
    X, y = text(60, 80, 12, seed)
    return pragam.hinge(X if kind == "csr" else X.toarray(), y, lam=1e-3, bias=bias)


def point(work, equality):
    """alpha, w, r and <m, w>."""
    return np.concatenate([work.alpha, work.w, equality.running])


def value(work, lam, equality, at):
    """F at a point, but for a constant."""
    alpha, w, r, moment = at[: work.size], at[work.size : -2], *at[-2:]
    square = lam * w @ w - 2 * r * moment + (equality.rho + equality.centre2 / lam) * r * r
    linear = work.table[:, C] @ alpha - work.table[:, DELTA] @ alpha**2 / 2
    return linear - square / 2 - equality.multiplier * r


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["csr", "dense"])
def test_momentum_never_falls_keeps_w_and_stays_in_the_box(kind, bias):
    gained = clipped = 0
    for seed in range(10):
        problem = _problem(kind, bias, seed)
        lam, momentum = problem.lam, Momentum()
        work, equality = working_set(problem, sample(problem, seed), lam)
        for sweep in range(30):
            momentum.begin(work, equality)
            swept = work.sweep(lam, equality, np.inf, sweep)
            before = value(work, lam, equality, point(work, equality))
            gain = momentum.push(work, lam, equality, swept.gain)
            after = value(work, lam, equality, point(work, equality))
            assert gain >= 0 and after - before == pytest.approx(gain, rel=1e-6, abs=1e-12)
            assert problem.Q.lower.min() <= work.alpha.min() and np.all(work.alpha <= problem.Q.upper)
            assert np.allclose(work.w, problem.w_of_alpha(work.alpha.copy()), atol=1e-9)
            if bias:
                assert equality.running[0] == pytest.approx(problem.Q.sigma @ work.alpha, abs=1e-12)
                assert equality.running[1] == pytest.approx(equality.centre @ work.w, abs=1e-9)
                equality.ascend()
            gained += gain > 0
            clipped += not momentum.has_history
    assert gained > 100 and clipped > 0


@pytest.mark.parametrize("bias", [False, True])
def test_momentum_ends_at_the_maximum_of_the_plane(bias):
    """What it keeps as the slope along h is the derivative of F there, by differences."""
    for seed in range(10):
        problem = _problem("dense", bias, seed)
        lam, momentum = problem.lam, Momentum()
        work, equality = working_set(problem, sample(problem, seed), lam)
        for sweep in range(15):
            momentum.begin(work, equality)
            momentum.push(work, lam, equality, work.sweep(lam, equality, np.inf, sweep).gain)
            at, h = point(work, equality), momentum.history
            if momentum.has_history:
                difference = np.subtract(*(value(work, lam, equality, at + e * h) for e in (1e-3, -1e-3))) / 2e-3
                assert momentum.slope == pytest.approx(difference, rel=1e-4, abs=1e-10)
            if bias:
                equality.ascend()


def test_momentum_saves_sweeps():
    passes = {}
    for use in (False, True):
        passes[use] = 0.0
        for seed in range(6):
            X, y = text(2500, 2000, 40, seed)
            problem = pragam.hinge(X, y, lam=1e-4, bias=False)
            result = pragam.solve(problem, Dcd(momentum=use, face=False), tol=1e-9)
            assert result.converged
            passes[use] += result.history.passes[-1]
    assert passes[True] < 0.7 * passes[False]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("storage", [sparse.csr_array, lambda X: X.toarray()])
@pytest.mark.parametrize("settings", [{}, {"shrinking": False}, {"momentum": False}, {"face": False}])
def test_every_setting_finds_the_optimum(bias, storage, settings):
    X, y = text(300, 2000, 30, 3)
    problem = pragam.hinge(storage(X), y, lam=1e-3, bias=bias)
    reference = pragam.solve(problem, "newton", tol=1e-11)
    result = pragam.solve(problem, Dcd(**settings), tol=1e-10)
    assert result.converged
    assert result.certificate.primal == pytest.approx(reference.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("bias", [False, True])
def test_the_first_estimate_within_the_tolerance_is_near_the_certified_gap(bias):
    """That is when the driver certifies: mostly once, and hardly ever too late."""
    ratios = []
    for seed in range(5):
        X, y = text(1000, 3000, 30, seed)
        problem = pragam.hinge(X, y, lam=1e-3, bias=bias)
        method = Dcd()
        for tol in (1e-2, 1e-3, 1e-4, 1e-6):
            state = method.init(problem, np.random.default_rng(seed), None, tol)
            while not (estimate := method.estimate(problem, state)) <= tol:
                state = method.step(problem, state)
            ratios.append(estimate / pragam.certify(problem, *method.candidate(problem, state)).relative_gap)
    assert np.min(ratios) > 0.2 and np.max(ratios) < 4 and 0.75 < np.median(ratios) < 1.5


@pytest.mark.parametrize("name", [name for name in BOXES if "bias" not in name])
def test_the_dual_value_is_tracked_and_never_falls(name):
    """Without an equality, D(alpha) rises with every step, and the state knows it."""
    problem = BOXES[name](3).problem
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    last = -np.inf
    for _ in range(60):
        state = method.step(problem, state)
        dual = problem.dual(method.candidate(problem, state)[1])
        assert dual >= last - 1e-13 * abs(dual) and state.dual == pytest.approx(dual, rel=1e-9, abs=1e-14)
        last = dual


@pytest.mark.parametrize("bias", [False, True])
def test_rows_set_aside_wrongly_come_back(bias):
    """From alpha with half of the rows at the wrong bound, and as good as all of them set aside."""
    X, y = text(400, 600, 20, 0)
    problem = pragam.hinge(X, y, lam=1e-3, bias=bias)
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-8)
    for _ in range(5):
        state = method.step(problem, state)
    state.work.n_active = 3  # the rest are forgotten
    gaps = []
    for _ in range(400):
        state = method.step(problem, state)
        gaps.append(pragam.certify(problem, *method.candidate(problem, state)).relative_gap)
        if gaps[-1] <= 1e-8:
            break
    assert gaps[-1] <= 1e-8


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
        assert problem.Q.violation(alpha) <= 1e-12
        if state.is_copy:
            assert np.allclose(w, problem.w_of_alpha(alpha), atol=1e-12)
            rest = np.setdiff1d(np.arange(3000), state.copied)
            assert bias or np.array_equal(alpha[rest], state.whole.table[rest, ALPHA])
    assert any(seen) and not all(seen[seen.index(True) :])
    assert pragam.certify(problem, w, alpha).relative_gap <= 1e-8


def test_equal_seeds_give_equal_answers():
    X, y = text(1000, 2000, 30, 1)
    problem = pragam.hinge(X, y, lam=1e-4)
    first, second, third = (pragam.solve(problem, "dcd", tol=1e-7, random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.w, second.w) and np.array_equal(first.alpha, second.alpha)
    assert not np.array_equal(first.alpha, third.alpha)


@pytest.mark.parametrize("bias", [False, True])
def test_half_lines_for_boxes(bias):
    """Without upper bounds (a hard margin) alpha is finite, and so is the certificate."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 60))
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    problem = pragam.hinge(X, y, lam=1e-2, bias=bias)
    Q = problem.Q
    wide = np.full(40, np.inf)
    hard = pragam.polytopes.BoxPlane(Q.lower, wide, Q.sigma) if bias else pragam.polytopes.Box(Q.lower, wide)
    problem = pragam.Problem(problem.A, problem.c, hard, 1e-2)
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    for _ in range(300):
        state = method.step(problem, state)
    _, alpha = method.candidate(problem, state)
    w = problem.w_of_alpha(alpha)
    margins = problem.c + problem.A.matvec(w)
    free = alpha > 0
    shift = np.median(margins[free] / hard.sigma[free]) * hard.sigma if bias else 0.0
    assert np.allclose((margins - shift)[free], 0, atol=1e-6) and np.all(margins - shift <= 1e-6)
