"""What a Gaussian-process labeller computes: its problem from tokens, and scores of new tokens from its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.estimators.temperature import marginals
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.runtime.threads import one_blas_thread
from pragam.structured.gp import ChainMoments, FactorScores, GramScores, Rules, gp_sequences
from pragam.structured.kernels import KernelFunction, TokenKernel, Tokens, gram_matrix, kernel_function, kernel_scores
from pragam.structured.kernels.gram import BLOCK

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """What determines the kernel between tokens and how it is stored, and which labellings there are."""

    kernel: Any
    transition_scale: float
    nodes: str
    precision: str
    rules: Rules | None = None

    @property
    def function(self) -> KernelFunction:
        return kernel_function(self.kernel)


@dataclass(frozen=True, eq=False)
class GPModel:
    """Coefficients of the training tokens' kernel functions, or weights of Nystrom features, and transitions."""

    options: Options
    tokens: Tokens | None  # of the training data; None with features
    features: TokenKernel | None
    K: int
    w: Vector

    @classmethod
    def untrained(
        cls, options: Options, X: Any, lengths: Indices, K: int, n_landmarks: int | None, random_state: Any
    ) -> GPModel:
        """The model before training, of the kernel on all tokens or on some of them."""
        if n_landmarks is None:
            return cls(options, Tokens(X, lengths, options.nodes), None, K, np.empty(0))
        with one_blas_thread():
            return cls(options, None, _landmarks(options, X, n_landmarks, random_state), K, np.empty(0))

    def problem(self, X: Any, lengths: Indices, labels: Indices, lam: float) -> AnyProblem:
        """That of its training on these tokens."""
        options, tokens = self.options, Tokens(X, lengths, self.options.nodes)
        A: GramScores | FactorScores
        with one_blas_thread():
            if self.features is None:
                A = GramScores(
                    gram_matrix(tokens, options.function, options.precision), self.K, options.transition_scale
                )
            else:
                A = FactorScores(self._phi(tokens), self.K, options.transition_scale)
        return gp_sequences(A, labels, lengths, lam, options.rules)

    @property
    def rows(self) -> Any:
        """The features of the tokens, or landmarks, whose kernel functions it is made of."""
        return self.tokens.X if self.features is None else self.features.landmarks  # type: ignore[union-attr]

    @property
    def coefficients(self) -> Vector:
        """Of the tokens or features, (n, K)."""
        return self.w[: len(self.w) - self.K**2].reshape(-1, self.K)

    @property
    def transitions(self) -> Vector:
        """Scores, (K, K)."""
        tau = self.options.transition_scale
        return (tau if self.features is None else np.sqrt(tau)) * self.w[-(self.K**2) :].reshape(self.K, self.K)

    def scores(self, X: Any, lengths: Indices) -> Vector:
        """The scores of the labels of new tokens, (tokens, K)."""
        new = Tokens(X, lengths, self.options.nodes)
        with one_blas_thread():
            if self.tokens is None:
                return self._phi(new).astype(np.float64) @ self.coefficients
            return kernel_scores(new, self.tokens, self.options.function, self.coefficients)

    def labels(self, X: Any, lengths: Indices) -> Indices:
        """The most probable labelling of each sequence. Sequences may be empty."""
        lengths = lengths[lengths > 0]
        if not len(lengths):
            return np.empty(0, dtype=np.int64)
        Q = ChainMoments(np.zeros(int(lengths.sum()), dtype=np.int64), lengths, self.K, self.options.rules)
        return Q.best_labels(np.concatenate([self.scores(X, lengths).ravel(), self.transitions.ravel()]))

    def marginals(self, X: Any, lengths: Indices, temperature: float) -> Vector:
        """The probabilities of the labels of every token, (tokens, K). Sequences may be empty."""
        lengths = lengths[lengths > 0]
        if not len(lengths):
            return np.empty((0, self.K))
        return marginals(self.scores(X, lengths), self.transitions, lengths, self.options.rules, temperature)

    def _phi(self, tokens: Tokens) -> Vector:
        """Nystrom features, block by block."""
        assert self.features is not None
        out = np.empty((len(tokens), self.features.map.shape[1]), dtype=self.options.precision)
        for i in range(0, len(tokens), BLOCK):
            rows = slice(i, min(i + BLOCK, len(tokens)))
            out[rows] = self.features.transform(tokens.X[rows]) * tokens.count[rows, None]
        return out


def _landmarks(options: Options, X: Any, n_landmarks: int, random_state: Any) -> TokenKernel:
    if options.nodes == "by_position":
        raise ValueError("nodes='by_position' needs n_landmarks=None: its kernel is not one of features alone")
    return TokenKernel.fit(X, options.kernel, None, n_landmarks, random_state)
