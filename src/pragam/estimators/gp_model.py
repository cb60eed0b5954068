"""What a Gaussian-process labeller computes: its problem from tokens, and scores of new tokens from its weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.estimators.token_gram import BLOCK, KernelFunction, Tokens, gram, kernel_function, scores
from pragam.estimators.token_kernel import TokenKernel
from pragam.problem import AnyProblem
from pragam.structured.gp import ChainMoments, FactorScores, GramScores, gp_sequences
from pragam.threads import one_blas_thread
from pragam.vector import Vector

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """What determines the kernel between tokens, and how it is stored."""

    kernel: Any
    transition_scale: float
    nodes: str
    precision: str
    n_landmarks: int | None
    random_state: Any

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
    coefficients: Vector  # (tokens or features, K)
    transitions: Vector  # (K, K)

    @classmethod
    def posed(
        cls, options: Options, X: Any, lengths: Indices, labels: Indices, K: int, lam: float
    ) -> tuple[GPModel, AnyProblem]:
        """The model before training, and its problem."""
        tokens, tau = Tokens(X, lengths, options.nodes), options.transition_scale
        A: GramScores | FactorScores
        empty = np.empty((0, K)), np.zeros((K, K))
        with one_blas_thread():
            if options.n_landmarks is None:
                model = cls(options, tokens, None, K, *empty)
                A = GramScores(gram(tokens, options.function, options.precision), K, tau)
            else:
                model = cls(options, None, _landmarks(options, X), K, *empty)
                A = FactorScores(model._phi(tokens), K, tau)
        return model, gp_sequences(A, labels, lengths, lam)

    def with_weights(self, w: Vector) -> GPModel:
        """The trained model."""
        tau, at = self.options.transition_scale, len(w) - self.K**2
        scale = tau if self.features is None else np.sqrt(tau)
        nodes, edges = w[:at].reshape(-1, self.K), scale * w[at:].reshape(self.K, self.K)
        return replace(self, coefficients=nodes, transitions=edges)

    def scores(self, X: Any, lengths: Indices) -> Vector:
        """The scores of the labels of new tokens, (tokens, K)."""
        new = Tokens(X, lengths, self.options.nodes)
        with one_blas_thread():
            if self.tokens is None:
                return self._phi(new).astype(np.float64) @ self.coefficients
            return scores(new, self.tokens, self.options.function, self.coefficients)

    def labels(self, X: Any, lengths: Indices) -> Indices:
        """The most probable labelling of each sequence."""
        Q = ChainMoments(np.zeros(int(lengths.sum()), dtype=np.int64), lengths, self.K)
        return Q.best_labels(np.concatenate([self.scores(X, lengths).ravel(), self.transitions.ravel()]))

    def _phi(self, tokens: Tokens) -> Vector:
        """Nystrom features, block by block."""
        assert self.features is not None
        out = np.empty((len(tokens), self.features.map.shape[1]), dtype=self.options.precision)
        fast = replace(self.features, kernel=self.options.function)
        for i in range(0, len(tokens), BLOCK):
            rows = slice(i, min(i + BLOCK, len(tokens)))
            out[rows] = fast.transform(tokens.X[rows]) * tokens.count[rows, None]
        return out


def _landmarks(options: Options, X: Any) -> TokenKernel:
    if options.nodes == "by_position":
        raise ValueError("nodes='by_position' needs n_landmarks=None: its kernel is not one of features alone")
    # The kernel itself is kept, not the function made of it: a model can be pickled and copied.
    found = TokenKernel.fit(X, options.function, None, options.n_landmarks, options.random_state)
    return replace(found, kernel=options.kernel)
