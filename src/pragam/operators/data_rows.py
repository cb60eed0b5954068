"""What the operators of one weight vector share: their scores are scaled products with the rows of X."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Task
from pragam.numerics.rounding import TINY, gamma, two_product
from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.check import check_data
from pragam.operators.storage import Held, Places, Room, Storage, Visited, each_place

#: Seconds that a block takes beside the work on it, however short it is, whoever reads (even seeds of
#: ``benchmarks/out_of_core_choice.py``).
_PER_BLOCK = 3e-4


class Met(NamedTuple):
    """Some dual variables during a reading: the rows that they read and their own numbers, their operator, and their
    scores A w if asked. ``keep`` has rows of the block stay in memory: :class:`pragam.operators.storage.Visited`."""

    rows: NDArray[np.int64] | slice
    duals: NDArray[np.int64] | slice
    A: DataRows
    scores: Vector | None
    keep: Callable[[NDArray[np.int64]], None]


class HeldRows(NamedTuple):
    """The dual variables of rows that a reading has kept, the numbers of the rows, and the operator on them."""

    duals: NDArray[np.int64]
    rows: NDArray[np.int64]
    A: DataRows


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

    @property
    def latency(self) -> float:
        """That of the blocks, and of the engine that finds the products with them."""
        if not self.storage.in_blocks:
            return 0.0
        blocks: Any = self.storage.bare
        return float(blocks.engine.latency + _PER_BLOCK * blocks.n_blocks)

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
        norms = self.norms_of(slice(None))
        norms.flags.writeable = False
        return norms

    def row_norms(self) -> Vector:
        """|scale_j| |x|, read-only where it is kept. inf where |x|^2 overflows.

        Computed once, but for data in blocks: these have many rows, and whoever walks blocks asks for theirs alone.
        """
        return self.norms_of(slice(None)) if self.storage.in_blocks else self._row_norms

    def norms_of(self, duals: NDArray[np.int64] | slice) -> Vector:
        """``row_norms`` of some dual variables."""
        number = duals if self.number is None else self.number[duals]
        with np.errstate(over="ignore"):
            norms: Vector = np.sqrt(self.storage.row_norms2[number])
            norms *= np.abs(self.scale[duals])
        return norms

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
        room: Room | None = None,
    ) -> HeldRows | None:
        """One reading of data in blocks, shared: see :meth:`pragam.operators.storage.Blocked.reading`.

        The visitor meets the dual variables of each block, with their scores if there is a ``w``, and says alpha of
        them. ``matvec(w)`` and ``rmatvec(alpha)`` are then at hand, the second one whatever alpha is of the rows that
        the visitor has had kept. These are returned, if there are any.
        """

        def of_rows(seen: Visited) -> Vector | None:
            duals, own = self.of_rows(seen.rows, seen.X)
            scores = None if seen.product is None else own.scores_of(seen.product)
            alpha = visit(Met(seen.rows, duals, own, scores, seen.keep))
            return None if alpha is None else own.gathered(alpha)

        held: Held | None = self.storage.reading(of_rows, w, windows, room)  # type: ignore[attr-defined]
        if held is None:
            return None
        duals, own = self.of_rows(held.rows, held.X)
        return HeldRows(np.asarray(duals), held.rows, own)

    def each_block(self, task: Task, common: Any, places: Places, own: Sequence[Any] | None = None) -> Iterator[Any]:
        """What a task finds on each place of data in blocks, by the engine of the storage: a reading."""
        return each_place(self.storage.each, task, common, places, own)  # type: ignore[attr-defined]

    def duals_of(self, first: int, last: int) -> slice:
        """The dual variables that read the rows from ``first`` up to ``last``, where they are in the order of rows."""
        if self.number is None:
            return slice(first, last)
        return slice(*np.searchsorted(self.number, [first, last]).tolist())

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
