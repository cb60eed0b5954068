"""Labellers of sequences, of the only version that had a format of its own, "pragam-sequence-model"."""

from __future__ import annotations

from typing import Any

from pragam.files.container import Tensors
from pragam.files.fields import fields_of
from pragam.files.upgrades import structured
from pragam.files.upgrades.step import Renamed

_GIVEN = {"sample_weight": "given.weights", "token_weight": "given.token_weights"}


def from_1(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """Names of features and a kernel become maps in front of the weights."""
    fields_of(record, {**structured.FIELDS, "fingerprint": dict})
    kernel, features, names = record.get("kernel"), [], dict(_GIVEN)
    if "features" in tensors:
        names["features"] = "features.0.names"
        features.append({"kind": "names", "template": record.get("template")})
    d = structured.width(tensors, "coef" if kernel is None else "landmarks")
    if kernel is not None:
        k = len(features)
        names |= {"landmarks": f"features.{k}.rows", "kernel_map": f"features.{k}.map"}
        stored = {"nodes": "once", "precision": "float64", "columns": d}
        features.append({"kind": "kernel", "kernel": kernel, **stored})
    new = structured.upgraded(record, "chain", "ChainSVC", record["risk"], features, d)
    return new, structured.renamed(tensors, names)
