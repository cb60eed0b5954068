"""The best labelling of a forest: max-product from the leaves to the roots, and back."""

from __future__ import annotations

import numpy as np

from pragam.structured.graphs.wiring import Indices, Wiring
from pragam.vector import Vector


def best_of_forest(wiring: Wiring, nodes: Vector, tables: Vector) -> tuple[Vector, Indices]:
    """Of graphs without cycles: the highest score of a labelling of each, and the labels of such labellings.

    ``nodes`` (N, K) and ``tables`` (E, K, K) are the scores of the labels of nodes and edges. Each sum has at most one
    rounding for each node and each edge of the graph.
    """
    best, choices = nodes.copy(), []
    for level in reversed(wiring.levels):
        own = tables[level.edges]
        own = np.where(level.is_down[:, None, None], own.transpose(0, 2, 1), own)  # (child's label, parent's label)
        through = best[level.children][:, :, None] + own
        choice = through.argmax(axis=1)
        choices.append(choice)
        np.add.at(best, level.parents, through.max(axis=1))
    labels, roots = np.zeros(len(nodes), dtype=np.int64), wiring.roots
    labels[roots] = best[roots].argmax(axis=1)
    for level, choice in zip(wiring.levels, reversed(choices), strict=True):
        labels[level.children] = choice[np.arange(len(choice)), labels[level.parents]]
    tops = np.zeros(len(nodes))
    tops[roots] = best[roots].max(axis=1)
    return wiring.node_sums(tops), labels
