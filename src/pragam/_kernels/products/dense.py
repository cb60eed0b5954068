"""The product with a dense matrix of any strides, the norms of its rows, copies of some, and the transpose.

``threads`` changes the time, never the result.
"""

from __future__ import annotations

import numpy as np

from pragam._kernels.products.csr import Array

__all__ = ["dense_matvec", "dense_row_norms2", "dense_take", "transpose"]


def dense_matvec(X: Array, w: Array, out: Array, threads: int = 1) -> None:
    """out = X w in float64, for X of any strides."""
    np.einsum("ij,j->i", X, w, out=out, dtype=np.float64)


def dense_row_norms2(X: Array, norms2: Array, threads: int = 1) -> None:
    """norms2[i] = sum over j of X_ij^2, in float64."""
    np.einsum("ij,ij->i", X, X, out=norms2, dtype=np.float64)


def dense_take(X: Array, rows: Array, out: Array, threads: int = 1) -> None:
    """out (k, d), flat: the rows of X with these numbers, in float64."""
    out[:] = X[rows].ravel()


def transpose(X: Array, n: int, out: Array, threads: int = 1) -> None:
    """out (d, n) = X' for X (n, d), both flat."""
    out.reshape(-1, n)[:] = X.reshape(n, -1).T
