"""Graphs whose nodes have labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pragam.samples.base import Samples
from pragam.samples.fingerprint import data_fingerprint
from pragam.structured.graphs.graph import Graph, Joined, join_graphs, labels_of


@dataclass(frozen=True, eq=False)
class Graphs(Samples):
    """A list of :class:`pragam.structured.Graph`; the labels are theirs."""

    graphs: Sequence[Graph]
    weights: Any = None

    @property
    def n(self) -> int:
        """The number of graphs."""
        return len(self.graphs)

    @property
    def n_features(self) -> int:
        return int(self.joined.nodes.shape[1]) - 1

    @cached_property
    def joined(self) -> Joined:
        """All nodes, with a constant feature behind the others, and all edges, one graph after the other."""
        return join_graphs(self.graphs, constant=1.0)

    @cached_property
    def y(self) -> Any:
        """The labels of all nodes; None if the first graph has none."""
        return None if self.graphs[0].y is None else labels_of(self.graphs)

    def take(self, index: Any) -> Graphs:
        given = {name: array[index] for name, array in self.given().items()}
        return Graphs([self.graphs[i] for i in np.asarray(index).tolist()], **given)

    def size(self) -> dict[str, int]:
        return {"n": int(self.joined.nodes.shape[0]), "d": self.n_features}

    def fingerprint(self) -> dict[str, Any]:
        """Of all nodes and labels, and of the edges with their features."""
        nodes, edges, wiring = self.joined
        links = np.concatenate([wiring.edges.ravel(), np.asarray(wiring.sizes)]).astype(np.float64)
        of_edges = data_fingerprint(edges)["sha256"]
        found = data_fingerprint(nodes, self.y, links)
        return {**found, "d": self.n_features, "edges": of_edges}

    def answer(self, values: Any) -> Any:
        return np.split(values, np.cumsum([np.shape(graph.X)[0] for graph in self.graphs])[:-1])
