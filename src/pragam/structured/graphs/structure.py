"""Graphs and their labellings: what a labelling scores, costs and has as features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pragam.numerics.vector import Vector
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem
from pragam.structured.by_example import ByExample
from pragam.structured.graphs import moments as graph_moments
from pragam.structured.graphs import values as graph_values
from pragam.structured.graphs.unfolded import GraphUnfolding
from pragam.structured.graphs.wiring import Indices, Wiring
from pragam.structured.labellings import Labellings, Mixture, mix
from pragam.structured.structure import Moments

#: Scores in memory at a time, unless a single graph has more.
_SCORES = 2**20


class Parts(NamedTuple):
    """The weights of a graph model by what they weigh, views of one vector."""

    nodes: Vector  # (K, d)
    edges: Vector  # (1 + edge features, K, K); the first is that of every edge


class Block(NamedTuple):
    """Some neighbouring graphs, all of them without cycles, or all with."""

    graphs: slice
    nodes: slice
    edges: slice
    wiring: Wiring  # theirs alone
    is_forest: bool


@dataclass(frozen=True, eq=False)
class GraphStructure(ByExample):
    r"""The score of a labelling y of a graph with the nodes x_v and the edges (u, v) with features e_uv:

        sum_v <w_{y_v}, x_v> + sum_uv (v_0 + sum_f e_uvf v_f)_{y_u y_v}

    The weights lie in one vector: w (K, d) and v (1 + edge features, K, K), flat.

    A labelling of all graphs is an array of the labels of all nodes. If a graph has a cycle, dual points are *locally
    consistent marginals*, an outer relaxation: a vector with K numbers for each node, then K^2 for each edge, those of
    graph i times totals_i.

    Attributes
    ----------
    storage : the nodes of all graphs, one row each
    edge_storage : the edges of all graphs: a one, and their features
    wiring : which nodes the edges link
    labels : the number of the true label of each node
    K : the number of labels
    totals : weight_i / n of each graph
    cost, node_scale : label k costs node_scale[v] * cost[y_v, k] at node v
    """

    storage: Storage
    edge_storage: Storage
    wiring: Wiring
    labels: Indices
    K: int
    totals: Vector
    cost: Vector
    node_scale: Vector

    @property
    def rigorous(self) -> bool:
        return self.storage.rigorous and self.edge_storage.rigorous

    @cached_property
    def exact(self) -> bool:
        """Whether no graph has a cycle."""
        return bool(self.wiring.is_forest.all())

    @property
    def n(self) -> int:
        return self.wiring.n

    @property
    def n_weights(self) -> int:
        return self.K * self.storage.shape[1] + self.edge_storage.shape[1] * self.K**2

    @property
    def entries(self) -> int:
        return self.K * self.storage.stored + self.K**2 * self.edge_storage.stored

    def parts(self, w: Vector) -> Parts:
        """The weights by what they weigh."""
        K, first = self.K, self.K * self.storage.shape[1]
        return Parts(w[:first].reshape(K, -1), w[first:].reshape(-1, K, K))

    # Some of the graphs ---------------------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> list[Block]:
        """All graphs, in groups whose scores fit into memory."""
        wiring, out, i = self.wiring, [], 0
        counts = wiring.sizes * self.K + wiring.n_edges * self.K**2
        ends = np.concatenate([[0], np.cumsum(counts)])
        changes = np.append(np.flatnonzero(np.diff(wiring.is_forest)) + 1, self.n)
        while i < self.n:
            fitting = int(np.searchsorted(ends, ends[i] + _SCORES, side="right")) - 1
            alike = int(changes[np.searchsorted(changes, i, side="right")])
            j = min(max(fitting, i + 1), alike)
            out.append(self._block(i, j))
            i = j
        return out

    @cached_property
    def single(self) -> list[Block]:
        """Each graph by itself."""
        return [self._block(i, i + 1) for i in range(self.n)]

    def _block(self, i: int, j: int) -> Block:
        wiring = self.wiring
        nodes = slice(int(wiring.first_node[i]), int(wiring.first_node[j]))
        edges = slice(int(wiring.first_edge[i]), int(wiring.first_edge[j]))
        own = Wiring(wiring.sizes[i:j], wiring.n_edges[i:j], wiring.edges[edges] - nodes.start)
        return Block(slice(i, j), nodes, edges, own, bool(wiring.is_forest[i]))

    # Labellings -----------------------------------------------------------------------------------------------------

    def decode(self, w: Vector, loss: float = 1.0) -> Labellings | Vector:
        found = [graph_values.decoded(self, w, block, loss) for block in self.blocks]
        return Labellings.of(np.concatenate(found)) if self.exact else self._marginals(found)

    def _marginals(self, parts: list[Any]) -> Vector:
        """The dual point of the labels or marginals of each block."""
        units = [graph_moments.unit_shares(b.wiring, self.K, part) for b, part in zip(self.blocks, parts, strict=True)]
        return graph_moments.scaled(self, units)

    def values(self, w: Vector, loss: float = 1.0) -> Vector:
        """With cycles: an upper bound of the relaxed maximum."""
        return np.concatenate([graph_values.values(self, w, block, loss).values for block in self.blocks])

    def values_bound(self, w: Vector) -> tuple[Vector, Vector]:
        found = [graph_values.values_bound(self, w, block) for block in self.blocks]
        return np.concatenate([value for value, _ in found]), np.concatenate([slack for _, slack in found])

    def predict(self, w: Vector) -> tuple[Indices, bool]:
        """The labels of all nodes in the best labelling, or in a good one, and whether it is known to be the best."""
        found = [graph_values.labelled(self, w, block) for block in self.blocks]
        return np.concatenate([labels for labels, _ in found]), all(is_best for _, is_best in found)

    def max_marginals(self, w: Vector) -> Vector:
        """(nodes, K): the score of the best labelling with each label of each node, in graphs without cycles."""
        return np.concatenate([graph_values.max_marginals(self, w, block) for block in self.blocks])

    # Dual points ----------------------------------------------------------------------------------------------------

    def truth(self) -> Labellings | Vector:
        parts = [self.labels[block.nodes] for block in self.blocks]
        return Labellings.of(self.labels) if self.exact else self._marginals(parts)

    def check(self, point: Any) -> Any:
        return graph_moments.checked(self, point)

    def moments(self, point: Any) -> Moments:
        return graph_moments.moments(self, point)

    def combine(self, weights: Vector, points: Sequence[Any]) -> Labellings | Mixture | Vector:
        if self.exact and all(isinstance(point, Labellings) for point in points):
            return mix(weights, points)
        pairs = zip(weights, points, strict=True)
        return np.asarray(sum(weight * self.unfolded_point(point) for weight, point in pairs), dtype=np.float64)

    def radius(self) -> float:
        """|Phi(y) - Phi(y_i)| is at most sqrt(2) times the sum of the lengths of the features of nodes and edges."""
        wiring = self.wiring
        lengths = wiring.node_sums(self.storage.row_bounds)
        lengths += wiring.edge_sums(self.edge_storage.row_bounds)
        return 1.01 * float(np.sqrt(2) * (self.totals @ lengths))

    # One graph ------------------------------------------------------------------------------------------------------
    # Its labelling is an array of whole numbers; or, with cycles, a vector of its marginals.

    def truth_of(self, i: int) -> Indices:
        return self.labels[self.single[i].nodes]

    def decode_one(self, i: int, w: Vector) -> Any:
        return graph_values.decoded(self, w, self.single[i], 1.0)

    def features_of(self, i: int, labelling: Any) -> tuple[Indices, Vector]:
        features = graph_moments.features_of(self, self.single[i], labelling)
        indices = np.flatnonzero(features)
        return indices, features[indices]

    def loss_of(self, i: int, labelling: Any) -> float:
        block = self.single[i]
        scale, truth = self.node_scale[block.nodes], self.labels[block.nodes]
        if labelling.dtype.kind != "f":
            return float(scale @ self.cost[truth, labelling])
        p, _ = graph_moments.unit_shares(block.wiring, self.K, labelling)
        return float(scale @ np.einsum("vk,vk->v", p, self.cost[truth]))

    def join(self, labellings: Sequence[Any]) -> Indices:
        return np.concatenate(labellings)

    def split(self, labelling: Any) -> list[Any]:
        return np.split(labelling, self.wiring.first_node[1:-1])

    def point_of(self, weights: Sequence[Vector], labellings: Sequence[list[Any]]) -> Any:
        if self.exact:
            return super().point_of(weights, labellings)
        return graph_moments.combined(self, weights, labellings)

    def parts_of(self, point: Any) -> tuple[list[Vector], list[list[Any]]] | None:
        if isinstance(point, np.ndarray):
            return [np.ones(1)] * self.n, [[part] for part in graph_moments.split(self, point)]
        return super().parts_of(point)

    # The same problem over marginals --------------------------------------------------------------------------------

    @cached_property
    def unfolding(self) -> GraphUnfolding:
        return GraphUnfolding(self)

    def unfolded(self, problem: AnyProblem) -> AnyProblem:
        """The same problem over locally consistent marginals."""
        return self.unfolding.problem(problem.lam)

    def unfolded_point(self, point: Any) -> Vector:
        """A dual point as marginals."""
        return graph_moments.marginals(self, point)
