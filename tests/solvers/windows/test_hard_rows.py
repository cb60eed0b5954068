"""Which rows stay in memory: the nearest of all blocks, as many as there is room for, and no more."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam.operators.base import Rows
from pragam.solvers.windows.dealing import dealt
from pragam.solvers.windows.hard_rows import HardRows
from pragam.solvers.windows.room import Room

N, D = 6000, 30


def rows_of(X, number=None):
    arrays = (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr.astype(np.int64))
    return Rows("dense" if len(arrays) == 1 else "csr", arrays, np.empty(0), number)


def matrix(is_dense):
    X = sparse.random_array((N, D), density=0.3, rng=np.random.default_rng(0), format="csr")
    return X.toarray() if is_dense else X


def entries(X):
    return X.size if isinstance(X, np.ndarray) else X.nnz


def kept(X, distances, share, size, factor=1):
    """The hard rows after a pass over blocks of so many rows, each with ``factor`` dual variables."""
    room = Room(int(share * N), int(share * entries(X)))
    hard = HardRows.like(rows_of(X[:1]), room)
    hard.clear(N, entries(X))
    for first in range(0, N, size):
        block = X[first : first + size]
        m = block.shape[0]
        number = None if factor == 1 else np.repeat(np.arange(m), factor)
        duals = np.arange(factor * first, factor * (first + m))
        hard.keep(rows_of(block, number), duals, distances[duals], -distances[duals])
    return hard


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("size", [7, 100, 3000, N])
@pytest.mark.parametrize("is_dense", [True, False])
def test_they_are_about_the_nearest_and_copied_as_they_are(is_dense, size, factor):
    X, share = matrix(is_dense), 0.2
    distances = np.random.default_rng(1).exponential(size=factor * N)
    hard = kept(X, distances, share, size, factor)
    duals, number, slopes = hard.variables()
    np.testing.assert_array_equal(slopes, -distances[duals])
    rows = duals // factor
    assert 0.93 * share * N <= hard.rows <= share * N and hard.entries <= share * entries(X)
    of_rows = distances.reshape(N, factor).min(axis=1)
    limit = np.quantile(of_rows, share)
    assert np.mean(of_rows[rows] <= limit) > 0.85
    stored = hard.raw().arrays
    copy = stored[0] if is_dense else sparse.csr_array(stored, shape=(hard.rows, D)).toarray()
    np.testing.assert_array_equal(copy[number], matrix(True)[rows])
    assert len(duals) == factor * hard.rows and len(np.unique(duals)) == len(duals)


@pytest.mark.parametrize("free", [0.1, 0.6])
@pytest.mark.parametrize("size", [7, 500])
def test_those_between_their_bounds_come_first(free, size):
    rng = np.random.default_rng(2)
    distances = np.where(rng.random(N) < free, 0.0, 1 + rng.random(N))
    hard = kept(matrix(False), distances, 0.2, size)
    found = distances[hard.variables()[0]] == 0
    if free < 0.2:
        assert found.sum() > 0.9 * (distances == 0).sum()
    else:
        assert found.mean() > 0.95


def test_the_room_holds_even_where_long_rows_are_hard():
    lengths = np.where(np.arange(N) % 5 == 0, 25, 2)
    X = sparse.csr_array(
        (np.ones(lengths.sum()), np.concatenate([np.arange(k) for k in lengths]), np.r_[0, np.cumsum(lengths)]),
        shape=(N, D),
    )
    hard = kept(X, -lengths.astype(float), 0.1, 50)
    assert hard.entries <= 0.1 * X.nnz and hard.rows > 0


def test_rows_that_never_move_are_not_kept_and_all_are_where_all_fit():
    X, distances = matrix(True), np.ones(N)
    distances[::2] = np.inf
    assert set(kept(X, distances, 0.8, 100).variables()[0] % 2) == {1}
    assert kept(X, np.ones(N), 1.0, 100).rows == N
    assert kept(X, np.ones(N), 0.0, 100).rows == 0


def test_windows_deal_every_block_once_and_block_0_last():
    rng = np.random.default_rng(0)
    first, second = ([k for window in dealt(rng, 50) for k in window] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(50))
    assert first[-1] == second[-1] == 0 and first != second
    assert dealt(rng, 1) == [[0]] and dealt(rng, 0) == []
