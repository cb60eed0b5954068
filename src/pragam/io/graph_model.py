"""Model files of graphs: the weights, the dual point that proves how good they are, and the proof.

A safetensors file (:mod:`pragam.files.container`) with the float64 tensors coef, intercept and pairwise, the dual point
(:mod:`pragam.files.dual_points`), and the weights of the graphs if there were any. Its JSON object names the risk, the
classes, the certificate and the parameters.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.files import container, source
from pragam.files.dual_points import from_tensors, to_tensors
from pragam.io.model import check_classes
from pragam.io.record import certificate_of, certificate_record, parsed
from pragam.io.structured_record import checked

GRAPHS, VERSION, NAME = "pragam-graph-model", 1, "graph_hinge"
_WEIGHTS = ("coef", "intercept", "pairwise")
_KINDS = {"risk": dict, "classes": list, "certificate": dict, "parameters": dict, "dual": dict}


@dataclass(frozen=True, eq=False)
class GraphModelFile:
    """What a file holds of a labeller of graphs.

    Attributes
    ----------
    coef, intercept, pairwise : the weights, of shapes (K, d), (K,) and (1 + edge features, K, K)
    classes : list of labels, all numbers or all strings
    dual : the dual point that proves the certificate
    certificate : Certificate
    risk : ``{"name": "graph_hinge", "lam", "loss"}`` as :class:`pragam.GraphSVC` takes them
    parameters : dict that JSON can hold: how it was solved
    sample_weight : float64 array, or None
    """

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]
    pairwise: NDArray[np.float64]
    classes: list[Any]
    dual: Any
    certificate: Certificate
    risk: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=dict)
    sample_weight: NDArray[np.float64] | None = None


def save_graph_model(path: str | os.PathLike[str], model: GraphModelFile) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all."""
    check_classes(model.classes)
    dual, tensors = to_tensors(model.dual)
    tensors |= {name: getattr(model, name) for name in _WEIGHTS}
    if model.sample_weight is not None:
        tensors["sample_weight"] = model.sample_weight
    record = {
        "format": GRAPHS,
        "version": VERSION,
        "risk": model.risk,
        "classes": model.classes,
        "certificate": certificate_record(model.certificate),
        "parameters": model.parameters,
        "dual": dual,
    }
    container.write(path, record, tensors)


def load_graph_model(path: source.Path) -> GraphModelFile:
    """The model of a file that :func:`save_graph_model` wrote; anything amiss is a ValueError of one line."""
    with source.opened(path) as opened:
        return container.read(opened.content(), opened.name, _model_of)


def _model_of(text: str, tensors: Callable[[], container.Tensors]) -> GraphModelFile:
    record = _checked(parsed(text))
    own = tensors()
    arrays = {name: own.array(name) for name in _WEIGHTS}
    _check_weights(arrays, len(record["classes"]))
    weights = own.array("sample_weight") if "sample_weight" in own else None
    return GraphModelFile(
        **arrays,
        classes=record["classes"],
        dual=from_tensors(record["dual"], own),
        certificate=certificate_of(record["certificate"]),
        risk=record["risk"],
        parameters=record["parameters"],
        sample_weight=weights,
    )


def _checked(record: Any) -> dict[str, Any]:
    record = checked(record, GRAPHS, VERSION, _KINDS)
    risk = record["risk"]
    if risk.get("name") != NAME or type(risk.get("lam")) not in (int, float) or "loss" not in risk:
        raise ValueError(f"its risk must be {NAME!r} with lam and loss, not {risk!r:.80}")
    return record


def _check_weights(arrays: dict[str, NDArray[Any]], K: int) -> None:
    for name, array in arrays.items():
        own = array.shape[-1:] if name == "coef" else array.shape[:1]
        wanted = {"coef": (K, *own), "intercept": (K,), "pairwise": (*own, K, K)}[name]
        if array.shape != wanted or not array.size:
            raise ValueError(f"{name} does not fit {K} classes: its shape is {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} contains NaN or infinity")
