"""The map of sequence labelling: from node, transition and end weights to the scores of all edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators import LabelRows
from pragam.operators.base import Operator, Vector
from pragam.rounding import TINY, gamma, norm
from pragam.structured.layout import ChainLayout


class ChainRows(Operator):
    r"""The score of the labels i, j at the nodes t, t + 1 of a sequence,

        <w_j, x_{t+1}> + v_ij,   and at the first table also <w_i, x_0> + start_i,   at the last one also end_j.

    The weights are w (K, d), v (K, K), start (K,) and end (K,), one after the other, flat. X has a row for each token
    and is used in place.
    """

    rigorous = True

    def __init__(self, X: Any, layout: ChainLayout) -> None:
        self.layout, self.labels = layout, LabelRows(X, layout.K)
        self.rigorous = type(self).rigorous and self.labels.rigorous
        if self.labels.shape[0] != layout.n_tokens * layout.K:
            raise ValueError(f"X has {self.labels.storage.shape[0]} rows, and the sequences {layout.n_tokens} tokens")
        K = layout.K
        self.n_node_weights = self.labels.shape[1]
        self.shape = (layout.size, self.n_node_weights + K * K + 2 * K)

    @property
    def entries(self) -> int:
        """Those of X for each label, and the scores themselves."""
        return self.labels.entries + self.layout.size

    def parts(self, w: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """The weights of nodes (flat), transitions (K, K), starts and ends, views."""
        K, first = self.layout.K, self.n_node_weights
        rest = w[first:]
        return w[:first], rest[: K * K].reshape(K, K), rest[K * K : K * K + K], rest[K * K + K :]

    def matvec(self, w: Vector) -> Vector:
        nodes, *rest = self.parts(np.asarray(w, dtype=np.float64))
        return self.layout.spread(self._by_token(self.labels.matvec(nodes)), *rest)

    def rmatvec(self, alpha: Vector) -> Vector:
        sums = self.layout.gather(np.asarray(alpha, dtype=np.float64))
        rest = sums.transitions.ravel(), sums.starts, sums.ends
        return np.concatenate([self.labels.rmatvec(sums.nodes.ravel()), *rest])

    def matvec_error(self, w: Vector) -> Vector:
        """That of the node scores, and four roundings of sums of up to five terms."""
        nodes, *rest = self.parts(w)
        scores, error = self.labels.matvec(nodes), self.labels.matvec_error(nodes)
        sizes = self.layout.spread(self._by_token(np.abs(scores) + error), *map(np.abs, rest))
        nothing = [np.zeros_like(part) for part in rest]
        return 1.01 * self.layout.spread(self._by_token(error), *nothing) + gamma(5) * sizes + 8 * TINY

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
        return 1.01 * (error + norm(of_rest))

    def row_norms(self) -> Vector:
        """Upper bounds: as if the two nodes of a first table had one label."""
        return self.row_bounds(np.arange(self.shape[0]))

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """|x_{t+1}| + |x_0| where both count, and at most three ones."""
        layout = self.layout
        lengths = np.repeat(self.labels.storage.row_bounds[:, None], layout.K, axis=1)
        nothing = np.zeros((layout.K, layout.K)), np.zeros(layout.K), np.zeros(layout.K)
        return 1.01 * (layout.spread(lengths, *nothing) + 1.75)[rows]

    def norm_bound(self) -> float:
        """|X| times that of the spread of nodes, whose columns have K ones and rows two at most, and those of the rest.

        A transition has a one for each table, the ends of a sequence K each.
        """
        layout, K = self.layout, self.layout.K
        of_rest = np.sqrt(max(layout.n_tables, 1)) + 2 * np.sqrt(K * layout.n)
        return 1.01 * float(np.sqrt(2 * K) * self.labels.norm_bound() + of_rest)

    def _by_token(self, scores: Vector) -> Vector:
        return scores.reshape(self.layout.n_tokens, self.layout.K)
