"""Dual points of structured problems as the tensors of a model file, in the form that proves the model.

==========  ====================================================================================
kind        tensors
==========  ====================================================================================
vector      alpha
flow        first, previous, label, mass: :class:`pragam.structured.TrellisFlow`
labellings  weights (J, n or 1) and labels (J, tokens): :class:`pragam.structured.Labellings`
mixture     weights, and a dual point for each: :class:`pragam.structured.Mixture`
gibbs       scores, transitions and lengths: :class:`pragam.structured.gp.GibbsPoint`
tables      tables, starts and lengths: :class:`pragam.structured.gp.TablePoint`
==========  ====================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.files.container import Tensors
from pragam.structured import Labellings, Mixture, TrellisFlow
from pragam.structured.gp import GibbsPoint, TablePoint

_FLOW = {"first": "I64", "previous": "I32", "label": "I32", "mass": "U32"}
_MOMENTS = {
    "gibbs": (GibbsPoint, {"scores": "F64", "transitions": "F64", "lengths": "I64"}),
    "tables": (TablePoint, {"tables": "F64", "starts": "F64", "lengths": "I64"}),
}


def to_tensors(point: Any, prefix: str = "dual") -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The record of a dual point, which names its kind, and its tensors."""
    if isinstance(point, np.ndarray):
        return {"kind": "vector"}, {f"{prefix}.alpha": np.asarray(point, dtype=np.float64)}
    if isinstance(point, TrellisFlow):
        types = (np.int64, np.int32, np.int32, np.uint32)
        arrays = {name: np.asarray(getattr(point, name), dtype=t) for name, t in zip(_FLOW, types, strict=True)}
        return {"kind": "flow"}, {f"{prefix}.{name}": array for name, array in arrays.items()}
    for kind, (type_, names) in _MOMENTS.items():
        if isinstance(point, type_):
            return {"kind": kind}, {f"{prefix}.{name}": getattr(point, name) for name in names}
    if not isinstance(point, (Labellings, Mixture)):
        raise ValueError(f"a model file holds no dual point of the type {type(point).__name__}")
    weights = {f"{prefix}.weights": np.asarray(point.weights, dtype=np.float64)}
    if isinstance(point, Labellings):
        labels = np.array([np.asarray(each, dtype=np.int32) for each in point.labels])
        return {"kind": "labellings"}, {**weights, f"{prefix}.labels": labels}
    parts = [to_tensors(each, f"{prefix}.{k}") for k, each in enumerate(point.points)]
    tensors = {name: array for part in parts for name, array in part[1].items()}
    return {"kind": "mixture", "points": [part[0] for part in parts]}, weights | tensors


def from_tensors(record: Any, tensors: Tensors, prefix: str = "dual") -> Any:
    """The dual point of a record. Whether it is one of a problem, that problem's set says."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind == "vector":
        return _finite(tensors, f"{prefix}.alpha")
    if kind == "flow":
        return TrellisFlow(*(tensors.array(f"{prefix}.{name}", dtype) for name, dtype in _FLOW.items()))
    if isinstance(kind, str) and kind in _MOMENTS:
        type_, names = _MOMENTS[kind]
        return type_(*(tensors.array(f"{prefix}.{name}", dtype) for name, dtype in names.items()))
    if kind == "labellings":
        labels = tensors.array(f"{prefix}.labels", "I32").astype(np.int64)
        return Labellings(_finite(tensors, f"{prefix}.weights"), tuple(labels))
    if kind == "mixture" and isinstance(record.get("points"), list):
        points = (from_tensors(each, tensors, f"{prefix}.{k}") for k, each in enumerate(record["points"]))
        return Mixture(_finite(tensors, f"{prefix}.weights"), tuple(points))
    raise ValueError(f"its dual point is of the unknown kind {kind!r:.40}")


def _finite(tensors: Tensors, name: str) -> NDArray[Any]:
    """Numbers of which none is NaN or infinite."""
    array = tensors.array(name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return array
