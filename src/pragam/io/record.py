"""The JSON part of a model file: what it may hold, and how older versions are read.

Version 1 had no "risk": lam, bias and class_weight were among the parameters, and the risk was always the hinge. A
certificate held one "bias" instead of "biases", and said neither whether it was rigorous nor its slack. In version 2 a
"risk" without a name was taken for the hinge. From version 3 on every risk has its name, or is empty if unknown.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import numpy as np

from pragam.certificate import Certificate
from pragam.files.columns import LARGEST, SPARSEST

FORMAT, VERSION = "pragam-model", 3
_KINDS = {"risk": dict, "classes": list, "certificates": list, "parameters": dict, "fingerprint": dict}


def parsed(text: str) -> Any:
    """JSON whose numbers are all finite."""
    return json.loads(text, parse_float=_finite, parse_constant=_finite, parse_int=_whole)


def format_of(text: str) -> Any:
    """The format that a record names."""
    record = parsed(text)
    return record.get("format") if isinstance(record, dict) else None


def checked_record(text: str) -> dict[str, Any]:
    """The record, checked as far as its own types go and brought to this version; its certificates as Certificate."""
    record = parsed(text)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    version = record.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ValueError(f"its format version is {version!r}, and this pragam reads up to {VERSION}")
    if version == 1:
        record = {**record, "risk": {}}
    for name, kind in _KINDS.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(f"{name} must be a {kind.__name__}")
    if version == 1:
        record = _from_version_1(record)
    if version <= 2 and record["risk"]:
        record["risk"] = {"name": "hinge", **record["risk"]}
    _check_width(record["fingerprint"])
    record["certificates"] = [certificate_of(entry) for entry in record["certificates"]]
    return {name: record[name] for name in _KINDS}


def certificate_record(proof: Certificate) -> dict[str, Any]:
    """A certificate as JSON, which keeps a float64 exactly."""
    return {
        "primal": float(proof.primal),
        "dual": float(proof.dual),
        "biases": proof.biases.tolist(),
        "exact": bool(proof.exact),
        "rigorous": bool(proof.rigorous),
        "slack": float(proof.slack),
    }


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"its metadata hold the number {text:.60}, which is not finite")
    return value


def _whole(text: str) -> int:
    """JSON's whole numbers have no limit; ours must fit into a float."""
    _finite(text)
    return int(text)


def _from_version_1(record: dict[str, Any]) -> dict[str, Any]:
    parameters = record["parameters"]
    defined = {name: parameters[name] for name in ("lam", "bias", "class_weight") if name in parameters}
    certificates = record["certificates"]
    if all(isinstance(entry, dict) and "bias" in entry for entry in certificates):
        certificates = [
            {"biases": [entry["bias"]] if parameters.get("bias") else [], "rigorous": False, "slack": 0.0} | entry
            for entry in certificates
        ]
    return {**record, "risk": defined, "certificates": certificates}


def _check_width(fingerprint: dict[str, Any]) -> None:
    """Refuse a model that is long for no reason before its weights are read."""
    d, nnz = fingerprint.get("d"), fingerprint.get("nnz")
    if type(d) is int and type(nnz) is int and 8 * d > LARGEST and d > SPARSEST * nnz:
        raise ValueError(
            f"it has {d} columns, and was trained on {nnz} entries: every vector would take {8 * d / 1e9:.3g} GB; "
            "train it again with --compact-columns"
        )


def certificate_of(entry: Any) -> Certificate:
    """A certificate out of a record."""
    kinds = {"primal": float, "dual": float, "biases": list, "exact": bool, "rigorous": bool, "slack": float}
    good = isinstance(entry, dict) and all(type(entry.get(name)) is kind for name, kind in kinds.items())
    if not good or len(entry["biases"]) > 1 or not all(type(bias) is float for bias in entry["biases"]):
        raise ValueError(f"a certificate must hold {', '.join(kinds)}: floats, a list of them, and truth values")
    biases = np.array(entry["biases"], dtype=np.float64)
    return Certificate(**{name: entry[name] for name in kinds} | {"biases": biases})
