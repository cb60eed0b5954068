"""The problem of graphs with a dual variable for each label of a node and each pair of labels of an edge."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pragam.numerics.vector import Vector
from pragam.operators import LabelRows
from pragam.operators.base import Operator
from pragam.operators.storage import Storage
from pragam.problem import Problem
from pragam.structured.graphs.marginals import GraphMarginals

if TYPE_CHECKING:
    from pragam.structured.graphs.structure import GraphStructure


class GraphRows(Operator):
    """From the weights of nodes (K, d) and edges (e, K, K) to the scores of all nodes (N, K), then all edges (E, K, K).

    ``nodes`` and ``edges`` have a row for each of them.
    """

    def __init__(self, nodes: Storage, edges: Storage, K: int) -> None:
        self.nodes, self.edges, self.K = LabelRows(nodes, K), LabelRows(edges, K * K), K
        self.shape = (
            self.nodes.shape[0] + self.edges.shape[0],
            self.nodes.shape[1] + self.edges.shape[1],
        )

    @property
    def entries(self) -> int:
        return self.nodes.entries + self.edges.entries

    def matvec(self, w: Vector) -> Vector:
        first = self.nodes.shape[1]
        by_pair = np.ascontiguousarray(w[first:].reshape(-1, self.K**2).T).ravel()
        return np.concatenate([self.nodes.matvec(w[:first]), self.edges.matvec(by_pair)])

    def rmatvec(self, alpha: Vector) -> Vector:
        first = self.nodes.shape[0]
        by_pair = self.edges.rmatvec(alpha[first:]).reshape(self.K**2, -1)
        return np.concatenate([self.nodes.rmatvec(alpha[:first]), np.ascontiguousarray(by_pair.T).ravel()])

    def row_norms(self) -> Vector:
        return np.concatenate([self.nodes.row_norms(), self.edges.row_norms()])

    def norm_bound(self) -> float:
        """The larger one of both: nodes and edges have weights of their own."""
        return max(self.nodes.norm_bound(), self.edges.norm_bound())


class GraphUnfolding:
    """The parts of that problem. They have K^2 numbers for each edge, so they are made only when they are used."""

    def __init__(self, model: GraphStructure) -> None:
        self.model = model
        self.size = model.wiring.n_nodes * model.K + len(model.wiring.edges) * model.K**2

    @cached_property
    def rows(self) -> GraphRows:
        return GraphRows(self.model.storage, self.model.edge_storage, self.model.K)

    @cached_property
    def marginals(self) -> GraphMarginals:
        return GraphMarginals(self.model.totals, self.model.wiring, self.model.K)

    @cached_property
    def costs(self) -> Vector:
        """What the labels cost."""
        model, out = self.model, np.zeros(self.size)
        costs = model.node_scale[:, None] * model.cost[model.labels]
        out[: costs.size] = costs.ravel()
        return out

    def problem(self, lam: float) -> Problem[GraphRows, GraphMarginals]:
        return Problem(self.rows, self.costs, self.marginals, lam, origin=self.marginals.indicator(self.model.labels))
