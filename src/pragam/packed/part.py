"""Some rows on their way through the packing: joined, put in another order, and cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pragam import _kernels
from pragam.operators.check import has_subnormals
from pragam.operators.storage import Csr, Dense
from pragam.runtime.threads import n_threads

Array = NDArray[Any]
Kind = DTypeLike | None


class Part(NamedTuple):
    """Some rows.

    arrays : (X,) if dense, else (data, indices, counts), the entries of each row
    width : the columns that they need
    y, weight : of each row, or None
    """

    arrays: tuple[Array, ...]
    width: int
    y: Array | None = None
    weight: Array | None = None

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.arrays[-1])

    @property
    def is_dense(self) -> bool:
        """Whether X is an array."""
        return len(self.arrays) == 1

    @property
    def stored(self) -> int:
        """How many entries."""
        return self.arrays[0].size

    @property
    def nbytes(self) -> int:
        """Of all arrays."""
        return sum(each.nbytes for each in (*self.arrays, self.y, self.weight) if each is not None)

    def indptr(self) -> NDArray[np.int64]:
        """Where each row begins and ends; of dense rows, in rows."""
        counts = np.ones(self.rows, np.int64) if self.is_dense else self.arrays[2]
        return _ends(counts)

    def storage(self) -> Csr | Dense:
        """X for kernels."""
        if self.is_dense:
            return Dense(self.arrays[0])
        return Csr((self.arrays[0], self.arrays[1], self.indptr()), (self.rows, self.width))

    def take(self, order: NDArray[np.int64], dtype: Kind = None, index_dtype: Kind = None) -> Part:
        """A copy of the rows in this order, in arrays of these types, which must hold all numbers."""
        y, weight = (None if each is None else each[order] for each in (self.y, self.weight))
        if self.is_dense:
            X = self.arrays[0].take(order, axis=0)
            return Part((X if dtype is None else X.astype(dtype, copy=False),), self.width, y, weight)
        begins, counts = self.indptr(), self.arrays[2][order]
        ends = _ends(counts)
        kinds = zip(self.arrays[:2], (dtype, index_dtype), strict=True)
        data, indices = (np.empty(ends[-1], each.dtype if kind is None else kind) for each, kind in kinds)
        for entries, out in zip(self.arrays[:2], (data, indices), strict=True):
            _kernels.get("entries_take")(entries, begins, order, out, ends, n_threads(len(out)))
        return Part((data, indices, counts), self.width, y, weight)

    def narrow(self) -> Part:
        """The same rows. Numbers take one or two bytes each where that holds all of them: less is copied."""
        return self if self.is_dense else self._replace(arrays=tuple(map(_narrowest, self.arrays)))

    def copy(self) -> Part:
        """The same rows in memory of their own."""
        y, weight = (None if each is None else each.copy() for each in (self.y, self.weight))
        return Part(tuple(each.copy() for each in self.arrays), self.width, y, weight)

    def cut(self, first: int, last: int, indptr: NDArray[np.int64]) -> Part:
        """The rows from ``first`` up to ``last``, on the same memory. ``indptr`` is that of all rows."""
        y, weight = (None if each is None else each[first:last] for each in (self.y, self.weight))
        own = slice(indptr[first], indptr[last])
        arrays = (
            (self.arrays[0][own],)
            if self.is_dense
            else (*(a[own] for a in self.arrays[:2]), self.arrays[2][first:last])
        )
        return Part(arrays, self.width, y, weight)


def converted(part: Part, dtype: str | None, where: str) -> Part:
    """The rows with values of this type, or as they are; ``where`` is what errors call them."""
    values = part.arrays[0]
    if dtype is None or values.dtype == dtype:
        return part
    with np.errstate(over="ignore", under="ignore"):
        found = values.astype(dtype)
    if dtype == "<f4" and (not np.isfinite(found).all() or has_subnormals(found)):
        raise ValueError(f"{where}: X has numbers that float32 does not hold: pack it as float64")
    return part._replace(arrays=(found, *part.arrays[1:]))


def narrowed(values: Array, kind: DTypeLike) -> Array | None:
    """The same numbers in a type of fewer bytes, None if it does not hold all of them."""
    out = np.empty(len(values), kind)
    return out if _kernels.get("narrowed")(values, out) else None


def _narrowest(values: Array) -> Array:
    for kind in (np.uint8, np.uint16):
        if values.itemsize <= np.dtype(kind).itemsize:
            break
        if (found := narrowed(values, kind)) is not None:
            return found
    return values


def _ends(counts: Array) -> NDArray[np.int64]:
    """Where rows of so many entries begin and end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def joined(parts: Sequence[Part], y_dtype: Kind = None) -> Part:
    """The rows of all parts, in arrays of types that hold all."""
    arrays = tuple(_joined([part.arrays[k] for part in parts], None) for k in range(len(parts[0].arrays)))
    y = None if parts[0].y is None else _joined([part.y for part in parts], y_dtype)
    weight = None if parts[0].weight is None else _joined([part.weight for part in parts], np.float64)
    return Part(arrays, max(part.width for part in parts), y, weight)


def _joined(arrays: list[Any], dtype: Kind) -> Array:
    return np.concatenate(arrays, dtype=dtype or np.result_type(*arrays), casting="unsafe")
