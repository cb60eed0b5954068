"""X in blocks of rows that come from elsewhere, one after the other: from the disk, or from other processes.

Products are sums over the blocks, which :mod:`pragam.operators.storage.readings` reads, and so are sizes and bounds of
rounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import two_sum
from pragam.operators.base import Vector
from pragam.operators.storage.base import Array, Storage, as_vector, times
from pragam.operators.storage.gathered import Gathered
from pragam.operators.storage.known import Adjoint, Product
from pragam.operators.storage.readings import Readings

#: Rows that X' a may need beside those at hand, and are read for it: a repair of alpha moves one.
_FEW = 4


class Blocked(Readings):
    """Rows in consecutive blocks, in which they are read.

    A subclass has ``shape``, ``stored`` and ``ends``, says ``is_dense``, and loads a block. What it knows of sizes
    beforehand saves a reading: ``known_squares``, and ``longest``, the entries of the longest row.
    """

    lacks = frozenset({"rows", "gram", "add_outer"})

    # Products ---------------------------------------------------------------------------------------------------------

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        w = as_vector(w, self.shape[1], "w")
        if self._forward is None or not self._forward.answers(w):
            self._forward = Product(w.copy(), self._stacked("matvec", w))
        return self._forward.value.copy() if scale is None else scale * self._forward.value

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        a = times(scale, as_vector(alpha, self.shape[0], "alpha"))
        known = self._known_adjoint(a)
        if known is None:
            known = self._summed((self.shape[1],), "rmatvec", a)
            self._backward = Adjoint(Product(a.copy(), known))
        return known.copy()

    def _known_adjoint(self, a: Vector) -> Vector | None:
        """X' a from what was gathered, the rows held, and very few others of which nothing was gathered."""
        if self._backward is None:
            return None
        (of, value), held, apart = self._backward
        apart_rows = [slice(int(self.ends[k]), int(self.ends[k + 1])) for k in apart]
        others = np.ascontiguousarray(a).copy()
        for rows in apart_rows if held is None else [held.rows]:
            others[rows] = 0.0
        more = np.flatnonzero(others.view(np.int64) != of.view(np.int64))
        if len(more) > (0 if held is None and not apart else _FEW) or of[more].any():
            return None
        product = value.copy() if held is None else value + held.X.rmatvec(a[held.rows])
        for k, rows in zip(apart, apart_rows, strict=True):
            product += self.load(k).rmatvec(a[rows])
        return product + self.take(more).rmatvec(a[more]) if len(more) else product

    def matvecs(self, W: Array) -> Array:
        return self._stacked("matvecs", W, axis=1)

    def rmatvecs(self, B: Array) -> Array:
        return self._summed((len(B), self.shape[1]), "rmatvecs", B, axis=1)

    def matmat(self, W: Array) -> Array:
        return self._stacked("matmat", W)

    def rmatmat(self, B: Array) -> Array:
        return self._summed((B.shape[1], self.shape[1]), "rmatmat", B)

    def add_rmatmat(self, B: Array, out: Array) -> None:
        out += self.rmatmat(B).T

    # Rows -------------------------------------------------------------------------------------------------------------

    def take(self, rows: Array) -> Storage:
        """A copy, in memory; only the blocks that have some of them are read."""
        rows = np.asarray(rows, dtype=np.int64)
        order = np.argsort(rows, kind="stable")
        places = np.searchsorted(rows[order], self.ends)
        used = [k for k in range(self.n_blocks) if places[k] < places[k + 1]]
        entries = -(-self.stored * len(rows) // max(self.shape[0], 1))
        gathered = Gathered(len(rows), entries, self.shape[1])
        for k in used or [0]:
            gathered.add(self.load(k), rows[order[places[k] : places[k + 1]]] - self.ends[k])
        self.readings += float(sum(self.ends[k + 1] - self.ends[k] for k in used)) / max(self.shape[0], 1)
        found = gathered.storage()
        if (np.diff(rows) >= 0).all():
            return found
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        return found.take(back)

    def part(self, first: int, last: int) -> Storage:
        from pragam.operators.storage.block_kinds import Run  # which is data in blocks again

        return Run(self, first, last)

    def parts(self) -> Iterator[Storage]:
        return (part for _, X in self._in_turn() for part in (X.parts() if X.in_blocks else [X]))

    @property
    def T(self) -> Storage:  # noqa: N802
        raise NotImplementedError("columns of data in blocks are not handed out")

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        raise NotImplementedError("rows of data in blocks are handed out block by block: see load and take")

    def gram(self) -> Array:
        raise NotImplementedError("data in blocks have too many rows for a Gram matrix")

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        raise NotImplementedError("outer products are those of blocks: see load")

    # Sizes and rounding -----------------------------------------------------------------------------------------------

    @property
    def known_squares(self) -> Vector | None:
        """The squared norms of the rows, of which none repeats a column, if they are known without a reading."""
        return None

    def known_moments(self, weights: Vector | None) -> tuple[Vector, Vector] | None:
        """Means and deviations of the columns with these weights of the rows, if known without a reading."""
        return None

    @property
    def longest(self) -> int | None:
        """The entries of the longest row, if that is known without a reading."""
        return self.shape[1] if self.is_dense else None

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        if rows is not None:
            return self.take(rows)._row_squares(power, np.arange(len(rows)))
        known = self.known_squares if power == 1.0 else None
        if known is not None:
            return known, known, 0
        norms, sizes, most = zip(*self._each("_row_squares", power), strict=True)
        norms2, sizes2 = np.concatenate(norms), np.concatenate(sizes)
        return norms2, norms2 if np.array_equal(norms2, sizes2) else sizes2, 0 if self.is_dense else sum(most)

    @cached_property
    def counts(self) -> NDArray[np.int64] | int:
        if self.longest is not None:
            return self.longest
        parts = [np.broadcast_to(counts, m) for counts, m in zip(self._each("counts"), np.diff(self.ends), strict=True)]
        return np.concatenate(parts).astype(np.int64)

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_row, by_column = [], np.zeros(self.shape[1])
        for own, columns in self._each("abs_sums"):
            by_row.append(own)
            by_column += columns
        return np.concatenate(by_row), by_column

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        high, low, error = map(np.concatenate, zip(*self._each("twofold_matvec", w), strict=True))
        return high, low, error

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        total, partial = np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for value, sizes in self._each("running_columns", rows_of=(alpha,)):
            total += value
            partial += sizes + np.abs(total)
        return total, partial

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        high, low, size = np.zeros((3, self.shape[1]))
        for value, tail, sizes in self._each("twofold_columns", rows_of=(alpha,)):
            high, lost = two_sum(high, value)
            low += tail + lost
            size += sizes
        return high, low, size
