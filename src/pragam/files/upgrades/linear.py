"""Linear models of the versions 1 to 4: binary risks against the rest, certificates apart from how they ended.

Version 1 had no "risk": lam, bias and class_weight were among the parameters, and the risk was always the hinge. A
certificate held one "bias" instead of "biases", and said neither whether it was rigorous nor its slack. In version 2 a
"risk" without a name was taken for the hinge. In version 3 every risk has its name, or is empty if unknown. Up to
version 4 the optimum was known to be near w and its biases in intervals, and nothing more.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from pragam.files.container import Tensors
from pragam.files.fields import fields_of
from pragam.files.upgrades.step import Make, Renamed, constant

_LISTS = {"classes": list, "certificates": list, "parameters": dict, "fingerprint": dict}
_ENDS = (("radius", inf), ("low", -inf), ("high", inf))


def from_1(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """The risk out of the parameters, and what certificates did not say."""
    parameters = fields_of(record, _LISTS)["parameters"]
    defined = {name: parameters[name] for name in ("lam", "bias", "class_weight") if name in parameters}
    certificates = record["certificates"]
    if all(type(entry) is dict and "bias" in entry for entry in certificates):
        certificates = [
            {"biases": [entry["bias"]] if parameters.get("bias") else [], "rigorous": False, "slack": 0.0} | entry
            for entry in certificates
        ]
    return {**record, "version": 2, "risk": defined, "certificates": certificates}, {}


def from_2(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """A risk without a name is the hinge."""
    risk = fields_of(record, {**_LISTS, "risk": dict})["risk"]
    return {**record, "version": 3, "risk": {"name": "hinge", **risk} if risk else {}}, {}


def from_3(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """One-vs-rest as a record of its own, a proof for each output, and where the optimum is as tensors."""
    old, parameters = fields_of(record, {**_LISTS, "risk": dict})["risk"], record["parameters"]
    outputs = 1 if len(record["classes"]) == 2 else len(record["classes"])
    certificates = record["certificates"]
    if len(certificates) not in (0, outputs):
        raise ValueError(f"certificates must be none or {outputs}, not {len(certificates)}")
    each = {"class_weight": None} | {name: value for name, value in old.items() if name != "class_weight"}
    new = {
        "format": "pragam-model",
        "version": 4,
        "kind": "linear",
        "risk": {"name": "one_vs_rest", "each": each | {"class_weight": None}, "class_weight": old.get("class_weight")}
        if old
        else {"name": "unstated"},
        "labels": record["classes"],
        "features": [{"kind": "columns"}] if "columns" in tensors else [],
        "proofs": [_proof(k, proof, parameters) for k, proof in enumerate(certificates)],
        "calibration": {},
        "fingerprint": record["fingerprint"],
        "settings": {name: value for name, value in parameters.items() if name not in ("optima", "status", "n_iter")},
    }
    return new, {"features.0.columns": "columns", **_tensors(parameters.get("optima"), outputs)}


def from_4(record: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Renamed]:
    """No region around another centre than w: linear models keep their bounds. Other kinds are the same."""
    new = {**record, "version": 5}
    if record.get("kind") != "linear":
        return new, {}
    return new, {
        "centre": "coef",
        "reach": lambda own: np.full(len(own.array("coef")), inf),
        "anchor": lambda own: np.zeros((0, *own.array("coef").shape[1:])),
        "least": lambda own: np.full(len(own.array("intercept")), -inf),
        "most": lambda own: np.full(len(own.array("intercept")), inf),
        "kinks": lambda own: np.zeros((len(own.array("coef")), 0, own.array("coef").shape[-1] + 2)),
    }


def _proof(k: int, certificate: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    status, n_iter = (parameters.get(name) for name in ("status", "n_iter"))
    return {
        "certificate": certificate,
        "status": status[k] if type(status) is list and len(status) > k else "CONVERGED",
        "n_iter": n_iter[k] if type(n_iter) is list and len(n_iter) > k else 0,
        "solver": str(parameters.get("solver", "")),
        "dual": {"kind": "vector"},
    }


def _tensors(optima: Any, outputs: int) -> Renamed:
    """Rows of alpha apart; the neighbourhoods of optima, which were three numbers or null in the parameters."""
    entries = optima if type(optima) is list else [[None] * 3] * outputs
    kinds = all(type(entry) is list and len(entry) == 3 for entry in entries) and len(entries) == outputs
    if not kinds or not all(x is None or type(x) in (int, float) for entry in entries for x in entry):
        raise ValueError(f"a neighbourhood of the optimum must be three numbers, not {optima!r:.60}")
    table: Any = np.array(entries, dtype=object)
    ends = {
        name: constant(np.where(table[:, column] == None, nothing, table[:, column]).astype(float))  # noqa: E711
        for column, (name, nothing) in enumerate(_ENDS)
    }
    return {**{f"dual.{k}.alpha": _row(k, outputs) for k in range(outputs)}, **ends}


def _row(k: int, outputs: int) -> Make:
    def make(own: Tensors) -> Any:
        alpha = own.array("alpha")
        if alpha.ndim != 2 or len(alpha) != outputs:
            raise ValueError(f"alpha must have {outputs} row(s), not the shape {alpha.shape}")
        return alpha[k]

    return make
