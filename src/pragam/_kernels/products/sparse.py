"""Products with a sparse matrix: the specification of ``csr_*mat*`` and ``pattern_*matvec``.

Repeated entries of CSR are added. A pattern is CSR without data. All its entries are 1.

``threads`` changes the time, never the result.
"""

from __future__ import annotations

import numpy as np

from pragam._kernels.products.csr import Array, entries

__all__ = ["csr_matmat", "csr_matvec", "csr_rmatmat", "csr_rmatvec", "pattern_matvec", "pattern_rmatvec"]


def csr_matvec(
    data: Array, indices: Array, indptr: Array, scale: Array | None, w: Array, out: Array, threads: int = 1
) -> None:
    """out = diag(scale) X w. ``scale`` None means ones."""
    rows, columns, values = entries(data, indices, indptr)
    out[:] = np.bincount(rows, weights=values * w[columns], minlength=len(out))
    if scale is not None:
        out *= scale


def csr_rmatvec(
    data: Array, indices: Array, indptr: Array, scale: Array | None, alpha: Array, out: Array, threads: int = 1
) -> None:
    """out = X' (scale * alpha). ``scale`` None means ones."""
    rows, columns, values = entries(data, indices, indptr)
    a = alpha if scale is None else scale * alpha
    out[:] = np.bincount(columns, weights=values * a[rows], minlength=len(out))


def csr_matmat(data: Array, indices: Array, indptr: Array, W: Array, out: Array, threads: int = 1) -> None:
    """out = X W, with out of shape (rows of X, K) and W of shape (columns of X, K padded to a multiple of 8)."""
    for k in range(out.shape[1]):
        csr_matvec(data, indices, indptr, None, W[:, k], out[:, k])


def csr_rmatmat(data: Array, indices: Array, indptr: Array, B: Array, out: Array) -> None:
    """out += X' B, with B of shape (rows of X, K)."""
    for k in range(B.shape[1]):
        column = np.empty(len(out))
        csr_rmatvec(data, indices, indptr, None, B[:, k], column)
        out[:, k] += column


def pattern_matvec(indices: Array, indptr: Array, scale: Array | None, w: Array, out: Array, threads: int = 1) -> None:
    """out = diag(scale) X w. ``scale`` None means ones."""
    csr_matvec(np.ones(len(indices)), indices, indptr, scale, w, out)


def pattern_rmatvec(
    indices: Array, indptr: Array, scale: Array | None, alpha: Array, out: Array, threads: int = 1
) -> None:
    """out = X' (scale * alpha). ``scale`` None means ones."""
    csr_rmatvec(np.ones(len(indices)), indices, indptr, scale, alpha, out)
