r"""Scores of tokens and transitions from a Gram matrix: the weights are representer coefficients.

::

    A (B, U) = (F, T),   F = (G + nugget I) B,   T = tau U,
    <(B, U), (B', U')> = tr(B' (G + nugget I) B') + tau <U, U'>

In this inner product the adjoint of A is the identity, A' (P, E) = (P, E): the paper's alpha' K alpha without K ever
written out for labels and edges. G is what is stored, in float32 or float64, and each product is summed in float64.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pragam.numerics.rounding import TINY, U, Vector, dot, gamma
from pragam.operators.base import Operator
from pragam.structured.gp.row_blocks import largest_entry, times


class GramScores(Operator):
    """``gram`` (N, N) symmetric, float32 or float64; ``K`` labels; ``tau`` >= 0, the variance of a transition.

    The certificate assumes that G + nugget I is positive semidefinite. Rounding the entries to the precision that they
    are stored in moves the eigenvalues by about sqrt(N) roundings of the largest entry, and a kernel's own arithmetic,
    in float64, by N of its roundings at most, as a rule. The nugget is four times the sum of both.
    """

    rigorous = True

    def __init__(self, gram: Vector, K: int, tau: float, nugget: float | None = None) -> None:
        self.gram, self.K, self.tau, self.n_tokens = gram, K, tau, len(gram)
        self.shape = (self.n_tokens * K + K * K,) * 2
        self.largest = largest_entry(gram)
        moved = sqrt(self.n_tokens) * float(np.finfo(gram.dtype).eps) + 2 * self.n_tokens * U
        self.nugget = 4 * moved * self.largest if nugget is None else nugget
        self._refute()

    def _refute(self) -> None:
        """Refuse a Gram that shows without a factorisation that it is not positive semidefinite: none of its entries is
        larger than the largest on the diagonal, and none there is negative."""
        diagonal = self.gram.diagonal().astype(np.float64)
        low, high = float(diagonal.min(initial=0.0)), float(diagonal.max(initial=0.0))
        if low < -self.nugget or self.largest > high + self.nugget:
            what = f"{low:.3g} on its diagonal" if low < -self.nugget else f"{self.largest:.3g}, and {high:.3g} there"
            raise ValueError(f"the kernel is not positive semidefinite on the tokens: its matrix has {what}")

    def matvec(self, w: Vector) -> Vector:
        return self._product(w, np.dtype(np.float64))

    def fast_matvec(self, w: Vector) -> Vector:
        """A w with products in the precision of the stored Gram, for solvers."""
        return self._product(w, self.gram.dtype)

    def rmatvec(self, alpha: Vector) -> Vector:
        return alpha.copy()

    def fast_rmatvec(self, alpha: Vector) -> Vector:
        """The same, for solvers."""
        return self.rmatvec(alpha)

    def lift(self, w: Vector, is_fast: bool = True) -> Vector:
        """The weights and their representer, (2, d): <v, w> = lift(v)[0] . lift(w)[-1]. One product."""
        return np.stack([w, self.fast_matvec(w) if is_fast else self.matvec(w)])

    def scores(self, lifted: Vector, is_fast: bool = True) -> Vector:
        """A w from lifted weights: their representer."""
        return lifted[1]

    def inner(self, v: Vector, w: Vector) -> float:
        return float(v @ self.matvec(w))

    def norm(self, w: Vector, product: Vector | None = None) -> tuple[float, float]:
        if not w.any():
            return 0.0, 0.0
        scores = self.matvec(w) if product is None else product
        square, rounding = dot(w, scores)
        error = rounding + 1.01 * float(np.abs(w) @ self.matvec_error(w))
        if square < -error:
            raise ArithmeticError(f"the kernel is not positive semidefinite on the tokens: some |w|^2 is {square:.3g}")
        length = sqrt(max(square, 0.0))
        return length, 1.01 * (error / length if length * length > error else sqrt(2 * error))

    def matvec_error(self, w: Vector) -> Vector:
        """gamma(N + 4) max|G| sum_j |B_jk| for the scores of label k."""
        B, coefficients = self._parts(w)
        each = gamma(self.n_tokens + 4) * (self.largest + self.nugget) * np.abs(B).sum(axis=0) + self.n_tokens * TINY
        return np.concatenate(
            [np.tile(each, self.n_tokens), (gamma(2) * self.tau * np.abs(coefficients) + TINY).ravel()]
        )

    def block_scores(self, rows: slice, B: Vector) -> Vector:
        """The scores of these tokens from coefficients in the precision of the Gram, ``working``."""
        return (self.gram[rows] @ B + self.gram.dtype.type(self.nugget) * B[rows]).astype(np.float64)

    def block(self, rows: slice) -> Vector:
        """The Gram of these tokens, a new matrix."""
        own = self.gram[rows, rows].astype(np.float64)
        own[np.diag_indices_from(own)] += self.nugget
        return own

    def working(self, B: Vector) -> Vector:
        """Coefficients in the precision of the Gram."""
        return B.astype(self.gram.dtype)

    def row_norms(self) -> Vector:
        diagonal = np.sqrt(np.maximum(self.gram.diagonal().astype(np.float64), 0.0) + self.nugget)
        return np.concatenate([np.repeat(diagonal, self.K), np.full(self.K**2, sqrt(self.tau))])

    def norm_bound(self) -> float:
        """No eigenvalue of G exceeds N times its largest entry."""
        return sqrt(max(self.n_tokens * self.largest + self.nugget, self.tau)) * (1 + 8 * U)

    @property
    def entries(self) -> int:
        return self.gram.size * self.K

    def _parts(self, w: Vector) -> tuple[Vector, Vector]:
        at = self.n_tokens * self.K
        return w[:at].reshape(self.n_tokens, self.K), w[at:].reshape(self.K, self.K)

    def _product(self, w: Vector, precision: np.dtype) -> Vector:
        B, coefficients = self._parts(w)
        out = np.empty(self.shape[0])
        scores, transitions = self._parts(out)
        times(self.gram, B.astype(precision), scores)
        scores += self.nugget * B
        np.multiply(self.tau, coefficients, out=transitions)
        return out
