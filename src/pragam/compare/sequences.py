"""Sequences in a comparison: their features and labels, and what weights are worth on the test sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.compare.judge import Judge
from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem, Problem
from pragam.sequences import ColumnData, Template, Vocabulary, chunk_scores, default_template
from pragam.structured import chain_hinge
from pragam.structured.tags import are_tags

Indices = NDArray[np.int64]


class SequenceLabels:
    """The labels of all tokens, and the lengths of the sequences: what ``y`` is on such data.

    Labels are 0 .. K-1, those of the training sequences. A number from K on is a label that only occurs in the test
    sequences. ``names`` has a name for each number.
    """

    def __init__(self, labels: Indices, lengths: Indices, K: int, names: Sequence[str]) -> None:
        self.labels, self.lengths, self.K, self.names = labels, lengths, K, list(names)

    def __len__(self) -> int:
        """Of tokens."""
        return len(self.labels)

    def first(self, sequences: int) -> SequenceLabels:
        """Those of the first few sequences."""
        lengths = self.lengths[:sequences]
        return SequenceLabels(self.labels[: int(lengths.sum())], lengths, self.K, self.names)


def features(train: Any, test: Any) -> tuple[Any, Any]:
    """The rows of training and test tokens, with a column of ones: a bias of each label, for all competitors.

    Columns of strings become the features of the default template. Those that only occur in test sequences have none.
    """
    if isinstance(train.X, list):
        template = Template(default_template(len(train.X)))
        lines = [template.occurrences(ColumnData(part.X, part.lengths)) for part in (train, test)]
        vocabulary = Vocabulary.of_occurrences(lines[0])
        X, X_test = (vocabulary.vectorise_occurrences(each).X for each in lines)
    else:
        X, X_test = train.X, test.X
    return _with_ones(X), _with_ones(X_test)


def _with_ones(X: Any) -> Any:
    """X and a last column of ones, stored: peers read the same matrix."""
    ones = np.ones((X.shape[0], 1))
    if not sparse.issparse(X):
        return np.hstack([X, ones])
    blocks: list[Any] = [X, ones]
    return sparse.hstack(blocks, format="csr")


def chain_problem(X: Any, y: SequenceLabels, lam: float) -> Problem:
    """Max-margin sequence labelling; the loss is the share of wrong labels of a sequence."""
    return chain_hinge(X, y.labels, y.lengths, lam, labels=np.arange(y.K))


class SequenceJudge(Judge):
    """The best labelling of each test sequence: its share of right labels and, of IOB tags, the F1 of chunks."""

    def __init__(self, problem: AnyProblem, X_test: Any, y_test: Any) -> None:
        super().__init__(problem, X_test, np.zeros(len(y_test)))
        self._truth, self._has_chunks = y_test, are_tags(y_test.names)
        self._tests: Any = None
        if len(y_test):
            known = np.where(y_test.labels < y_test.K, y_test.labels, 0)
            self._tests = chain_hinge(X_test, known, y_test.lengths, labels=np.arange(y_test.K)).Q.structure

    def accuracy(self, w: Vector, biases: Vector | None = None) -> float:
        if self._tests is None:
            return float("nan")
        return float(np.mean(self._labels(w) == self._truth.labels))

    def chunk_f1(self, w: Vector) -> float:
        if self._tests is None or not self._has_chunks:
            return float("nan")
        names = np.array(self._truth.names)
        return chunk_scores(names[self._truth.labels], names[self._labels(w)], self._truth.lengths)["all"].f1

    def _labels(self, w: Vector) -> Indices:
        return np.asarray(self._tests.decode(w, 0.0).labels[0])
