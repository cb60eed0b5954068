"""Which labellings a sequence may have: what label may follow which, and which may come first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Rules(NamedTuple):
    """The labellings y with transitions[y_t, y_{t+1}] for all t, and starts[y_0]. All others have probability 0."""

    transitions: Flags  # (K, K), from row to column
    starts: Flags  # (K,)

    def masked(self, nodes: Vector, edges: Vector, lengths: Indices) -> tuple[Vector, Vector]:
        """Node and transition scores, new arrays, with -inf for what is forbidden."""
        nodes, first = nodes.copy(), np.cumsum(lengths) - lengths
        nodes[first] = np.where(self.starts, nodes[first], -np.inf)
        return nodes, np.where(self.transitions, edges, -np.inf)

    def broken_by(self, labels: Indices, lengths: Indices) -> int | None:
        """The number of the first sequence whose labelling is forbidden, None if there is none."""
        first = np.cumsum(lengths) - lengths
        wrong = np.zeros(len(labels), dtype=bool)
        wrong[1:] = ~self.transitions[labels[:-1], labels[1:]]
        wrong[first] = ~self.starts[labels[first]]
        found = np.flatnonzero(np.add.reduceat(wrong, first))
        return int(found[0]) if len(found) else None

    def longest(self, length: int) -> int:
        """The length up to which sequences have an allowed labelling, at most this one."""
        reached, seen = self.starts, set()
        for t in range(length):
            if not reached.any():
                return t
            if reached.tobytes() in seen:  # it goes on like this
                break
            seen.add(reached.tobytes())
            reached = np.asarray(self.transitions[reached].any(axis=0))
        return length
