"""Sequences in a comparison: their labels, and what weights are worth on the test sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.compare.judge import Judge
from pragam.problem import AnyProblem, Problem
from pragam.structured import chain_hinge
from pragam.vector import Vector

Indices = NDArray[np.int64]


class SequenceLabels:
    """The labels 0 .. K-1 of all tokens, and the lengths of the sequences: what ``y`` is on such data."""

    def __init__(self, labels: Indices, lengths: Indices, K: int) -> None:
        self.labels, self.lengths, self.K = labels, lengths, K

    def __len__(self) -> int:
        """Of tokens."""
        return len(self.labels)

    def first(self, sequences: int) -> SequenceLabels:
        """Those of the first few sequences."""
        lengths = self.lengths[:sequences]
        return SequenceLabels(self.labels[: int(lengths.sum())], lengths, self.K)


def chain_problem(X: Any, y: SequenceLabels, lam: float) -> Problem:
    """Max-margin sequence labelling; the loss is the share of wrong labels of a sequence."""
    return chain_hinge(X, y.labels, y.lengths, lam, labels=np.arange(y.K))


class SequenceJudge(Judge):
    """The share of test tokens whose label is right in the best labelling of their sequence."""

    def __init__(self, problem: AnyProblem, X_test: Any, y_test: Any) -> None:
        super().__init__(problem, X_test, np.zeros(len(y_test)))
        self._truth = y_test.labels
        self._tests = chain_problem(X_test, y_test, 1.0).Q.structure if len(y_test) else None

    def accuracy(self, w: Vector, biases: Vector | None = None) -> float:
        if self._tests is None:
            return float("nan")
        return float(np.mean(np.asarray(self._tests.decode(w, 0.0).labels[0]) == self._truth))
