"""The kernels of forward-backward and of dual ascent equal their NumPy twins, and refuse what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.chains.records import Block, Iterate

pytestmark = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

LENGTHS = np.array([1, 3, 1, 6, 2, 9])
N, n = int(LENGTHS.sum()), len(LENGTHS)


def both(name, arguments, outputs, *more):
    """What the kernel and its twin write; they get copies of the arguments they may change."""
    results = []
    for module in (_kernels.get, lambda name: getattr(twins, name)):
        own = [value.copy() for value in outputs]
        module(name)(*arguments, *own, *more)
        results.append(own)
    return zip(*results, strict=True)


@pytest.mark.parametrize("K", [1, 2, 5, 11])
@pytest.mark.parametrize("size", [1.0, 300.0, 5000.0])
def test_marginals(K, size):
    rng = np.random.default_rng(K)
    F, T = size * rng.standard_normal(N * K), size * rng.standard_normal(K * K)
    outputs = [np.empty(N * K), np.empty(K * K), np.empty(n)]
    for kernel, twin in both("chain_marginals", (F, T, LENGTHS, K), outputs):
        np.testing.assert_allclose(kernel, twin, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("K", [2, 5])
@pytest.mark.parametrize("size", [1.0, 5000.0])
def test_scores_of_minus_infinity_forbid(K, size):
    rng = np.random.default_rng(K)
    F, T = size * rng.standard_normal((N, K)), size * rng.standard_normal((K, K))
    F[np.cumsum(LENGTHS) - LENGTHS, 1:] = -np.inf
    forbidden = rng.random((K, K)) < 0.5
    forbidden[np.arange(K), (np.arange(K) + 1) % K] = False  # labels in turn are allowed
    T[forbidden] = -np.inf
    outputs = [np.empty(N * K), np.empty(K * K), np.empty(n)]
    for kernel, twin in both("chain_marginals", (F.ravel(), T.ravel(), LENGTHS, K), outputs):
        np.testing.assert_allclose(kernel, twin, rtol=1e-9, atol=1e-9)
        assert np.isfinite(kernel).all()


def test_logarithms_are_for_scores_that_need_them():
    outputs = np.empty(N * 3), np.empty(9), np.empty(n)
    rng = np.random.default_rng(0)
    F, T = rng.standard_normal(N * 3), rng.standard_normal(9)
    kernel = _kernels.get("chain_marginals")
    assert kernel(F, T, LENGTHS, 3, *outputs) == 0
    assert kernel(1e4 * F, 1e4 * T, LENGTHS, 3, *outputs) > 0


@pytest.mark.parametrize("K", [1, 2, 5])
def test_marginals_of_tables(K):
    rng = np.random.default_rng(K)
    tables, starts = rng.random(N * K * K), rng.random(n * K)
    tables[rng.random(tables.size) < 0.3] = 0.0
    outputs = [np.empty(N * K), np.empty(K * K), np.empty(n)]
    for kernel, twin in both("table_marginals", (tables, starts, LENGTHS, K), outputs):
        np.testing.assert_allclose(kernel, twin, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("K", [2, 5])
def test_block_ascent(K):
    rng = np.random.default_rng(K)
    X = rng.standard_normal((N, 3))
    gram, scores, U = (X @ X.T).ravel(), rng.standard_normal(N * K), rng.standard_normal(K * K)
    alpha = [np.full(N * K, 1 / K), np.full(N * K * K, 1 / K**2), np.full(n, 0.1)]
    rest = [np.empty(N * K), np.empty(n), np.empty(n)]
    results = []
    for module in (_kernels.get, lambda name: getattr(twins, name)):
        changed = [value.copy() for value in (scores, U, *alpha, *rest)]
        order = np.array([3, 1, 0, 5, 2, 4])
        block = Block(gram, LENGTHS, order, K, tau=0.3, scale=0.1)
        module("chain_block_ascent")(block, Iterate(*changed[:6]), *changed[6:])
        results.append(changed)
    for kernel, twin in zip(*results, strict=True):
        np.testing.assert_allclose(kernel, twin, rtol=1e-9, atol=1e-11)


def test_arrays_that_do_not_fit_are_refused():
    kernel = _kernels.get("chain_marginals")
    with pytest.raises(ValueError, match="fit"):
        kernel(np.zeros(5), np.zeros(4), np.array([3]), 2, np.zeros(6), np.zeros(4), np.zeros(1))
    with pytest.raises(ValueError, match="at least one token"):
        kernel(np.zeros(6), np.zeros(4), np.array([3, 0]), 2, np.zeros(6), np.zeros(4), np.zeros(2))
    with pytest.raises(ValueError, match="fit"):
        _kernels.get("table_marginals")(
            np.zeros(5), np.zeros(2), np.array([3]), 2, np.zeros(6), np.zeros(4), np.zeros(1)
        )
