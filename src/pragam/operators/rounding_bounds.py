"""Bounds of the rounding of products with a data matrix, for the certificates and for every storage.

A row has ``counts`` stored entries of size ``row_sizes``. In any order of summation the error of a product is at most
gamma(counts) times that size times |w|. Values below TINY may be lost, as results or as entries (flush-to-zero).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.rounding import SAFE, TINY, Stating, U, Vector, gamma, norm

Array = NDArray[Any]
#: Rows whose squares would underflow or overflow are multiplied by these powers of two before they are squared.
_RAISE, _LOWER = 2.0**900, 2.0**-900


class _OfRows(cached_property[Vector]):
    """A number for each row, computed once, but for data in blocks: there are many, and squared norms suffice."""

    if TYPE_CHECKING:  # a number for each row to whoever reads it

        def __get__(self, storage: Any, owner: type | None = None) -> Vector: ...  # type: ignore[override]

    else:

        def __get__(self, storage: Any, owner: type | None = None) -> Any:
            of_blocks = storage is not None and storage.in_blocks
            return self.func(storage) if of_blocks else super().__get__(storage, owner)


class RoundingBounds(Stating):
    """Bounds of the rounding of a storage's products, from the sizes of its rows."""

    shape: tuple[int, int]
    #: Whether it comes block by block, and a reading of all blocks may be shared (:mod:`.storage.blocked`).
    in_blocks: bool = False

    @property
    @abstractmethod
    def _squares(self) -> tuple[Vector, Vector, int]:
        """What ``_row_squares`` says of all rows."""

    @property
    @abstractmethod
    def counts(self) -> NDArray[np.int64] | int:
        """The number of stored entries of each row, or one number for all."""

    @abstractmethod
    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        """``_squares`` of power X, or of some of its rows: squared norms, the same with repeated entries summed by
        absolute value (or a bound), and a number such that no column has more entries than that and the number of rows.
        """

    @property
    def repeats(self) -> int:
        """A number such that no column has more entries than that and the number of rows: 0 if no row repeats one."""
        return self._squares[2]

    @_OfRows
    def row_sizes(self) -> Vector:
        """A bound of every row's norm, at any scale, with repeated entries summed by absolute value: at least |x_i|."""
        with np.errstate(invalid="ignore"):
            sizes = np.sqrt(self._squares[1])
        for rows, known in self._extreme:
            sizes[rows] = known
        return sizes

    @cached_property
    def _extreme(self) -> list[tuple[NDArray[np.intp], Vector]]:
        """Rows whose squares have lost digits, and ``row_sizes`` of them."""
        sizes2 = self._squares[1]
        if SAFE[0] < sizes2.min(initial=1.0) and sizes2.max(initial=1.0) < SAFE[1]:
            return []
        extreme = np.flatnonzero(~((sizes2 > SAFE[0]) & (sizes2 < SAFE[1])) & (self.counts > 0))
        halves = (_RAISE, extreme[sizes2[extreme] <= SAFE[0]]), (_LOWER, extreme[sizes2[extreme] > 1])
        return [(rows, np.sqrt(self._row_squares(power, rows)[1]) / power) for power, rows in halves if rows.size]

    @_OfRows
    def row_bounds(self) -> Vector:
        """Upper bounds of |x_i|, at any scale. Where repeated entries cancel, they are far below ``row_sizes``."""
        norms2, sizes2, _ = self._squares
        if norms2 is sizes2 or np.array_equal(norms2, sizes2):
            return self.row_sizes * 1.01 + TINY
        safe = (norms2 > SAFE[0]) & (norms2 < SAFE[1])
        norms = np.sqrt(norms2, where=safe, out=np.array(self.row_sizes))
        return (norms + gamma(self.counts + 2) * self.row_sizes) * 1.01 + TINY

    def adjoint_bound(self, alpha: Vector) -> float:
        """An upper bound of sum |alpha_i| |x_i|, that is, of how far X' alpha can move with alpha."""
        size: float = _kernels.get("dot_and_size")(alpha, self.row_bounds)[1]
        return size

    @_OfRows
    def reach(self) -> Vector:
        """The factor of |w| in the bound of the rounding of <x_i, w>: gamma(entries + 2) times the row's size.

        The second term is for entries below TINY, which may be read as zero.
        """
        reach = gamma(self.counts + 2) * self.row_sizes
        reach += TINY * self._most**0.5
        return reach

    def product_error(self, w: Vector) -> Vector:
        """A bound of the rounding of every entry of ``matvec(w)``, including what is lost below TINY."""
        error: Vector = self.reach * self._length(w)
        error += 2 * TINY * self._most
        return error

    def product_errors(self, W: Array) -> Array:
        """(n, K): ``product_error`` of each row of W (K, d)."""
        errors: Array = self.reach[:, None] * np.array([self._length(w) for w in W])
        errors += 2 * TINY * self._most
        return errors

    def _length(self, w: Vector) -> float:
        """|w|, increased so that reach times this also covers entries of w below TINY, which may be read as zero."""
        length: float = norm(w) + self.shape[1] ** 0.5 * TINY / U
        return length

    def adjoint_error(self, alpha: Vector, extra: float = 2.0) -> float:
        """A bound of the norm of the rounding of ``rmatvec(alpha)``. Each term is rounded ``extra`` times more.

        Column j has a term for each row with alpha_i != 0, so its error is gamma(their number) sum |alpha_i x_ij|. The
        norm of these sums is at most sum |alpha_i| |x_i|.
        """
        terms = self._terms(alpha)
        return gamma(terms + extra) * self.adjoint_size(alpha) + self._lost(terms, alpha)

    def adjoint_errors(self, B: Array) -> Vector:
        """(K,): ``adjoint_error`` of each column of B (n, K), at once.

        The sizes are sums of n positive numbers in any order. That changes them by less than the 1 % in ``gamma``.
        """
        terms = np.count_nonzero(B, axis=0) + self._squares[2]
        size = np.abs(B)
        lost = terms * self.shape[1] ** 0.5 * TINY * (2 + size.max(axis=0, initial=0.0) + self._widest)
        errors: Vector = gamma(terms + 2) * (self.row_sizes @ size) + lost
        return errors

    def _terms(self, alpha: Vector) -> int:
        """A bound of the number of terms of a column of X' alpha: one a row, unless rows repeat columns."""
        return int(np.count_nonzero(alpha)) + self._squares[2]

    def adjoint_size(self, alpha: Vector) -> float:
        """sum |alpha_i| |x_i|, which bounds |X' alpha| and, up to a factor, its rounding."""
        size: float = _kernels.get("dot_and_size")(alpha, self.row_sizes)[1]
        return size

    @cached_property
    def _most(self) -> int:
        return int(np.max(self.counts, initial=0))

    @cached_property
    def _widest(self) -> float:
        return float(self.row_sizes.max(initial=0.0))

    def _lost(self, terms: int, alpha: Vector) -> float:
        """A bound of the norm of what is lost below TINY in an adjoint product, by results or by entries."""
        largest = max(float(alpha.max(initial=0.0)), -float(alpha.min(initial=0.0)))
        roots: float = terms * self.shape[1] ** 0.5
        return roots * TINY * (2 + largest + self._widest)

    def _sharp(self, out: tuple[Vector, Vector, Vector], w: Vector) -> tuple[Vector, Vector, Vector]:
        """(high, low, a bound of the error of their sum) of a product in twice the precision (Ogita et al. 2005)."""
        high, low, size = out
        counts, length, width = self.counts, norm(w), self.shape[1] ** 0.5
        lost = TINY * (16 * counts + np.sqrt(counts) * length + 2 * width * self.row_sizes)
        return high, low, gamma(counts + 8) ** 2 * size + lost

    def _followed(self, out: tuple[Vector, Vector], alpha: Vector, roundings: int) -> tuple[Vector, float]:
        """An adjoint product and a bound of the norm of its rounding, from its columns' partial sums s_1, s_2, ..

        An addition rounds by u |s_k|, and a term, rounded ``roundings`` times, is at most |s_k| + |s_k-1|. So column j
        is off by at most (1 + 2 roundings) u sum_k |s_k| (Higham 2002, section 3.3).
        """
        value, partial = out
        lost = self._lost(self._terms(alpha), alpha)
        return value, gamma(1 + 2 * roundings) * norm(partial) + 4 * lost

    def _rounded(self, out: tuple[Vector, Vector, Vector], alpha: Vector) -> tuple[Vector, float]:
        """The upper parts of an adjoint product in twice the precision, and a bound of the norm of their error."""
        high, low, size = out
        terms = self._terms(alpha)
        return high, 1.01 * (norm(low) + gamma(terms + 8) ** 2 * norm(size) + 8 * self._lost(terms, alpha))
