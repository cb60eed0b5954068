"""Labellers of the nodes of graphs: node weights with a bias, and tables of pairs of labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pragam.models.base import Model, Shapes, Solves
from pragam.numerics.vector import Vector
from pragam.risks import Risk
from pragam.structured import GraphStructure
from pragam.structured.expected_features import ExpectedFeatures

#: How labels were found (:meth:`GraphModel.decoded`).
EXACT, PROVEN, MESSAGES = "exact max-product on trees", "messages, proven best", "messages, no guarantee"


class GraphModel(Model):
    """The best labelling of each tree; on cycles what messages find. ``pairwise`` has a table for every edge, and one
    for each feature of edges."""

    kind: ClassVar[str] = "graph"
    shapes: ClassVar[Shapes] = {"coef": ("K", "d"), "intercept": ("K",), "pairwise": ("tables", "K", "K")}

    @classmethod
    def tensors_of(cls, risk: Risk, labels: NDArray[Any], solves: Solves) -> dict[str, Vector]:
        ((problem, result),) = solves
        assert isinstance(problem.Q, ExpectedFeatures)
        parts = problem.Q.structure.parts(result.w)
        nodes = parts.nodes
        return {"coef": nodes[:, :-1].copy(), "intercept": nodes[:, -1].copy(), "pairwise": parts.edges.copy()}

    def column_weights(self) -> Vector:
        return self.tensors["coef"]

    def points(self) -> list[tuple[Vector, Vector]]:
        return [(self._w, np.empty(0))]

    @property
    def _w(self) -> Vector:
        nodes = np.column_stack([self.tensors["coef"], self.tensors["intercept"]])
        return np.concatenate([nodes.ravel(), self.tensors["pairwise"].ravel()])

    def structure(self, own: Any) -> GraphStructure:
        """Graphs without labels, with as many features as in training."""
        nodes, edges, wiring = own.joined
        wanted = {"X": self.tensors["coef"].shape[1], "edge_features": len(self.tensors["pairwise"]) - 1}
        for name, storage in (("X", nodes), ("edge_features", edges)):
            if storage.shape[1] - 1 != wanted[name]:  # without the constant
                raise ValueError(
                    f"{name} has {storage.shape[1] - 1} columns, and the model was trained on {wanted[name]}"
                )
        K, none = len(self.labels), np.zeros(wiring.n_nodes)
        unlabelled = none.astype(np.int64)
        return GraphStructure(nodes, edges, wiring, unlabelled, K, np.zeros(wiring.n), np.zeros((K, K)), none)

    def predicted(self, own: Any) -> Any:
        return self.labels[self.structure(own).predict(self._w)[0]]

    def decoded(self, samples: Any) -> tuple[Any, str]:
        """The predictions, and whether they are the best ones for sure."""
        structure = self.structure(samples)
        labels, is_best = structure.predict(self._w)
        return samples.answer(self.labels[labels]), EXACT if structure.exact else PROVEN if is_best else MESSAGES

    def margins(self, samples: Any) -> Any:
        """For each node, how much the best labelling loses if it must have another label; trees alone."""
        structure = self.structure(samples)
        if not structure.exact:
            cyclic = int(np.argmin(structure.wiring.is_forest))
            raise ValueError(f"graph {cyclic} has a cycle: margins are known for trees only")
        highest = np.sort(structure.max_marginals(self._w), axis=1)
        return samples.answer(highest[:, -1] - highest[:, -2])
