"""The map of sequence labelling: from node, transition and end weights to the scores of all edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.rounding import TINY, gamma, norm
from pragam.operators import LabelRows
from pragam.operators.base import Operator, Vector
from pragam.operators.storage import Storage
from pragam.structured.chains.layout import ChainLayout


class ChainRows(Operator):
    r"""The score of the labels i, j at the nodes t, t + 1 of a sequence,

        <w_j, x_{t+1}> + (v_0 + sum_f e_tf v_f)_ij,   and at the first table also <w_i, x_0> + start_i,
        at the last one also end_j.

    The weights are w (K, d), v (1 + edge features, K, K), start (K,) and end (K,), one after the other, flat. X has a
    row for each token and ``edge_features`` one for each table. They are used in place.
    """

    rigorous = True

    def __init__(self, X: Any, layout: ChainLayout, edge_features: Storage | None = None) -> None:
        self.layout, self.labels, self.edges = layout, LabelRows(X, layout.K), edge_features
        self.rigorous = (
            type(self).rigorous and self.labels.rigorous and (edge_features is None or edge_features.rigorous)
        )
        if self.labels.shape[0] != layout.n_tokens * layout.K:
            raise ValueError(f"X has {self.labels.storage.shape[0]} rows, and the sequences {layout.n_tokens} tokens")
        K = layout.K
        self.n_node_weights = self.labels.shape[1]
        self.n_tables = 1 + (0 if edge_features is None else edge_features.shape[1])
        self.shape = (layout.size, self.n_node_weights + self.n_tables * K * K + 2 * K)

    @property
    def entries(self) -> int:
        """Those of X for each label, and the scores themselves."""
        return self.labels.entries + self.layout.size

    def parts(self, w: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """The weights of nodes (flat), transitions (1 + edge features, K, K), starts and ends, views."""
        K = self.layout.K
        nodes, transitions, starts, ends = np.split(w, np.cumsum([self.n_node_weights, self.n_tables * K * K, K]))
        return nodes, transitions.reshape(-1, K, K), starts, ends

    def _tables(self, transitions: Vector) -> Vector:
        """The scores of transitions: one table for all, or one each."""
        if self.edges is None:
            return transitions[0]
        K = self.layout.K
        return self.edges.matmat(transitions[1:].reshape(-1, K * K).T).reshape(-1, K, K) + transitions[0]

    def matvec(self, w: Vector) -> Vector:
        nodes, transitions, *rest = self.parts(np.asarray(w, dtype=np.float64))
        return self.layout.spread(self._by_token(self.labels.matvec(nodes)), self._tables(transitions), *rest)

    def rmatvec(self, alpha: Vector) -> Vector:
        alpha = np.asarray(alpha, dtype=np.float64)
        sums = self.layout.gather(alpha)
        edges = [] if self.edges is None else [self.edges.rmatmat(self._flat_tables(alpha)).T.ravel()]
        rest = sums.transitions.ravel(), *edges, sums.starts, sums.ends
        return np.concatenate([self.labels.rmatvec(sums.nodes.ravel()), *rest])

    def _flat_tables(self, alpha: Vector) -> Vector:
        return self.layout.tables(alpha).reshape(self.layout.n_tables, -1)

    def matvec_error(self, w: Vector) -> Vector:
        """That of the node scores, and four roundings of sums of up to five terms."""
        nodes, transitions, starts, ends = self.parts(w)
        scores, error = self.labels.matvec(nodes), self.labels.matvec_error(nodes)
        tables = self._tables(transitions)
        off = np.zeros_like(tables)
        if self.edges is not None:
            longest = max(norm(np.ascontiguousarray(v)) for v in transitions[1:].reshape(-1, off[0].size).T)
            off += (self.edges.reach * longest + 2 * TINY)[:, None, None] + gamma(1) * np.abs(tables)
        sizes = self.layout.spread(
            self._by_token(np.abs(scores) + error), np.abs(tables) + off, np.abs(starts), np.abs(ends)
        )
        errors = self.layout.spread(self._by_token(error), off, np.zeros_like(starts), np.zeros_like(ends))
        return 1.01 * errors + gamma(6) * sizes + 8 * TINY

    def rmatvec_error(self, alpha: Vector) -> float:
        """That of the sums over labels and tables, and of the products with X."""
        layout, K = self.layout, self.layout.K
        sums, sizes = layout.gather(alpha), layout.gather(np.abs(alpha))
        of_nodes = gamma(K + 1) * sizes.nodes.ravel() + 2 * TINY
        terms = K * K * max(layout.n_tables, 1) + layout.n
        of_rest = (
            gamma(terms) * np.concatenate([sizes.transitions.ravel(), sizes.starts, sizes.ends]) + 2 * terms * TINY
        )
        error = self.labels.rmatvec_error(sums.nodes.ravel()) + self.labels.norm_bound() * norm(of_nodes)
        if self.edges is not None:
            columns = np.ascontiguousarray(self._flat_tables(alpha).T)
            error += norm(np.array([self.edges.adjoint_error(column) for column in columns]))
        return 1.01 * (error + norm(of_rest))

    def row_norms(self) -> Vector:
        """Upper bounds: as if the two nodes of a first table had one label."""
        return self.row_bounds(np.arange(self.shape[0]))

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """|x_{t+1}| + |x_0| where both count, and at most three ones."""
        layout = self.layout
        lengths = np.repeat(self.labels.storage.row_bounds[:, None], layout.K, axis=1)
        tables = np.zeros((layout.n_tables, 1, 1)) if self.edges is None else self.edges.row_bounds[:, None, None]
        nothing = np.broadcast_to(tables, (layout.n_tables, layout.K, layout.K)), np.zeros(layout.K), np.zeros(layout.K)
        return 1.01 * (layout.spread(lengths, *nothing) + 1.75)[rows]

    def norm_bound(self) -> float:
        """|X| times that of the spread of nodes, whose columns have K ones and rows two at most, and those of the rest.

        A transition has a one for each table, the ends of a sequence K each.
        """
        layout, K = self.layout, self.layout.K
        of_rest = np.sqrt(max(layout.n_tables, 1)) + 2 * np.sqrt(K * layout.n)
        of_edges = 0.0 if self.edges is None else self.edges.norm_bound
        return 1.01 * float(np.sqrt(2 * K) * self.labels.norm_bound() + of_edges + of_rest)

    def _by_token(self, scores: Vector) -> Vector:
        return scores.reshape(self.layout.n_tokens, self.layout.K)
