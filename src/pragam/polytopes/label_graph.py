r"""Which columns of :class:`~pragam.polytopes.pairs.Pairs` can exchange mass: a graph of labels.

Mass x on the pair (wrong k, right l) of an example raises the signed sum of column k by x and lowers that of column l
by x. So each example with label k wrong and label l right is an edge l -> k. Where the graph is strongly connected, any
change of the sums that adds up to zero can be made by adding mass along paths to and from one label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class LabelGraph:
    """The edges l -> k on paths to and from one label, each with the example that has the largest total for it."""

    is_open: NDArray[np.bool_]  # the label is wrong in some pair, and right in some
    is_connected: bool  # every open label can exchange mass with every other
    raised: Labels  # k of each edge
    lowered: Labels  # l
    example: Labels

    @classmethod
    def of(cls, wrong: NDArray[np.bool_], totals: NDArray[np.float64]) -> LabelGraph:
        """The graph of the examples with a positive total."""
        K, nothing = wrong.shape[1], np.empty(0, np.int64)
        live = np.flatnonzero(totals > 0)
        live = live[np.argsort(-totals[live], kind="stable")]
        is_wrong = wrong[live]
        is_open: NDArray[np.bool_] = np.logical_and(is_wrong.any(axis=0), ~is_wrong.all(axis=0))
        edges = (~is_wrong).T.astype(np.float64) @ is_wrong > 0  # edges[l, k]
        edges &= is_open[:, None] & is_open
        labels = np.flatnonzero(is_open)
        if not len(labels):
            return cls(is_open, True, nothing, nothing, nothing)
        components, _ = csgraph.connected_components(edges[np.ix_(labels, labels)], connection="strong")
        if components > 1:
            return cls(is_open, False, nothing, nothing, nothing)
        root = int(labels[0])
        there = csgraph.breadth_first_order(edges.astype(np.int8), root, return_predecessors=True)[1]
        back = csgraph.breadth_first_order(edges.T.astype(np.int8), root, return_predecessors=True)[1]
        pairs = {(int(there[k]), k) for k in range(K) if there[k] >= 0} | {
            (k, int(back[k])) for k in range(K) if back[k] >= 0
        }
        lowered, raised = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
        first = [int(np.argmax(is_wrong[:, k] & ~is_wrong[:, l])) for l, k in zip(lowered, raised, strict=True)]
        return cls(is_open, True, raised, lowered, live[np.array(first, dtype=np.int64)])
