r"""Which columns of :class:`~pragam.polytopes.pairs.Pairs` can exchange mass: a graph of labels.

Mass x on the pair (wrong k, right l) of an example raises the signed sum of column k by x and lowers that of column l
by x. So each example with label k wrong and label l right is an edge l -> k. Where all columns have to sum to zero, the
masses are a circulation, and no edge between two strongly connected components carries any. Inside a component, any
change of the sums that adds up to zero can be made by adding mass along paths to and from one of its labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class LabelGraph:
    """The components, and the edges l -> k on paths to and from one label of each.

    Every edge has the example with the largest total among those that make it.
    """

    component: Labels  # of each label
    raised: Labels  # k of each edge
    lowered: Labels  # l
    example: Labels

    @classmethod
    def of(cls, wrong: NDArray[np.bool_], totals: NDArray[np.float64]) -> LabelGraph:
        """The graph of the examples with a positive total."""
        live = np.flatnonzero(totals > 0)
        live = live[np.argsort(-totals[live], kind="stable")]
        is_wrong = wrong[live]
        edges = (~is_wrong).T.astype(np.float64) @ is_wrong > 0  # edges[l, k]
        _, component = csgraph.connected_components(edges, connection="strong")
        inside = (edges & (component[:, None] == component)).astype(np.int8)
        paths = [pair for root in np.unique(component, return_index=True)[1] for pair in _paths(inside, int(root))]
        lowered, raised = np.array(sorted(set(paths)), dtype=np.int64).reshape(-1, 2).T
        first = [int(np.argmax(is_wrong[:, k] & ~is_wrong[:, l])) for l, k in zip(lowered, raised, strict=True)]
        return cls(component.astype(np.int64), raised, lowered, live[np.array(first, dtype=np.int64)])

    def parts(self) -> list[NDArray[np.bool_]]:
        """The labels of each component, as masks."""
        return [self.component == c for c in np.unique(self.component)]


def _paths(edges: NDArray[np.int8], root: int) -> list[tuple[int, int]]:
    """The edges (l, k) of shortest paths from one label to all that it reaches, and back."""
    there = csgraph.breadth_first_order(edges, root, return_predecessors=True)[1]
    back = csgraph.breadth_first_order(edges.T, root, return_predecessors=True)[1]
    labels = range(len(edges))
    return [(int(there[k]), k) for k in labels if there[k] >= 0] + [(k, int(back[k])) for k in labels if back[k] >= 0]
