"""The best labelling of a forest: max-product from the leaves to the roots, and back."""

from __future__ import annotations

import numpy as np

from pragam import _kernels
from pragam.numerics.vector import Vector
from pragam.structured.graphs.wiring import Indices, Wiring


def best_of_forest(wiring: Wiring, nodes: Vector, tables: Vector) -> tuple[Vector, Indices]:
    """Of graphs without cycles: the highest score of a labelling of each, and the labels of such labellings.

    ``nodes`` (N, K) and ``tables`` (E, K, K) are the scores of the labels of nodes and edges. Each sum has at most one
    rounding for each node and each edge of the graph.
    """
    best, labels = _lifted(wiring, nodes, tables)
    roots, tops = wiring.roots, np.zeros(len(nodes))
    tops[roots] = best[roots].max(axis=1)
    return wiring.node_sums(tops), labels


def marginals_of_forest(wiring: Wiring, nodes: Vector, tables: Vector) -> Vector:
    """Max-marginals (N, K): the highest score of a labelling of the node's graph with each label of the node."""
    below, _ = _lifted(wiring, nodes, tables)
    order, parent, end = wiring.rooted
    component, roots = wiring.components, wiring.roots
    out = below.copy()
    for v in order.tolist():
        if parent[v] >= 0:
            table = tables[end[v] // 2]
            table = table.T if end[v] % 2 else table  # (own label, the parent's label)
            above = out[parent[v]] - (below[v][:, None] + table).max(axis=0)
            out[v] = below[v] + (table + above).max(axis=1)
    tops = out[roots].max(axis=1)
    rest = np.bincount(wiring.graph_of_node[roots], tops, minlength=wiring.n)[wiring.graph_of_node]
    return np.asarray(out + (rest - tops[component])[:, None], dtype=np.float64)


def _lifted(wiring: Wiring, nodes: Vector, tables: Vector) -> tuple[Vector, Indices]:
    """The scores of the best labels below and at each node (N, K), and the labels of the best labelling."""
    N, K = nodes.shape
    best, labels = np.array(nodes, order="C"), np.empty(N, dtype=np.int64)
    flat = np.ascontiguousarray(tables).reshape(-1)
    _kernels.get("forest_best")(*wiring.rooted, flat, K, best.reshape(-1), labels)
    return best, labels
