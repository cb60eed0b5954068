"""The kernels of dcd and pegasos-1 equal their NumPy twins, on every storage and with every edge case."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

N, D = 23, 9
LAM = 0.3


def dense(dtype, order, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.6)).astype(np.float32).astype(dtype)
    X[3] = 0  # an empty row; all values are exact in float32, so every storage holds the same numbers
    return np.asarray(X, order=order)


def csr(dtype, index, seed=0):
    X = dense(dtype, "C", seed)
    rows, columns = np.nonzero(X)
    indptr = np.r_[0, np.cumsum(np.bincount(rows, minlength=N))].astype(np.int64)
    return X[rows, columns], columns.astype(index), indptr


STORAGES = {
    f"csr {np.dtype(t).name} {np.dtype(i).name}": ("csr", lambda s, t=t, i=i: csr(t, i, s))
    for t in (np.float32, np.float64)
    for i in (np.int32, np.int64)
} | {
    f"dense {np.dtype(t).name} {o}": ("dense", lambda s, t=t, o=o: (dense(t, o, s),))
    for t in (np.float32, np.float64)
    for o in "CF"
}


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


def box(rng):
    """scale, c, lower, upper: some boxes have no width (weight zero)."""
    upper = rng.integers(0, 3, N) / N
    return rng.choice([-1.0, 1.0], N), rng.standard_normal(N), np.zeros(N), upper


def norms2(seed):
    return np.sum(dense(np.float64, "C", seed) ** 2, axis=1)


def sweep_arguments(seed, plane):
    rng = np.random.default_rng([seed, 5])
    scale, c, lower, upper = box(rng)
    X = dense(np.float64, "C", seed)
    A = scale[:, None] * X
    alpha = upper * rng.choice([0.0, 0.3, 1.0], N)
    w = -A.T @ alpha / LAM
    m = rng.standard_normal(D)
    delta = rng.choice([0.0, 0.5], N) / N
    slope = np.where(rng.random(N) < 0.5, np.nan, rng.standard_normal(N))
    sigma = rng.choice([-1.0, 1.0], N)
    running = np.array([sigma @ alpha, m @ w]) * plane
    rho = 0.7 * plane
    rows = A + np.outer(sigma, m) * plane
    q = np.sum(rows**2, axis=1) / LAM + delta + rho * sigma**2
    table = np.column_stack([scale, c, lower, upper, q, delta, alpha, slope])
    terms = np.column_stack([sigma, A @ m])[: N * plane]
    active = np.sort(rng.permutation(N)[: N if seed % 2 else N - 4]).astype(np.int64)
    reach = np.inf if seed % 3 else 0.1 / LAM
    equality = [running, 0.1 * plane, rho, m @ m]
    one = [np.inf, np.inf, 0.0, 0, 0]
    return [table, terms, LAM, active, len(active), reach, w, *equality, (1, 3, 16)[seed // 2 % 3], seed + 2**62, *one]


def copies(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


@compiled
@pytest.mark.parametrize("plane", [False, True])
def test_sweep_equals_its_twin(storage, plane):
    kind, arrays = storage
    for seed in range(12):
        ours, theirs = (copies(sweep_arguments(seed, plane)) for _ in range(2))
        got = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *ours)
        wanted = getattr(twins, f"dcd_sweep_{kind}")(*arrays(seed), *theirs)
        assert got[0] == wanted[0]
        assert got[1:] == pytest.approx(wanted[1:], rel=1e-9, abs=1e-11)
        for mine, his in zip(ours, theirs, strict=True):
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-11, equal_nan=True)


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_w_in_single_precision_makes_no_difference_beyond_its_rounding(dtype, index, plane):
    for seed in range(12):
        arrays = csr(dtype, index, seed)
        for sweep in (_kernels.get("dcd_sweep_csr"), twins.dcd_sweep_csr):
            single, double = (copies(sweep_arguments(seed, plane)) for _ in range(2))
            single[6] = single[6].astype(np.float32)
            got, wanted = sweep(*arrays, *single), sweep(*arrays, *double)
            assert single[6].dtype == np.float32
            assert got[0] == wanted[0]
            assert got[1:] == pytest.approx(wanted[1:], rel=1e-4, abs=1e-5)
            for mine, his in zip(single, double, strict=True):
                assert np.allclose(mine, his, rtol=1e-5, atol=1e-5, equal_nan=True)


@compiled
@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize("entries, rows, goal", [(10**6, N, 1e-9), (60, N, 1e-9), (10**6, N, 1e-2), (10**6, 40, 1e-9)])
def test_several_sweeps_in_a_call_equal_their_twin(storage, plane, entries, rows, goal):
    """Few active rows: as many sweeps as make up so many rows, unless the entries or the gap end them."""
    kind, arrays = storage
    several = 0
    for seed in range(12):
        ours, theirs = (copies(sweep_arguments(seed, plane)) for _ in range(2))
        for arguments in (ours, theirs):
            arguments[4] = 5  # n_active
            arguments[-5:] = 3.0, 7.0, goal, entries, rows
        got = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *ours)
        wanted = getattr(twins, f"dcd_sweep_{kind}")(*arrays(seed), *theirs)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-11)
        assert got[7] < rows + 5 and got[8] <= 5
        for mine, his in zip(ours, theirs, strict=True):
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-11, equal_nan=True)
        several += got[7] > got[8]
        assert entries < 10**6 or got[7] >= rows or got[0] == 0 or got[1] <= goal
    assert several > 0


@pytest.mark.parametrize("plane", [False, True])
def test_a_sweep_keeps_its_invariants_and_climbs(storage, plane):
    """alpha in the box, w = w(alpha), residual = <sigma, alpha>, slopes = gradient, and the function never falls."""
    kind, arrays = storage
    for seed in range(12):
        arguments = copies(sweep_arguments(seed, plane))
        table, terms, _, active, _, _, w, running, bias, rho = arguments[:10]
        scale, c, lower, upper, _, delta = table[:, :6].T.copy()
        rows = set(active.tolist())
        A = scale[:, None] * dense(np.float64, "C", seed)
        sigma, lift = terms.T if plane else (np.zeros(N), np.zeros(N))
        m = np.linalg.lstsq(A, lift)[0]

        def value(A=A, c=c, delta=delta, table=table, sigma=sigma, m=m, bias=bias, rho=rho):
            alpha = table[:, 6]
            r = sigma @ alpha
            u = A.T @ alpha + r * m
            return c @ alpha - delta @ alpha**2 / 2 - u @ u / (2 * LAM) - bias * r - 0.5 * rho * r * r

        before = value()
        stay, _, gain, _, _, free, *_ = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *arguments)
        alpha = table[:, 6]
        assert free == np.count_nonzero(((alpha > lower) & (alpha < upper))[sorted(rows)])
        assert gain >= 0
        assert value() - before == pytest.approx(gain, rel=1e-9, abs=1e-11)
        assert np.all((alpha >= lower) & (alpha <= upper))
        assert np.allclose(w, -A.T @ alpha / LAM, atol=1e-10)
        if plane:
            assert running == pytest.approx([sigma @ alpha, m @ w], abs=1e-10)
        assert set(active[:stay].tolist()) <= rows and np.all(np.diff(active[:stay]) > 0)


def test_only_rows_held_far_from_turning_leave(storage):
    """s^2 > reach q at the bound that s points to; and their slope is forgotten, for it will be out of date."""
    kind, arrays = storage
    left = 0
    for seed in range(12):
        arguments = copies(sweep_arguments(seed, False))
        table, active, reach = arguments[0], arguments[3], 0.1 / LAM
        arguments[5], rows = reach, active.copy()
        w0 = arguments[6].copy()
        stay = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *arguments)[0]
        gone = np.setdiff1d(rows, active[:stay])
        left += gone.size
        assert np.all(np.isnan(table[gone, 7])) and not np.isnan(table[active[:stay], 7]).any()
        assert np.all((table[gone, 6] == table[gone, 2]) | (table[gone, 6] == table[gone, 3]))
        # a second sweep in which nothing moves: w and alpha held, the slopes are those of the rows as they are met
        held = np.array(table)
        held[:, 2] = held[:, 3] = held[:, 6]  # boxes without width
        arguments = [held, arguments[1], LAM, rows, len(rows), reach, w0, *arguments[7:]]
        stay = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *arguments)[0]
        s = held[:, 1] + held[:, 0] * (dense(np.float64, "C", seed) @ w0) - held[:, 5] * held[:, 6]
        far = s**2 > reach * held[:, 4] * (1 + 1e-9)
        near = s**2 < reach * held[:, 4] * (1 - 1e-9)
        assert not np.isin(np.flatnonzero(far), rows[:stay]).any()
        assert np.isin(np.intersect1d(np.flatnonzero(near), sweep_arguments(seed, False)[3]), rows[:stay]).all()
    assert left > 0


def test_the_drift_is_the_mean_square_change_of_slopes_between_visits(storage):
    """Boxes without width: nothing moves, so the second sweep sees no change, and the first what was put in."""
    kind, arrays = storage
    arguments = copies(sweep_arguments(1, False))
    table = arguments[0]
    table[:, 2] = table[:, 3] = table[:, 6]
    sweep = _kernels.get(f"dcd_sweep_{kind}")
    table[:, 7] = np.nan
    assert sweep(*arrays(1), *arguments)[3] == np.inf  # nothing to compare with
    assert sweep(*arrays(1), *arguments)[3] == pytest.approx(0.0, abs=1e-25)
    table[:, 7] += np.sqrt(table[:, 4])
    assert sweep(*arrays(1), *arguments)[3] == pytest.approx(1.0, rel=1e-9)


def test_every_row_is_met_once(storage):
    """Also with more rows than a block: a row at the end of its box moves as soon as it is met."""
    kind, arrays = storage
    arguments = copies(sweep_arguments(1, False))
    table, w = arguments[0], arguments[6]
    w[:] = 0
    table[:, 1], table[:, 2], table[:, 3], table[:, 6] = 1.0, 0.0, 1e-9, 0.0
    turns = _kernels.get(f"dcd_sweep_{kind}")(*arrays(1), *arguments)[4]
    assert turns == N and np.all(table[:, 6] == 1e-9)


def push_arguments(seed, plane):
    """A sweep's end, where it began and the step before; gain and slope are what F has there, or not at all."""
    rng = np.random.default_rng([seed, 8])
    table, terms, lam, _, _, _, w, running, bias, rho, centre2, *_ = sweep_arguments(seed, plane)
    A = table[:, :1] * dense(np.float64, "C", seed)
    sigma, lift = terms.T if plane else np.zeros((2, N))
    now = np.concatenate([table[:, 6], w, running])

    def difference(size):
        alpha = size * rng.standard_normal(N) * (table[:, 3] > 0)
        return np.concatenate([alpha, -A.T @ alpha / lam, [sigma @ alpha, -lift @ alpha / lam]])

    size = 10.0 ** -(seed % 4) / N
    before, history = now - difference(size), difference(size)
    gain, slope = rng.standard_normal(2) * size
    points = [before, np.full_like(now, np.nan), history if seed % 5 else np.full_like(now, np.nan)]
    return [table, terms, lam, w, running, bias, rho, centre2, *points, gain, slope, bool(seed % 5), 0.1, 5.0, 0.2]


