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
        """The numbers of the best labels of all tokens. Sequences may be empty."""
        found = [_allowed(*best_labels(scores), numbers) for numbers, scores in self._scores(X, lengths)]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    def labels_and_margins(self, X: Any, lengths: Indices) -> tuple[Indices, Vector]:
        """The same, and for each token how far its max-marginal is above that of the best other label."""
        found, margins = [np.empty(0, dtype=np.int64)], [np.empty(0)]
        for numbers, scores in self._scores(X, lengths):
            found.append(_allowed(*best_labels(scores), numbers))
            margins.append(label_margins(scores, found[-1]))
        return np.concatenate(found), np.concatenate(margins)

    def top(self, X: Any, lengths: Indices, k: int) -> list[tuple[Indices, Vector]]:
        """For each sequence that has tokens its k best labellings and their scores."""
        return [pair for _, scores in self._scores(X, lengths) for pair in k_best(scores, k)]

    def _scores(self, X: Any, lengths: Indices) -> Iterator[tuple[Indices, ChainScores]]:
        """The scores of all sequences that have tokens, some sequences at a time, with their numbers."""
        numbers = np.flatnonzero(lengths)
        lengths = lengths[numbers]
        K, ends = len(self.intercept), np.cumsum(lengths)
        links = self.transitions, self.start, self.end
        if self.rules is not None:
            links = self.rules.forbid(*links)
        i = 0
        while i < len(lengths):
            begin = int(ends[i] - lengths[i])
            j = max(i + 1, int(np.searchsorted(ends, begin + _SCORES // K, side="right")))
            nodes = check_data(X[begin : ends[j - 1]]).matmat(self.coef) + self.intercept
            yield numbers[i:j], ChainScores(nodes, *links, lengths[i:j])
            i = j


def _allowed(labels: Indices, scores: Vector, numbers: Indices) -> Indices:
    """The labels, if each sequence has a labelling that is not forbidden; ``numbers`` are those of the sequences."""
    if np.isneginf(scores).any():
        raise ValueError(f"sequence {numbers[int(np.argmin(scores))]}: every labelling of its length is forbidden")
    return labels
