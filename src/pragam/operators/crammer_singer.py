"""The map of the multiclass hinge loss of Crammer and Singer (2001)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Operator, Vector
from pragam.operators.check import check_data
from pragam.rounding import gamma, two_sum


class CrammerSinger(Operator):
    r"""(A w)_{ik} = <w_k - w_{y_i}, x_i>,  i < n, k < K, with w = (w_0 .. w_{K-1}) in R^{K d}.

    ``w`` is a (K, d) and ``alpha`` an (n, K) array, both flattened row by row. With the scores S = X W' and
    L_y = I - 1 e_y' (subtract the entry y from all), row i of A w is L_{y_i} S_i; its adjoint is

        W = B' X,   B_i = L_{y_i}' alpha_i = alpha_i - e_{y_i} sum_k alpha_ik.

    ``y_index`` holds the class of each row of X as an integer in [0, K).
    """

    rigorous = True

    def __init__(self, X: Any, y_index: Any, K: int) -> None:
        self.storage = check_data(X)
        self.rigorous = type(self).rigorous and self.storage.rigorous
        n, d = self.storage.shape
        self.K = int(K)
        self.y_index = _classes(y_index, n, self.K)
        self.shape = (n * self.K, self.K * d)

    def matvec(self, w: Vector) -> Vector:
        """The score of every class minus the score of the true one."""
        n, d = self.storage.shape
        scores = self.storage.matmat(_block(w, (self.K, d), "w"))
        scores -= scores[np.arange(n), self.y_index, None]
        return scores.ravel()

    def rmatvec(self, alpha: Vector) -> Vector:
        """B' X, where the entry of the true class is minus the sum of the others."""
        rows = _block(alpha, (self.storage.shape[0], self.K), "alpha")
        return self.storage.rmatmat(self._differences(rows)).ravel()

    def _differences(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """B_i = L_{y_i}' alpha_i for every row."""
        B, each = rows.copy(), np.arange(len(rows))
        B[each, self.y_index] = 0.0
        B[each, self.y_index] = -B.sum(axis=1)
        return B

    def matvec_error(self, w: Vector) -> Vector:
        """A score is the difference of two products, whose bounds leave room for the rounding of the difference."""
        W = _block(w, (self.K, self.storage.shape[1]), "w")
        return self._spread(np.stack([self.storage.product_error(row) for row in W], axis=1)).ravel()

    def rmatvec_error(self, alpha: Vector) -> float:
        """The rounding of B' X, class by class, and of the sums over classes in B."""
        B, masses = self._masses(alpha)
        error = sum(self.storage.adjoint_error(np.ascontiguousarray(column)) for column in B.T)
        return error + gamma(self.K + 1) * self.storage.adjoint_bound(masses)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """Class by class with a running bound, and the rounding of the sums over classes in B."""
        return self._by_class(self.storage.running_rmatvec, alpha)

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """In twice the precision."""
        W = _block(w, (self.K, self.storage.shape[1]), "w")
        each = np.arange(self.storage.shape[0])
        parts = zip(*(self.storage.twofold_matvec(row) for row in W), strict=True)
        high, low, error = (np.stack(part, axis=1) for part in parts)
        high, cut = two_sum(high, -high[each, self.y_index, None])
        below = np.abs(low) + np.abs(low[each, self.y_index, None]) + np.abs(cut)
        low = (low - low[each, self.y_index, None]) + cut
        return high.ravel(), low.ravel(), (self._spread(error) + gamma(4) * below).ravel()

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """In twice the precision, except for the sums over classes in B, which are rounded."""
        return self._by_class(self.storage.twofold_rmatvec, alpha)

    def _by_class(self, product: Callable[[Vector], tuple[Vector, float]], alpha: Vector) -> tuple[Vector, float]:
        """B' X by one product a class, and a bound of the norm of its error."""
        B, masses = self._masses(alpha)
        columns = [product(np.ascontiguousarray(column)) for column in B.T]
        error = sum(error for _, error in columns) + gamma(self.K + 1) * self.storage.adjoint_bound(masses)
        return np.concatenate([value for value, _ in columns]), error

    def _spread(self, error: NDArray[np.float64]) -> NDArray[np.float64]:
        """The errors of the differences to the true class. The true class itself has none."""
        each = np.arange(len(error))
        error = error + error[each, self.y_index, None]
        error[each, self.y_index] = 0.0
        return error

    def _masses(self, alpha: Vector) -> tuple[NDArray[np.float64], Vector]:
        """B, and sum_k |alpha_ik| for every row."""
        rows = _block(alpha, (self.storage.shape[0], self.K), "alpha")
        return self._differences(rows), np.abs(rows).sum(axis=1)

    def row_norms(self) -> Vector:
        """sqrt(2) |x_i| for k != y_i (the row holds x_i and -x_i), 0 for k = y_i."""
        n = self.storage.shape[0]
        norms = np.repeat(np.sqrt(2.0) * np.sqrt(self.storage.row_norms2)[:, None], self.K, axis=1)
        norms[np.arange(n), self.y_index] = 0.0
        return norms.ravel()

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Upper bounds of sqrt(2) |x_i|, at any scale."""
        return 1.5 * self.storage.row_bounds[rows // self.K]

    def norm_bound(self) -> float:
        r"""sqrt(K) times the bound of X (0 if K = 1).

        A is the block diagonal of the L_{y_i} times the map W -> X W', whose norm is |X|. The rows of L_y are
        e_k - e_y for k != y and 0 for k = y, so L_y L_y' is I + 1 1' on the K - 1 entries k != y. Its largest
        eigenvalue is 1 + (K - 1) = K. No smaller factor suffices: if all y_i are equal, |A| = sqrt(K) |X|.
        """
        slack = 1.0 + 4.0 * float(np.finfo(np.float64).eps)
        return self.storage.norm_bound * float(np.sqrt(self.K)) * slack if self.K > 1 else 0.0


def _classes(y_index: Any, n: int, K: int) -> NDArray[np.intp]:
    if K < 1:
        raise ValueError(f"K must be at least 1, not {K}")
    y = np.asarray(y_index)
    if y.shape != (n,) or y.dtype.kind not in "iu":
        raise ValueError(f"y_index must be {n} integers, but has shape {y.shape} and dtype {y.dtype}")
    if n and not (y.min() >= 0 and y.max() < K):
        raise ValueError(f"y_index must lie in [0, {K}), but reaches from {y.min()} to {y.max()}")
    return y.astype(np.intp)


def _block(v: Vector, shape: tuple[int, int], name: str) -> NDArray[np.float64]:
    v = np.asarray(v, dtype=np.float64)
    if v.shape != (shape[0] * shape[1],):
        raise ValueError(f"{name} has shape {v.shape}, expected ({shape[0] * shape[1]},)")
    return v.reshape(shape)
