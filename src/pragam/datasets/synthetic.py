"""Synthetic rows that look like those of a known data set. They stand in where the set itself is not at hand.

All randomness comes from the raw numbers of PCG64(seed), which NumPy promises to keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pragam.datasets.preparation import unit_rows
from pragam.datasets.record import Data, Parts

#: Word j of a text has a frequency in proportion to 1 / (j + _COMMON). 10 leaves no word in nearly every document.
_COMMON = 10.0
#: The spread of the lengths of documents: the standard deviation of their logarithm.
_SPREAD = 0.5
#: The weight of word j in the model behind the labels decays as 1 / (1 + j / _TELLING). A training set hardly holds the
#: rare words, so nothing could be learnt if they decided.
_TELLING = 100.0
#: The share of labels that contradict the model which made them.
_NOISE = 0.05


class _Uniform:
    """Numbers in (0, 1), the same for a seed on every machine."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def __call__(self, n: int) -> np.ndarray:
        return ((self._bits.random_raw(n) >> np.uint64(11)) + 0.5) * 2.0**-53

    def normal(self, n: int) -> np.ndarray:
        """Standard normal numbers, by Box and Muller's formula."""
        return np.sqrt(-2 * np.log(self(n))) * np.cos(2 * np.pi * self(n))


@dataclass(frozen=True)
class Text:
    """Documents of ``n`` training and ``n_test`` test rows, with ``per_row`` of ``d`` words in the mean, by Zipf's law.

    The entries are ones, or tf-idf weights in rows of unit length if ``unit``. The labels are those of a
    linear model, the share ``positive`` of them +1, with 5 % of them drawn anew.
    """

    n: int
    n_test: int
    d: int
    per_row: float
    seed: int
    positive: float = 0.5
    unit: bool = True

    def make(self) -> Parts:
        """Training rows and test rows."""
        uniform = _Uniform(self.seed)
        rows = self.n + self.n_test
        spread = np.exp(_SPREAD * uniform.normal(rows) - _SPREAD**2 / 2)
        lengths = np.maximum(1, np.rint(self._draws() * spread)).astype(np.int64)
        words = np.floor(_COMMON * ((self.d / _COMMON + 1) ** uniform(int(lengths.sum())) - 1))  # inverts the integral
        indices = np.minimum(words, self.d - 1).astype(np.int32)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        X = sparse.csr_array((np.ones(len(indices)), indices, indptr), shape=(rows, self.d))
        X.sum_duplicates()
        if self.unit:
            X.data = (1 + np.log(X.data)) * np.log1p((X.indices + _COMMON) / _COMMON)  # rare words count more
            unit_rows(X)
        else:
            X.data[:] = 1
        scores: Any = X @ (uniform.normal(self.d) / (1 + np.arange(self.d) / _TELLING))
        return _cut((X, _labels(scores, self.positive, uniform)), self.n)

    def _draws(self) -> float:
        """How many words to draw for ``per_row`` different ones: the root of sum_j (1 - (1 - p_j)^m) = per_row."""
        edges = np.log1p(np.arange(self.d + 1) / _COMMON)
        never = np.log1p(-np.diff(edges) / edges[-1])
        low, high = self.per_row, 20 * self.per_row
        while high - low > 0.01 * low:  # the lengths of documents differ much more
            middle = (low + high) / 2
            low, high = (low, middle) if -np.expm1(middle * never).sum() > self.per_row else (middle, high)
        return high


@dataclass(frozen=True)
class Table:
    """Rows of a table: ``quantities`` numbers in [0, 1], and a one for the level of each categorical attribute.

    Level k of an attribute has a frequency in proportion to 1 / (k + 1). The labels are made as those of :class:`Text`.
    """

    n: int
    n_test: int
    quantities: int
    levels: tuple[int, ...]
    seed: int
    positive: float = 0.5

    def make(self) -> Parts:
        """Training rows and test rows."""
        uniform = _Uniform(self.seed)
        rows = self.n + self.n_test
        values = [uniform(rows) for _ in range(self.quantities)]
        columns = [np.full(rows, j) for j in range(self.quantities)]
        first = self.quantities
        for level in self.levels:
            reach = np.cumsum(1 / np.arange(1, level + 1))
            columns.append(first + np.searchsorted(reach / reach[-1], uniform(rows)))
            first += level
        values += [np.ones(rows)] * len(self.levels)
        indptr = np.arange(rows + 1, dtype=np.int32) * len(columns)
        indices = np.column_stack(columns).astype(np.int32).ravel()
        X = sparse.csr_array((np.column_stack(values).ravel(), indices, indptr), shape=(rows, first))
        return _cut((X, _labels(X @ uniform.normal(first), self.positive, uniform)), self.n)


def _labels(scores: np.ndarray, positive: float, uniform: _Uniform) -> np.ndarray:
    """+1 for the highest scores, and for the share ``_NOISE`` of the rows by chance."""
    chance = uniform(len(scores)) < _NOISE
    above = scores > np.quantile(scores, 1 - positive)
    return np.where(np.where(chance, uniform(len(scores)) < positive, above), 1.0, -1.0)


def _cut(rows: Data, n: int) -> Parts:
    X, y = rows
    return [(X[:n], y[:n]), (X[n:], y[n:])]
