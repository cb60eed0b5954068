r"""Mean and scale of every column, in one reading and a part of the rows at a time.

    mean_j = sum_i v_i x_ij / V,    scale_j^2 = sum_i v_i (x_ij - mean_j)^2 / V,    V = sum_i v_i

with v_i = 1 where rows have no weights.

A part has its own mean and its sum of squares M about that. Two parts are one (Chan, Golub and LeVeque, 1983):

    mean = mean_1 + (V_2 / V) (mean_2 - mean_1),    M = M_1 + M_2 + (V_1 V_2 / V) (mean_2 - mean_1)^2.

So no large sums of squares cancel. That a column is constant is found by comparing its values, not by M = 0, which
rounding hides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.storage import Csr, Storage

Vector = NDArray[np.float64]

#: The mass of a part; of each column the mean, the sum of squares about it, and whether it differs from the first row.
_Seen = tuple[float, Vector, Vector, NDArray[np.bool_]]
#: Squares of numbers in between are normal, and so are sums of 2^60 of them.
_SHARP = 2.0**-500, 2.0**480


@dataclass(frozen=True, eq=False)
class Columns:
    """Of each column: its mean, its scale (the standard deviation of the population), and whether it is constant.

    A constant column has its value for a mean, and the scale 0. No other has.
    """

    mean: Vector
    scale: Vector
    constant: NDArray[np.bool_]

    @property
    def are_sharp(self) -> bool:
        """Whether no square that the scales were made of has overflowed or lost digits."""
        return bool((self.constant | ((self.scale > _SHARP[0]) & (self.scale < _SHARP[1]))).all())

    def table(self) -> Vector:
        """As the rows of an array."""
        return np.stack([self.mean, self.scale, self.constant.astype(np.float64)])

    @classmethod
    def of(cls, table: NDArray[Any]) -> Columns:
        """From ``table``."""
        return cls(table[0], table[1], table[2] != 0)


def columns_of(parts: Iterable[tuple[Storage, Vector | None]], d: int) -> Columns:
    """Of the rows of all parts, with their weights. Memory: some vectors of length d, and a few times a part."""
    moments = Moments(d)
    for X, weights in parts:
        moments.add(X, weights)
    return moments.columns()


class Moments:
    """What is known of the columns after some parts."""

    def __init__(self, d: int) -> None:
        self._mass = 0.0
        self._mean, self._squares = np.zeros(d), np.zeros(d)
        self._first: Vector | None = None  # the first row
        self._constant = np.ones(d, bool)

    def add(self, X: Storage, weights: Vector | None = None) -> None:
        """Some rows more. Rows of weight 0 do not count."""
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            X, weights = X.take(kept), weights[kept]
        if not X.shape[0]:
            return
        kind, arrays = X.rows()
        if self._first is None:
            self._first = _first_row(X)
        with np.errstate(over="ignore", under="ignore"):  # which the scales show
            mass, mean, squares, differs = (_dense if kind == "dense" else _csr)(arrays, weights, X.shape, self._first)
            self._merge(mass, mean, squares)
        self._constant &= ~differs

    def columns(self) -> Columns:
        """Of what was added so far."""
        if self._first is None:
            raise ValueError("there is no row of a weight above 0, so columns have no mean")
        least = np.nextafter(0.0, 1.0)  # of squares that vanish: only what is constant has the scale 0
        scale = np.where(self._constant, 0.0, np.maximum(np.sqrt(self._squares / self._mass), least))
        return Columns(np.where(self._constant, self._first, self._mean), scale, self._constant.copy())

    def _merge(self, mass: float, mean: Vector, squares: Vector) -> None:
        whole = self._mass + mass
        step = mean - self._mean
        self._squares += squares
        self._squares += step * step * (self._mass * mass / whole)
        self._mean += step * (mass / whole)
        self._mass = whole


def _first_row(X: Storage) -> Vector:
    row = np.zeros(X.shape[1])
    kind, arrays = X.part(0, 1).rows()
    if kind == "dense":
        row[:] = arrays[0][0]
    else:
        row[arrays[1]] = arrays[0]
    return row


def _dense(arrays: Any, weights: Vector | None, shape: tuple[int, int], first: Vector) -> _Seen:
    """Of a part: its mass, the means of its columns, their sums of squares about these, and which differ from the first
    row."""
    X = np.asarray(arrays[0], dtype=np.float64)
    v = np.ones(shape[0]) if weights is None else weights
    mass = float(v.sum())
    mean = v @ X / mass
    apart = X - mean
    return mass, mean, np.einsum("i,ij,ij->j", v, apart, apart), (first != X).any(axis=0)


def _csr(arrays: Any, weights: Vector | None, shape: tuple[int, int], first: Vector) -> _Seen:
    """The same where the entries that are not stored are zeros."""
    data, indices, indptr = arrays
    v = np.ones(shape[0]) if weights is None else weights
    mass = float(v.sum())

    def sums(values: NDArray[Any]) -> Vector:
        return Csr((values, indices, indptr), shape).rmatvec(v)

    mean = sums(data) / mass
    squares, stored, differs = np.empty(len(data)), np.empty(shape[1]), np.zeros(shape[1], bool)
    _kernels.get("csr_column_facts")(data, indices, mean, first, squares, stored, differs)
    differs |= (first != 0) & (stored < shape[0])
    held = stored if weights is None else sums(np.ones(len(data)))
    return mass, mean, sums(squares) + np.maximum(mass - held, 0) * mean**2, differs
