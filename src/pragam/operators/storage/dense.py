"""X as an array."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pragam import _kernels
from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector, three, times
from pragam.runtime import interrupts
from pragam.runtime.helpers import computed
from pragam.runtime.threads import n_threads

#: Dense data of more bytes than this are never copied as a whole. They may be a memory map that fits into no memory.
_LARGEST_COPY = 2**30
#: The rows whose outer products are summed by one call of BLAS have this many entries, or more up to
#: ``_LARGEST_SLAB`` if the matrix is large: its own cost should be small beside theirs.
_SLAB = 1_000_000
_LARGEST_SLAB = 4_000_000


class Dense(Storage):
    """An array of any strides. Products with several vectors go to BLAS if it takes them, all else to kernels.

    A call of BLAS cannot be interrupted, so Ctrl-C is checked before each call that may take long.
    """

    rigorous = True
    is_dense = True

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
        _kernels.get("dense_matvec")(self.X, w, out, n_threads(self.stored))
        return times(scale, out)

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        return self.T.matvec(times(scale, as_vector(alpha, self.shape[0], "alpha")))

    def matmat(self, W: Array) -> Array:
        if self._blas:
            return self.X @ W.T
        return np.stack([self.matvec(w) for w in W], axis=1)

    def rmatmat(self, B: Array) -> Array:
        return np.ascontiguousarray(self.T.matmat(B.T).T)

    def add_rmatmat(self, B: Array, out: Array) -> None:
        out += self.T.matmat(B.T)

    def part(self, first: int, last: int) -> Dense:
        return Dense(self.X[first:last])

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
        copy = np.empty((len(rows), self.shape[1]))
        _kernels.get("dense_take")(
            self.X, np.ascontiguousarray(rows, dtype=np.int64), copy.reshape(-1), n_threads(copy.size)
        )
        return Dense(copy)

    def gram(self) -> Array:
        return self.X @ self.X.T

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        """Slab by slab by BLAS, several at a time if there are threads, added up in their order."""
        d = max(self.shape[1], 1)
        high = max(_SLAB, min(_LARGEST_SLAB, 4 * d**2)) // d + 1
        slabs = [
            (sign, some[first : first + high])
            for sign, some in ((sign, np.flatnonzero(sign * weights > 0)) for sign in (1.0, -1.0))
            for first in range(0, len(some), high)
        ]

        def outer(slab: tuple[float, Array]) -> Array:
            sign, here = slab
            part = self.take(rows[here]).X
            part *= np.sqrt(sign * weights[here])[:, None]
            return part.T @ part  # one of the two triangles is computed, the other copied

        products = computed(outer, slabs, min(n_threads(len(slabs) * _SLAB), max(len(slabs), 1)))
        for (sign, _), product in zip(slabs, products, strict=True):
            interrupts.check()
            (np.add if sign > 0 else np.subtract)(out, product, out=out)

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        X = self.X if rows is None else self.take(rows).X * power
        norms2 = np.empty(len(X))
        _kernels.get("dense_row_norms2")(X, norms2, n_threads(X.size))
        return norms2, norms2, 0

    @property
    def counts(self) -> int:
        return self.shape[1]

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[0])
        _kernels.get("dense_twofold_matvec")(self.X, as_vector(w, self.shape[1], "w"), *out, n_threads(self.stored))
        return self._sharp(out, w)

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        out = np.empty(self.shape[1]), np.empty(self.shape[1])
        _kernels.get("dense_running_matvec")(
            self.X.T, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return out

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        out = three(self.shape[1])
        _kernels.get("dense_twofold_matvec")(
            self.X.T, as_vector(alpha, self.shape[0], "alpha"), *out, n_threads(self.stored)
        )
        return out

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