@compiled
@pytest.mark.parametrize("index", [np.int32, np.uint16])
@pytest.mark.parametrize("plane", [False, True])
def test_a_push_equals_its_twin(storage, plane, index):
    kind, arrays = storage
    made = kept = 0
    for seed in range(60):
        raw = arrays(seed)
        if kind == "csr":
            raw = (raw[0], raw[1].astype(index), raw[2])
        ours, theirs = (copies(push_arguments(seed, plane)) for _ in range(2))
        got = _kernels.get(f"momentum_push_{kind}")(*raw, *ours)
        wanted = getattr(twins, f"momentum_push_{kind}")(*raw, *theirs)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-11)
        for mine, his in zip(ours, theirs, strict=True):
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-11, equal_nan=True)
        made += got[0] > 0
        kept += got[0] > 0 and got[2]
    assert 0 < kept < made < 60  # steps with few rows and with many out of the box, and steps that were not made


def test_a_push_needs_points_of_the_right_length(storage):
    kind, arrays = storage
    arguments = push_arguments(1, False)
    for which in (8, 9, 10):
        wrong = [*arguments[:which], arguments[which][:-1].copy(), *arguments[which + 1 :]]
        with pytest.raises(ValueError):
            _kernels.get(f"momentum_push_{kind}")(*arrays(1), *wrong)


