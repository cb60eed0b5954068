"""The map of every model with one weight vector: A = diag(scale) X."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.check import check_data
from pragam.rounding import TINY, gamma, two_product


class ScaledRows(RowOperator):
    r"""A = diag(scale) X:  (A w)_i = scale_i <x_i, w>,  A' alpha = sum_i alpha_i scale_i x_i.

    For the binary hinge loss scale = -y, so that 1 + A w are the margin violations 1 - y_i <x_i, w>.

    X (n, d) is anything that :func:`check_data` accepts or returns. It is used in place.
    """

    rigorous = True

    def __init__(self, X: Any, scale: Any) -> None:
        self.storage = check_data(X)
        self.rigorous = type(self).rigorous and self.storage.rigorous
        self.shape = self.storage.shape
        self.scale: Vector = np.ascontiguousarray(scale, dtype=np.float64)
        if self.scale.shape != (self.shape[0],):
            raise ValueError(f"scale has shape {self.scale.shape}, expected ({self.shape[0]},)")
        if not np.isfinite(self.scale).all():
            raise ValueError("scale contains NaN or infinity")

    def matvec(self, w: Vector) -> Vector:
        """diag(scale) X w."""
        return self.storage.matvec(w, self.scale)

    def rmatvec(self, alpha: Vector) -> Vector:
        """X' diag(scale) alpha."""
        return self.storage.rmatvec(alpha, self.scale)

    def matvec_error(self, w: Vector) -> Vector:
        """|scale_i| times the rounding of <x_i, w>, plus that of this product. Values below TINY may be lost."""
        error = self.storage.product_error(w)
        return error if self._is_signs else np.abs(self.scale) * error + 2 * TINY

    def rmatvec_error(self, alpha: Vector) -> float:
        """That of X' (scale alpha)."""
        return self.storage.adjoint_error(alpha if self._is_signs else self.scale * alpha, extra=3.0)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' (scale alpha) with its running bound. scale_i alpha_i is rounded too, unless scale_i is a sign."""
        return self.storage.running_rmatvec(self.scale * alpha, 1 if self._is_signs else 2)

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """In twice the precision."""
        high, low, error = self.storage.twofold_matvec(w)
        if self._is_signs:
            return self.scale * high, self.scale * low, error
        high, cut = two_product(self.scale, high)
        low = self.scale * low
        return high, low + cut, np.abs(self.scale) * error + gamma(3) * (np.abs(low) + np.abs(cut)) + 16 * TINY

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """In twice the precision. The bound includes the rounding of scale_i alpha_i, if any."""
        value, error = self.storage.twofold_rmatvec(self.scale * alpha)
        if not self._is_signs:
            error += gamma(1) * self.storage.adjoint_bound(self.scale * alpha)
        return value, error

    @cached_property
    def _is_signs(self) -> bool:
        return bool((np.abs(self.scale) == 1).all())

    @cached_property
    def _row_norms(self) -> Vector:
        with np.errstate(over="ignore"):
            norms = np.abs(self.scale) * np.sqrt(self.storage.row_norms2)
        norms.flags.writeable = False
        return norms

    def row_norms(self) -> Vector:
        """|scale_i| |x_i|, computed once, read-only. inf where |x_i|^2 overflows."""
        return self._row_norms

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Upper bounds of |scale_i| |x_i|, at any scale."""
        return 1.01 * np.abs(self.scale[rows]) * self.storage.row_bounds[rows] + TINY

    def norm_bound(self) -> float:
        """max |scale_i| times the bound of X, since A = diag(scale) X and norms are submultiplicative."""
        largest = float(np.abs(self.scale).max(initial=0.0))
        return largest * self.storage.norm_bound if largest > 0 else 0.0

    def rows(self) -> Rows:
        """The rows in place. A CSC matrix is converted to CSR once, at the first call."""
        return Rows(*self.storage.rows(), self.scale)

    def contiguous_rows(self) -> Rows:
        """The rows in place if they are contiguous, else in the storage's one copy."""
        return Rows(*self.storage.contiguous_rows(), self.scale)

    def take(self, rows: NDArray[np.int64]) -> ScaledRows:
        """The operator of these rows alone, on a copy of them."""
        return ScaledRows(self.storage.take(rows), self.scale[rows])

    def gram(self) -> Vector:
        """A A', dense."""
        return self.scale[:, None] * self.storage.gram() * self.scale

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_i a_i', i = rows_k. Only the upper triangle of ``out`` must be right."""
        self.storage.add_outer(rows, weights * self.scale[rows] ** 2, out)
