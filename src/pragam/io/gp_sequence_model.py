"""Model files of Gaussian-process labellers: what predicts, the dual point that proves how good it is, and the proof.

A safetensors file (:mod:`pragam.files.container`) with the weights, the dual point (:mod:`pragam.files.dual_points`),
and the rows whose kernel functions the model is made of: the training tokens with the lengths of their sequences, or
landmarks with their map. Rows are a dense matrix, or the three arrays of a CSR matrix. The JSON object names the
risk, the classes, the certificate, the parameters and the kernel."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.certificate import Certificate
from pragam.files import container, source
from pragam.files.dual_points import from_tensors, to_tensors
from pragam.io.record import certificate_of, certificate_record, parsed
from pragam.io.structured_record import checked

GP_SEQUENCES, VERSION, NAME = "pragam-gp-sequence-model", 1, "gp_sequences"
_KINDS = {"risk": dict, "classes": list, "certificate": dict, "parameters": dict, "dual": dict}
_NODES, _PRECISIONS = ("once", "per_edge", "by_position"), ("float32", "float64")


@dataclass(frozen=True, eq=False)
class GPSequenceModel:
    """A Gaussian-process labeller of sequences with its proof.

    Attributes
    ----------
    weights : (M K + K^2,) of M kernel functions or features and K labels
    classes : list of labels, all numbers or all strings
    dual : the dual point that proves the certificate
    certificate : Certificate
    risk : dict that JSON can hold
        ``{"name": "gp_sequences", "lam", "transition_scale", "nodes", "precision", "transitions"}`` as
        :class:`pragam.GPSequenceClassifier` takes them.
    kernel : dict that JSON can hold, None for RBF(1.0) in older files
    rows : (m, d) dense or CSR: training tokens, or landmarks
    lengths : of the sequences that the tokens are in; None with landmarks
    kernel_map : (m, M) of landmarks, else None
    parameters : dict that JSON can hold
        How it was solved, with "n_iter", and the "temperature".
    """

    weights: NDArray[np.float64]
    classes: list[Any]
    dual: Any
    certificate: Certificate
    risk: dict[str, Any]
    kernel: dict[str, Any] | None
    rows: Any
    lengths: NDArray[np.int64] | None
    kernel_map: NDArray[np.float64] | None
    parameters: dict[str, Any]

    def __post_init__(self) -> None:
        K, m = len(self.classes), self.rows.shape[0]
        if (self.lengths is None) == (self.kernel_map is None):
            raise ValueError("it must have either the lengths of sequences or a map of landmarks")
        if self.lengths is not None and (
            self.lengths.ndim != 1 or (self.lengths < 1).any() or self.lengths.sum() != m or m == 0
        ):
            raise ValueError(f"lengths must be numbers >= 1 that sum to {m}, the number of tokens")
        if self.kernel_map is not None and (self.kernel_map.ndim != 2 or len(self.kernel_map) != m or m == 0):
            raise ValueError(f"kernel_map must have a row for each of {m} landmarks, not {self.kernel_map.shape}")
        functions = m if self.kernel_map is None else self.kernel_map.shape[1]
        if self.weights.shape != (functions * K + K * K,):
            raise ValueError(f"weights must be {functions} x {K} and {K} x {K} numbers, not {self.weights.shape}")
        values = self.rows.data if hasattr(self.rows, "indptr") else self.rows
        for name, array in (("weights", self.weights), ("rows", values), ("kernel_map", self.kernel_map)):
            if array is not None and not np.isfinite(array).all():
                raise ValueError(f"{name} contains NaN or infinity")


def save_gp_sequence_model(path: str | os.PathLike[str], model: GPSequenceModel) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all."""
    dual, tensors = to_tensors(model.dual)
    tensors["weights"] = model.weights
    if hasattr(model.rows, "indptr"):
        tensors["rows.data"] = model.rows.data
        tensors |= {f"rows.{name}": getattr(model.rows, name).astype(np.int64) for name in ("indices", "indptr")}
    else:
        tensors["rows"] = model.rows
    tensors |= {name: getattr(model, name) for name in ("lengths", "kernel_map") if getattr(model, name) is not None}
    record = {
        "format": GP_SEQUENCES,
        "version": VERSION,
        "risk": model.risk,
        "classes": model.classes,
        "certificate": certificate_record(model.certificate),
        "parameters": model.parameters,
        "kernel": model.kernel,
        "columns": model.rows.shape[1],
        "dual": dual,
    }
    container.write(path, record, tensors)


def load_gp_sequence_model(path: source.Path) -> GPSequenceModel:
    """The model of a file that :func:`save_gp_sequence_model` wrote; anything amiss is a ValueError of one line."""
    with source.opened(path) as opened:
        return container.read(opened.content(), opened.name, _model_of)


def _model_of(text: str, tensors: Callable[[], container.Tensors]) -> GPSequenceModel:
    record = _checked(parsed(text))
    own, columns = tensors(), record.pop("columns")
    return GPSequenceModel(
        weights=own.array("weights"),
        dual=from_tensors(record.pop("dual"), own),
        rows=_rows(own, columns),
        lengths=own.array("lengths", "I64") if "lengths" in own else None,
        kernel_map=own.array("kernel_map") if "kernel_map" in own else None,
        **record,
    )


def _checked(record: Any) -> dict[str, Any]:
    record = checked(record, GP_SEQUENCES, VERSION, _KINDS)
    if type(record.get("columns")) is not int or not isinstance(record.get("kernel", 0), (dict, type(None))):
        raise ValueError("columns must be a whole number, and its kernel an object or null")
    _check_risk(record["risk"])
    temperature, n_iter = (record["parameters"].get(name) for name in ("temperature", "n_iter"))
    if type(temperature) is not float or not temperature > 0 or type(n_iter) is not int:
        raise ValueError(f"its temperature must be a number > 0, and n_iter whole: {temperature!r:.40}, {n_iter!r:.40}")
    kept = {name: record[name] for name in (*_KINDS, "kernel", "columns")}
    return kept | {"certificate": certificate_of(record["certificate"])}


def _check_risk(risk: dict[str, Any]) -> None:
    numbers: list[Any] = [risk.get(name) for name in ("lam", "transition_scale")]
    is_good = risk.get("name") == NAME and risk.get("nodes") in _NODES and risk.get("precision") in _PRECISIONS
    is_good &= all(type(value) in (int, float) for value in numbers) and "transitions" in risk
    if not is_good or not numbers[0] > 0 or not numbers[1] >= 0:
        raise ValueError(f"its risk must be {NAME!r} with what determines it, not {risk!r:.80}")


def _rows(own: container.Tensors, columns: int) -> Any:
    if "rows" in own:
        rows = own.array("rows", own.dtype("rows", "F32", "F64"))
        if rows.ndim != 2 or rows.shape[1] != columns:
            raise ValueError(f"rows must be a matrix of {columns} columns, not {rows.shape}")
        return rows
    data = own.array("rows.data", own.dtype("rows.data", "F32", "F64"))
    indices, indptr = (own.array(f"rows.{name}", "I64") for name in ("indices", "indptr"))
    ends = indptr[[0, -1]].tolist() if indptr.ndim == 1 and len(indptr) else []
    is_good = data.ndim == indices.ndim == 1 and len(data) == len(indices) and ends == [0, len(data)]
    if not is_good or (np.diff(indptr) < 0).any() or (indices < 0).any() or (indices >= columns).any():
        raise ValueError(f"rows are no CSR matrix of {columns} columns")
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
