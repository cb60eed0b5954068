"""Means and deviations of the columns of X: what standardising takes from training data.

    mean_j = sum_i weight_i x_ij / sum_i weight_i,    deviation_j^2 = sum_i weight_i (x_ij - mean_j)^2 / sum_i weight_i

In two readings. In the first each column is taken relative to its own entry in one row, so that one that never changes
is known exactly, and in the second relative to its mean, in units of its widest entry, so that no square overflows or
vanishes (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The American Statistician 37, 1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.rounding import SAFE
from pragam.operators.base import Vector
from pragam.operators.storage import ColumnMap, Storage
from pragam.operators.storage.base import Array

#: Entries that are looked at together.
_PART = 2**18


class Moments(NamedTuple):
    """Of each column; a deviation of 0 is that of a column that never changes, and of no other."""

    mean: Vector
    deviation: Vector


def standardising(storage: Storage, centred: bool, weights: Array | None = None) -> ColumnMap:
    """The map that gives every column the deviation 1 (0 where it never changes) and, if ``centred``, the mean 0."""
    mean, deviation = column_moments(storage, weights)
    bad = (deviation != 0) & ~((deviation > SAFE[0]) & (deviation < SAFE[1]))
    if bad.any():
        j = int(np.argmax(bad))
        raise ValueError(f"X cannot be standardised: column {j} has the standard deviation {deviation[j]:.3g}")
    factor = np.divide(1.0, deviation, out=np.zeros(len(bad)), where=deviation != 0)
    return ColumnMap(factor, mean if centred else None)


def column_moments(storage: Storage, weights: Array | None = None) -> Moments:
    """Those of the rows that have a weight; every row counts the same without weights."""
    n, d = storage.shape
    weights = np.ones(n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    mass = float(weights.sum())
    if not mass > 0:
        raise ValueError("X cannot be standardised: no row has a weight")
    first = _entries_of(storage, int(np.argmax(weights > 0)), d)
    total, widest = np.zeros(d), np.zeros(d)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for part in _parts(storage, weights):
            total += part.sums(first)
            np.maximum(widest, part.widest(first), out=widest)
        mean = first + total / mass
        unit = np.where(widest > 0, widest, 1.0)
        squares, left = np.zeros(d), np.zeros(d)
        for part in _parts(storage, weights):
            squares += part.sums(mean, unit, power=2)
            left += part.sums(mean, unit)
        variance = np.maximum(squares / mass - (left / mass) ** 2, 0.0)  # the mean is rounded
        deviation = np.where(widest > 0, unit * np.sqrt(variance), 0.0)
    if not np.isfinite(deviation).all():
        raise ValueError(f"X cannot be standardised: column {int(np.argmin(np.isfinite(deviation)))} overflows float64")
    return Moments(mean, deviation)


class _DensePart(NamedTuple):
    rows: NDArray[np.float64]
    weights: Vector

    def sums(self, origin: Vector, unit: Vector | float = 1.0, power: int = 1) -> Vector:
        """sum_i weight_i ((x_ij - origin_j) / unit_j)^power."""
        moved = (self.rows - origin) / unit
        found: Vector = self.weights @ (moved if power == 1 else moved * moved)
        return found

    def widest(self, origin: Vector) -> Vector:
        """max |x_ij - origin_j| over rows that have a weight."""
        found: Vector = np.abs(self.rows[self.weights > 0] - origin).max(axis=0, initial=0.0)
        return found


class _SparsePart(NamedTuple):
    """Some sparse rows by their stored entries; the rest of each column is 0."""

    data: NDArray[np.float64]
    columns: NDArray[np.intp]
    weights: Vector  # of the entries
    unstored: Vector  # the weights of the rows that store nothing in a column, summed

    @classmethod
    def of(cls, X: sparse.csr_array, weights: Vector) -> _SparsePart:
        """Canonical rows, and their weights."""
        columns, lengths = X.indices.astype(np.intp), np.diff(X.indptr)
        own = np.repeat(weights, lengths)
        stored = np.bincount(columns, own, minlength=X.shape[1])
        count = np.bincount(columns[own > 0], minlength=X.shape[1])
        lacks = count < np.count_nonzero(weights)
        return cls(X.data.astype(np.float64), columns, own, np.where(lacks, weights.sum() - stored, 0.0))

    def sums(self, origin: Vector, unit: Vector | float = 1.0, power: int = 1) -> Vector:
        """As of a dense part."""
        units = np.broadcast_to(unit, len(origin))
        moved = ((self.data - origin[self.columns]) / units[self.columns]) ** power
        stored = np.bincount(self.columns, self.weights * moved, minlength=len(origin))
        found: Vector = stored + self.unstored * (-origin / units) ** power
        return found

    def widest(self, origin: Vector) -> Vector:
        """As of a dense part."""
        found: Vector = np.where(self.unstored > 0, np.abs(origin), 0.0)
        seen = self.weights > 0
        columns = self.columns[seen]
        np.maximum.at(found, columns, np.abs(self.data[seen] - origin[columns]))
        return found


def _parts(storage: Storage, weights: Vector) -> Iterator[_DensePart | _SparsePart]:
    n = storage.shape[0]
    step = max(1, _PART * n // max(storage.stored, 1))
    for k in range(0, n, step):
        some, own = storage.part(k, min(k + step, n)), weights[k : k + step]
        kind, arrays = some.rows()
        if kind == "dense":
            yield _DensePart(np.asarray(arrays[0], dtype=np.float64), own)
        else:
            X = sparse.csr_array(tuple(arrays), shape=some.shape)
            if not X.has_canonical_format:
                X = X.astype(np.float64)  # a copy, whose repeated entries can be added
                X.sum_duplicates()
            yield _SparsePart.of(X, own)


def _entries_of(storage: Storage, row: int, d: int) -> Vector:
    """Row i as a vector."""
    kind, arrays = storage.part(row, row + 1).rows()
    if kind == "dense":
        return np.array(arrays[0][0], dtype=np.float64)
    data, indices, indptr = arrays
    return np.bincount(indices[: indptr[-1]], data[: indptr[-1]], minlength=d).astype(np.float64, copy=False)
