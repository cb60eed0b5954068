"""The data matrix X (n, d) as the user stores it, without a copy: dense, CSR, or the transpose of CSR (CSC).

All differences between the storages end here. Values may be float32 or float64. float32 is widened entry by entry
inside the products, and every sum is a float64 sum. Indices may be int32 or int64, and arrays may be read-only memory
maps. Entries of a sparse row may be unsorted, and repeated entries are added.

A storage bounds the rounding of its products for the certificates, by ``product_error``, ``adjoint_error``, a product
that follows its own rounding and products in twice the precision. A storage that cannot do so leaves ``rigorous``
False, and so is every certificate on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk

from pragam import _kernels, interrupts
from pragam.operators.base import Vector
from pragam.operators.rounding_bounds import RoundingBounds
from pragam.threads import n_threads

Array = NDArray[Any]
#: Above this density a product of sparse matrices costs more than a dense product by BLAS.
_DENSE_ENOUGH = 0.1
#: Dense data of more bytes than this are never copied as a whole. They may be a memory map that fits into no memory.
_LARGEST_COPY = 2**30


#: The methods of an operator that walk rows.
WALKING = frozenset({"rows", "take", "gram", "add_outer"})


class Storage(RoundingBounds, ABC):
    """A real matrix X of shape (n, d) whose entries are finite and whose indices lie in range."""

    shape: tuple[int, int]
    stored: int  # number of entries in memory
    #: What a storage says that hands out no rows (out of core, distributed): ``WALKING``. Its operators lack it then.
    lacks: frozenset[str] = frozenset()

    @property
    @abstractmethod
    def T(self) -> Storage:  # noqa: N802
        """X' on the same memory."""

    @abstractmethod
    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        """diag(scale) X w. Without ``scale``, X w."""

    @abstractmethod
    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        """X' diag(scale) alpha."""

    @abstractmethod
    def matmat(self, W: Array) -> Array:
        """X W' (n, K) for K weight vectors, the rows of ``W`` (K, d)."""

    @abstractmethod
    def rmatmat(self, B: Array) -> Array:
        """B' X (K, d) for ``B`` (n, K)."""

    @abstractmethod
    def abs_sums(self) -> tuple[Vector, Vector]:
        """The row sums and the column sums of |X|, or upper bounds of them if entries are repeated."""

    @abstractmethod
    def rows(self) -> tuple[str, tuple[Array, ...]]:
        """``("csr", (data, indices, indptr))`` or ``("dense", (X,))``, for kernels that walk rows."""

    def contiguous_rows(self) -> tuple[str, tuple[Array, ...]]:
        """The same for kernels that walk them many times, which a copy would pay for."""
        return self.rows()

    @abstractmethod
    def take(self, rows: Array) -> Storage:
        """A copy of the rows with these numbers."""

    @abstractmethod
    def gram(self) -> Array:
        """X X', dense."""

    @abstractmethod
    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        """out += sum_k weights_k x_i x_i', i = rows_k. Only the upper triangle of ``out`` (d, d) must be right."""

    @abstractmethod
    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """X w in twice the precision, as (high, low), and a bound of its error. NaN where 1e300 is exceeded."""

    @abstractmethod
    def running_rmatvec(self, alpha: Vector, roundings: int = 1) -> tuple[Vector, float]:
        """X' alpha, and a bound of the norm of its error, summed beside it. Terms are rounded ``roundings`` times."""

    @abstractmethod
    def twofold_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' alpha in twice the precision, rounded, and a bound of the norm of its error."""

    @cached_property
    def _squares(self) -> tuple[Vector, Vector, int]:
        with np.errstate(over="ignore"):
            squares = self._row_squares()
        for x in squares[:2]:
            x.flags.writeable = False
        return squares

    @property
    def row_norms2(self) -> Vector:
        """The squared Euclidean norm of every row (inf where it overflows), read-only."""
        return self._squares[0]

    @cached_property
    def norm_bound(self) -> float:
        r"""min( |X|_F, sqrt(max_i sum_j |X_ij| * max_j sum_i |X_ij|) ) >= sigma_max(X).

        The second is Schur's test: sum |u_i X_ij v_j| <= (sum |X_ij| u_i^2)^1/2 (sum |X_ij| v_j^2)^1/2. Sums
        of N non-negative terms have a relative rounding error below N eps, and each square that underflows
        loses less than the smallest normal number. Both are added back, so the bound holds as computed.
        """
        real = np.finfo(np.float64)
        with np.errstate(over="ignore"):
            rows, columns = self.abs_sums()
            schur = np.sqrt(rows.max(initial=0.0)) * np.sqrt(columns.max(initial=0.0))
            frobenius = np.sqrt(self.row_norms2.sum() + self.stored * real.tiny)
        return float(min(frobenius, schur) * (1.0 + (self.stored + 8) * real.eps))


