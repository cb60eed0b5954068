"""X with columns of mean 0 and deviation 1, on the memory of X: products are X's, and the map is applied to vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.engines import Block, Task
from pragam.numerics.rounding import SAFE, TINY, gamma, norm, two_product, two_sum
from pragam.operators.base import Vector
from pragam.operators.storage.base import WALKING, Array, Storage, as_vector, times
from pragam.operators.storage.compressed import Csr
from pragam.operators.storage.dense import Dense
from pragam.operators.storage.gathered import Room
from pragam.operators.storage.known import Held
from pragam.operators.storage.readings import Visited, Visitor, Windows
from pragam.operators.storage.rounds import Asked, Places, Round, RoundTask, each_place, placed, visited


@dataclass(frozen=True, eq=False)
class ColumnMap:
    """z_j = (x_j - mean_j) factor_j for every column; without a mean, z_j = x_j factor_j."""

    factor: Vector
    mean: Vector | None = None

    def __post_init__(self) -> None:
        """A factor is 0, or of a size whose square is a normal number."""
        d = len(self.factor)
        for name, values in (("factor", self.factor), ("mean", np.zeros(d) if self.mean is None else self.mean)):
            if values.shape != (d,) or not np.isfinite(values).all():
                raise ValueError(f"{name} must hold a finite number for each of {d} columns")
        sizes = np.abs(self.factor)
        if ((sizes != 0) & ~((sizes > SAFE[0]) & (sizes < SAFE[1]))).any():
            raise ValueError(f"factor must hold 0 or numbers between {SAFE[0]:g} and {SAFE[1]:g} in size")

    def in_columns(self, W: Array) -> tuple[Array, Array]:
        """Weights (K, d) of z as (weights of x, what that adds to the K intercepts)."""
        moved = W * self.factor
        return moved, np.zeros(len(W)) if self.mean is None else -(moved @ self.mean)

    def with_constant(self) -> ColumnMap:
        """The same with a last column that stays as it is."""
        return ColumnMap(np.append(self.factor, 1.0), None if self.mean is None else np.append(self.mean, 0.0))


@dataclass(frozen=True)
class _Mapped(Block):
    """A block of X, with the map."""

    of: Block
    columns: ColumnMap

    def open(self) -> Standardized:
        return Standardized(self.of.open(), self.columns)

    def ahead(self) -> None:
        self.of.ahead()

    def needs(self) -> tuple[Any, ...]:
        return self.of.needs()


class Standardized(Storage):
    r"""Z = (X - 1 mean') F,  F = diag(factor): the matrix with z_ij = (x_ij - mean_j) factor_j, as real numbers.

    ::

        Z w  = X (F w) - <mean, F w> 1
        Z' a = F (X' a - (sum_i a_i) mean)

    Both products take a reading of X and some of vectors, and sparse X stays sparse. ``mean`` is None where columns are
    only scaled, which is all that a model with an unpenalised intercept needs: centring would move b alone.

    What walks rows gets a copy of them, scaled (and centred, if X is dense), whose entries are rounded: solvers may
    have it, certificates use the products. Sparse rows that are centred are no longer sparse, and so there are none.
    """

    rigorous = True

    def __init__(self, storage: Storage, columns: ColumnMap) -> None:
        if storage.shape[1] != len(columns.factor):
            raise ValueError(f"X has {storage.shape[1]} columns, and {len(columns.factor)} are to be mapped")
        self.storage, self.shape, self.stored = storage, storage.shape, storage.stored
        self.columns, self.factor, self.mean = columns, columns.factor, columns.mean
        self.rigorous, self.is_dense = type(self).rigorous and storage.rigorous, storage.is_dense
        self.in_blocks = storage.in_blocks
        self.lacks = storage.lacks if self.mean is None or self.is_dense else WALKING

    # Products: those of X, and the map.

    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        v = as_vector(w, self.shape[1], "w") * self.factor
        if self.mean is None:
            return self.storage.matvec(v, scale)
        return times(scale, self.storage.matvec(v) - float(self.mean @ v))

    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        if self.mean is None:
            return self.factor * self.storage.rmatvec(alpha, scale)
        alpha = times(scale, as_vector(alpha, self.shape[0], "alpha"))
        return self.factor * (self.storage.rmatvec(alpha) - float(alpha.sum()) * self.mean)

    def matvecs(self, W: Array) -> Array:
        V = W * self.factor
        products = self.storage.matvecs(V)
        return products if self.mean is None else products - np.array([[float(self.mean @ v)] for v in V])

    def rmatvecs(self, B: Array) -> Array:
        products = self.storage.rmatvecs(B)
        if self.mean is not None:
            products = products - np.array([float(alpha.sum()) * self.mean for alpha in B])
        return self.factor * products

    def matmat(self, W: Array) -> Array:
        V = W * self.factor
        products = self.storage.matmat(V)
        return products if self.mean is None else products - V @ self.mean

    def rmatmat(self, B: Array) -> Array:
        products = self.storage.rmatmat(B)
        return self.factor * (products if self.mean is None else products - np.outer(B.sum(axis=0), self.mean))

    def add_rmatmat(self, B: Array, out: Array) -> None:
        out += self.rmatmat(B).T

    def part(self, first: int, last: int) -> Standardized:
        return Standardized(self.storage.part(first, last), self.columns)

    def reading(
        self, visit: Visitor, w: Vector | None = None, windows: Windows | None = None, room: Room | None = None
    ) -> Held | None:
        """That of the blocks of X, with the map."""
        v = None if w is None else as_vector(w, self.shape[1], "w") * self.factor
        shift = 0.0 if v is None or self.mean is None else float(self.mean @ v)

        def mapped(seen: Visited) -> Vector | None:
            product = seen.product if seen.product is None or self.mean is None else seen.product - shift
            return visit(seen._replace(X=Standardized(seen.X, self.columns), product=product))

        held = self.storage.reading(mapped, v, windows, room)  # type: ignore[attr-defined]
        return None if held is None else Held(held.rows, Standardized(held.X, self.columns))

    @property
    def bare(self) -> Storage:
        return self.storage.bare

    def parts(self) -> Iterator[Storage]:
        return (Standardized(part, self.columns) for part in self.storage.parts())

    @property
    def ends(self) -> NDArray[np.int64]:
        """Of the blocks of X."""
        ends: NDArray[np.int64] = self.storage.ends  # type: ignore[attr-defined]
        return ends

    @property
    def blocks(self) -> Sequence[Block]:
        """Those of X, with the map."""
        return [_Mapped(block, self.columns) for block in self.storage.blocks]  # type: ignore[attr-defined]

    def each(self, task: Task, common: Any, own: Sequence[Any] | None, blocks: Sequence[Block]) -> Iterator[Any]:
        """By the engine of X."""
        found: Iterator[Any] = self.storage.each(task, common, own, blocks)  # type: ignore[attr-defined]
        return found

    def place(self, cuts: Sequence[int], beside: Sequence[Any], here: int = 0) -> Places:
        """The blocks in groups: see :meth:`.readings.Readings.place`."""
        return placed(self.blocks, cuts, beside, here)

    def round(self, task: RoundTask, common: Any, w: Vector, places: Places, own: Sequence[Any] | None = None) -> Round:
        """A reading by tasks, of which nothing is known afterwards: what X remembers are products of its own."""
        asked = Asked.at(as_vector(w, self.shape[1], "w"), task, common)
        return Round(each_place(self.each, visited, asked, places, own), asked.w, places, self.ends, None)

    # Rows: a copy.

    @cached_property
    def _copy(self) -> Storage:
        return self._mapped(self.storage)

    def _mapped(self, some: Storage) -> Storage:
        """A copy of these rows of X, mapped; of sparse rows that are centred there is none."""
        kind, arrays = some.rows()
        if kind == "dense":
            rows = arrays[0] * self.factor if self.mean is None else (arrays[0] - self.mean) * self.factor
            return Dense(np.ascontiguousarray(rows, dtype=np.float64))
        if self.mean is not None:
            raise ValueError("sparse rows that are centred would be dense")
        return self._scaled(some)

    def _scaled(self, some: Storage) -> Storage:
        """The same without centring."""
        kind, arrays = some.rows()
        if kind == "dense":
            return Dense(np.ascontiguousarray(arrays[0] * self.factor, dtype=np.float64))
        data, indices, indptr = arrays
        end = int(indptr[-1])
        return Csr((data[:end] * self.factor[indices[:end]], indices[:end], indptr), some.shape)

    @property
    def T(self) -> Storage:  # noqa: N802
        return self._copy.T

    def rows(self) -> tuple[str, tuple[Array, ...]]:
        return self._copy.rows()

    def take(self, rows: Array) -> Storage:
        return self._mapped(self.storage.take(rows))

    def gram(self) -> Array:
        return self._copy.gram()

    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        self._copy.add_outer(rows, weights, out)

    # Sizes. Rounding is that of terms x_ij f_j and mean_j f_j, so ``row_sizes`` bounds |F x_i| + |F mean|, not |z_i|.

    def _row_squares(self, power: float = 1.0, rows: Array | None = None) -> tuple[Vector, Vector, int]:
        if rows is not None:
            return self._squares_of(self.storage.take(rows), power)
        parts = [self._squares_of(part, power) for part in self.storage.parts()] or [(np.empty(0), np.empty(0), 0)]
        norms2 = np.concatenate([part[0] for part in parts])
        is_same = all(part[0] is part[1] for part in parts)
        sizes2 = norms2 if is_same else np.concatenate([part[1] for part in parts])
        return norms2, sizes2, sum(part[2] for part in parts)

    def _squares_of(self, some: Storage, power: float) -> tuple[Vector, Vector, int]:
        every = None if power == 1.0 else np.arange(some.shape[0])
        norms2, sizes2, most = self._scaled(some)._row_squares(power, every)
        if self.mean is None:
            return norms2, sizes2, most
        sizes2 = (np.sqrt(sizes2) + 1.01 * power * self._middle) ** 2
        if self.is_dense:
            return self._mapped(some)._row_squares(power, every)[0], sizes2, most
        # |F x|^2 - 2 <F x, F mean> + |F mean|^2, and what that rounds by
        middle = self.factor * self.mean * self.factor
        away = norms2 - 2 * power**2 * some.matvec(middle) + (power * self._middle) ** 2
        return np.maximum(away, 0.0) + 4 * gamma(self._most + 8) * sizes2, sizes2, most

    @cached_property
    def _middle(self) -> float:
        """|F mean|."""
        return 0.0 if self.mean is None else norm(self.factor * self.mean)

    @cached_property
    def _most(self) -> int:
        return self.shape[1] if self.mean is not None else int(np.max(self.storage.counts, initial=0))

    @property
    def counts(self) -> NDArray[np.int64] | int:
        """Roundings of a product: one more for F w, two more for the mean."""
        return self.storage.counts + 1 if self.mean is None else self.shape[1] + 3

    def abs_sums(self) -> tuple[Vector, Vector]:
        by_column = np.abs(self.factor) * self.storage.abs_sums()[1]
        if self.mean is not None:
            by_column = by_column + self.shape[0] * np.abs(self.factor * self.mean)
        return 1.01 * self._most**0.5 * self.row_sizes, by_column

    # Rounding.

    def product_error(self, w: Vector) -> Vector:
        error = super().product_error(w)
        error += self._unseen(norm(w))
        return error

    def product_errors(self, W: Array) -> Array:
        return super().product_errors(W) + np.stack([self._unseen(norm(w)) for w in W], axis=1)

    def _unseen(self, length: float) -> Vector:
        """What a product with weights of this length may lose below TINY: of F w, and of entries of X beside large F w.

        Every v_j = f_j w_j is within TINY (2 + |f_j|) of what it should be, and every x_ij and mean_j within TINY.
        """
        lost: Vector = self.storage.row_sizes + (0.0 if self.mean is None else norm(self.mean))
        lost += length
        lost *= 2 + self._largest
        lost += 1
        lost *= 4 * TINY * self.shape[1] ** 0.5
        return lost

    @cached_property
    def _largest(self) -> float:
        return float(np.abs(self.factor).max(initial=0.0))

    def _terms(self, alpha: Vector) -> int:
        return super()._terms(alpha) + 3

    def adjoint_errors(self, B: Array) -> Vector:
        return np.array([self.adjoint_error(np.ascontiguousarray(column)) for column in B.T])

    def _lost(self, terms: int, alpha: Vector) -> float:
        """As without the map: what is lost below TINY of X' alpha, times F, and of F."""
        lost: float = (1 + self._largest) * (super()._lost(terms, alpha) + self.storage._lost(terms, alpha))
        return lost

    # Twice the precision.

    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        w = as_vector(w, self.shape[1], "w")
        v, tail = two_product(w, self.factor)
        high, low, error = self.storage.twofold_matvec(v)
        low = low + self.storage.matvec(tail)
        if self.mean is not None:
            p, cut = two_product(self.mean, v)
            s, rest = _exact_sum(p, cut, self.mean * tail)
            high, lost = two_sum(high, np.full(len(high), -s))
            low = low + (lost - rest)
        length = norm(w)
        return high, low, error + 4 * gamma(self.counts + 8) ** 2 * self.row_sizes * length + self._unseen(length)

    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        value, partial = self.storage.running_columns(alpha)
        if self.mean is None:  # the last product rounds by less than another u of the last partial sum
            return self.factor * value, 2 * np.abs(self.factor) * partial
        whole, size = float(alpha.sum()), float(np.abs(alpha).sum())
        partial = partial + (np.count_nonzero(alpha) + 2) * size * np.abs(self.mean)
        return self.factor * (value - whole * self.mean), 2 * np.abs(self.factor) * partial

    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        high, low, size = self.storage.twofold_columns(alpha)
        if self.mean is not None:
            whole, rest = _exact_sum(alpha)
            p, cut = two_product(self.mean, np.full(len(self.mean), whole))
            high, lost = two_sum(high, -p)
            low = low + (lost - cut - rest * self.mean)
            size = size + float(np.abs(alpha).sum()) * np.abs(self.mean)
        value, cut = two_product(high, self.factor)
        return value, low * self.factor + cut, 2 * np.abs(self.factor) * size


def _exact_sum(*parts: Vector) -> tuple[float, float]:
    """(s, e): s is the sum of all entries, rounded once, and s + e the sum in twice the precision."""
    terms = np.concatenate(parts).tolist()
    try:
        whole = fsum(terms)
        return whole, fsum([*terms, -whole])
    except (OverflowError, ValueError):  # on the way, or infinities of both signs
        return inf, inf
