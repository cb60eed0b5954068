"""What the packing learns of the columns, chunk by chunk: their means and scales, with weights and without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.packed.columns import Moments
from pragam.packed.part import Part, joined

#: Where columns are many, chunks are looked at together until they have an entry for each, or so many:
#: what a look costs beside its entries is some vectors of length d.
_MOST = 2**21


class ColumnTable:
    """A row each for the mean, the scale and the constancy of all columns; three more with the weights."""

    def __init__(self, d: int, has_weights: bool) -> None:
        self._d = d
        self._moments = [Moments(d) for _ in range(1 + has_weights)]
        self._parts: list[Part] = []

    def add(self, part: Part) -> None:
        """Some rows more."""
        self._parts.append(part)
        if sum(each.stored for each in self._parts) >= min(self._d, _MOST):
            self._look()

    def rows(self) -> NDArray[np.float64]:
        """The table."""
        self._look()
        return np.concatenate([moments.columns().table() for moments in self._moments])

    def _look(self) -> None:
        if not self._parts:
            return
        whole = self._parts[0] if len(self._parts) == 1 else joined(self._parts)
        self._parts.clear()
        X = whole.storage()
        for moments, weights in zip(self._moments, (None, whole.weight), strict=False):
            moments.add(X, weights)
