"""The best labelling of forests, by max-product from the leaves to the roots and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["forest_best"]

Indices = NDArray[np.int64]


def forest_best(
    order: Indices, parent: Indices, edge: Indices, tables: Vector, K: int, best: Vector, labels: Indices
) -> None:
    """Of the scores of nodes, ``best`` (N, K), flat, makes those of the best labels below and at each node; in place.

    ``order`` has parents before their children, and a root has the parent -1. The edge above node v is edge[v] // 2,
    and edge[v] % 2 is the end that v is at. ``tables`` (E, K, K), flat, are the scores of the labels of first and
    second ends. The roots of ``best`` then have the highest scores, and ``labels`` those of such labellings. Of equal
    ones the first label is taken.
    """
    s, t, choices = best.reshape(-1, K), tables.reshape(-1, K, K), {}
    for v in order[::-1].tolist():
        if parent[v] >= 0:
            table = t[edge[v] // 2]
            through = s[v][:, None] + (table.T if edge[v] % 2 else table)
            choices[v] = through.argmax(axis=0)
            s[parent[v]] += through.max(axis=0)
    for v in order.tolist():
        labels[v] = s[v].argmax() if parent[v] < 0 else choices[v][labels[parent[v]]]
