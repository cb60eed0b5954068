"""The kernels that copy rows compactly equal their NumPy twins, and refuse what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.coordinate.records import Compact

pytestmark = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")

N, D = 30, 50


def csr(dtype, index, seed):
    X = sparse.random_array((N, D), density=0.08, rng=np.random.default_rng(seed), format="csr")
    return X.data.astype(dtype), X.indices.astype(index), X.indptr.astype(np.int64)


def room_for(arrays, counts, rows, index):
    """An empty copy, large enough."""
    kept = counts > 1
    entries = int(counts[kept].sum())
    return Compact(
        np.empty(entries, arrays[0].dtype), np.empty(entries, index), np.empty(len(rows) + 1, np.int64),
        np.empty(kept.sum()), np.empty(len(rows)), np.empty(len(rows)),
    )  # fmt: skip


def count(module, arrays, rows):
    _, indices, indptr = arrays
    counts = np.zeros(D, dtype=np.int32)
    module("csr_count_columns")(indices, indptr, rows, counts)
    return counts


def run(module, arrays, rows, w, index):
    """All that the two kernels write: the counts, the labels and the copy."""
    counts = count(module, arrays, rows)
    labels, copy = counts.copy(), room_for(arrays, counts, rows, index)
    module("csr_compact")(*arrays, rows, w, labels, copy)
    return counts, labels, copy


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
        for mine, his in zip((*ours[:2], *ours[2]), (*theirs[:2], *theirs[2]), strict=True):
            assert np.allclose(mine, his, rtol=1e-14, atol=0)
        copy = ours[2]
        X = sparse.csr_array(arrays, shape=(N, D))[rows].astype(np.float64)
        shape = len(rows), len(copy.w)
        Y = sparse.csr_array((copy.data, copy.indices.astype(np.int32), copy.indptr), shape=shape).astype(np.float64)
        assert np.allclose(Y @ copy.w + copy.score, X @ w)
        assert np.allclose((Y**2).sum(axis=1) + copy.norm2, (X**2).sum(axis=1))


@pytest.mark.parametrize("field", Compact._fields)
def test_refuses_a_copy_that_is_too_short(field):
    arrays, rows = csr(np.float64, np.int32, 0), np.arange(N)
    labels = count(_kernels.get, arrays, rows)
    copy = room_for(arrays, labels, rows, np.int32)
    copy = copy._replace(**{field: getattr(copy, field)[:-1].copy()})
    with pytest.raises(ValueError, match="csr_compact"):
        _kernels.get("csr_compact")(*arrays, rows, np.zeros(D), labels, copy)


@pytest.mark.parametrize("columns", [D - 1, D + 1])
def test_refuses_weights_that_do_not_fit_the_labels(columns):
    arrays, rows = csr(np.float64, np.int32, 0), np.arange(N)
    labels = count(_kernels.get, arrays, rows)
    copy = room_for(arrays, labels, rows, np.int32)
    with pytest.raises(ValueError, match="csr_compact"):
        _kernels.get("csr_compact")(*arrays, rows, np.zeros(columns), labels, copy)


@pytest.mark.parametrize("row", [-1, N])
def test_refuses_rows_that_do_not_exist(row):
    _, indices, indptr = csr(np.float64, np.int32, 0)
    with pytest.raises(ValueError, match="out of range"):
        _kernels.get("csr_count_columns")(indices, indptr, np.array([row]), np.zeros(D, dtype=np.int32))
