r"""Messages between the nodes and edges of graphs with cycles.

The best labelling of such a graph is hard to find, its local-consistency relaxation is a linear program,

    max over locally consistent (p, q) of  sum_v <s_v, p_v> + sum_e <t_e, q_e>.

Messages d_eu, d_ev, K numbers for each end of an edge e = (u, v), move scores between edges and nodes,

    s'_v = s_v + sum over edges e at v of d_ev,      t'_e(i, j) = t_e(i, j) - d_eu(i) - d_ev(j),

which changes the score of no labelling, nor of locally consistent marginals. So for *any* messages

    sum_v max s'_v + sum_e max t'_e   >=   the value of the linear program   >=   the score of the best labelling,

with equality on the left for the best messages. They are sought by sequential reweighted message passing: nodes take
turns in one order and then in the opposite one, so a sweep carries what is known along whole paths. Every sweep also
chooses labels. Where their score meets the bound they are the best ones, which most graphs show within a few sweeps.

Coordinate descent on a function with kinks can end too early. So the other graphs begin anew with smoothed maxima,
max x -> tau log sum exp(x / tau), and tau falls from sweep to sweep. The smoothed beliefs are then marginals that
nearly solve the linear program. A few plain sweeps at the end remove what smoothing costs the bound.

Kolmogorov, "Convergent tree-reweighted message passing for energy minimization" (PAMI 2006) and "A new look at
reweighted message passing" (PAMI 2015); Savchynskyy, Schmidt, Kappes and Schnoerr, "Efficient MRF energy minimization
via adaptive diminishing smoothing" (UAI 2012).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from pragam import _kernels
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads
from pragam.structured.graphs.label_search import expected_score, improved, score_of
from pragam.structured.graphs.local_tables import consistent
from pragam.structured.graphs.wiring import Flags, Indices, Wiring

#: Plain sweeps between two looks at the bound, and at most so many looks.
_SWEEPS, _LOOKS = 8, 6
#: Plain sweeps end when so many bring the bound nearer to the labelling by less than this share.
_PROGRESS = 0.1
#: A labelling whose score is so near to the bound, relative to the sum of the largest scores, is the best one.
_TIGHT = 1e-11
#: tau over the largest range of the scores of a node or an edge of the graph, where stages of smoothed sweeps begin and
#: end, and the sweeps of each stage, an even number. Marginals of hard graphs are best after the first, others later.
_STAGES, _SMOOTHED = (0.1, 1e-3, 3e-5, 1e-6), (100, 50, 50)


#: (nodes, K) and (edges, K, K).
Marginals: TypeAlias = tuple[Vector, Vector]


class Messages(NamedTuple):
    """The best messages and labels that were found."""

    sent: Vector  # (edges, 2, K), d_eu and d_ev of e = (u, v)
    labels: Indices
    is_best: Flags  # of each graph: whether its labels are known to be a best labelling
    marginals: Marginals | None  # of the other graphs; None if there are none


def pass_messages(wiring: Wiring, nodes: Vector, tables: Vector) -> Messages:
    """Messages that bound the scores ``nodes`` (N, K) and ``tables`` (E, K, K) well, and what they say."""
    passing, marginals = _Passing(wiring, nodes, tables), None
    passing.plain_sweeps()
    is_best = passing.is_best
    if not is_best.all():
        marginals = passing.smoothed_sweeps(np.flatnonzero(~is_best))
    sent = passing.best_sent
    sent -= sent.max(axis=2, keepdims=True)  # constants move the bound nowhere, but they would add to the rounding
    return Messages(sent, passing.best_labels, passing.is_best, marginals)


class _Passing:
    """Scores on which messages work, a copy of those given, and the best that was found."""

    def __init__(self, wiring: Wiring, nodes: Vector, tables: Vector) -> None:
        self.wiring, self.given, n = wiring, (nodes, tables), wiring.n
        self.ranges = _ranges(wiring, nodes, tables)
        most = wiring.node_sums(np.abs(nodes).max(axis=1)), wiring.edge_sums(np.abs(tables).max(axis=(1, 2)))
        self.allowed = _TIGHT * (most[0] + most[1])
        self.nodes, self.tables, self.sent = nodes.copy(), np.array(tables, order="C"), _no_messages(tables)
        self.levels, self.labels = np.empty(nodes.shape), np.zeros(len(nodes), dtype=np.int64)
        self.best_sent, self.best_labels = self.sent.copy(), self.labels.copy()
        self.bounds, self.scores = np.full(n, np.inf), np.full(n, -np.inf)

    @property
    def is_best(self) -> Flags:
        """Of each graph, whether the score of its labels meets the bound."""
        return self.bounds - self.scores <= self.allowed

    def plain_sweeps(self) -> None:
        """Sweeps over each graph until its labels are the best ones, or until they bring little."""
        active = np.arange(self.wiring.n)
        for _ in range(_LOOKS):
            before = self.bounds.copy()
            self._sweep(active, np.zeros(_SWEEPS))
            is_slow = before - self.bounds <= _PROGRESS * (self.bounds - self.scores)
            active = np.flatnonzero(~is_slow & ~self.is_best)
            if not len(active):
                break

    def smoothed_sweeps(self, active: Indices) -> Marginals | None:
        """Smoothed sweeps over these graphs from the scores given, then a few plain ones. The best marginals."""
        at_node, at_edge = (np.isin(of, active) for of in (self.wiring.graph_of_node, self.wiring.graph_of_edge))
        self.nodes[at_node], self.tables[at_edge] = self.given[0][at_node], self.given[1][at_edge]
        self.sent[at_edge] = 0.0
        best, values = None, np.full(self.wiring.n, -np.inf)
        for (warm, cold), sweeps in zip(pairwise(_STAGES), _SMOOTHED, strict=True):
            self._sweep(active, np.geomspace(warm, cold, sweeps))
            best, values = self._better(best, values, self._marginals(cold))
        self._sweep(active, np.zeros(_SWEEPS))
        self.labels = improved(self.wiring, *self.given, self.best_labels)
        self._keep_labels()
        return best

    def _better(self, one: Marginals | None, value: Vector, two: Marginals) -> tuple[Marginals, Vector]:
        """Of each graph the better one of two marginals, and its value."""
        other = expected_score(self.wiring, *self.given, *two)
        if one is None:
            return two, other
        at_node, at_edge = ((other > value)[of] for of in (self.wiring.graph_of_node, self.wiring.graph_of_edge))
        p, q = np.where(at_node[:, None], two[0], one[0]), np.where(at_edge[:, None, None], two[1], one[1])
        return (p, q), np.maximum(value, other)

    def _sweep(self, active: Indices, shares: Vector) -> None:
        """A sweep over some graphs for each of the shares of their ranges. Keeps what is better than before."""
        wiring, K = self.wiring, self.nodes.shape[1]
        _kernels.get("graph_messages")(
            active, wiring.first_node, *wiring.turns, *wiring.ends, wiring.edges.reshape(-1), self.ranges, shares, K,
            self.nodes.reshape(-1), self.tables.reshape(-1), self.sent.reshape(-1), self.levels.reshape(-1),
            self.labels, n_threads(),
        )  # fmt: skip
        bounds = wiring.node_sums(self.nodes.max(axis=1)) + wiring.edge_sums(self.tables.max(axis=(1, 2)))
        at_edge = (bounds < self.bounds)[wiring.graph_of_edge]
        self.best_sent[at_edge] = self.sent[at_edge]
        self.bounds = np.minimum(bounds, self.bounds)
        self._keep_labels()

    def _keep_labels(self) -> None:
        scores = score_of(self.wiring, *self.given, self.labels)
        at_node = (scores > self.scores)[self.wiring.graph_of_node]
        self.best_labels[at_node] = self.labels[at_node]
        self.scores = np.maximum(scores, self.scores)

    def _marginals(self, cold: float) -> Marginals:
        """Those of nodes are softmax(level / tau). The last sweep went down, so the table of an edge says how likely
        the labels of its upper end are for each label of the lower one."""
        u, v = self.wiring.edges.T
        _, rank = self.wiring.turns
        tau = cold * self.ranges
        p = _softmax(self.levels / tau[self.wiring.graph_of_node][:, None])
        likely = np.exp(np.minimum(self.tables / tau[self.wiring.graph_of_edge][:, None, None], 0.0))
        q = likely * np.where((rank[u] < rank[v])[:, None, None], p[u][:, :, None], p[v][:, None, :])
        return p, consistent(q, p[u], p[v])


def _no_messages(tables: Vector) -> Vector:
    return np.zeros((len(tables), 2, tables.shape[1]))


def _ranges(wiring: Wiring, nodes: Vector, tables: Vector) -> Vector:
    """For each graph, the largest range of the scores of a node or an edge; 1 if all are equal."""
    out = np.zeros(wiring.n)
    np.maximum.at(out, wiring.graph_of_node, np.ptp(nodes, axis=1))
    np.maximum.at(out, wiring.graph_of_edge, np.ptp(tables, axis=(1, 2)))
    return np.where(out > 0, out, 1.0)


def _softmax(x: Vector) -> Vector:
    p = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(p / p.sum(axis=1, keepdims=True), dtype=np.float64)


def reparametrised(wiring: Wiring, nodes: Vector, tables: Vector, sent: Vector) -> tuple[Vector, Vector]:
    """s' and t' from the scores and messages themselves. The sums of a node have a rounding for each of its edges."""
    moved = nodes.copy()
    np.add.at(moved, wiring.edges, sent)
    return moved, tables - sent[:, 0, :, None] - sent[:, 1, None, :]
