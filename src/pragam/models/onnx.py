"""A linear model as an ONNX graph, which programs in other languages run without Python.

    scores = X coef' + intercept          MatMul, Add: in the type of X
    prediction                            ArgMax, or comparisons and sums, by the rule of the risk; Gather of the labels

So a classifier's outputs are ``label`` and ``scores``, which are those of ``decision_function``; a regressor's is
``prediction``. Operators are those of opset 13, of 2021. The format: https://onnx.ai/onnx/operators
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pragam.files.atomic import replacing
from pragam.models.base import Model
from pragam.models.features import Columns, Constant
from pragam.models.linear import LinearModel
from pragam.models.standardize import Standardize
from pragam.risks.rules import Above, Largest, Ranked, Rule, Sets, Value

OPSET, IR_VERSION = 13, 7  # of the same release, 1.8
INT64, DOUBLE = 7, 11  # numbers of types in TensorProto
#: The types of X, by name.
DTYPES = ("float64", "float32")


class Graph(Protocol):
    """What a converter writes to: here a graph of its own, or one of skl2onnx. Values go by name."""

    def constant(self, values: NDArray[Any]) -> str:
        """The name of a constant; strings are those of NumPy."""

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """The name of what the operator makes of the inputs."""


class OwnGraph:
    """A graph from the very start."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: NDArray[Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(_onnx().numpy_helper.from_array(_plain(values), name))
        return name

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        outputs = [name, f"{name}_places"] if operator == "TopK" else [name]
        self.nodes.append(_onnx().helper.make_node(operator, list(inputs), outputs, **attributes))
        return name


def save_onnx(path: str | os.PathLike[str], model: Model, dtype: Any = "float64") -> None:
    """Write :func:`to_onnx` to a file, whole or not at all."""
    written = to_onnx(model, dtype).SerializeToString()
    with replacing(path) as file:
        file.write(written)


def to_onnx(model: Model, dtype: Any = "float64") -> Any:
    """The model as an ``onnx.ModelProto`` whose input ``X`` is of type ``dtype``, "float64" or "float32".

    What is proven of it stands in the metadata.
    """
    onnx, graph, kind = _onnx(), OwnGraph(), dtype_of(dtype)
    made = write(model, graph, "X", kind)
    assert isinstance(model, LinearModel)
    real, rows = onnx.helper.np_dtype_to_tensor_dtype(kind), "rows"
    width = None if model.features.find(Columns) is not None else model.n_features
    outputs = []
    for name, value in made.items():
        graph.nodes.append(onnx.helper.make_node("Identity", [value], [name]))
        is_label = name == "label"
        of = onnx.helper.np_dtype_to_tensor_dtype(label_dtype(model)) if is_label else real
        outputs.append(onnx.helper.make_tensor_value_info(name, of, [rows, *widths(model)[name]]))
    inputs = [onnx.helper.make_tensor_value_info("X", real, [rows, width])]
    whole = onnx.helper.make_graph(graph.nodes, "pragam", inputs, outputs, graph.constants)
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    proto = onnx.helper.make_model(whole, producer_name="pragam", opset_imports=opsets, ir_version=IR_VERSION)
    onnx.helper.set_model_props(proto, _said(model))
    onnx.checker.check_model(proto)
    return proto


def write(model: Model, graph: Graph, X: str, dtype: np.dtype[Any]) -> dict[str, str]:
    """Write what the model makes of X to a graph; returns where its outputs are, by name. ValueError if it cannot."""
    writer = _writer(model)
    assert isinstance(model, LinearModel)
    if model.probabilities is not None:
        raise ValueError("an ONNX graph has labels and scores, no probabilities: fit with calibrate=None")
    coef, intercept = (_of_type(dtype, each) for each in model.weights())
    columns = model.features.find(Columns)
    if columns is not None:
        X = graph.node("Gather", X, graph.constant(columns.columns), axis=1)
    scores = graph.node("MatMul", X, graph.constant(np.ascontiguousarray(coef.T)))
    return writer(model, graph, graph.node("Add", scores, graph.constant(intercept)), dtype)


def widths(model: LinearModel) -> dict[str, list[int]]:
    """The shapes of the outputs by name, beside the rows."""
    rule, outputs = model.risk.rule, len(model.weights()[1])
    if isinstance(rule, Value):
        return {"prediction": [outputs] if outputs > 1 else []}
    if isinstance(rule, Sets):
        return {"label": [outputs], "scores": [outputs]}
    K = len(model.labels)
    return {"label": [], "scores": [K] if K > 2 else []}


