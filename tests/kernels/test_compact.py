"""The kernels that copy rows compactly equal their NumPy twins, and refuse what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins

pytestmark = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

N, D = 30, 50


def csr(dtype, index, seed):
    X = sparse.random_array((N, D), density=0.08, rng=np.random.default_rng(seed), format="csr")
    return X.data.astype(dtype), X.indices.astype(index), X.indptr.astype(np.int64)


def run(module, arrays, rows, w, index):
    """All that the two kernels write."""
    data, indices, indptr = arrays
    labels = np.zeros(D, dtype=np.int32)
    module("csr_count_columns")(indices, indptr, rows, labels)
    counts, kept = labels.copy(), labels > 1
    entries = int(counts[kept].sum())
    out = [np.empty(entries, data.dtype), np.empty(entries, index), np.empty(len(rows) + 1, np.int64),
           np.empty(kept.sum()), np.empty(len(rows)), np.empty(len(rows))]  # fmt: skip
    module("csr_compact")(data, indices, indptr, rows, w, labels, *out)
    return [counts, labels, *out]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("new_index", [np.uint16, np.int32])
def test_equal_to_the_twins_and_to_the_rows_themselves(dtype, index, new_index):
    for seed in range(20):
        rng = np.random.default_rng([seed, 1])
        arrays, w = csr(dtype, index, seed), rng.standard_normal(D)
        rows = np.sort(rng.permutation(N)[: rng.integers(0, N)])
        ours = run(_kernels.get, arrays, rows, w, new_index)
        theirs = run(lambda name: getattr(twins, name), arrays, rows, w, new_index)
        for mine, his in zip(ours, theirs, strict=True):
            assert np.allclose(mine, his, rtol=1e-14, atol=0)
        data, indices, indptr, new_w, score, norm2 = ours[2:]
        X = sparse.csr_array(arrays, shape=(N, D))[rows].astype(np.float64)
        copy = sparse.csr_array((data, indices.astype(np.int32), indptr), shape=(len(rows), len(new_w)))
        assert np.allclose(copy.astype(np.float64) @ new_w + score, X @ w)
        assert np.allclose((copy.astype(np.float64) ** 2).sum(axis=1) + norm2, (X**2).sum(axis=1))


@pytest.mark.parametrize("position", [4, 5, 6, 7, 8, 9, 10, 11])
def test_refuses_wrong_lengths(position):
    data, indices, indptr = csr(np.float64, np.int32, 0)
    rows, labels = np.arange(N), np.zeros(D, dtype=np.int32)
    _kernels.get("csr_count_columns")(indices, indptr, rows, labels)
    kept = labels > 1
    entries = int(labels[kept].sum())
    arguments = [data, indices, indptr, rows, np.zeros(D), labels, np.empty(entries), np.empty(entries, np.int32),
                 np.empty(N + 1, np.int64), np.empty(kept.sum()), np.empty(N), np.empty(N)]  # fmt: skip
    arguments[position] = arguments[position][:-1].copy()
    with pytest.raises(ValueError, match="csr_compact"):
        _kernels.get("csr_compact")(*arguments)


@pytest.mark.parametrize("row", [-1, N])
def test_refuses_rows_that_do_not_exist(row):
    _, indices, indptr = csr(np.float64, np.int32, 0)
    with pytest.raises(ValueError, match="out of range"):
        _kernels.get("csr_count_columns")(indices, indptr, np.array([row]), np.zeros(D, dtype=np.int32))
