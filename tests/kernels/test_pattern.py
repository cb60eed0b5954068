"""The kernels on patterns (CSR without values) equal their twins, and those of CSR with values of one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins

from .ascent import KINDS, arrays_of, copies, push_arguments, sweep_arguments
from .storages import D, N

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")
BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


def pattern(rng, n, d, density):
    """(indices, indptr) and the dense matrix; the first row is empty, the last one full."""
    X = (rng.random((n, d)) < density).astype(float)
    X[0], X[-1] = 0.0, 1.0
    S = sparse.csr_array(X)
    return (S.indices.astype(np.uint16), S.indptr.astype(np.int64)), X


def draws():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        yield rng, *pattern(rng, int(rng.integers(2, 60)), int(rng.integers(1, 30)), rng.random())


@pytest.mark.parametrize("get", BOTH)
def test_products_are_those_of_the_dense_matrix(get):
    for rng, arrays, X in draws():
        n, d = X.shape
        scale, w, alpha = rng.standard_normal(n), rng.standard_normal(d), rng.standard_normal(n) * rng.integers(0, 2, n)
        for factor in (scale, None):
            A = X if factor is None else factor[:, None] * X
            scores, sums = np.full(n, np.nan), np.full(d, np.nan)
            get("pattern_matvec")(*arrays, factor, w, scores)
            get("pattern_rmatvec")(*arrays, factor, alpha, sums)
            assert np.allclose(scores, A @ w, rtol=1e-12, atol=1e-12)
            assert np.allclose(sums, alpha @ A, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("get", BOTH)
def test_the_sum_of_outer_products(get):
    for rng, arrays, X in draws():
        rows, d = rng.integers(0, len(X), 12), X.shape[1]
        weights, before = rng.standard_normal(12), np.triu(rng.standard_normal((d, d)))
        gram = before.copy()
        get("pattern_gram_add")(*arrays, rows, weights, d, gram.reshape(-1))
        assert np.allclose(gram, before + np.triu((X[rows].T * weights) @ X[rows]), rtol=1e-12, atol=1e-12)


@compiled
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_the_bits_are_those_of_values_of_one_on_any_number_of_threads(threads):
    rng = np.random.default_rng(0)
    n, d = 110_000, 60
    arrays, _ = pattern(rng, n, d, 0.5)  # 3.3 million entries: enough for three threads
    values = np.ones(len(arrays[0])), arrays[0].astype(np.int32), arrays[1]
    scale, w, alpha = rng.standard_normal(n), rng.standard_normal(d), rng.standard_normal(n)
    rows = np.flatnonzero(rng.random(n) < 0.3)
    for name, arguments, size in (
        ("matvec", (scale, w), n),
        ("rmatvec", (scale, alpha), d),
        ("gram_add", (rows, alpha[rows], d), d * d),
    ):
        mine, theirs = np.zeros(size), np.zeros(size)
        _kernels.get(f"pattern_{name}")(*arrays, *arguments, mine, threads)
        _kernels.get(f"csr_{name}")(*values, *arguments, theirs, 1)
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("kernel, arguments", [("dcd_sweep", sweep_arguments), ("momentum_push", push_arguments)])
def test_coordinate_ascent_is_that_on_values_of_one_to_the_bit(get, kernel, arguments, kind):
    for seed in range(20):
        arrays, X = pattern(np.random.default_rng(seed), N, D, 0.5)
        values = np.ones(len(arrays[0])), arrays[0].astype(np.int32), arrays[1]
        mine, theirs = (copies(arguments(seed, kind, X)) for _ in range(2))
        assert get(kernel + "_pattern")(*arrays, *mine) == get(kernel + "_csr")(*values, *theirs)
        for a, b in zip(arrays_of(mine), arrays_of(theirs), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("index", [np.uint16, np.int32, np.int64])
def test_rows_are_copied_in_the_order_asked_for(get, index):
    for rng, (indices, indptr), X in draws():
        rows = rng.integers(0, len(X), 15)
        ends = np.concatenate([[0], np.cumsum(np.diff(indptr)[rows])]).astype(np.int64)
        out = np.full(ends[-1], 2**16 - 1, dtype=np.uint16)
        get("entries_take")(indices.astype(index), indptr, rows, out, ends)
        copy = sparse.csr_array((np.ones(len(out)), out.astype(np.int32), ends), shape=(15, X.shape[1])).toarray()
        assert np.array_equal(copy, X[rows])


@compiled
def test_a_copy_of_rows_out_of_range_is_refused():
    (indices, indptr), _ = pattern(np.random.default_rng(0), 5, 4, 0.5)
    for row in (-1, 5):
        with pytest.raises(ValueError, match="entries_take"):
            _kernels.get("entries_take")(indices, indptr, np.array([row]), np.empty(4, np.uint16), np.array([0, 4]))


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_one_value_are_told_from_others(get, dtype, index):
    for rng, (indices, indptr), X in draws():
        lengths = np.diff(indptr)
        value = rng.choice([-2.0, 0.0, 0.1, 3.0], len(X)).astype(dtype)
        data, values = np.repeat(value, lengths), np.full(len(X), np.nan)
        arrays = data, indices.astype(index), indptr
        assert get("csr_row_values")(*arrays, values)
        assert np.array_equal(values, np.where(lengths > 0, value.astype(np.float64), 1.0))
        if lengths.max() < 2:
            continue
        i = int(rng.choice(np.flatnonzero(lengths > 1)))
        p = int(rng.integers(indptr[i] + 1, indptr[i + 1]))  # not the first entry of its row
        other, repeated, swapped = data.copy(), arrays[1].copy(), arrays[1].copy()
        other[p] = np.nextafter(other[p], dtype(7))
        repeated[p] = repeated[p - 1]
        swapped[p - 1 : p + 1] = swapped[p - 1 : p + 1][::-1].copy()
        assert not get("csr_row_values")(other, arrays[1], indptr, values)
        assert not get("csr_row_values")(data, repeated, indptr, values)
        assert not get("csr_row_values")(data, swapped, indptr, values)
