"""Labellings and marginals of graphs: what they score, and better labellings next to one."""

from __future__ import annotations

import numpy as np

from pragam.numerics.vector import Vector
from pragam.structured.graphs.wiring import Indices, Wiring


def score_of(wiring: Wiring, nodes: Vector, tables: Vector, labels: Indices) -> Vector:
    """The score of each graph's labelling."""
    u, v = labels[wiring.edges[:, 0]], labels[wiring.edges[:, 1]]
    of_nodes, of_edges = nodes[np.arange(len(nodes)), labels], tables[np.arange(len(tables)), u, v]
    out = wiring.node_sums(of_nodes)
    return np.asarray(out + wiring.edge_sums(of_edges), dtype=np.float64)


def expected_score(wiring: Wiring, nodes: Vector, tables: Vector, p: Vector, q: Vector) -> Vector:
    """The score of each graph's marginals."""
    out = wiring.node_sums(np.einsum("vk,vk->v", p, nodes))
    return np.asarray(out + wiring.edge_sums(np.einsum("eij,eij->e", q, tables)), dtype=np.float64)


def improved(wiring: Wiring, nodes: Vector, tables: Vector, labels: Indices, sweeps: int = 10) -> Indices:
    """A labelling that no change of a single node's label improves, or the one after so many sweeps."""
    labels = labels.copy()
    u, v = wiring.edges.T
    for _ in range(sweeps):
        before = labels.copy()
        for colour in wiring.colours:
            seen = np.concatenate(
                [tables[colour.out, :, labels[v[colour.out]]], tables[colour.into, labels[u[colour.into]]]]
            )
            labels[colour.nodes] = (nodes[colour.nodes] + colour.sums @ seen).argmax(axis=1)
        if np.array_equal(labels, before):
            break
    return labels
