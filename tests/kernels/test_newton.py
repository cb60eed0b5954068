"""The kernels of the semismooth Newton method equal their NumPy twins, and do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

N, D = 40, 7
BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


def csr(seed, dtype, index, shuffled):
    """A CSR matrix; shuffled: entries of a row in any order, some indices twice."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((N, D), density=0.5, rng=rng, format="csr")
    data, indices, indptr = X.data.astype(dtype), X.indices.astype(index), X.indptr.astype(np.int64)
    if shuffled:
        for i in range(N):
            part = slice(indptr[i], indptr[i + 1])
            indices[part] = rng.integers(0, D, indptr[i + 1] - indptr[i])
    dense = np.zeros((N, D))
    np.add.at(dense, (np.repeat(np.arange(N), np.diff(indptr)), indices), data)
    return (data, indices, indptr), dense


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_sum_of_outer_products(get, dtype, index, shuffled):
    for seed in range(5):
        rng = np.random.default_rng([seed, 1])
        arrays, dense = csr(seed, dtype, index, shuffled)
        rows = rng.choice(N, 12, replace=False).astype(np.int64)
        weights = rng.standard_normal(12)
        before = np.tril(rng.standard_normal((D, D)))
        gram = before.copy()
        get("csr_gram_add")(*arrays, rows, weights, D, gram.reshape(-1))
        expected = before + np.tril((dense[rows].T * weights) @ dense[rows])
        assert np.allclose(np.tril(gram), expected, rtol=1e-12, atol=1e-12)


@compiled
def test_rows_out_of_range_are_refused():
    arrays, _ = csr(0, np.float64, np.int32, False)
    for row in (-1, N):
        with pytest.raises(ValueError, match="out of range"):
            _kernels.get("csr_gram_add")(*arrays, np.array([row]), np.ones(1), D, np.zeros(D * D))


def search_arguments(seed):
    """A descent direction of lam/2 |w|^2 + sum_i max over the box of a s_i - (a - centre_i)^2 / (2 factor tau_i)."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 15, 16, 17, 3000]))
    tau = rng.integers(0, 3, n) / n
    lower, upper = np.zeros(n), tau.copy()
    centre = upper * rng.random(n)
    s, ds = rng.standard_normal(n), rng.standard_normal(n)
    factor = float(10 ** rng.uniform(-1, 3))
    at_zero = np.clip(centre + factor * tau * s, lower, upper) @ ds
    linear = -at_zero - float(rng.exponential())  # so that the slope at 0 is negative
    return s, ds, centre, tau, factor, lower, upper, linear, float(rng.exponential() * 1e-3), 60


def slope(t, s, ds, centre, tau, factor, lower, upper, linear, quadratic, _):
    return linear + quadratic * t + np.clip(centre + factor * tau * (s + t * ds), lower, upper) @ ds


@pytest.mark.parametrize("get", BOTH)
def test_the_line_search_finds_the_root_of_the_slope(get):
    for seed in range(60):
        arguments = search_arguments(seed)
        t = get("box_line_search")(*arguments)
        around = [slope(t * (1 + e), *arguments) for e in (-1e-9, 1e-9)]
        assert around[0] <= 1e-12 and around[1] >= -1e-12, seed


@compiled
def test_the_line_search_equals_its_twin():
    for seed in range(60):
        arguments = search_arguments(seed)
        assert _kernels.get("box_line_search")(*arguments) == pytest.approx(twins.box_line_search(*arguments), rel=1e-9)


@compiled
def test_arrays_of_unequal_length_are_refused():
    arguments = list(search_arguments(3))
    arguments[2] = arguments[2][:-1].copy()
    with pytest.raises(ValueError, match="box_line_search"):
        _kernels.get("box_line_search")(*arguments)
