"""The loops over blocks of labels equal their NumPy twins, and the Hessian that they add up is that of the prox."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.storages import STORAGES, D, N
from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.labels.records import BlockLine, Blocks
from pragam.polytopes import Pairs, Simplices

BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]
KINDS = ("simplices", "pairs")
compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")


def blocks_of(kind, K, seed, n=N):
    """Blocks in general position: some at a vertex, some on a face, one that cannot move."""
    rng = np.random.default_rng([seed, K])
    totals = rng.random(n) + 0.1
    wrong = rng.random((n, K)) < 0.5
    wrong[:, 0], wrong[:, -1] = True, False
    Q = Simplices(np.ones(n), K) if kind == "simplices" else Pairs(np.ones(n), wrong)
    base = Q.project(rng.standard_normal(n * K))
    totals[2] = 0.0
    flags = np.zeros(0, np.uint8) if kind == "simplices" else wrong.ravel().astype(np.uint8)
    s, ds = rng.standard_normal((2, n * K)) * np.repeat(rng.choice([0.1, 1.0, 5.0], n), K)
    return Blocks(base, totals, flags, K), Q, s, ds, rng


def weights_of(get, blocks, s, tau, blur):
    weights, by_side = np.empty(len(s)), np.empty(len(blocks.totals), dtype=np.uint8)
    get("block_weights")(blocks, s, tau, blur, weights, by_side)
    return weights, by_side


def pairs_of(get, blocks, weights, by_side):
    first = np.zeros(blocks.K * (blocks.K + 1) // 2 + 1, dtype=np.int64)
    count = get("block_pairs")(blocks, weights, by_side, first, np.empty(0, dtype=np.int64), np.empty(0))
    examples, values = np.empty(count, dtype=np.int64), np.empty(count)
    get("block_pairs")(blocks, weights, by_side, first, examples, values)
    return first, examples, values


@compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("K", [2, 3, 8, 9, 30])
def test_projections_equal_their_twin(kind, K):
    for seed in range(5):
        blocks, _, s, _, _ = blocks_of(kind, K, seed)
        for scale in (1e-3, 1.0, 1e3, 1e150):
            v = scale * s
            v[: 3 * K] = np.round(v[: 3 * K])  # ties
            one, other = np.empty_like(v), np.empty_like(v)
            for get, out in ((_kernels.get, one), (lambda name: getattr(twins, name), other)):
                get("label_project")(v, blocks.totals, blocks.wrong, K, out)
            assert np.allclose(one, other, rtol=0, atol=4e-15 * K)


@compiled
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("K", [2, 5, 8, 30])
@pytest.mark.parametrize("tau", [0.1, 1.0, 30.0])
def test_loops_equal_their_twins(kind, K, tau):
    for seed in range(3):
        blocks, _, s, ds, _ = blocks_of(kind, K, seed)
        answers = []
        for get in (_kernels.get, lambda name: getattr(twins, name)):
            beta, near = np.empty_like(s), np.zeros(len(blocks.totals), dtype=np.uint8)
            near[0] = 1
            risk = get("block_select")(blocks, s, tau, 0.5, beta, near)
            # Negative at 0, so that there is a root.
            line = BlockLine(-2 * float(np.repeat(blocks.totals, K) @ np.abs(ds)), 3.0, 1e-9, 60)
            t = get("block_line_search")(blocks, s, ds, tau, line)
            moved, change = s.copy(), np.empty_like(s)
            sums = get("block_move")(blocks, np.arange(len(s)) / len(s), 0.3, moved, ds, tau, beta.copy(), change)
            weights = weights_of(get, blocks, s, tau, 0.3)
            answers.append((beta, near, risk, t, moved, change, np.array(sums), *weights))
        for x, y in zip(*answers, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
def test_an_example_that_is_left_out_stays_at_its_vertex(get, kind):
    """While scores move by less than half the band."""
    blocks, Q, s, _, rng = blocks_of(kind, 4, 0, n=200)
    band, beta, near = 1.5, np.empty_like(s), np.zeros(200, dtype=np.uint8)
    get("block_select")(blocks, s, 1.0, band, beta, near)
    out = (near == 0) & (blocks.totals > 0)
    assert 0 < np.count_nonzero(out) < 150
    for _ in range(20):
        shift = rng.choice([-1.0, 1.0], len(s)) * band / 2
        there = Q.rows(Q.project(blocks.base + s + shift))
        np.testing.assert_array_equal(there[out], Q.rows(beta)[out])


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("bias", [False, True])
def test_the_hessian_is_that_of_the_prox(get, kind, storage, bias):
    """Column by column: A' (derivative of the prox along A z), signs included."""
    K, tau = 4, 2.0
    blocks, Q, s, _, _ = blocks_of(kind, K, 1)
    weights, by_side = weights_of(get, blocks, s, tau, 0.0)
    name, arrays = STORAGES[storage]
    arrays = arrays(0)
    size = K * (D + bias)
    matrix = np.zeros(size * size)
    lists = pairs_of(get, blocks, weights, by_side)
    get(f"block_hessian_{name}")(*arrays, *lists, K, D, bias, matrix)
    upper = np.triu(matrix.reshape(size, size))
    hessian = upper + np.triu(upper, 1).T

    X = STORAGES["dense float64 C"][1](0)[0]
    X = np.column_stack([X, np.ones(N)]) if bias else X
    beta = Q.project(blocks.base + tau * s)
    for j, z in enumerate(np.eye(size).reshape(size, K, -1)):
        change = Q.rows(Q.derivative(beta, 1.0, Q.signs * (X @ z.T).ravel()) * Q.signs)
        column = ((blocks.totals[:, None] * change).T @ X).ravel()
        np.testing.assert_allclose(hessian[:, j], column, atol=1e-12)


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_pairs_equal_their_twin(kind):
    for K in (2, 6):
        blocks, _, s, _, _ = blocks_of(kind, K, 3)
        weights, by_side = weights_of(_kernels.get, blocks, s, 1.0, 0.5)
        one, other = (pairs_of(get, blocks, weights, by_side) for get in (_kernels.get, lambda n: getattr(twins, n)))
        for x, y in zip(one, other, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-13)


def test_wrong_shapes_are_refused():
    if not _kernels.compiled:
        pytest.skip("the twin trusts its caller")
    blocks, _, s, ds, _ = blocks_of("pairs", 3, 0)
    line = BlockLine(-1.0, 1.0, 1e-3, 5)
    for name in ("base", "wrong"):
        short = blocks._replace(**{name: getattr(blocks, name)[1:].copy()})
        with pytest.raises(ValueError, match=name):
            _kernels.get("block_line_search")(short, s, ds, 1.0, line)
    with pytest.raises(ValueError, match="zeros and ones"):
        _kernels.get("block_line_search")(blocks._replace(wrong=blocks.wrong + 1), s, ds, 1.0, line)
    X, first = np.zeros((N, D)), np.zeros(7, dtype=np.int64)
    first[-1] = 1
    with pytest.raises(ValueError, match="examples must be rows"):
        _kernels.get("block_hessian_dense")(X, first, np.array([N]), np.ones(1), 3, D, False, np.zeros((3 * D) ** 2))
