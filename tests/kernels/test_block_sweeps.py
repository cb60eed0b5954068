"""The kernels of block ascent equal their NumPy twins, take exact steps and gain what they say."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.blocks.function import Function, on_pairs, on_simplex
from pragam._kernels.blocks.records import NO_PLANES, BlockPlanes, Blocks, Shape, padded
from pragam._kernels.common.rows import dense_rows
from pragam._kernels.coordinate.records import Ascent, Batch, Limits, Points, Visits

from .storages import LAM, STORAGES, D, N, dense
from .test_coordinate import compiled

BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]
CASES = [(shape, K, planes) for shape in Shape for K in (2, 5, 19) for planes in (False, True)]


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].name.lower()}, {case[1]} labels{', planes' * case[2]}")
def case(request):
    return request.param


def made(case, seed, dtype=np.float64):
    """Blocks at a feasible point, planes and the table that belongs to it; some totals are 0, some blocks vertices."""
    shape, K, with_planes = case
    rng, X = np.random.default_rng([seed, K]), dense(np.float64, "C", seed)
    totals = rng.random(N) * (rng.random(N) < 0.9) / N
    sign = np.where(rng.random((N, K)) < 0.5, 1.0, -1.0)
    sign[:, 0], sign[:, 1] = 1.0, -1.0
    sign = None if shape is Shape.SIMPLEX else sign.ravel()
    planes = NO_PLANES
    if with_planes:
        centre = X.mean(axis=0)
        planes = BlockPlanes(rng.standard_normal(K), np.zeros(2 * K), X @ centre, 0.4, float(centre @ centre))
    q = np.sum((X - (X.mean(axis=0) if with_planes else 0)) ** 2, axis=1) / LAM + planes.rho
    blocks = Blocks(int(shape), np.zeros(N * K), rng.standard_normal(N * K), totals, q, sign, np.full(N, np.nan))
    F = Function(dense_rows(X), blocks, planes, LAM)
    table = np.zeros((D, padded(K)), dtype)
    for i in range(N):
        point = F.project(i, totals[i] * rng.standard_normal(K) * (3 if i % 3 else 50))
        F.of(blocks.alpha, i)[:] = point
        F.move(i, point, table, planes.running)
    return F, blocks, planes, table


def copied(*records):
    def copy(x):
        if isinstance(x, np.ndarray):
            return x.copy()
        return type(x)(*map(copy, x)) if isinstance(x, tuple) else x

    return tuple(map(copy, records))


def value(F, blocks, planes, table):
    """F(alpha), from w and the residuals, which follow alpha."""
    W = table[:, : F.K].astype(np.float64)
    total = float(blocks.c @ blocks.alpha)
    if not len(planes.multiplier):
        return total - LAM / 2 * float(np.sum(W * W))
    r, moment = planes.running[: F.K], planes.running[F.K :]
    square = np.sum(W * W, axis=0) + 2 * r * moment / LAM + r * r * planes.centre2 / LAM**2
    return total - LAM / 2 * float(square.sum()) + float(planes.multiplier @ r) - planes.rho / 2 * float(r @ r)


@compiled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_sweep_equals_its_twin(storage, case, dtype):
    name, arrays = storage
    for seed in range(4):
        _, *point = made(case, seed, dtype)
        results = []
        for get in (_kernels.get, lambda name: getattr(twins, name)):
            blocks, planes, table = copied(*point)
            active = np.random.default_rng(seed).permutation(N)
            # In single precision an example may leave or stay by rounding.
            is_double = dtype is np.float64
            visits = Visits(active, N - 2, 0.01 if seed % 2 and is_double else inf, 4, seed)
            batch = Batch(0.02, inf, 1e-3, 1000 if seed > 1 and is_double else 0, 3 * N)
            answer = get(f"block_sweep_{name}")(*arrays(seed), blocks, planes, LAM, table, visits, batch)
            results.append((answer, blocks.alpha, blocks.margin, planes.running, table, active[: answer[0]]))
        tolerance = {"rtol": 1e-9, "atol": 1e-11} if dtype is np.float64 else {"rtol": 1e-3, "atol": 1e-4}
        for ours, theirs in zip(*results, strict=True):
            np.testing.assert_allclose(ours, theirs, **tolerance)


@pytest.mark.parametrize("get", BOTH)
def test_a_sweep_gains_what_it_says_and_keeps_the_point_whole(get, storage, case):
    name, arrays = storage
    F, *point = made(case, 7)
    blocks, planes, table = copied(*point)
    before = value(F, blocks, planes, table)
    answer = get(f"block_sweep_{name}")(
        *arrays(7), blocks, planes, LAM, table, Visits(np.arange(N), N, inf, 4, 1), Batch(inf, inf, 0.0, 0, N)
    )
    assert value(F, blocks, planes, table) - before == pytest.approx(answer[2], rel=1e-9, abs=1e-12)
    assert answer[2] > 0
    rebuilt, running = np.zeros_like(table), np.zeros_like(planes.running)
    for i in range(N):
        assert not F.is_outside(i, F.of(blocks.alpha, i))
        F.move(i, F.of(blocks.alpha, i), rebuilt, running)
    np.testing.assert_allclose(table, rebuilt, atol=1e-11)
    np.testing.assert_allclose(planes.running, running, atol=1e-11)


@pytest.mark.parametrize("get", BOTH)
def test_a_visit_leads_to_the_maximum_of_the_block(get, case):
    """At the maximum the block's gap, how much its best point exceeds it to first order, is 0."""
    F, *point = made(case, 3)
    X = dense(np.float64, "C", 3)
    for i in range(N):
        blocks, planes, table = copied(*point)
        at = Function(dense_rows(X), blocks, planes, LAM)
        visits = Visits(np.array([i]), 1, inf, 1, 0)
        get("block_sweep_dense")(X, blocks, planes, LAM, table, visits, Batch(inf, inf, 0.0, 0, 1))
        again = get("block_sweep_dense")(X, blocks, planes, LAM, table, visits, Batch(inf, inf, 0.0, 0, 1))
        assert again[1] <= 1e-12 and again[2] <= 1e-13
        s, alpha = at.slopes(i, table, planes.running), at.of(blocks.alpha, i)
        nearby = [at.project(i, alpha + step) for step in 0.1 * np.random.default_rng(i).standard_normal((20, F.K))]
        assert max(float(s @ (other - alpha)) for other in nearby) <= 1e-12


