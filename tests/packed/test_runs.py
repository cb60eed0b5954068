"""A run finds the rows of any range of keys, however these are spread, by reading few of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pragam.packed.part import Part
from pragam.packed.runs import KEYS, Run

N = 3000
SPREADS = {
    "even": np.random.PCG64(0).random_raw(N),
    "low": np.arange(N, dtype=np.uint64) % 7,
    "high": np.uint64(KEYS - 1) - np.arange(N, dtype=np.uint64),
    "two heaps": np.where(np.arange(N) % 2, np.uint64(5), np.uint64(KEYS - 5)),
    "one": np.array([2**63], np.uint64),
    "none": np.zeros(0, np.uint64),
}


@pytest.mark.parametrize("spread", SPREADS)
def test_the_rows_between_two_keys(tmp_path, spread):
    keys = SPREADS[spread]
    rows = np.arange(len(keys), dtype=np.float64)
    run = Run.write(
        tmp_path / "run", keys, Part((rows, np.zeros(len(keys), np.int32), np.ones(len(keys), np.int64)), 1)
    )
    bounds = [0, 1, 5, 6, 2**62, 2**63, 2**63 + 1, KEYS - N // 2, KEYS - 5, KEYS - 1, KEYS]
    for below in bounds:
        assert run.count(below) == sum(int(key) < below for key in keys)
    for low, high in pairwise(bounds):
        found, part = Run.open(tmp_path / "run").between(low, high)
        inside = [i for i, key in enumerate(keys) if low <= int(key) < high]
        assert sorted(inside, key=lambda i: (int(keys[i]), i)) == part.arrays[0].tolist()
        assert found.tolist() == sorted(int(keys[i]) for i in inside)
