"""X with a last column of one number, which is not stored: the constant feature whose weights are biases."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector, times
from pragam.operators.storage.compressed import Csr
from pragam.operators.storage.dense import Dense


class WithConstant(Storage):
    """[X, value] on the memory of X, a column of ones by default.

    Products that training and certificates need add the column themselves. What walks rows, and products in twice the
    precision, get a copy of [X, value], which is not kept. Their rounding is that of the copy: one product, one sum.
    """

    rigorous = True

    def __init__(self, storage: Storage, value: float = 1.0) -> None:
        if not isfinite(value):
            raise ValueError(f"value must be a finite number, not {value!r:.40}")
        n, d = storage.shape
        self.value = float(value)
        self.storage, self.shape, self.stored = storage, (n, d + 1), storage.stored + n
        self.rigorous, self.lacks = type(self).rigorous and storage.rigorous, storage.lacks
        self.is_dense = storage.is_dense

    def _whole(self) -> Storage:
        """A copy with the column in it."""
        kind, arrays = self.storage.rows()
        n, d = self.storage.shape
        dtype = self._dtype(arrays[0].dtype)
        if kind == "dense":
            return Dense(np.column_stack([arrays[0], np.full(n, self.value, dtype=dtype)]))
        data, indices, indptr = arrays
        data, ends = data[: indptr[-1]].astype(dtype, copy=False), indptr[1:]
        values, columns = np.insert(data, ends, self.value), np.insert(indices[: indptr[-1]], ends, d)
        return Csr((values, columns, indptr + np.arange(n + 1)), self.shape)

    def _dtype(self, own: Any) -> Any:
        """That of X, or float64 if it would round the value."""
        with np.errstate(over="ignore", under="ignore"):
            return own if float(own.type(self.value)) == self.value else np.dtype(np.float64)

    @property
    def T(self) -> Storage:  # noqa: N802
        return self._whole().T

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        w = as_vector(w, self.shape[1], "w")
        return times(scale, self.storage.matvec(w[:-1]) + self.value * w[-1])

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        alpha = times(scale, as_vector(alpha, self.shape[0], "alpha"))
        return np.append(self.storage.rmatvec(alpha), self.value * alpha.sum())

    def matvecs(self, W: Array) -> Array:
        return self.storage.matvecs(W[:, :-1]) + self.value * W[:, -1:]

    def rmatvecs(self, B: Array) -> Array:
        sums = np.array([alpha.sum() for alpha in B])
        return np.column_stack([self.storage.rmatvecs(B), self.value * sums])

    def matmat(self, W: Array) -> Array:
        out = self.storage.matmat(W[:, :-1])
        out += self.value * W[:, -1]
        return out

    def rmatmat(self, B: Array) -> Array:
        return np.column_stack([self.storage.rmatmat(B), self.value * B.sum(axis=0)])

    def add_rmatmat(self, B: Array, out: Array) -> None:
        self.storage.add_rmatmat(B, out[:-1])
        out[-1] += self.value * B.sum(axis=0)

    def part(self, first: int, last: int) -> WithConstant:
        return WithConstant(self.storage.part(first, last), self.value)

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        return self._whole().rows()

    def split_constant(self) -> tuple[Storage, bool]:
        return (self.storage, True) if self.value == 1.0 else (self._whole(), False)

    def take(self, rows: Array) -> WithConstant:
        return WithConstant(self.storage.take(rows), self.value)

    def gram(self) -> Array:
        return self.storage.gram() + self.value**2

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        self._whole().add_outer(rows, weights, out)

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        norms2, sizes2, most = self.storage._row_squares(power, rows)
        square = (power * self.value) ** 2
        more = norms2 + square
        return more, more if sizes2 is norms2 else sizes2 + square, most

    @property
    def counts(self) -> NDArray[np.int64] | int:
        return self.storage.counts + 1

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_row, by_column = self.storage.abs_sums()
        return by_row + abs(self.value), np.append(by_column, self.shape[0] * abs(self.value))

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        return self._whole().twofold_matvec(w)

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        return self._whole().running_columns(alpha)

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        return self._whole().twofold_columns(alpha)
