"""The scores of labellings of chains, by what they are sums of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ChainScores:
    """A labelling y of a sequence scores  starts_{y_0} + sum_t nodes_t(y_t) + sum_t transitions(y_t, y_{t+1}) +
    ends_{y_last}. Minus infinity forbids.

    Sequences of the given ``lengths``, whole numbers >= 1, follow one another. There is one table of transitions for
    all, or one for each token and the one before it; those of first tokens are not read.
    """

    nodes: Vector  # (tokens, K)
    transitions: Vector  # (K, K) from row to column, or (tokens, K, K)
    starts: Vector  # (K,)
    ends: Vector  # (K,)
    lengths: Indices

    @property
    def first(self) -> Indices:
        """The first token of each sequence."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def bounds(self) -> Indices:
        """The same, and the number of all tokens."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)
