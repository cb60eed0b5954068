"""The weights of a sequence model, and what they predict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector
from pragam.operators import check_data
from pragam.structured.inference import ChainScores, best_labels, k_best, label_margins
from pragam.structured.rules import Rules

Indices = NDArray[np.int64]

#: Node scores that are in memory at a time.
_SCORES = 1 << 22


@dataclass(frozen=True, eq=False)
class ChainWeights:
    """Node weights (K, d) and a bias for each label, transitions (K, K) from row to column, starts and ends (K,)."""

    coef: Vector
    intercept: Vector
    transitions: Vector
    start: Vector
    end: Vector
    rules: Rules | None = None

    @classmethod
    def from_vector(cls, w: Vector, K: int, rules: Rules | None) -> ChainWeights:
        """The parts of w = [nodes with the bias as the last column, transitions, starts, ends]."""
        d = (len(w) - K * K - 2 * K) // K
        nodes, transitions, start, end = np.split(w, np.cumsum([K * d, K * K, K]))
        nodes = nodes.reshape(K, d)
        return cls(nodes[:, :-1].copy(), nodes[:, -1].copy(), transitions.reshape(K, K), start, end, rules)

    def to_vector(self) -> Vector:
        """The w that :meth:`from_vector` takes apart."""
        nodes = np.column_stack([self.coef, self.intercept])
        return np.concatenate([nodes.ravel(), self.transitions.ravel(), self.start, self.end])

    def labels(self, X: Any, lengths: Indices) -> Indices:
        """The numbers of the best labels of all tokens."""
        return np.concatenate([_allowed(*best_labels(scores), first) for first, scores in self._scores(X, lengths)])

    def labels_and_margins(self, X: Any, lengths: Indices) -> tuple[Indices, Vector]:
        """The same, and for each token how far its max-marginal is above that of the best other label."""
        pairs = []
        for first, scores in self._scores(X, lengths):
            labels = _allowed(*best_labels(scores), first)
            pairs.append((labels, label_margins(scores, labels)))
        return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])

    def top(self, X: Any, lengths: Indices, k: int) -> list[tuple[Indices, Vector]]:
        """For each sequence its k best labellings and their scores."""
        return [pair for _, scores in self._scores(X, lengths) for pair in k_best(scores, k)]

    def _scores(self, X: Any, lengths: Indices) -> Iterator[tuple[int, ChainScores]]:
        """The scores of all sequences, some sequences at a time, with the number of the first."""
        K, ends = len(self.intercept), np.cumsum(lengths)
        links = self.transitions, self.start, self.end
        if self.rules is not None:
            links = self.rules.forbid(*links)
        i = 0
        while i < len(lengths):
            begin = int(ends[i] - lengths[i])
            j = max(i + 1, int(np.searchsorted(ends, begin + _SCORES // K, side="right")))
            nodes = check_data(X[begin : ends[j - 1]]).matmat(self.coef) + self.intercept
            yield i, ChainScores(nodes, *links, lengths[i:j])
            i = j


def _allowed(labels: Indices, scores: Vector, first: int) -> Indices:
    """The labels, if each sequence has a labelling that is not forbidden; ``first`` is the number of the first one."""
    if np.isneginf(scores).any():
        raise ValueError(f"sequence {first + int(np.argmin(scores))}: every labelling of its length is forbidden")
    return labels
