"""What the first files of sequences, graphs and Gaussian processes had in common: one problem, and one proof apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pragam.files.container import Tensors
from pragam.files.fields import fields_of
from pragam.files.upgrades.step import Renamed

FIELDS = {"risk": dict, "classes": list, "certificate": dict, "parameters": dict, "dual": dict}
#: What parameters said beside those of the estimator.
_ENDED = ("status", "n_iter", "temperature")


def upgraded(
    record: dict[str, Any], kind: str, estimator: str, risk: dict[str, Any], features: list[dict[str, Any]], d: int
) -> dict[str, Any]:
    """The record of version 4. An estimator wrote the file unless a command did, which said what "ran".

    Estimators kept no fingerprint: of their data the file knows the ``d`` columns alone.
    """
    parameters = {name: value for name, value in record["parameters"].items() if name not in _ENDED}
    wrote = {} if "ran" in parameters else {"estimator": {"class": estimator, "parameters": parameters}}
    return {
        "format": "pragam-model",
        "version": 4,
        "kind": kind,
        "risk": risk,
        "labels": record["classes"],
        "features": features,
        "proofs": [_proof(record)],
        "calibration": {},
        "fingerprint": record.get("fingerprint") or {"d": d},
        "settings": parameters | wrote,
    }


def width(tensors: Tensors, name: str) -> int:
    """The columns of a matrix; whether it is one, its reader says."""
    return int(np.atleast_1d(tensors.array(name)).shape[-1])


def renamed(tensors: Tensors, names: Mapping[str, str]) -> Renamed:
    """The tensors of the dual point, which has a number now, and others that have a new name, if they are there."""
    duals = {f"dual.0.{name.removeprefix('dual.')}": name for name in tensors.names() if name.startswith("dual.")}
    return {**duals, **{new: old for old, new in names.items() if old in tensors}}


def _proof(record: dict[str, Any]) -> dict[str, Any]:
    parameters = fields_of(record["parameters"], {"status": str, "n_iter": int})
    ended = {"status": parameters["status"], "n_iter": parameters["n_iter"]}
    solver = str(parameters.get("ran", parameters.get("solver", "")))
    return {"certificate": record["certificate"], **ended, "solver": solver, "dual": record["dual"]}