def epoch_arguments(seed):
    rng = np.random.default_rng([seed, 6])
    scale, c, lower, upper = box(rng)
    radius = [0.1, 1.0, np.inf][seed % 3]
    start = float(seed % 2) * N
    w = 0.01 * rng.standard_normal(D) * (start > 0)
    return [
        scale, c, lower, upper, norms2(seed), LAM, radius, 3 * N, np.array([start]), w, start * w,
        0.5 * upper, np.ones(N), seed + 2**62,
    ]  # fmt: skip


@compiled
def test_epoch_equals_its_twin(storage):
    kind, arrays = storage
    for seed in range(12):
        ours, theirs = (copies(epoch_arguments(seed)) for _ in range(2))
        _kernels.get(f"pegasos_epoch_{kind}")(*arrays(seed), *ours)
        getattr(twins, f"pegasos_epoch_{kind}")(*arrays(seed), *theirs)
        for mine, his in zip(ours, theirs, strict=True):
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-10)


@compiled
def test_the_sum_of_iterates_survives_a_ball_that_cuts_every_step():
    """|x|/(lam t) against 1/sqrt(lam): the first 1/sqrt(lam) iterates are all scaled back, by up to 1e-3."""
    rng = np.random.default_rng(0)
    X, lam, steps = rng.standard_normal((50, 4)), 1e-6, 3000
    y, zeros, ones = rng.choice([-1.0, 1.0], 50), np.zeros(50), np.ones(50)
    answers = []
    for module in (_kernels.get("pegasos_epoch_dense"), twins.pegasos_epoch_dense):
        w, total, clock = np.zeros(4), np.zeros(4), np.zeros(1)
        module(X, -y, ones, zeros, ones / 50, np.sum(X**2, axis=1), lam, lam**-0.5, steps, clock, w, total,
               zeros.copy(), ones.copy(), 1)  # fmt: skip
        answers.append(np.r_[w, total / steps])
    assert np.allclose(*answers, rtol=1e-9, atol=1e-9)