class Dense(Storage):
    """An array of any strides. float64 in C or Fortran order goes to BLAS, everything else to a kernel.

    A call of BLAS cannot be interrupted, so Ctrl-C is checked before each call that may take long.
    """

    rigorous = True

    def __init__(self, X: Array) -> None:
        self.X = X
        self.shape = (X.shape[0], X.shape[1])
        self.stored = X.size
        self._blas = X.dtype == np.float64 and (X.flags.c_contiguous or X.flags.f_contiguous)

    @property
    def T(self) -> Dense:  # noqa: N802
        return Dense(self.X.T)

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        w = as_vector(w, self.shape[1], "w")
        out = np.empty(self.shape[0])
        interrupts.check()
        if self._blas:
            np.matmul(self.X, w, out=out)
        else:
            _kernels.get("dense_matvec")(self.X, w, out, n_threads(self.stored))
        return _times(scale, out)

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        return self.T.matvec(_times(scale, as_vector(alpha, self.shape[0], "alpha")))

    def matmat(self, W: Array) -> Array:
        if self._blas:
            return self.X @ W.T
        return np.stack([self.matvec(w) for w in W], axis=1)

    def rmatmat(self, B: Array) -> Array:
        return np.ascontiguousarray(self.T.matmat(B.T).T)

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        return "dense", (self.X,)

    @cached_property
    def _row_major(self) -> Array:
        return np.ascontiguousarray(self.X)

    def contiguous_rows(self) -> tuple[str, tuple[Array, ...]]:
        """In place if a row is contiguous, or if X is too large for a copy, which is made once and kept."""
        is_contiguous = self.X.strides[1] == self.X.itemsize or self.shape[1] == 1
        return "dense", (self.X if is_contiguous or self.X.nbytes > _LARGEST_COPY else self._row_major,)

    def take(self, rows: Array) -> Dense:
        return Dense(self.X[rows].astype(np.float64, copy=False))

    def gram(self) -> Array:
        return self.X @ self.X.T

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        high = max(1, 1_000_000 // max(self.shape[1], 1))
        for sign in (1.0, -1.0):
            some = np.flatnonzero(sign * weights > 0)
            for first in range(0, len(some), high):
                interrupts.check()
                here = some[first : first + high]
                part = self.X[rows[here]] * np.sqrt(sign * weights[here])[:, None]
                # The transposes have BLAS's column-major order without a copy. Their lower triangle is our upper one.
                dsyrk(sign, part.T, beta=1.0, c=out.T, lower=1, overwrite_c=1)

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        part = self if rows is None else Dense(self.X[rows].astype(np.float64) * power)
        norms2 = np.zeros(part.shape[0])
        for at, _, tile in part._tiles():
            norms2[at] += np.einsum("ij,ij->i", tile, tile)
        return norms2, norms2, 0

    @property
    def counts(self) -> int:
        return self.shape[1]

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        out = _three(self.shape[0])
        _kernels.get("dense_twofold_matvec")(self.X, as_vector(w, self.shape[1], "w"), *out, n_threads(self.stored))
        return self._sharp(out, w)

    def running_rmatvec(self, alpha: Vector, roundings: int = 1) -> tuple[Vector, float]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("dense_running_matvec")(
            self.X.T, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return self._followed(out, alpha, roundings)

    def twofold_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        out = _three(self.shape[1])
        _kernels.get("dense_twofold_matvec")(
            self.X.T, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return self._rounded(out, alpha)

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_row, by_column = np.zeros(self.shape[0]), np.zeros(self.shape[1])
        for rows, columns, tile in self._tiles():
            sizes = np.abs(tile)
            by_row[rows] += sizes.sum(axis=1)
            by_column[columns] += sizes.sum(axis=0)
        return by_row, by_column

    def check(self, name: str) -> None:
        """Refuse NaN and infinity. The rows' norms, needed in any case, tell at once unless a square overflows."""
        with np.errstate(invalid="ignore"):
            if np.isfinite(self.row_norms2).all():
                return
        for rows, _, tile in self._tiles():
            finite = np.isfinite(tile).all(axis=1)
            if not finite.all():
                row = rows.start + int(np.argmin(finite))
                raise ValueError(f"{name} contains NaN or infinity (first found in row {row})")

    def _tiles(self) -> Iterator[tuple[slice, slice, Array]]:
        """X in float64 tiles of about 65536 entries, so that no temporary has the size of X, in any memory order."""
        n, d = self.shape
        high, wide = (max(256, 65536 // max(side, 1)) for side in (d, n))
        for i in range(0, n, high):
            for j in range(0, d, wide):
                rows, columns = slice(i, i + high), slice(j, j + wide)
                yield rows, columns, np.asarray(self.X[rows, columns], dtype=np.float64)


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

    def matmat(self, W: Array) -> Array:
        out = np.empty((self.shape[0], len(W)))
        _kernels.get("csr_matmat")(*self.arrays, np.ascontiguousarray(W.T), out, n_threads(self.stored))
        return out

    def rmatmat(self, B: Array) -> Array:
        out = np.empty((self.shape[1], B.shape[1]))
        _kernels.get("csr_rmatmat")(*self.arrays, np.ascontiguousarray(B), out)
        return np.ascontiguousarray(out.T)

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        return "csr", self.arrays

    def take(self, rows: Array) -> Csr:
        data, indices, indptr = self.arrays
        ends = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(indptr[rows + 1] - indptr[rows], out=ends[1:])
        copy = np.empty(ends[-1], data.dtype), np.empty(ends[-1], indices.dtype)
        _kernels.get("csr_take")(*self.arrays, rows, *copy, ends)
        return Csr((*copy, ends), (len(rows), self.shape[1]))

    def gram(self) -> Array:
        data, indices, indptr = self.arrays
        X = sparse.csr_array((data.astype(np.float64), indices, indptr), shape=self.shape)
        if self.stored > _DENSE_ENOUGH * self.shape[0] * self.shape[1]:
            dense = X.toarray()
            return dense @ dense.T
        return (X @ X.T).toarray()

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        _kernels.get("csr_gram_add")(*self.arrays, rows, weights, self.shape[1], out.reshape(-1), n_threads())

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        data, indices, indptr = (self if rows is None else self.take(rows)).arrays
        if rows is not None:
            data = data.astype(np.float64) * power
        out = np.empty(len(indptr) - 1), np.empty(len(indptr) - 1)
        most = _kernels.get("csr_row_norms2")(data, indices, indptr, self.shape[1], *out)
        return *_with_sizes(*out), most

    def column_squares(self) -> tuple[Vector, Vector, int]:
        """As ``_row_squares``, for every column."""
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_column_norms2")(*self.arrays, *out)
        return *_with_sizes(*out), int(self.counts.max(initial=0)) if out[1].any() else 0

    @cached_property
    def counts(self) -> Array:
        return np.diff(self.arrays[2])

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        out = _three(self.shape[0])
        _kernels.get("csr_twofold_matvec")(*self.arrays, as_vector(w, self.shape[1], "w"), *out, n_threads(self.stored))
        return self._sharp(out, w)

    def running_rmatvec(self, alpha: Vector, roundings: int = 1) -> tuple[Vector, float]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_running_rmatvec")(*self.arrays, as_vector(alpha, self.shape[0], "alpha"), *out)
        return self._followed(out, alpha, roundings)

    def twofold_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        out = _three(self.shape[1])
        _kernels.get("csr_twofold_rmatvec")(*self.arrays, as_vector(alpha, self.shape[0], "alpha"), *out)
        return self._rounded(out, alpha)

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
        return _times(scale, self.T.rmatvec(as_vector(w, self.shape[1], "w")))

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        return self.T.matvec(_times(scale, as_vector(alpha, self.shape[0], "alpha")))

    def matmat(self, W: Array) -> Array:
        return np.ascontiguousarray(self.T.rmatmat(W.T).T)

    def rmatmat(self, B: Array) -> Array:
        return np.ascontiguousarray(self.T.matmat(B.T).T)

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
        out = _three(self.shape[0])
        _kernels.get("csr_twofold_rmatvec")(*self.T.arrays, as_vector(w, self.shape[1], "w"), *out)
        return self._sharp(out, w)

    def running_rmatvec(self, alpha: Vector, roundings: int = 1) -> tuple[Vector, float]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("csr_running_matvec")(
            *self.T.arrays, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return self._followed(out, alpha, roundings)

    def twofold_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        out = _three(self.shape[1])
        _kernels.get("csr_twofold_matvec")(
            *self.T.arrays, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return self._rounded(out, alpha)

    def abs_sums(self) -> tuple[Vector, Vector]:
        return self.T.abs_sums()[::-1]


def _with_sizes(norms2: Vector, repeated: Vector) -> tuple[Vector, Vector]:
    """(|x|^2, a bound of the same with repeated entries summed by absolute value), from the kernels' results.

    If a column's first entry is v, its sum s, and the sizes of its later entries sum to r, then |v| + r <= |s| + 2 r.
    """
    return norms2, (np.sqrt(norms2) + 2 * repeated) ** 2 if repeated.any() else norms2


def _three(length: int) -> tuple[Vector, Vector, Vector]:
    return np.empty(length), np.empty(length), np.empty(length)


def _times(scale: Vector | None, v: Vector) -> Vector:
    return v if scale is None else scale * v


def as_vector(v: Vector, length: int, name: str) -> Vector:
    """``v`` as the kernels need it. A wrong length is refused here."""
    v = np.ascontiguousarray(v, dtype=np.float64)
    if v.shape != (length,):
        raise ValueError(f"{name} has shape {v.shape}, expected ({length},)")
    return v
