"""Messages between the nodes and edges of graphs with cycles.

A sweep visits the nodes of a graph in order, the next one in the opposite order. With the scores s_v of nodes and t_e
of edges, and max or tau log sum exp as ``smax``, the turn of a node v is

    m_e(k) = smax over labels of the other end of t_e,     level(k) = s_v(k) + sum over the edges e at v of m_e(k)
    t_e(k, .) <- t_e(k, .) - m_e(k) + [e leads to a later node] share level(k),     s_v <- level less these shares

with share = 1 / max(number of later neighbours, number of earlier ones). ``messages`` holds what edges have given to
either end in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["graph_messages"]

Indices = NDArray[np.int64]


def graph_messages(
    active: Indices,
    first_node: Indices,
    order: Indices,
    rank: Indices,
    first: Indices,
    half: Indices,
    edges: Indices,
    tau: Vector,
    shares: Vector,
    K: int,
    nodes: Vector,
    tables: Vector,
    messages: Vector,
    levels: Vector,
    labels: Indices,
    threads: int = 1,
) -> None:
    """A sweep over the active graphs for each of ``shares``, with shares times tau of the graph; in place.

    Graph g has the nodes order[first_node[g] : first_node[g + 1]], and ``rank`` are their places there. The ends of
    edges at node v are half[first[v] : first[v + 1]], two times the edge, and one more at its second end; ``edges`` are
    the nodes at the ends. ``nodes`` (N, K), ``tables`` (E, K, K), ``messages`` (E, 2, K) and ``levels`` (N, K), share
    times the level in the last turn of a node, are flat. ``labels`` are those that the last sweep chooses, one node
    after the other.
    """
    state = _State(K, first, half, edges.reshape(-1, 2), rank, nodes, tables, messages, levels, labels)
    for g in active:
        own = order[first_node[g] : first_node[g + 1]]
        for sweep, share in enumerate(shares):
            is_up = sweep % 2 == 0
            for v in own if is_up else own[::-1]:
                state.update(v, share * tau[g], is_up, sweep + 1 == len(shares))


class _State:
    """The arrays, in their shapes."""

    def __init__(
        self, K: int, first: Indices, half: Indices, edges: Indices, rank: Indices, nodes: Vector, tables: Vector,
        messages: Vector, levels: Vector, labels: Indices,
    ) -> None:  # fmt: skip
        self.first, self.half, self.edges, self.rank, self.labels = first, half, edges, rank, labels
        self.s, self.t = nodes.reshape(-1, K), tables.reshape(-1, K, K)
        self.d, self.levels = messages.reshape(-1, 2, K), levels.reshape(-1, K)

    def update(self, v: int, tau: float, is_up: bool, is_last: bool) -> None:
        """The turn of one node."""
        edge, side = np.divmod(self.half[self.first[v] : self.first[v + 1]], 2)
        other = self.edges[edge, 1 - side]
        is_ahead = (self.rank[other] > self.rank[v]) == is_up
        is_into = (side == 1)[:, None, None]
        own = np.where(is_into, self.t[edge].transpose(0, 2, 1), self.t[edge])  # the node's own label first
        seen = own.max(axis=2)
        if tau > 0:
            seen = seen + tau * np.log(np.exp((own - seen[:, :, None]) / tau).sum(axis=2))
        level = self.s[v] + seen.sum(axis=0)
        if is_last:
            behind = np.flatnonzero(~is_ahead)
            given = own[behind, :, self.labels[other[behind]]] - seen[behind]
            self.labels[v] = (level + given.sum(axis=0)).argmax()
        ahead = int(is_ahead.sum())
        self.levels[v] = level / max(ahead, len(edge) - ahead, 1)
        self.s[v] = level - ahead * self.levels[v]
        change = seen - is_ahead[:, None] * self.levels[v]
        self.d[edge, side] += change
        self.t[edge] -= np.where(is_into, change[:, None, :], change[:, :, None])
