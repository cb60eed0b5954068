"""The map of every model with one weight vector and one dual variable an example: A = diag(scale) X."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import remade
from pragam.numerics.rounding import gamma
from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows
from pragam.operators.needs import HasData
from pragam.operators.storage import Storage, as_vector


class ScaledRows(DataRows, HasData):
    r"""A = diag(scale) X:  (A w)_i = scale_i <x_i, w>,  A' alpha = sum_i alpha_i scale_i x_i.

    For the binary hinge loss scale = -y, so that 1 + A w are the margin violations 1 - y_i <x_i, w>.

    X (n, d) is anything that :func:`check_data` accepts or returns. It is used in place.
    """

    rigorous = True

    def __init__(self, X: Any, scale: Any) -> None:
        super().__init__(X, scale)

    def matvec(self, w: Vector) -> Vector:
        """diag(scale) X w."""
        return self.storage.matvec(w, self.scale)

    def rmatvec(self, alpha: Vector) -> Vector:
        """X' diag(scale) alpha."""
        return self.storage.rmatvec(alpha, self.scale)

    def row_weights(self, alpha: Vector) -> Vector:
        """beta (1, n) with A' alpha = sum_i beta_i x_i, up to rounding, neither negated nor over lam: scale_i alpha_i.

        So w(alpha) = -beta X / lam where the problem has no origin and no rest.
        """
        return (self.scale * as_vector(alpha, self.shape[0], "alpha"))[None, :]

    def rmatvec_error(self, alpha: Vector) -> float:
        """That of X' (scale alpha)."""
        return self.storage.adjoint_error(alpha if self._is_signs else self.scale * alpha, extra=3.0)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' (scale alpha) with its running bound. scale_i alpha_i is rounded too, unless scale_i is a sign."""
        return self.storage.running_rmatvec(self.scale * alpha, 1 if self._is_signs else 2)

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """In twice the precision. The bound includes the rounding of scale_i alpha_i, if any."""
        value, error = self.storage.twofold_rmatvec(self.scale * alpha)
        if not self._is_signs:
            error += gamma(1) * self.storage.adjoint_bound(self.scale * alpha)
        return value, error

    def norm_bound(self) -> float:
        """max |scale_i| times the bound of X, since A = diag(scale) X and norms are submultiplicative."""
        largest = float(np.abs(self.scale).max(initial=0.0))
        return largest * self.storage.norm_bound if largest > 0 else 0.0

    @remade
    def take(self, rows: NDArray[np.int64]) -> ScaledRows:
        """The operator of these rows alone, on a copy of them."""
        return ScaledRows(self.storage.take(rows), self.scale[rows])

    def of_rows(self, rows: NDArray[np.int64] | slice, X: Storage) -> tuple[NDArray[np.int64] | slice, ScaledRows]:
        """Each row has a dual variable of its own."""
        return rows, ScaledRows(X, self.scale[rows])

    def gathered(self, alpha: Vector) -> Vector:
        return self.scale * alpha

    def gram(self) -> Vector:
        """A A', dense."""
        return self.scale[:, None] * self.storage.gram() * self.scale

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_i a_i', i = rows_k. Only the upper triangle of ``out`` must be right."""
        self.storage.add_outer(rows, weights * self.scale[rows] ** 2, out)
