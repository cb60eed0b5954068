"""What the operators of one weight vector share: their scores are scaled products with the rows of X."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, Task
from pragam.numerics.rounding import TINY, gamma, two_product
from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.check import check_data
from pragam.operators.storage import Storage, Visited


class Met(NamedTuple):
    """Some dual variables during a reading: the rows that they read and their own numbers, their operator, and their
    scores A w if asked."""

    rows: NDArray[np.int64] | slice
    duals: NDArray[np.int64] | slice
    A: DataRows
    scores: Vector | None


class DataRows(RowOperator):
    r"""(A w)_j = scale_j <x_{number_j}, w>,  number_j = j if ``number`` is None.

    X (n, d) is anything that :func:`check_data` accepts or returns. It is used in place.
    """

    def __init__(self, X: Any, scale: Any, number: NDArray[np.int64] | None = None) -> None:
        self.storage = check_data(X)
        self.rigorous, self.lacks = type(self).rigorous and self.storage.rigorous, self.storage.lacks
        if not self.storage.in_blocks:
            self.lacks = self.lacks | {"reading", "each_block"}
        self.number = number
        self.shape = (self.storage.shape[0] if number is None else len(number), self.storage.shape[1])
        self.scale: Vector = np.ascontiguousarray(scale, dtype=np.float64)
        if self.scale.shape != (self.shape[0],):
            raise ValueError(f"scale has shape {self.scale.shape}, expected ({self.shape[0]},)")
        if not np.isfinite(self.scale).all():
            raise ValueError("scale contains NaN or infinity")

    @property
    def entries(self) -> int:
        """Those of X."""
        return self.storage.stored

    def matvec_error(self, w: Vector) -> Vector:
        """|scale_j| times the rounding of <x, w>, plus that of this product. Values below TINY may be lost."""
        error = self._read(self.storage.product_error(w))
        return error if self._is_signs else np.abs(self.scale) * error + 2 * TINY

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """In twice the precision."""
        high, low, error = map(self._read, self.storage.twofold_matvec(w))
        if self._is_signs:
            return self.scale * high, self.scale * low, error
        high, cut = two_product(self.scale, high)
        low = self.scale * low
        return high, low + cut, np.abs(self.scale) * error + gamma(3) * (np.abs(low) + np.abs(cut)) + 16 * TINY

    @cached_property
    def _is_signs(self) -> bool:
        return bool((np.abs(self.scale) == 1).all())

    @cached_property
    def _row_norms(self) -> Vector:
        with np.errstate(over="ignore"):
            norms = np.abs(self.scale) * self._read(np.sqrt(self.storage.row_norms2))
        norms.flags.writeable = False
        return norms

    def row_norms(self) -> Vector:
        """|scale_j| |x|, computed once, read-only. inf where |x|^2 overflows."""
        return self._row_norms

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Upper bounds of |scale_j| |x|, at any scale."""
        number = rows if self.number is None else self.number[rows]
        return 1.01 * np.abs(self.scale[rows]) * self.storage.row_bounds[number] + TINY

    def rows(self) -> Rows:
        """The rows in place. A CSC matrix is converted to CSR once, at the first call."""
        return Rows(*self.storage.rows(), self.scale, self.number)

    def contiguous_rows(self) -> Rows:
        """The rows in place if they are contiguous, else in the storage's one copy."""
        return Rows(*self.storage.contiguous_rows(), self.scale, self.number)

    def reading(
        self,
        visit: Callable[[Met], Vector | None],
        w: Vector | None = None,
        windows: Iterable[Sequence[int]] | None = None,
    ) -> None:
        """One reading of data in blocks, shared: see :meth:`pragam.operators.storage.Blocked.reading`.

        The visitor meets the dual variables of each block, with their scores if there is a ``w``, and says alpha of
        them. ``matvec(w)`` and ``rmatvec(alpha)`` are then at hand.
        """

        def of_rows(seen: Visited) -> Vector | None:
            duals, own = self.of_rows(seen.rows, seen.X)
            alpha = visit(Met(seen.rows, duals, own, None if seen.product is None else own.scores_of(seen.product)))
            return None if alpha is None else own.gathered(alpha)

        self.storage.reading(of_rows, w, windows)  # type: ignore[attr-defined]

    def each_block(self, task: Task, common: Any, blocks: Sequence[Block]) -> Iterator[Any]:
        """What a task finds for each block of data in blocks, by the engine of the storage. ``blocks`` go with these:
        see :meth:`pragam.operators.storage.Blocked.each`."""
        return self.storage.each(task, common, None, blocks)  # type: ignore[attr-defined,no-any-return]

    def duals_of(self, first: int, last: int) -> slice:
        """The dual variables that read the rows from ``first`` up to ``last``, where they are in the order of rows."""
        if self.number is None:
            return slice(first, last)
        return slice(*np.searchsorted(self.number, [first, last]).tolist())

    def hold(self, rows: NDArray[np.int64], X: Storage) -> Storage:
        """See :meth:`pragam.operators.storage.Blocked.hold`."""
        held: Storage = self.storage.hold(rows, X)  # type: ignore[attr-defined]
        return held

    @abstractmethod
    def of_rows(self, rows: NDArray[np.int64] | slice, X: Storage) -> tuple[NDArray[np.int64] | slice, DataRows]:
        """(the numbers of the dual variables that read these rows, their operator on X, a copy of the rows)."""

    @abstractmethod
    def gathered(self, alpha: Vector) -> Vector:
        """beta, one number for each row of X, with A' alpha = X' beta; as ``rmatvec`` computes it, to the bit."""

    def scores_of(self, product: Vector) -> Vector:
        """A w from X w, as ``matvec`` finds it, to the bit."""
        return self.scale * self._read(product)

    def _read(self, of_rows: Vector) -> Vector:
        """What each dual variable reads of a column with an entry for each row of X."""
        return of_rows if self.number is None else of_rows[self.number]
