"""What is said to be held in memory is not exceeded, from posing the problem to its certificate."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.driver.expectation import VECTORS, announcement, expectation

CHUNK = 4e6  # of the file, which is looked at a few times


def rows(n, d, store):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)).astype(np.float32)
    return store(X), np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solver", ["working-set", "windows", "block-newton"])
def test_vectors_and_rows_are_all_that_is_held(solver, store, bias, tmp_path):
    packed = pragam.pack([rows(100_000, 10, store)], tmp_path / "packed", chunk_bytes=2**17)
    memory = 0.2 * packed.bytes
    tracemalloc.start()
    try:
        problem = pragam.hinge(packed, lam=1e-3, bias=bias)
        found = pragam.solve(problem, solver, tol=1e-3, memory=memory)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.converged
    assert peak <= memory + 8 * VECTORS * problem.Q.size + CHUNK


def test_what_is_said(tmp_path):
    packed = pragam.pack([rows(2000, 5, np.asarray)], tmp_path / "packed")
    problem = pragam.hinge(packed, lam=1e-3)
    said = expectation(problem, "working-set", 1e-3, memory=1e6)
    assert said.startswith("2,000 x 5, 10,000 entries, ") and "; working-set should take about 2 readings and " in said
    assert said.endswith("; about 576 KB of vectors and at most 1 MB of rows are held")
    assert expectation(problem, "working-set", 1e-3).endswith(" and a fifth of the rows are held")
    assert announcement([problem] * 3, "auto", 1e-3).endswith("are held; 3 problems like this one")
