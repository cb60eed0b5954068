"""The map of every model with one weight vector: A = diag(scale) X."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.check import check_data


class ScaledRows(RowOperator):
    r"""A = diag(scale) X:  (A w)_i = scale_i <x_i, w>,  A' alpha = sum_i alpha_i scale_i x_i.

    For the binary hinge loss scale = -y, so that 1 + A w are the margin violations 1 - y_i <x_i, w>.

    X (n, d) is what :func:`check_data` accepts (or the storage it returned) and is used in place.
    """

    def __init__(self, X: Any, scale: Any) -> None:
        self.storage = check_data(X)
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

    @cached_property
    def _row_norms(self) -> Vector:
        with np.errstate(over="ignore"):
            norms = np.abs(self.scale) * np.sqrt(self.storage.row_norms2)
        norms.flags.writeable = False
        return norms

    def row_norms(self) -> Vector:
        """|scale_i| |x_i|, computed once, read-only; inf where |x_i|^2 overflows."""
        return self._row_norms

    def norm_bound(self) -> float:
        """max |scale_i| times the bound of X: A = diag(scale) X and norms are submultiplicative."""
        largest = float(np.abs(self.scale).max(initial=0.0))
        return largest * self.storage.norm_bound if largest > 0 else 0.0

    def rows(self) -> Rows:
        """The rows in place; a CSC matrix is converted to CSR at the first call, once."""
        kind, arrays = self.storage.rows()
        return Rows(kind, arrays, self.scale)

    def take(self, rows: NDArray[np.int64]) -> ScaledRows:
        """The operator of these rows alone, on a copy of them."""
        return ScaledRows(self.storage.take(rows), self.scale[rows])

    def gram(self) -> Vector:
        """A A', dense."""
        return self.scale[:, None] * self.storage.gram() * self.scale

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_i a_i', i = rows_k; only the upper triangle of ``out`` need be right."""
        self.storage.add_outer(rows, weights * self.scale[rows] ** 2, out)
