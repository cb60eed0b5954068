"""The best labellings: kernels against their twins, with one table and with many, forbidden edges and given ends."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.skipif(not _kernels.compiled, reason="the compiled kernels are not there")
def test_kernels_and_twins_agree(seed):
    rng = np.random.default_rng(seed)
    K, lengths = int(rng.integers(1, 40)), rng.integers(1, 9, int(rng.integers(1, 50)))
    first = np.concatenate([[0], np.cumsum(lengths)])
    rows = int(first[-1])
    tables = rng.standard_normal((1 if seed % 2 else rows, K, K))
    if K > 2:
        tables[:, rng.random((K, K)) < 0.2] = -np.inf
        tables[:, :, 0] = 0.0  # so that there is a labelling
    last = np.where(rng.random(len(lengths)) < 0.5, -1, 0)
    scores = rng.standard_normal((rows, K))
    found = []
    for module in (_kernels._extension, twins):
        S, labels = scores.copy(), np.zeros(rows, dtype=np.int64)
        module.chain_forward(S.reshape(-1), first, tables.reshape(-1), K, 2)
        module.chain_backward(S.reshape(-1), first, tables.reshape(-1), K, last, labels)
        found.append((S, labels))
    assert np.array_equal(found[0][0], found[1][0]) and np.array_equal(found[0][1], found[1][1])


@pytest.mark.skipif(not _kernels.compiled, reason="the compiled kernels are not there")
def test_bounds_are_checked():
    forward, backward = _kernels.get("chain_forward"), _kernels.get("chain_backward")
    S, tables, labels = np.zeros(6), np.zeros(4), np.zeros(3, np.int64)
    for first in ([0, 2], [1, 3], [0, 2, 2, 3]):
        with pytest.raises(ValueError):
            forward(S, np.array(first), tables, 2)
    with pytest.raises(ValueError):
        forward(S, np.array([0, 3]), np.zeros(5), 2)
    with pytest.raises(ValueError):
        backward(S, np.array([0, 3]), tables, 2, np.array([2]), labels)
    with pytest.raises(ValueError):
        backward(S, np.array([0, 3]), tables, 2, np.array([-1]), labels[:2])
