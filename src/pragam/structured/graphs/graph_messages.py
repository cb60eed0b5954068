r"""Messages between the nodes and edges of graphs with cycles.

The best labelling of such a graph is hard to find, its local-consistency relaxation is a linear program,

    max over locally consistent (p, q) of  sum_v <s_v, p_v> + sum_e <t_e, q_e>.

Messages d_eu, d_ev, K numbers for each end of an edge e = (u, v), move scores between edges and nodes,

    s'_v = s_v + sum over edges e at v of d_ev,      t'_e(i, j) = t_e(i, j) - d_eu(i) - d_ev(j),

which changes the score of no labelling, nor of locally consistent marginals. So for *any* messages

    sum_v max s'_v + sum_e max t'_e   >=   the value of the linear program   >=   the score of the best labelling,

with equality on the left for the best messages. They are sought by block coordinate descent on the same function with
each maximum smoothed, max x -> tau log sum exp(x / tau): all messages into a node have a joint minimum in closed form,
where the node and its edges have the same marginals. Nodes that are not linked take their turns together; tau falls
from sweep to sweep. The marginals softmax(s' / tau), softmax(t' / tau) then nearly solve the linear program.

Globerson and Jaakkola, "Fixing max-product" (NIPS 2007); Meshi, Jaakkola and Globerson, "Convergence rate analysis of
MAP coordinate minimization algorithms" (NIPS 2012).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam import _kernels
from pragam.structured.graphs.wiring import Indices, Wiring
from pragam.vector import Vector

#: On random grids of 36 nodes the bound is then within 1e-9 of the linear program's value, and the marginals within
#: 4e-5; half as many sweeps leave 3e-6 and 2e-2.
SWEEPS = 400
#: tau in the first sweep and in the last, over the largest range of the scores of a node or an edge of the graph. A
#: bound loses as much as the last one where many labellings are about best, as they are at the optimum of a hinge risk.
#: Marginals are better if tau does not fall so fast.
_WARM, MILD, COLD = 0.1, 1e-6, 1e-9


class Messages(NamedTuple):
    """What messages have made of scores."""

    sent: Vector  # (edges, 2, K), d_eu and d_ev of e = (u, v)
    nodes: Vector  # s', (nodes, K)
    tables: Vector  # t', (edges, K, K)
    tau: Vector  # of each graph, in the last sweep


def pass_messages(wiring: Wiring, nodes: Vector, tables: Vector, last: float, sweeps: int = SWEEPS) -> Messages:
    """The messages after so many sweeps, the last one with tau = ``last`` times the range of a graph's scores.

    ``nodes`` (N, K) and ``tables`` (E, K, K) are the scores.
    """
    E, K = len(tables), nodes.shape[1]
    tau, sent = _ranges(wiring, nodes, tables), np.zeros((E, 2, K))
    s, t = nodes.copy(), np.array(tables, order="C")
    order = np.concatenate([colour.nodes for colour in wiring.colours])
    bounds = np.cumsum([0, *(len(colour.nodes) for colour in wiring.colours)])
    first, half = wiring.ends
    _kernels.get("graph_messages")(
        order, bounds, first, half, tau[wiring.graph_of_node], np.geomspace(_WARM, last, sweeps), K, s.reshape(-1),
        t.reshape(-1), sent.reshape(-1),
    )  # fmt: skip
    return Messages(sent, s, t, last * tau)


def _ranges(wiring: Wiring, nodes: Vector, tables: Vector) -> Vector:
    """For each graph, the largest range of the scores of a node or an edge; 1 if all are equal."""
    out = np.zeros(wiring.n)
    np.maximum.at(out, wiring.graph_of_node, np.ptp(nodes, axis=1))
    np.maximum.at(out, wiring.graph_of_edge, np.ptp(tables.reshape(len(tables), -1), axis=1))
    return np.where(out > 0, out, 1.0)


def reparametrised(wiring: Wiring, nodes: Vector, tables: Vector, m: Messages) -> tuple[Vector, Vector]:
    """s' and t' from the scores and messages themselves. The sums of a node have a rounding for each of its edges."""
    moved = nodes.copy()
    np.add.at(moved, wiring.edges, m.sent)
    return moved, tables - m.sent[:, 0, :, None] - m.sent[:, 1, None, :]


def marginals(wiring: Wiring, m: Messages) -> tuple[Vector, Vector]:
    """Locally consistent marginals (N, K) and (E, K, K) that nearly solve the linear program, up to rounding."""
    p = _shares(m.nodes / m.tau[wiring.graph_of_node][:, None], axis=1)
    q = _shares(m.tables / m.tau[wiring.graph_of_edge][:, None, None], axis=(1, 2))
    return p, consistent(q, p[wiring.edges[:, 0]], p[wiring.edges[:, 1]])


def consistent(tables: Vector, rows: Vector, columns: Vector) -> Vector:
    """Tables near the given ones whose sums over columns are ``rows``, and over rows ``columns``.

    Rows, then columns, that have too much mass are scaled down, and what lacks is spread as a product (Altschuler,
    Weed and Rigollet, "Near-linear time approximation algorithms for optimal transport", NIPS 2017, Algorithm 2).
    """
    out = within(tables, rows, columns)
    lack, also = np.maximum(rows - out.sum(axis=2), 0.0), np.maximum(columns - out.sum(axis=1), 0.0)
    mass = np.maximum(lack.sum(axis=1), np.finfo(np.float64).tiny)
    return out + lack[:, :, None] * (also / mass[:, None])[:, None, :]


def within(tables: Vector, rows: Vector, columns: Vector) -> Vector:
    """Tables scaled down, first by rows and then by columns, to sums of no more than those given."""
    out = tables * _factors(rows, tables.sum(axis=2))[:, :, None]
    return np.asarray(out * _factors(columns, out.sum(axis=1))[:, None, :], dtype=np.float64)


def _factors(wanted: Vector, sums: Vector) -> Vector:
    return np.minimum(np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0), 1.0)


def _shares(x: Vector, axis: int | tuple[int, ...]) -> Vector:
    p = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(p / p.sum(axis=axis, keepdims=True), dtype=np.float64)


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
