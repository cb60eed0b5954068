"""The map of structured problems: the weights themselves, and a constant for the loss."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Operator, Vector

#: How much longer it takes to write a number to new memory than to multiply two and add: 40 to 130 times on CoNLL
#: chunks, where a certificate writes four arrays as long as the weights.
_NEW = 60.0


class WeightsAndLoss(Operator):
    """A w = (w, 0), so that <x, A w + c> = <features, w> + loss for x = (features, loss) and c = (0, .., 0, 1).

    ``entries`` is what a pass over the examples reads: here that is the work of the set, not of the map.
    """

    rigorous = True

    def __init__(self, n_weights: int, entries: int) -> None:
        self.shape = (n_weights + 1, n_weights)
        self._entries = entries

    @property
    def entries(self) -> int:
        return self._entries

    @property
    def certificate_passes(self) -> float:
        """Two passes, and arrays as long as the weights, of which there may be more than a pass reads."""
        return 2.0 + _NEW * self.shape[1] / max(self._entries, 1)

    def matvec(self, w: Vector) -> Vector:
        return np.append(w, 0.0)

    def rmatvec(self, alpha: Vector) -> Vector:
        """The features, a view: there may be millions."""
        return alpha[:-1]

    def matvec_error(self, w: Vector) -> Vector:
        """Nothing is rounded."""
        return np.zeros(1)

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Exact, and without a vector as long as the weights."""
        return np.where(rows < self.shape[1], 1.0, 0.0)

    def row_norms(self) -> Vector:
        return np.append(np.ones(self.shape[1]), 0.0)

    def norm_bound(self) -> float:
        return 1.0
