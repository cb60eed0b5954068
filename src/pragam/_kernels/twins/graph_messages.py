"""Twin of graph_messages.cpp: messages between the nodes and edges of graphs with cycles.

With the scores s_v of nodes and t_e of edges, all messages into a node v have the joint minimum of the smoothed bound

    sum_v tau log sum exp(s_v / tau) + sum_e tau log sum exp(t_e / tau)

where v and its edges have the same marginals. With the smoothed marginals m_e(k) of its edges, tau log sum over the
labels of the other end, that is s_v <- (s_v + sum_e m_e) / (1 + degree), and each t_e loses m_e less the new s_v.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from pragam.vector import Vector

__all__ = ["graph_messages"]


def graph_messages(
    order: Vector,
    colours: Vector,
    first: Vector,
    half: Vector,
    tau: Vector,
    shares: Vector,
    K: int,
    nodes: Vector,
    tables: Vector,
    messages: Vector,
) -> None:
    """A sweep over all nodes for each of ``shares``, with shares times tau of each node; in place.

    The ends of edges at node v are half[first[v] : first[v + 1]], two times the edge, and one more at its second end.
    ``nodes`` (N, K), ``tables`` (E, K, K) and ``messages`` (E, 2, K), what the tables have given to either end, are
    flat. ``order`` has all nodes, and those of one colour, order[colours[c] : colours[c + 1]], are not linked.
    """
    s, t, d = nodes.reshape(-1, K), tables.reshape(-1, K, K), messages.reshape(-1, 2, K)
    groups = [_Group(order[a:b], first, half) for a, b in pairwise(colours.tolist())]
    for share in shares:
        for group in groups:
            group.update(s, t, d, share * tau)


class _Group:
    """Nodes that are not linked, and the ends of edges there."""

    def __init__(self, nodes: Vector, first: Vector, half: Vector) -> None:
        self.nodes, self.degrees = nodes, first[nodes + 1] - first[nodes]
        ends = np.concatenate([half[first[v] : first[v + 1]] for v in nodes])
        owner = np.repeat(np.arange(len(nodes)), self.degrees)
        self.sums = sparse.csr_array((np.ones(len(ends)), (owner, np.arange(len(ends)))), (len(nodes), len(ends)))
        self.edges, self.sides, self.owner = ends // 2, ends % 2, owner

    def update(self, s: Vector, t: Vector, d: Vector, tau: Vector) -> None:
        """The best messages into these nodes."""
        is_into = (self.sides == 1)[:, None, None]
        own = np.where(is_into, t[self.edges].transpose(0, 2, 1), t[self.edges])  # the node's own label first
        most = own.max(axis=2)
        at = tau[self.nodes][self.owner][:, None]
        seen = most + at * np.log(np.exp((own - most[:, :, None]) / at[:, :, None]).sum(axis=2))
        s[self.nodes] = (s[self.nodes] + self.sums @ seen) / (self.degrees + 1)[:, None]
        change = seen - s[self.nodes][self.owner]
        d[self.edges, self.sides] += change
        t[self.edges] -= np.where(is_into, change[:, None, :], change[:, :, None])
