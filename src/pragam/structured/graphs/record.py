"""The record of :func:`pragam.structured.graph_hinge`, as models of graphs have it: with a bias for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from pragam.problem import AnyProblem
from pragam.risks.parameters import choice, matrix, number
from pragam.risks.record import Risk
from pragam.risks.targets import Classes
from pragam.structured.graphs.graph import labels_of
from pragam.structured.graphs.hinge import joined_hinge
from pragam.structured.targets import LOSSES


@dataclass(frozen=True, kw_only=True)
class GraphHinge(Risk):
    """Max-margin labelling of the nodes of graphs. Nodes get a constant feature, whose weights are the biases."""

    lam: float = number(1e-2, above=0)
    loss: Any = choice("hamming_mean", *LOSSES, otherwise=matrix)

    name: ClassVar[str] = "graph_hinge"
    kind: ClassVar[str] = "graph"
    form: ClassVar[str] = "graphs"
    target: ClassVar[Any] = Classes()
    may_lack: ClassVar[bool] = True

    def pose(self, samples: Any, labels: NDArray[Any]) -> list[AnyProblem]:
        y, given = labels_of(samples.graphs), samples.weights
        return [joined_hinge(samples.joined, y, self.lam, self.loss, labels.tolist(), given)]
