r"""A small dense copy of the rows, as ``newton-dense`` works on it.

    row that i reads = scale_i X_r,  r = number_i;      copied: X_r - m, or a_i - sigma_i m_k for rows of their own,

m_k the mean of the rows on plane k = group_i, and m one mean for all planes. Taking any m_k from the rows of a plane
changes its bias by <m_k, w> and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dger

from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.planes import Planes

_TINY = float(np.finfo(np.float64).tiny)


class Copy(NamedTuple):
    """A dense copy of the rows less their means; ``number`` and ``scale`` are empty if each is read by its own."""

    rows: Vector
    number: NDArray[np.int64]
    scale: Vector
    means: Vector  # (K, d)

    def adjoint(self, alpha: Vector) -> Vector:
        """The sum of alpha_i times the row that i reads."""
        if not alpha.any():
            return np.zeros(self.rows.shape[1])
        if self.number.size == 0:
            return alpha @ self.rows
        return np.bincount(self.number, self.scale * alpha, minlength=len(self.rows)) @ self.rows


def dense_copy(A: RowOperator, B: Planes) -> Copy:
    """Shared rows stay shared if a common mean can be taken from them, which a row's sign on its plane must allow."""
    own = A.rows()
    number, scale, X = own.number, own.scale, _array(own, A.shape[1])
    if number is None or (B.shape[1] and not np.array_equal(B.sigma, scale)):
        rows = _scaled(X if number is None else X[number], scale)
        return Copy(rows, np.zeros(0, np.int64), np.zeros(0), _centre(B, rows))
    rows = np.array(X[: int(number.max(initial=-1)) + 1], dtype=np.float64, order="C")
    mean = np.zeros(A.shape[1])
    if B.shape[1]:
        weights = np.bincount(number, scale * scale, minlength=len(rows))
        mean = weights @ rows / max(float(weights.sum()), _TINY)
        _subtract(rows, np.ones(len(rows)), mean)
    return Copy(rows, number, scale, np.tile(mean, (B.shape[1], 1)))


def _array(rows: Rows, columns: int) -> Vector:
    """X, dense."""
    if rows.is_dense:
        return rows.arrays[0]
    data, indices, indptr = rows.arrays
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns)).toarray()  # adds repeated ones


def _scaled(X: Vector, scale: Vector) -> Vector:
    """diag(scale) X, a copy. NumPy is several times as fast with one number for all of the short rows."""
    is_one = scale.size > 0 and scale.min() == scale.max()
    return np.multiply(scale[0] if is_one else scale[:, None], X, order="C", dtype=np.float64)


def _subtract(rows: Vector, sigma: Vector, mean: Vector) -> None:
    """rows_i -= sigma_i mean, in place."""
    if rows.size:
        dger(-1.0, mean, sigma, a=rows.T, overwrite_a=1)


def _centre(B: Planes, rows: Vector) -> Vector:
    """Takes the mean of each plane's rows from them; the means, (K, d)."""
    means = np.zeros((B.shape[1], rows.shape[1]))
    for k, mean in enumerate(means):
        sigma = B.sigma if len(means) == 1 else np.where(B.group == k, B.sigma, 0.0)
        total = float(sigma @ sigma)
        if total > 0:
            mean[:] = sigma @ rows / total
            _subtract(rows, sigma, mean)
    return means
