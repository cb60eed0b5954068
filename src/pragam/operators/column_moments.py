"""Means and deviations of the columns of X: what standardising takes from training data.

    mean_j = sum_i weight_i x_ij / sum_i weight_i,    deviation_j^2 = sum_i weight_i (x_ij - mean_j)^2 / sum_i weight_i

In two readings. In the first each column is taken relative to its own entry in one row, so that one that never changes
is known exactly, and in the second relative to its mean, in units of its widest entry, so that no square overflows or
vanishes (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The American Statistician 37, 1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.rounding import SAFE
from pragam.operators.base import Vector
from pragam.operators.storage import ColumnMap, Storage
from pragam.operators.storage.base import Array


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
    if storage.in_blocks and (known := storage.known_moments(weights)) is not None:  # type: ignore[attr-defined]
        return Moments(*known)
    n, d = storage.shape
    weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    mass, start = (float(n), 0) if weights is None else (float(weights.sum()), int(np.argmax(weights > 0)))
    if not mass > 0:
        raise ValueError("X cannot be standardised: no row has a weight")
    origin, total, widest = _entries_of(storage, start, d), np.zeros(d), np.zeros(d)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for part in _parts(storage, weights):
            sums, farthest = part.about(origin)
            total += sums
            np.maximum(widest, farthest, out=widest)
        mean, unit = origin + total / mass, np.where(widest > 0, widest, 1.0)
        left, squares = np.zeros(d), np.zeros(d)
        for part in _parts(storage, weights):
            sums, more = part.squares(mean, unit)
            left += sums
            squares += more
        variance = np.maximum(squares / mass - (left / mass) ** 2, 0.0)  # the mean is rounded
        deviation = np.where(widest > 0, unit * np.sqrt(variance), 0.0)
    if not np.isfinite(deviation).all():
        raise ValueError(f"X cannot be standardised: column {int(np.argmin(np.isfinite(deviation)))} overflows float64")
    return Moments(mean, deviation)


class _DensePart(NamedTuple):
    rows: NDArray[np.float64]
    weights: Vector

    def about(self, origin: Vector) -> tuple[Vector, Vector]:
        """(sum_i weight_i (x_ij - origin_j), max |x_ij - origin_j| over rows that have a weight)."""
        moved = self.rows - origin
        return self.weights @ moved, np.abs(moved[self.weights > 0]).max(axis=0, initial=0.0)

    def squares(self, mean: Vector, unit: Vector) -> tuple[Vector, Vector]:
        """(sum_i weight_i t_ij, sum_i weight_i t_ij^2),  t_ij = (x_ij - mean_j) / unit_j."""
        moved = (self.rows - mean) / unit
        return self.weights @ moved, self.weights @ (moved * moved)


class _SparsePart(NamedTuple):
    """Some sparse rows by their stored entries; the rest of each column is 0."""

    data: NDArray[np.float64]
    columns: NDArray[np.intp]
    weights: Vector | None  # of the entries; None: 1
    unstored: NDArray[np.floating[Any]]  # the weights of the rows that store nothing in a column, summed

    @classmethod
    def of(cls, X: sparse.csr_array, weights: Vector | None) -> _SparsePart:
        """Canonical rows, and their weights; rows without a weight are left out."""
        if weights is None:
            columns = X.indices.astype(np.intp, copy=False)
            return cls(X.data, columns, None, float(X.shape[0]) - np.bincount(columns, minlength=X.shape[1]))
        X, weights = X[weights > 0], weights[weights > 0]
        columns, own = X.indices.astype(np.intp, copy=False), np.repeat(weights, np.diff(X.indptr))
        lacks = np.bincount(columns, minlength=X.shape[1]) < len(weights)
        stored = np.bincount(columns, own, minlength=X.shape[1])
        return cls(X.data, columns, own, np.where(lacks, weights.sum() - stored, 0.0))

    def about(self, origin: Vector) -> tuple[Vector, Vector]:
        """As of a dense part."""
        moved = self.data - origin[self.columns]
        farthest: Vector = np.where(self.unstored > 0, np.abs(origin), 0.0)
        np.maximum.at(farthest, self.columns, np.abs(moved))
        return self._sum(moved) - self.unstored * origin, farthest

    def squares(self, mean: Vector, unit: Vector) -> tuple[Vector, Vector]:
        """As of a dense part."""
        moved, zero = (self.data - mean[self.columns]) / unit[self.columns], -mean / unit
        return self._sum(moved) + self.unstored * zero, self._sum(moved * moved) + self.unstored * zero**2

    def _sum(self, terms: Vector) -> Vector:
        """Of each column, with the weights."""
        own = terms if self.weights is None else self.weights * terms
        return np.bincount(self.columns, own, minlength=len(self.unstored)).astype(np.float64, copy=False)


def _parts(storage: Storage, weights: Vector | None) -> Iterator[_DensePart | _SparsePart]:
    first = 0
    for some in storage.parts():
        own = None if weights is None else weights[first : first + some.shape[0]]
        first += some.shape[0]
        kind, arrays = some.rows()
        if kind == "dense":
            yield _DensePart(np.asarray(arrays[0], dtype=np.float64), np.ones(some.shape[0]) if own is None else own)
        else:
            X = sparse.csr_array(tuple(arrays), shape=some.shape)
            if not X.has_canonical_format:
                X = X.astype(np.float64)  # a copy, whose repeated entries can be added
                X.sum_duplicates()
            yield _SparsePart.of(X, own)


def _entries_of(storage: Storage, row: int, d: int) -> Vector:
    """Row i as a vector."""
    kind, arrays = next(storage.part(row, row + 1).parts()).rows()
    if kind == "dense":
        return np.array(arrays[0][0], dtype=np.float64)
    data, indices, indptr = arrays
    return np.bincount(indices[: indptr[-1]], data[: indptr[-1]], minlength=d).astype(np.float64, copy=False)
