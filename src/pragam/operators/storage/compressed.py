"""X in compressed sparse rows or columns: each is the transpose of the other, on the same memory."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from pragam import _kernels
from pragam._kernels.blocks.records import padded
from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector, three, times, with_sizes
from pragam.runtime import interrupts
from pragam.runtime.threads import n_threads

#: ``csr_rmatvec`` sums all rows in one part where there are fewer entries than this,
_ONE_PART = 2**18
#: or fewer than this for each column; else in several, whose sums are added.
_ONE_PART_COLUMN = 128
#: Above this density a product of sparse matrices costs more than a dense product by BLAS.
_DENSE_ENOUGH = 0.1


class Csr(Storage):
    """Compressed rows: row i has ``data[p]`` in column ``indices[p]``, indptr[i] <= p < indptr[i+1].

    The kernels' pulse begins anew with each product, so Ctrl-C is checked before each: many short ones may take long.
    """

    rigorous = True

    def __init__(self, arrays: tuple[Array, Array, Array], shape: tuple[int, int]) -> None:
        self.arrays = arrays
        self.shape = shape
        self.stored = int(arrays[2][-1])

    @property
    def T(self) -> Csc:  # noqa: N802
        return Csc(self)

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        out = np.empty(self.shape[0])
        interrupts.check()
        _kernels.get("csr_matvec")(*self.arrays, scale, as_vector(w, self.shape[1], "w"), out, n_threads(self.stored))
        return out

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        out = np.empty(self.shape[1])
        interrupts.check()
        _kernels.get("csr_rmatvec")(
            *self.arrays, scale, as_vector(alpha, self.shape[0], "alpha"), out, n_threads(self.stored)
        )
        return out

    def matvecs(self, W: Array) -> Array:
        """By one reading of X."""
        return np.ascontiguousarray(self.matmat(W).T)

    def rmatvecs(self, B: Array) -> Array:
        """By one reading of X where ``rmatvec`` sums the rows one after the other, as ``rmatmat`` does."""
        is_one_part = self.stored < max(_ONE_PART, _ONE_PART_COLUMN * self.shape[1])
        return self.rmatmat(B.T) if is_one_part else super().rmatvecs(B)

    def matmat(self, W: Array) -> Array:
        out, table = np.empty((self.shape[0], len(W))), np.zeros((self.shape[1], padded(len(W))))
        table[:, : len(W)] = W.T
        _kernels.get("csr_matmat")(*self.arrays, table, out, n_threads(self.stored))
        return out

    def rmatmat(self, B: Array) -> Array:
        out = np.zeros((self.shape[1], B.shape[1]))
        self.add_rmatmat(B, out)
        return np.ascontiguousarray(out.T)

    def add_rmatmat(self, B: Array, out: Array) -> None:
        _kernels.get("csr_rmatmat")(*self.arrays, np.ascontiguousarray(B), out)

    def part(self, first: int, last: int) -> Csr:
        data, indices, indptr = self.arrays
        begin, end = int(indptr[first]), int(indptr[last])
        arrays = data[begin:end], indices[begin:end], indptr[first : last + 1] - begin
        return Csr(arrays, (last - first, self.shape[1]))

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        return "csr", self.arrays

    def take(self, rows: Array) -> Csr:
        data, indices, indptr = self.arrays
        ends = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(indptr[rows + 1] - indptr[rows], out=ends[1:])
        copy = np.empty(ends[-1], data.dtype), np.empty(ends[-1], indices.dtype)
        _kernels.get("csr_take")(*self.arrays, rows, *copy, ends, n_threads(len(copy[0])))
        return Csr((*copy, ends), (len(rows), self.shape[1]))

    def gram(self) -> Array:
        data, indices, indptr = self.arrays
        X = sparse.csr_array((data.astype(np.float64), indices, indptr), shape=self.shape)
        if self.stored > _DENSE_ENOUGH * self.shape[0] * self.shape[1]:
            dense = X.toarray()
            return np.asarray(dense @ dense.T)
        return np.asarray((X @ X.T).toarray())

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        _kernels.get("csr_gram_add")(*self.arrays, rows, weights, self.shape[1], out.reshape(-1), n_threads())

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        data, indices, indptr = (self if rows is None else self.take(rows)).arrays
        if rows is not None:
            data = data.astype(np.float64) * power
        out = np.empty(len(indptr) - 1), np.empty(len(indptr) - 1)
        most = _kernels.get("csr_row_norms2")(data, indices, indptr, self.shape[1], *out, n_threads(len(data)))
        return *with_sizes(*out), most

    def column_squares(self) -> tuple[Vector, Vector, int]:
        """As ``_row_squares``, for every column."""
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_column_norms2")(*self.arrays, *out)
        return *with_sizes(*out), int(self.counts.max(initial=0)) if out[1].any() else 0

    @cached_property
    def counts(self) -> Array:
        return np.diff(self.arrays[2])

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[0])
        _kernels.get("csr_twofold_matvec")(*self.arrays, as_vector(w, self.shape[1], "w"), *out, n_threads(self.stored))
        return self._sharp(out, w)

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_running_rmatvec")(*self.arrays, as_vector(alpha, self.shape[0], "alpha"), *out)
        return out

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[1])
        _kernels.get("csr_twofold_rmatvec")(*self.arrays, as_vector(alpha, self.shape[0], "alpha"), *out)
        return out

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_row, by_column = np.empty(self.shape[0]), np.empty(self.shape[1])
        _kernels.get("csr_abs_sums")(*self.arrays, by_row, by_column)
        return by_row, by_column


class Csc(Storage):
    """Compressed sparse columns: the transpose of a ``Csr``, whose kernels it uses."""

    rigorous = True

    def __init__(self, transpose: Csr) -> None:
        self._transpose = transpose
        self.shape = transpose.shape[::-1]
        self.stored = transpose.stored

    @property
    def T(self) -> Csr:  # noqa: N802
        return self._transpose

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        return times(scale, self.T.rmatvec(as_vector(w, self.shape[1], "w")))

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        return self.T.matvec(times(scale, as_vector(alpha, self.shape[0], "alpha")))

    def matmat(self, W: Array) -> Array:
        return np.ascontiguousarray(self.T.rmatmat(W.T).T)

    def rmatmat(self, B: Array) -> Array:
        return np.ascontiguousarray(self.T.matmat(B.T).T)

    def add_rmatmat(self, B: Array, out: Array) -> None:
        self._rows.add_rmatmat(B, out)

    def part(self, first: int, last: int) -> Csr:
        return self._rows.part(first, last)

    @cached_property
    def _rows(self) -> Csr:
        csc = sparse.csc_array(self.T.arrays, shape=self.shape)
        csr = csc.tocsr()
        return Csr((csr.data, csr.indices, csr.indptr.astype(np.int64, copy=False)), self.shape)

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        """The only copy of X. CSC does not give access to rows, so it is converted once and kept."""
        return self._rows.rows()

    def take(self, rows: Array) -> Csr:
        return self._rows.take(rows)

    def gram(self) -> Array:
        return self._rows.gram()

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        self._rows.add_outer(rows, weights, out)

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        return self.T.column_squares() if rows is None else self._rows._row_squares(power, rows)

    @cached_property
    def counts(self) -> Array:
        return np.bincount(self.T.arrays[1][: self.stored], minlength=self.shape[0])

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[0])
        _kernels.get("csr_twofold_rmatvec")(*self.T.arrays, as_vector(w, self.shape[1], "w"), *out)
        return self._sharp(out, w)

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_running_matvec")(
            *self.T.arrays, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return out

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[1])
        _kernels.get("csr_twofold_matvec")(
            *self.T.arrays, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return out

    def abs_sums(self) -> tuple[Vector, Vector]:
        return self.T.abs_sums()[::-1]
