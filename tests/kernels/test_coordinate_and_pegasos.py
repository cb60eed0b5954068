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
    alpha = upper * rng.choice([0.0, 0.3, 1.0], N)
    w = -(X * scale[:, None]).T @ alpha / LAM
    m = rng.standard_normal(D)
    A = scale[:, None] * X
    sigma = rng.choice([-1.0, 1.0], N) if plane else np.empty(0)
    lift = A @ m if plane else np.empty(0)
    running = np.array([sigma @ alpha, m @ w]) if plane else np.zeros(2)
    rho = 0.7 * plane
    q = norms2(seed) if not plane else np.sum((A + np.outer(sigma, m)) ** 2, axis=1) + LAM * rho * sigma**2
    n_active = N if seed % 2 else N - 4
    thresholds = (np.inf, -np.inf) if seed % 3 else (0.4, -0.4)
    return [
        scale, c, lower, upper, q / LAM, LAM, rng.permutation(N).astype(np.int64), n_active,
        *thresholds, w, alpha, sigma, lift, running, 0.1 * plane, rho, m @ m, seed + 2**62,
    ]  # fmt: skip


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
            assert np.allclose(mine, his, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("plane", [False, True])
def test_a_sweep_keeps_its_invariants_and_climbs(storage, plane):
    """alpha in the box, w = w(alpha), residual = <sigma, alpha>, and the augmented dual never falls."""
    kind, arrays = storage
    for seed in range(12):
        arguments = copies(sweep_arguments(seed, plane))
        scale, c, lower, upper = arguments[:4]
        w, alpha, sigma, lift, running, bias, rho = arguments[10:17]
        A = scale[:, None] * dense(np.float64, "C", seed)
        m = np.linalg.lstsq(A, lift)[0] if plane else np.zeros(D)

        def value(A=A, c=c, alpha=alpha, sigma=sigma, m=m, bias=bias, rho=rho):
            r = sigma @ alpha if sigma.size else 0.0
            u = A.T @ alpha + r * m
            return c @ alpha - u @ u / (2 * LAM) - bias * r - 0.5 * rho * r * r

        before = value()
        _, _, gain, _, _ = _kernels.get(f"dcd_sweep_{kind}")(*arrays(seed), *arguments)
        assert gain >= 0
        assert value() - before == pytest.approx(gain, rel=1e-9, abs=1e-11)
        assert np.all((alpha >= lower) & (alpha <= upper))
        assert np.allclose(w, -A.T @ alpha / LAM, atol=1e-10)
        if plane:
            assert running == pytest.approx([sigma @ alpha, m @ w], abs=1e-10)
        assert sorted(arguments[6]) == list(range(N))  # active stays a permutation


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
@pytest.mark.parametrize("position", [0, 1, 2, 3, 4, 6, 11, 12, 13])
def test_sweep_refuses_wrong_lengths(kind, position):
    arrays = csr(np.float64, np.int32) if kind == "csr" else (dense(np.float64, "C"),)
    arguments = sweep_arguments(0, plane=True)
    arguments[position] = arguments[position][:-1].copy()
    with pytest.raises(ValueError, match="dcd_sweep"):
        _kernels.get(f"dcd_sweep_{kind}")(*arrays, *arguments)


@compiled
@pytest.mark.parametrize("n_active", [-1, N + 1])
def test_sweep_refuses_a_wrong_number_of_rows(n_active):
    arguments = sweep_arguments(0, plane=False)
    arguments[7] = n_active
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
    """A float32 w would be a copy, and the update lost."""
    arguments = sweep_arguments(0, plane=False)
    arguments[10] = arguments[10].astype(np.float32)
    with pytest.raises(TypeError):
        _kernels.get("dcd_sweep_dense")(dense(np.float64, "C"), *arguments)
