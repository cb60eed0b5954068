r"""Scores of tokens and transitions from features: a kernel by its factor, as Nystrom's method makes it.

::

    A (W, V) = (Phi W, sqrt(tau) V),   the Euclidean inner product

The problem is that of the Gram Phi Phi'. Phi is what is stored, in float32 or float64; the certificate sums in float64.
"""

from __future__ import annotations

from functools import cached_property
from math import sqrt

import numpy as np

from pragam.numerics.rounding import TINY, U, Vector, gamma, norm
from pragam.operators.base import Operator
from pragam.structured.gp.row_blocks import BLOCK, times, transposed_times


class FactorScores(Operator):
    """``features`` (N, M), float32 or float64; ``K`` labels; ``tau`` >= 0, the variance of a transition."""

    rigorous = True

    def __init__(self, features: Vector, K: int, tau: float) -> None:
        self.features, self.K, self.tau = features, K, tau
        self.n_tokens, self.n_features = features.shape
        self.root = sqrt(tau)
        self.shape = (self.n_tokens * K + K * K, self.n_features * K + K * K)

    def matvec(self, w: Vector) -> Vector:
        return self._product(w, np.dtype(np.float64))

    def fast_matvec(self, w: Vector) -> Vector:
        """A w with products in the precision of the stored features, for solvers."""
        return self._product(w, self.features.dtype)

    def rmatvec(self, alpha: Vector) -> Vector:
        return self._adjoint(alpha, np.dtype(np.float64))

    def fast_rmatvec(self, alpha: Vector) -> Vector:
        """A' alpha in the precision of the stored features, for solvers."""
        return self._adjoint(alpha, self.features.dtype)

    def lift(self, w: Vector, is_fast: bool = True) -> Vector:
        """The weights, (1, d), which are their own representer: <v, w> = lift(v)[0] . lift(w)[-1]."""
        return w[None]

    def scores(self, lifted: Vector, is_fast: bool = True) -> Vector:
        """A w from lifted weights. One product."""
        return self.fast_matvec(lifted[0]) if is_fast else self.matvec(lifted[0])

    def matvec_error(self, w: Vector) -> Vector:
        W, V = self._weights(w)
        columns = np.linalg.norm(W, axis=0)
        nodes = gamma(self.n_features + 3) * np.outer(self._row_lengths, columns) + self.n_features * TINY
        return np.concatenate([nodes.ravel(), (gamma(2) * self.root * np.abs(V) + TINY).ravel()])

    def rmatvec_error(self, alpha: Vector) -> float:
        """The rounding of every sum over tokens, by Cauchy-Schwarz over the columns of Phi."""
        P, E = self._moments(alpha)
        nodes = gamma(self.n_tokens + 3) * self._frobenius * norm(np.ascontiguousarray(P).reshape(-1))
        return 1.01 * (nodes + gamma(2) * self.root * norm(np.ascontiguousarray(E).reshape(-1))) + self.shape[1] * TINY

    def row_norms(self) -> Vector:
        return np.concatenate([np.repeat(self._row_lengths, self.K), np.full(self.K**2, self.root)])

    def norm_bound(self) -> float:
        return max(self._frobenius, self.root) * (1 + 8 * U)

    @property
    def entries(self) -> int:
        return self.features.size * self.K

    @cached_property
    def _row_lengths(self) -> Vector:
        lengths = np.empty(self.n_tokens)
        for i in range(0, self.n_tokens, BLOCK):
            lengths[i : i + BLOCK] = np.linalg.norm(self.features[i : i + BLOCK].astype(np.float64), axis=1)
        return lengths * (1 + gamma(self.n_features + 2))

    @cached_property
    def _frobenius(self) -> float:
        return norm(self._row_lengths) * (1 + gamma(32))

    def _weights(self, w: Vector) -> tuple[Vector, Vector]:
        at = self.n_features * self.K
        return w[:at].reshape(self.n_features, self.K), w[at:].reshape(self.K, self.K)

    def _moments(self, alpha: Vector) -> tuple[Vector, Vector]:
        at = self.n_tokens * self.K
        return alpha[:at].reshape(self.n_tokens, self.K), alpha[at:].reshape(self.K, self.K)

    def _product(self, w: Vector, precision: np.dtype) -> Vector:
        W, V = self._weights(w)
        out = np.empty(self.shape[0])
        scores, transitions = self._moments(out)
        times(self.features, W.astype(precision), scores)
        np.multiply(self.root, V, out=transitions)
        return out

    def _adjoint(self, alpha: Vector, precision: np.dtype) -> Vector:
        P, E = self._moments(alpha)
        out = np.empty(self.shape[1])
        W, V = self._weights(out)
        transposed_times(self.features, P.astype(precision), W)
        np.multiply(self.root, E, out=V)
        return out
