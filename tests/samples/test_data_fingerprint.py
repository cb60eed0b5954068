"""The fingerprint sees numbers, not storage; and it sees every number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam.samples import fingerprint
from pragam.samples.fingerprint import data_fingerprint


def _data(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 30, 2)
    X = rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.4) / 4.0
    return X, rng.choice([-1.0, 1.0], n)


def _messy(X):
    """The same matrix as CSR with unsorted rows, entries split in two, and explicit zeros."""
    rng = np.random.default_rng(0)
    rows, columns = (a.ravel() for a in np.indices(X.shape))
    rows, columns, values = np.tile(rows, 2), np.tile(columns, 2), np.tile(X.ravel() / 2, 2)
    order = np.lexsort((rng.random(len(rows)), rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(X)))])
    return sparse.csr_array((values[order], columns[order], indptr), shape=X.shape)


@pytest.mark.parametrize("seed", range(20))
def test_storage_makes_no_difference(seed, monkeypatch):
    X, y = _data(seed)
    expected = data_fingerprint(X, y)
    assert {key: expected[key] for key in ("n", "d", "nnz")} == {
        "n": X.shape[0], "d": X.shape[1], "nnz": np.count_nonzero(X),
    }  # fmt: skip
    messy = _messy(X)
    before = messy.copy()
    stores = [np.asfortranarray(X), X.astype(np.float32), sparse.csr_array(X), sparse.csc_matrix(X), messy]
    stores += [sparse.csr_array(X, dtype=np.float32), sparse.coo_array(X), np.where(X == 0, -0.0, X)]
    for block in (1, 7, 1 << 18):
        monkeypatch.setattr(fingerprint, "_BLOCK", block)
        for store in stores:
            assert data_fingerprint(store, y.astype(int)) == expected
    for name in ("data", "indices", "indptr"):  # the user's arrays are not touched
        np.testing.assert_array_equal(getattr(messy, name), getattr(before, name))


@pytest.mark.parametrize("seed", range(20))
def test_every_change_is_seen(seed):
    X, y = _data(seed)
    rng = np.random.default_rng(seed)
    n, d = X.shape
    changed, flipped = X.copy(), y.copy()
    changed[rng.integers(n), rng.integers(d)] += 2.0**-40
    flipped[rng.integers(n)] *= -1
    others = [(changed, y), (X, flipped), (X, None), (X, y, np.ones(n)), (X, y.astype(str))]
    others += [(np.pad(X, ((0, 0), (0, 1))), y), (np.pad(X, ((0, 1), (0, 0))), np.append(y, 1))]
    prints = [data_fingerprint(*data)["sha256"] for data in [(X, y), *others]]
    assert len(set(prints)) == len(prints)


def test_rows_are_not_run_together():
    one = sparse.csr_array((np.ones(2), [0, 1], [0, 1, 2]), shape=(2, 3))
    two = sparse.csr_array((np.ones(2), [0, 1], [0, 2, 2]), shape=(2, 3))
    assert data_fingerprint(one) != data_fingerprint(two)
