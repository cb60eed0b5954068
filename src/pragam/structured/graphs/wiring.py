"""Which nodes of some graphs are linked by edges: orders in which messages can be passed."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Colour(NamedTuple):
    """Nodes none of which are linked, the edges that begin or end in them, and sums over these."""

    nodes: Indices
    out: Indices  # edges that begin in one of the nodes
    into: Indices
    sums: sparse.csr_array  # (nodes, out and into): which of these edges belong to a node
    degrees: NDArray[np.float64]


class Wiring:
    """Graphs of ``sizes`` nodes, and edges (u, v) between nodes of one graph, numbered through all graphs."""

    def __init__(self, sizes: Indices, n_edges: Indices, edges: Indices) -> None:
        self.sizes, self.n_edges, self.edges = sizes, n_edges, edges
        self.n, self.n_nodes = len(sizes), int(sizes.sum())
        self.first_node = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.first_edge = np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64)

    @cached_property
    def graph_of_node(self) -> Indices:
        return np.repeat(np.arange(self.n), self.sizes)

    @cached_property
    def graph_of_edge(self) -> Indices:
        return np.repeat(np.arange(self.n), self.n_edges)

    def node_sums(self, of_nodes: Vector) -> Vector:
        """The sum over the nodes of each graph."""
        return np.asarray(np.bincount(self.graph_of_node, of_nodes, minlength=self.n), dtype=np.float64)

    def edge_sums(self, of_edges: Vector) -> Vector:
        """The sum over the edges of each graph."""
        return np.asarray(np.bincount(self.graph_of_edge, of_edges, minlength=self.n), dtype=np.float64)

    @cached_property
    def components(self) -> Indices:
        """Of each node, the number of its connected component."""
        links = (np.ones(len(self.edges)), (self.edges[:, 0], self.edges[:, 1]))
        joined = sparse.csr_array(links, shape=(self.n_nodes, self.n_nodes))
        return np.asarray(sparse.csgraph.connected_components(joined, directed=False)[1], dtype=np.int64)

    @cached_property
    def is_forest(self) -> Flags:
        """Of each graph, whether it has no cycle: its nodes are as many as its edges and components."""
        parts = np.bincount(self.graph_of_node[self.roots], minlength=self.n)
        return np.asarray(self.sizes == self.n_edges + parts)

    @cached_property
    def _half_edges(self) -> tuple[Indices, Indices, Indices]:
        """(first, edge, neighbour): node v has edge[first[v] : first[v + 1]], and neighbour are their other ends."""
        tails = np.concatenate([self.edges[:, 0], self.edges[:, 1]])
        heads = np.concatenate([self.edges[:, 1], self.edges[:, 0]])
        order = np.argsort(tails, kind="stable")
        first = np.searchsorted(tails[order], np.arange(self.n_nodes + 1))
        return first, order % max(len(self.edges), 1), heads[order]

    @cached_property
    def ends(self) -> tuple[Indices, Indices]:
        """(first, half): node v has the ends half[first[v] : first[v + 1]], 2 e or, at the second end of e, 2 e + 1."""
        first, edge, _ = self._half_edges
        node = np.repeat(np.arange(self.n_nodes), np.diff(first))
        return first, 2 * edge + (self.edges[edge, 1] == node)

    @cached_property
    def turns(self) -> tuple[Indices, Indices]:
        """(order, rank): the nodes graph by graph, neighbours near each other, and the place of each node there."""
        links = (np.ones(len(self.edges)), (self.edges[:, 0], self.edges[:, 1]))
        joined = sparse.csr_array(links, shape=(self.n_nodes, self.n_nodes))
        near = sparse.csgraph.reverse_cuthill_mckee((joined + joined.T).tocsr(), symmetric_mode=True)
        order: Indices = near[np.argsort(self.graph_of_node[near], kind="stable")].astype(np.int64)
        rank = np.empty(self.n_nodes, dtype=np.int64)
        rank[order] = np.arange(self.n_nodes)
        return order, rank

    @cached_property
    def rooted(self) -> tuple[Indices, Indices, Indices]:
        """(order, parent, end) of a forest: all nodes, parents before their children, the parent of each, -1 of a root,
        and the end of the edge above it that it is at, as in ``ends``. Roots are the first nodes of components."""
        first, half = self.ends
        flat, bounds, halves = self.edges.reshape(-1).tolist(), first.tolist(), half.tolist()
        parent, end = np.full(self.n_nodes, -1), np.zeros(self.n_nodes, dtype=np.int64)
        order: list[int] = self.roots.tolist()
        for v in order:  # it grows
            for h in halves[bounds[v] : bounds[v + 1]]:
                other = flat[h ^ 1]
                if other != parent[v]:
                    parent[other], end[other] = v, h ^ 1
                    order.append(other)
        return np.array(order, dtype=np.int64), parent, end

    @cached_property
    def roots(self) -> Indices:
        """The first node of each component."""
        return np.unique(self.components, return_index=True)[1].astype(np.int64)

    @cached_property
    def colours(self) -> list[Colour]:
        """All nodes, in groups of nodes that are not linked: each in turn gets the first group that it can."""
        first, _, neighbour = self._half_edges
        colour = np.full(self.n_nodes, -1)
        bounds, others, found = first.tolist(), neighbour.tolist(), colour.tolist()
        for node in range(self.n_nodes):
            taken = {found[other] for other in others[bounds[node] : bounds[node + 1]]}
            found[node] = next(c for c in range(len(taken) + 1) if c not in taken)
        colour[:] = found
        return [self._coloured(np.flatnonzero(colour == c)) for c in range(int(colour.max(initial=-1)) + 1)]

    def _coloured(self, nodes: Indices) -> Colour:
        place = np.full(self.n_nodes, -1)
        place[nodes] = np.arange(len(nodes))
        out, into = (np.flatnonzero(place[self.edges[:, side]] >= 0) for side in (0, 1))
        ends = place[np.concatenate([self.edges[out, 0], self.edges[into, 1]])]
        sums = sparse.csr_array((np.ones(len(ends)), (ends, np.arange(len(ends)))), shape=(len(nodes), len(ends)))
        return Colour(nodes, out, into, sums, np.bincount(ends, minlength=len(nodes)).astype(np.float64))
