"""What all cells of one problem share: computed once, or kept for the pairs that were asked for last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.moving.end import radius2
from pragam.certificate.moving.kink_rows import KinkRows
from pragam.certificate.moving.mean import Mean
from pragam.certificate.moving.order import Order
from pragam.certificate.moving.pair import Pair
from pragam.certificate.moving.segment import Segment
from pragam.numerics.rounding import is_zero
from pragam.operators.storage import WALKING, Storage
from pragam.problem import DataProblem

T = TypeVar("T")

#: Between how many pairs of pairs what is known is kept, and how many pairs keep their scores.
_KEPT, _WARM = 8, 16


class Known:
    """Of a problem, whatever its lam, and of ``held``, the rows whose scores matter."""

    def __init__(self, problem: DataProblem, held: Storage) -> None:
        self.problem, self.held = problem, held
        self._means, self._rows = Kept[Mean](), Kept[KinkRows]()
        self._warm: OrderedDict[Pair, None] = OrderedDict()

    def warm(self, *pairs: Pair) -> None:
        """These may keep their scores, and those that were asked for longest ago give up theirs."""
        for pair in pairs:
            self._warm[pair] = None
            self._warm.move_to_end(pair)
        while len(self._warm) > _WARM:
            self._warm.popitem(last=False)[0].forget()

    def mean(self, segment: Segment) -> Mean:
        """The mean of kinks of two pairs."""
        pairs = segment.first, segment.last
        return self._means.get(pairs, lambda: Mean(*pairs, max(pair.lam * radius2(pair) for pair in pairs)))

    def kink_rows(self, segment: Segment) -> KinkRows:
        """The rows that combinations are of."""
        return self._rows.get((segment.first, segment.last), lambda: KinkRows(segment, self.held))

    @cached_property
    def order(self) -> Order:
        """The order of all rows."""
        return Order(self.problem, self.held)

    @cached_property
    def length(self) -> float:
        """The mean norm of a row."""
        norms = self.problem.A.row_norms()
        return float(norms.mean()) if norms.size else 0.0

    @cached_property
    def zeros(self) -> NDArray[np.int64]:
        """The rows that matter and hold nothing but zeros, by their bits, where there is no bias: their score is 0."""
        if self.problem.n_biases:
            return np.empty(0, np.int64)
        return _zero_rows(self.held)


class Kept(Generic[T]):
    """What is known between two pairs, of those that were asked for last."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[Pair, Pair], T] = OrderedDict()

    def get(self, pairs: tuple[Pair, Pair], make: Callable[[], T]) -> T:
        if pairs not in self._found:
            self._found[pairs] = make()
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        self._found.move_to_end(pairs)
        return self._found[pairs]


def _zero_rows(X: Storage) -> NDArray[np.int64]:
    """None of a storage that hands out no rows, as of sparse ones that are centred."""
    found, row = [], 0
    if WALKING & X.lacks:
        return np.empty(0, np.int64)
    for part in X.parts():
        kind, arrays = part.rows()
        if kind == "dense":
            values = np.asarray(arrays[0], dtype=np.float64)
            nothing = is_zero(np.ascontiguousarray(values)).all(axis=1)
        else:
            data, _, indptr = arrays
            values = np.ascontiguousarray(data[int(indptr[0]) : int(indptr[-1])], dtype=np.float64)
            filled = np.r_[0, np.cumsum(~is_zero(values))]
            nothing = np.diff(filled[np.asarray(indptr) - int(indptr[0])]) == 0
        found.append(np.flatnonzero(nothing) + row)
        row += part.shape[0]
    return np.concatenate(found) if found else np.empty(0, np.int64)