def label_dtype(model: LinearModel) -> np.dtype[Any]:
    """int64 or strings; bool and float64 labels keep their type, and sets are marked by 0 and 1."""
    labels = model.labels
    if isinstance(model.risk.rule, Sets) or labels.dtype.kind in "iu":
        return np.dtype(np.int64)
    if labels.dtype.kind in "bf":
        return np.dtype(bool if labels.dtype.kind == "b" else np.float64)
    if labels.dtype.kind == "U" or all(isinstance(label, str) for label in labels.tolist()):
        return np.dtype(object)
    raise ValueError(f"an ONNX graph has labels that are numbers or strings, not {labels[:3].tolist()!r:.60}")


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """float64 or float32, by any of their names."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if dtype is None or found.name not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r:.40}")
    return found


# One writer for each rule of pragam.risks.rules: what it makes of the scores (n, outputs).


def _largest(model: LinearModel, graph: Graph, scores: str, dtype: np.dtype[Any]) -> dict[str, str]:
    outputs = len(model.weights()[1])
    if outputs == 1:
        decision = _squeezed(graph, scores)
        code = _above(graph, decision, 0.0, dtype)
        return {"label": _labels(model, graph, code), "scores": decision}
    label = _labels(model, graph, graph.node("ArgMax", scores, axis=1, keepdims=0))
    if outputs > 2:
        return {"label": label, "scores": scores}
    first, second = (graph.node("Gather", scores, graph.constant(np.array(k)), axis=1) for k in (0, 1))
    return {"label": label, "scores": graph.node("Sub", second, first)}


def _above_thresholds(model: LinearModel, graph: Graph, scores: str, dtype: np.dtype[Any]) -> dict[str, str]:
    """The level with the largest sum of the scores below it; the lowest has the empty sum."""
    sums = graph.node("CumSum", scores, graph.constant(np.array(1)))
    first = graph.node("Gather", scores, graph.constant(np.array([0])), axis=1)
    below = graph.node("Concat", graph.node("Mul", first, _number(graph, 0.0, dtype)), sums, axis=1)
    label = _labels(model, graph, graph.node("ArgMax", below, axis=1, keepdims=0))
    return {"label": label, "scores": _squeezed(graph, scores) if len(model.labels) == 2 else below}


def _sets(model: LinearModel, graph: Graph, scores: str, dtype: np.dtype[Any]) -> dict[str, str]:
    cut = float(model.calibration.get("cut", 0.0))
    decision = graph.node("Sub", scores, _number(graph, cut, dtype))
    return {"label": _above(graph, scores, cut, dtype), "scores": decision}


def _value(model: LinearModel, graph: Graph, scores: str, dtype: np.dtype[Any]) -> dict[str, str]:
    return {"prediction": _squeezed(graph, scores) if len(model.weights()[1]) == 1 else scores}


def _ranked(model: LinearModel, graph: Graph, scores: str, dtype: np.dtype[Any]) -> dict[str, str]:
    """A row's scores sorted, and each column given the one of its rank."""
    rule, outputs = model.risk.rule, len(model.weights()[1])
    assert isinstance(rule, Ranked)
    if outputs > 1:
        ordered = graph.node("TopK", scores, graph.constant(np.array([outputs])), axis=1, largest=0, sorted=1)
        scores = graph.node("Gather", ordered, graph.constant(np.argsort(rule.order)), axis=1)
    return _value(model, graph, scores, dtype)


_WRITERS: dict[type[Rule], Callable[..., dict[str, str]]] = {
    Largest: _largest, Above: _above_thresholds, Sets: _sets, Value: _value, Ranked: _ranked,
}  # fmt: skip


def _writer(model: Model) -> Callable[..., dict[str, str]]:
    """That of the model's rule, if it is linear in the columns of X."""
    if not isinstance(model, LinearModel):
        raise ValueError(f"only linear models become ONNX graphs, not those of kind {model.kind}")
    others = [each.kind for each in model.features.maps if not isinstance(each, Columns | Standardize | Constant)]
    if others or type(model.risk.rule) not in _WRITERS:
        what = others[0] if others else model.risk.name
        raise ValueError(f"only models that are linear in X become ONNX graphs, and this one has {what}")
    return _WRITERS[type(model.risk.rule)]


# Small pieces.


def _labels(model: LinearModel, graph: Graph, code: str) -> str:
    return graph.node("Gather", graph.constant(model.labels.astype(label_dtype(model))), code, axis=0)


def _above(graph: Graph, scores: str, cut: float, dtype: np.dtype[Any]) -> str:
    """1 where the score is above the cut, else 0, as int64."""
    return graph.node("Cast", graph.node("Greater", scores, _number(graph, cut, dtype)), to=INT64)


def _squeezed(graph: Graph, scores: str) -> str:
    return graph.node("Squeeze", scores, graph.constant(np.array([1])))


def _number(graph: Graph, value: float, dtype: np.dtype[Any]) -> str:
    return graph.constant(np.array(value, dtype=dtype))


def _of_type(dtype: np.dtype[Any], values: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        made = values.astype(dtype)
    if not np.isfinite(made).all():
        raise ValueError(f"a weight is too large for {dtype.name}: pass dtype='float64'")
    return made


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """Indices in 64 bits."""
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


def _said(model: LinearModel) -> dict[str, str]:
    """What the graph is, for people who find it."""
    said = {"risk": str(model)}
    if len(model.labels):
        said["labels"] = ", ".join(map(str, model.labels.tolist()))
    if model.proofs:
        proof = model.certificate
        said |= {"objective": repr(proof.primal), "relative_gap": repr(proof.relative_gap), "status": str(model.status)}
    return said


def _onnx() -> Any:
    try:
        for part in ("helper", "numpy_helper", "checker"):
            import_module(f"onnx.{part}")
        return import_module("onnx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "ONNX graphs need the package onnx: pip install onnx skl2onnx", name="onnx"
        ) from error