def pushed(case, seed, get, name, arrays):
    """A push after some sweeps, which settle most faces; the history is the step of the last but one."""
    F, *point = made(case, seed)
    blocks, planes, table = copied(*point)

    def flat():
        return np.concatenate([blocks.alpha, table.ravel(), planes.running])

    def sweep(s):
        return get(f"block_sweep_{name}")(
            *arrays(seed), blocks, planes, LAM, table, Visits(np.arange(N), N, inf, 4, s), Batch(inf, inf, 0.0, 0, N)
        )[2]

    for k in range(3, 3 + seed % 4):
        sweep(k)
    first = flat()
    sweep(1)
    before, history = flat(), flat() - first
    slope = sum(
        float(F_slopes @ F.of(history, i))
        for i in range(N)
        for F_slopes in [Function(F.row, blocks, planes, LAM).slopes(i, table, planes.running)]
    )
    gain = sweep(2)
    step = np.empty_like(before)
    start = value(F, blocks, planes, table)
    answer = get(f"block_momentum_{name}")(
        *arrays(seed), blocks, planes, LAM, table, Points(before, step, history), Ascent(gain, slope, True),
        Limits(0.1, 5.0, 0.3),
    )  # fmt: skip
    return F, blocks, planes, table, answer, value(F, blocks, planes, table) - start, history


@compiled
def test_a_push_equals_its_twin(storage, case):
    name, arrays = storage
    for seed in range(5):
        ours, theirs = (
            pushed(case, seed, get, name, arrays) for get in (_kernels.get, lambda name: getattr(twins, name))
        )
        np.testing.assert_allclose(ours[4], theirs[4], rtol=1e-7, atol=1e-10)
        for a, b in ((ours[1].alpha, theirs[1].alpha), (ours[3], theirs[3]), (ours[6], theirs[6])):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("get", BOTH)
def test_a_push_gains_what_it_says(get, case):
    name, arrays = STORAGES["dense float64 C"]
    gains = []
    for seed in range(16):
        F, blocks, planes, table, answer, gained, history = pushed(case, seed, get, name, arrays)
        assert gained == pytest.approx(answer[0], rel=1e-7, abs=1e-12)
        gains.append(answer[0])
        at = Function(F.row, blocks, planes, LAM)
        slope = sum(float(at.slopes(i, table, planes.running) @ F.of(history, i)) for i in range(N))
        assert slope == pytest.approx(answer[1], rel=1e-6, abs=1e-9)
    assert max(gains) > 0


def test_projections_are_nearest_points():
    rng = np.random.default_rng(0)
    for _ in range(200):
        K = int(rng.integers(2, 8))
        v, total, wrong = (
            rng.standard_normal(K) * 10 ** rng.uniform(-2, 2),
            10 ** rng.uniform(-2, 1),
            rng.random(K) < 0.5,
        )
        wrong[:2] = True, False
        for found, points in (
            (on_simplex(v, total), total * rng.dirichlet(np.ones(K), 50)),
            (on_pairs(v, wrong, total), _pair_points(rng, wrong, total)),
        ):
            inner = (points - found) @ (v - found)
            assert inner.max() <= 1e-10 * (1 + np.abs(v).max()) * total


def _pair_points(rng, wrong, total):
    points = np.zeros((50, len(wrong)))
    mass = total * rng.random((50, 1))
    for side in (wrong, ~wrong):
        points[:, side] = mass * rng.dirichlet(np.ones(int(side.sum())), 50)
    return points


def test_bad_arguments_are_refused():
    _, blocks, planes, table = made((Shape.SIMPLEX, 5, False), 0)
    X = dense(np.float64, "C", 0)
    sweep, batch = _kernels.get("block_sweep_dense"), Batch(inf, inf, 0.0, 0, N)
    if _kernels.compiled:
        for wrong in (
            (X, blocks, planes, LAM, table, Visits(np.arange(N), N + 1, inf, 4, 0), batch),
            (X, blocks, planes, LAM, table, Visits(np.arange(N) + 1, N, inf, 4, 0), batch),
            (X, blocks._replace(c=blocks.c[1:]), planes, LAM, table, Visits(np.arange(N), N, inf, 4, 0), batch),
            (X, blocks, planes, LAM, np.zeros((D, 5)), Visits(np.arange(N), N, inf, 4, 0), batch),
            (X[1:], blocks, planes, LAM, table, Visits(np.arange(N), N, inf, 4, 0), batch),
        ):
            with pytest.raises(ValueError):
                sweep(*wrong)
