"""Any storage: a memory-mapped float32 matrix and a CSR matrix with 64-bit indices, both used without a copy."""

import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
from scipy import sparse

import pragam

rng = np.random.default_rng(0)
n, d = 50_000, 100
w = rng.standard_normal(d)


def train(name: str, X, y: np.ndarray, values: np.ndarray) -> None:
    """Train, and compare the memory that training takes with the size of the data."""
    tracemalloc.start()
    problem = pragam.hinge(X, y, lam=1e-3)
    result = pragam.solve(problem, tol=1e-3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    shared = np.shares_memory(problem.A.rows().arrays[0], values)
    print(f"{name}: data {values.nbytes / 1e6:.0f} MB, in place: {shared}, training took {peak / 1e6:.0f} MB more,")
    print(f"    relative gap {result.certificate.relative_gap:.1e} (float64 sums, whatever the storage)")
    assert shared and result.converged


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "X.npy"
    X = rng.standard_normal((n, d), dtype=np.float32)
    y = np.where(X @ w + rng.standard_normal(n) > 0, 1, -1)
    np.save(path, X)
    X = np.load(path, mmap_mode="r")
    train("float32, memory-mapped", X, y, X)
    del X

X = sparse.random_array((n, 20_000), density=0.005, format="csr", rng=rng, dtype=np.float32)
X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
y = np.where(X @ rng.standard_normal(20_000) > 0, 1, -1)
train("float32 CSR, int64 indices", X, y, X.data)
