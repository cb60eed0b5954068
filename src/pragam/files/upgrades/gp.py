"""Gaussian-process labellers, of the only version that had a format of its own, "pragam-gp-sequence-model"."""

from __future__ import annotations

from typing import Any

from pragam.files.container import Tensors
from pragam.files.fields import fields_of
from pragam.files.upgrades import structured
from pragam.files.upgrades.step import Make, Renamed

#: What the kernel was where a file says null.
_FIRST = {"class": "RBF", "parameters": {"length_scale": 1.0}}
_ROWS = ("rows", "rows.data", "rows.indices", "rows.indptr")
_NAMES = {name: f"features.0.{name}" for name in (*_ROWS, "lengths")} | {"kernel_map": "features.0.map"}


def from_1(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """The kernel, how tokens enter it and how it is stored become a map; the weights come apart."""
    old = fields_of(record, {**structured.FIELDS, "columns": int})["risk"]
    if "kernel" not in record:
        raise ValueError("its kernel must be an object or null, and there is none")
    kernel = {name: old.get(name) for name in ("nodes", "precision")} | {"columns": record["columns"]}
    kernel |= {"kind": "kernel", "kernel": _FIRST if record["kernel"] is None else record["kernel"]}
    risk = {name: value for name, value in old.items() if name not in ("nodes", "precision")}
    risk["basis"] = "factor" if "kernel_map" in tensors else "gram"
    new = structured.upgraded(record, "gp", "GPSequenceClassifier", risk, [kernel], record["columns"])
    new["calibration"] = {"temperature": record["parameters"].get("temperature")}
    K = len(record["classes"])
    weights = {"coef": _weights(K, 0), "transitions": _weights(K, 1)}
    return new, {**structured.renamed(tensors, _NAMES), **weights}


def _weights(K: int, part: int) -> Make:
    """The coefficients or the transitions of w = [coefficients, transitions]."""

    def make(own: Tensors) -> Any:
        w = own.array("weights")
        if w.ndim != 1 or len(w) < K * K or (len(w) - K * K) % max(K, 1):
            raise ValueError(f"weights must be functions x {K} and {K} x {K} numbers, not {w.shape}")
        at = len(w) - K * K
        return (w[:at].reshape(-1, K), w[at:].reshape(K, K))[part]

    return make