@compiled
@pytest.mark.parametrize("kind", ["csr", "dense"])
@pytest.mark.parametrize("position", [0, 1, 7])
def test_sweep_refuses_wrong_lengths(kind, position):
    arrays = csr(np.float64, np.int32) if kind == "csr" else (dense(np.float64, "C"),)
    arguments = sweep_arguments(0, plane=True)
    arguments[position] = arguments[position][:-1].copy()
    with pytest.raises(ValueError, match="must have"):
        _kernels.get(f"dcd_sweep_{kind}")(*arrays, *arguments)


@compiled
@pytest.mark.parametrize("n_active", [-1, N + 1])
def test_sweep_refuses_a_wrong_number_of_rows(n_active):
    arguments = sweep_arguments(0, plane=False)
    arguments[4] = n_active
    with pytest.raises(ValueError, match="n_active"):
        _kernels.get("dcd_sweep_dense")(dense(np.float64, "C"), *arguments)


@compiled
@pytest.mark.parametrize("kind", ["csr", "dense"])
@pytest.mark.parametrize("position", [0, 1, 2, 3, 4, 8, 9, 10, 11, 12])
def test_epoch_refuses_wrong_lengths(kind, position):
    arrays = csr(np.float64, np.int32) if kind == "csr" else (dense(np.float64, "C"),)
    arguments = epoch_arguments(0)
    arguments[position] = arguments[position][:-1].copy()
    with pytest.raises(ValueError, match="pegasos_epoch"):
        _kernels.get(f"pegasos_epoch_{kind}")(*arrays, *arguments)


@compiled
def test_no_array_is_converted_behind_the_back():
    """A float32 w, where the kernel is for double precision alone, would be a copy, and the update lost."""
    arguments = sweep_arguments(0, plane=False)
    arguments[6] = arguments[6].astype(np.float32)
    with pytest.raises(TypeError):
        _kernels.get("dcd_sweep_dense")(dense(np.float64, "C"), *arguments)


@compiled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("plane", [False, True])
def test_sixteen_bit_indices_change_nothing(dtype, plane):
    """As a compact copy has them: to the last bit."""
    for seed in range(6):
        data, indices, indptr = csr(dtype, np.int32, seed)
        wide, narrow = (copies(sweep_arguments(seed, plane)) for _ in range(2))
        sweep = _kernels.get("dcd_sweep_csr")
        assert sweep(data, indices, indptr, *wide) == sweep(data, indices.astype(np.uint16), indptr, *narrow)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(wide, narrow, strict=True))
