"""The product with a dense matrix of any strides, and the transpose."""

from __future__ import annotations

import numpy as np

from pragam._kernels.products.csr import Array

__all__ = ["dense_matvec", "transpose"]


def dense_matvec(X: Array, w: Array, out: Array, threads: int = 1) -> None:
    """out = X w in float64, for X of any strides."""
    np.einsum("ij,j->i", X, w, out=out, dtype=np.float64)


def transpose(X: Array, n: int, out: Array, threads: int = 1) -> None:
    """out (d, n) = X' for X (n, d), both flat."""
    out.reshape(-1, n)[:] = X.reshape(n, -1).T
