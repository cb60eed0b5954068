"""Labellers of graphs, of the only version that had a format of its own, "pragam-graph-model"."""

from __future__ import annotations

from typing import Any

from pragam.files.container import Tensors
from pragam.files.fields import fields_of
from pragam.files.upgrades import structured
from pragam.files.upgrades.step import Renamed


def from_1(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """The weights of graphs have another name."""
    fields_of(record, structured.FIELDS)
    new = structured.upgraded(record, "graph", "GraphSVC", record["risk"], [], structured.width(tensors, "coef"))
    return new, structured.renamed(tensors, {"sample_weight": "given.weights"})
