"""What the tests of packed data share."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def rows_of(packed):
    """X of all chunks as one array, or one CSR matrix."""
    chunks = list(packed)
    if not packed.is_sparse:
        return np.concatenate([chunk.X for chunk in chunks])
    return sparse.vstack([sparse.csr_array(chunk.arrays, shape=chunk.shape) for chunk in chunks], format="csr")


def order_of(n, seed=0):
    """The order in which n rows are packed, by its definition: of the i-th numbers that the seed draws."""
    return np.argsort(np.random.PCG64(seed).random_raw(n), kind="stable")


def content_of(folder):
    """The bytes of all files in a folder, by their paths in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def small(n=200, d=9, seed=0, density=0.4):
    """A CSR matrix and labels."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(rng.standard_normal((n, d)) * (rng.random((n, d)) < density))
    return X, rng.choice([-1.0, 1.0], n)
