"""Model files of sequences: the weights, the dual point that proves how good they are, and the proof.

A safetensors file (:mod:`pragam.files.container`) with the float64 tensors coef, intercept, transitions, start and
end, the dual point (:mod:`pragam.files.dual_points`), the names of the features as JSON text if they have names, the
weights of the examples if there were any, and of a kernel its landmarks and their map. Its JSON object names the
risk, the classes, the certificate, the parameters, the data's fingerprint, the template and the kernel."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.files import container, source
from pragam.files.dual_points import from_tensors, to_tensors
from pragam.io.model import check_classes
from pragam.io.record import certificate_of, certificate_record, parsed
from pragam.io.structured_record import checked
from pragam.models.chain_weights import ChainWeights
from pragam.sequences.problem import NAME
from pragam.structured.rules import Rules

SEQUENCES, VERSION = "pragam-sequence-model", 1
_WEIGHTS = ("coef", "intercept", "transitions", "start", "end")
_EXTRAS = ("sample_weight", "token_weight", "landmarks", "kernel_map")
_KINDS = {"risk": dict, "classes": list, "certificate": dict, "parameters": dict, "fingerprint": dict, "dual": dict}


@dataclass(frozen=True, eq=False)
class SequenceModel:
    """A labeller of sequences with its proof.

    Attributes
    ----------
    weights : ChainWeights
    classes : list of labels, all numbers or all strings
    dual : the dual point that proves the certificate
    certificate : Certificate
    risk : dict that JSON can hold
        ``{"name": "chain_hinge", "lam", "loss", "transitions"}`` as :class:`pragam.ChainSVC` takes them.
    parameters, fingerprint : dicts that JSON can hold
        How it was solved; of which data (:func:`pragam.io.data_fingerprint` of X, y and the lengths), empty if unknown.
    features : names of the columns of X, None if they have none
    template : text of the :class:`pragam.sequences.Template` that made them, None if none did
    kernel : dict that JSON can hold, None without a kernel; then arrays has "landmarks" and "kernel_map"
    arrays : further float64 arrays: "sample_weight", "token_weight", "landmarks", "kernel_map"
    """

    weights: ChainWeights
    classes: list[Any]
    dual: Any
    certificate: Certificate
    risk: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=dict)
    fingerprint: dict[str, Any] = field(default_factory=dict)
    features: list[str] | None = None
    template: str | None = None
    kernel: dict[str, Any] | None = None
    arrays: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """The columns that X must have, before a kernel."""
        return (self.arrays["landmarks"] if self.kernel else self.weights.coef).shape[1]

    def labels(self, X: Any, lengths: NDArray[np.int64]) -> NDArray[Any]:
        """The predicted labels of all tokens; of a model without a kernel."""
        return np.array(self.classes)[self.weights.labels(X, lengths)]


def save_sequence_model(path: str | os.PathLike[str], model: SequenceModel) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all."""
    check_classes(model.classes)
    dual, tensors = to_tensors(model.dual)
    tensors |= {name: getattr(model.weights, name) for name in _WEIGHTS} | model.arrays
    if model.features is not None:
        tensors["features"] = np.frombuffer(json.dumps(model.features).encode(), dtype=np.uint8)
    record = {
        "format": SEQUENCES,
        "version": VERSION,
        "risk": model.risk,
        "classes": model.classes,
        "certificate": certificate_record(model.certificate),
        "parameters": model.parameters,
        "fingerprint": model.fingerprint,
        "template": model.template,
        "kernel": model.kernel,
        "dual": dual,
    }
    container.write(path, record, tensors)


def load_sequence_model(path: source.Path) -> SequenceModel:
    """The model of a file that :func:`save_sequence_model` wrote; anything amiss is a ValueError of one line."""
    with source.opened(path) as opened:
        return read_sequence_model(opened.content(), opened.name)


def read_sequence_model(stream: BinaryIO, name: str) -> SequenceModel:
    """The model in a stream."""
    return container.read(stream, name, sequence_model_of)


def sequence_model_of(text: str, tensors: Callable[[], container.Tensors]) -> SequenceModel:
    """The model out of the parts of its file."""
    record = _checked(parsed(text))
    own = tensors()
    arrays = {name: own.array(name) for name in _WEIGHTS}
    _check_weights(arrays, len(record["classes"]))
    extras = {name: own.array(name) for name in _EXTRAS if name in own}
    if record["kernel"] and not {"landmarks", "kernel_map"} <= set(extras):
        raise ValueError("it has a kernel, and no landmarks or no map of them")
    return SequenceModel(
        weights=ChainWeights(**arrays, rules=Rules.named(_table(record["risk"]["transitions"]), record["classes"])),
        dual=from_tensors(record.pop("dual"), own),
        features=_names(own.array("features", "U8")) if "features" in own else None,
        arrays=extras,
        **record,
    )


def _checked(record: Any) -> dict[str, Any]:
    record = checked(record, SEQUENCES, VERSION, _KINDS)
    risk = record["risk"]
    if (
        risk.get("name") != NAME
        or type(risk.get("lam")) not in (int, float)
        or not {"loss", "transitions"} <= set(risk)
    ):
        raise ValueError(f"its risk must be {NAME!r} with lam, loss and transitions, not {risk!r:.80}")
    if not isinstance(record.get("template"), (str, type(None))) or not isinstance(
        record.get("kernel"), (dict, type(None))
    ):
        raise ValueError("its template must be a text, and its kernel an object, or null")
    kept = {name: record[name] for name in _KINDS} | {name: record.get(name) for name in ("template", "kernel")}
    return kept | {"certificate": certificate_of(record["certificate"])}


def _check_weights(arrays: dict[str, NDArray[Any]], K: int) -> None:
    coef = arrays["coef"]
    shapes = [(K, coef.shape[-1] if coef.ndim == 2 else -1), (K,), (K, K), (K,), (K,)]
    for (name, array), shape in zip(arrays.items(), shapes, strict=True):
        if array.shape != shape:
            raise ValueError(f"{name} must be of the shape {shape} for {K} classes, not {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} contains NaN or infinity")


def _table(transitions: Any) -> Any:
    """JSON has lists for arrays."""
    return np.array(transitions) if isinstance(transitions, list) else transitions


def _names(text: NDArray[Any]) -> list[str]:
    names = json.loads(text.tobytes())
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its features must be a list of names")
    return names
