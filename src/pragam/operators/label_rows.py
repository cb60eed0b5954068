"""The map of models with a weight vector for each of K labels: every example reads all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import remade
from pragam.numerics.rounding import norm
from pragam.operators.base import ExampleRows, Vector
from pragam.operators.check import check_data
from pragam.operators.needs import HasExampleRows


class LabelRows(HasExampleRows):
    r"""(A w)_{ik} = scale_ik <w_k, x_i>,  A' alpha = (scale * alpha)' X,  i < n, k < K.

    ``w`` is a (K, d) and ``alpha`` an (n, K) array, both flattened row by row. ``scale`` holds +1 and -1; None is +1
    throughout. X (n, d) is anything that :func:`check_data` accepts or returns. It is used in place.
    """

    rigorous = True

    def __init__(self, X: Any, K: int, scale: Any = None) -> None:
        self.storage = check_data(X)
        self.rigorous = type(self).rigorous and self.storage.rigorous
        if "rows" in self.storage.lacks:
            self.lacks = frozenset({"example_rows", "take"})
        n, d = self.storage.shape
        if K < 1:
            raise ValueError(f"K must be at least 1, not {K}")
        self.K = self.width = int(K)
        self.shape = (n * self.K, self.K * d)
        self.scale: Vector | None = None if scale is None else np.ascontiguousarray(scale, dtype=np.float64)
        if self.scale is not None and self.scale.shape != (self.shape[0],):
            raise ValueError(f"scale has shape {self.scale.shape}, expected ({self.shape[0]},)")
        if self.scale is not None and not (np.abs(self.scale) == 1).all():
            raise ValueError("scale must hold +1 and -1")

    @property
    def entries(self) -> int:
        """Those of X, once for each label."""
        return self.storage.stored * self.K

    def matvec(self, w: Vector) -> Vector:
        """The score of every label, X W', with its sign."""
        return self._signed(self.storage.matmat(self._weights(w)).ravel())

    def rmatvec(self, alpha: Vector) -> Vector:
        """(scale * alpha)' X."""
        return self.storage.rmatmat(self._duals(alpha)).ravel()

    def row_weights(self, alpha: Vector) -> Vector:
        """beta (K, n) with A' alpha = beta X, up to rounding, neither negated nor over lam: scale_ik alpha_ik."""
        return np.ascontiguousarray(self._duals(alpha).T)

    def matvec_error(self, w: Vector) -> Vector:
        """That of each product. A sign does not round."""
        return self.storage.product_errors(self._weights(w)).ravel()

    def rmatvec_error(self, alpha: Vector) -> float:
        """That of B' X, from those of its labels. A sign does not round."""
        rows = _block(alpha, (self.storage.shape[0], self.K), "alpha")
        return 1.01 * norm(self.storage.adjoint_errors(rows))

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """In twice the precision."""
        parts = zip(*(self.storage.twofold_matvec(row) for row in self._weights(w)), strict=True)
        high, low, error = (np.stack(part, axis=1).ravel() for part in parts)
        return self._signed(high), self._signed(low), error

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """Label by label with a running bound."""
        return self._by_label(self.storage.running_rmatvec, alpha)

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """In twice the precision."""
        return self._by_label(self.storage.twofold_rmatvec, alpha)

    def _by_label(self, product: Callable[[Vector], tuple[Vector, float]], alpha: Vector) -> tuple[Vector, float]:
        """A' alpha by one product a label, and a bound of the norm of its error."""
        columns = [product(column) for column in np.ascontiguousarray(self._duals(alpha).T)]
        return np.concatenate([value for value, _ in columns]), 1.01 * norm(np.array([error for _, error in columns]))

    def example_rows(self) -> ExampleRows:
        """The rows of X, contiguous if they are dense."""
        return ExampleRows(*self.storage.contiguous_rows(), self.K, self.scale)

    def part(self, first: int, last: int) -> LabelRows:
        """The operator of the examples from ``first`` up to ``last``, on the same memory."""
        scale = None if self.scale is None else self.scale[first * self.K : last * self.K]
        return LabelRows(self.storage.part(first, last), self.K, scale)

    @remade
    def take(self, blocks: NDArray[np.int64]) -> LabelRows:
        """The operator of these examples alone, on a copy of their rows."""
        scale = None if self.scale is None else self.scale.reshape(-1, self.K)[blocks].ravel()
        return LabelRows(self.storage.take(blocks), self.K, scale)

    def row_norms(self) -> Vector:
        """|x_i|."""
        return np.repeat(np.sqrt(self.storage.row_norms2), self.K)

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Upper bounds of |x_i|, at any scale."""
        return self.storage.row_bounds[rows // self.K]

    def norm_bound(self) -> float:
        """The bound of X: A is diag(scale) times K copies of X."""
        return self.storage.norm_bound

    def _signed(self, scores: Vector) -> Vector:
        return scores if self.scale is None else self.scale * scores

    def _weights(self, w: Vector) -> NDArray[np.float64]:
        return _block(w, (self.K, self.storage.shape[1]), "w")

    def _duals(self, alpha: Vector) -> NDArray[np.float64]:
        rows = _block(alpha, (self.storage.shape[0], self.K), "alpha")
        return rows if self.scale is None else rows * self.scale.reshape(rows.shape)


def _block(v: Vector, shape: tuple[int, int], name: str) -> NDArray[np.float64]:
    v = np.asarray(v, dtype=np.float64)
    if v.shape != (shape[0] * shape[1],):
        raise ValueError(f"{name} has shape {v.shape}, expected ({shape[0] * shape[1]},)")
    return v.reshape(shape)
