"""Models as files: what the parts of a :mod:`pragam.files.model_file` mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.driver.result import Status
from pragam.files import model_file, source
from pragam.files.dual_points import from_tensors, to_tensors
from pragam.files.fields import fields_of
from pragam.files.model_file import Content
from pragam.models import probabilities
from pragam.models.base import Model, Proof, check_finite
from pragam.models.features import Features
from pragam.models.kinds import KINDS, MAPS, RISKS
from pragam.models.liblinear import FIRST_WORD, read_liblinear
from pragam.models.linear import LinearModel
from pragam.models.probabilities import Probabilities
from pragam.risks.record import risk_of

#: What the names of the tensors of probabilities begin with.
_PROBABILITIES = "probabilities."
_CERTIFICATE = {"primal": float, "dual": float, "biases": list, "exact": bool, "rigorous": bool, "slack": float}


def save(path: str | os.PathLike[str], model: Model, proofs: bool = True) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all.

    Without ``proofs`` the certificates are kept as statements, and the dual points, which prove them, are left out.
    """
    labels_as_json(model.labels)
    kept = [proof if proofs else replace(proof, dual=None) for proof in model.proofs]
    duals = [(None, {}) if proof.dual is None else to_tensors(proof.dual, f"dual.{k}") for k, proof in enumerate(kept)]
    maps = [(each.kind, *each.to_file()) for each in model.features.maps]
    tensors = {**model.tensors, **{f"given.{name}": array for name, array in model.given.items()}}
    tensors |= {f"features.{k}.{name}": array for k, (_, _, own) in enumerate(maps) for name, array in own.items()}
    tensors |= {name: array for _, own in duals for name, array in own.items()}
    record = {
        "kind": model.kind,
        "risk": model.risk.to_json(),
        "labels": labels_as_json(model.labels),
        "features": [{"kind": kind, **own} for kind, own, _ in maps],
        "proofs": [_written(proof, dual) for proof, (dual, _) in zip(kept, duals, strict=True)],
        "calibration": model.calibration,
        "fingerprint": model.fingerprint,
        "settings": model.settings,
    }
    if model.probabilities is not None:
        record["probabilities"] = {"kind": model.probabilities.kind}
        tensors |= {f"{_PROBABILITIES}{name}": array for name, array in model.probabilities.tensors().items()}
    model_file.write(path, record, tensors)


def load(path: source.Path) -> Any:
    """The model of a file of ours, of any kind and version, or of a LIBLINEAR text file; opened and read once."""
    with source.opened(path) as opened:
        return load_opened(opened)


def load_opened(opened: source.Source) -> Any:
    """The same of an input that is open."""
    if FIRST_WORD.startswith(opened.head) and opened.head:
        return read_liblinear(opened.content(), opened.name)
    return model_file.read(opened, _model_of)


def labels_as_json(labels: NDArray[Any]) -> list[Any]:
    """Labels that a file can hold: all strings, all truth values, or finite numbers of 64 bits; all different."""
    found: list[Any] = labels.tolist()
    kinds = {type(label) for label in found}
    is_number = kinds <= {int, float} and all(map(_is_number, found))
    if not (is_number or kinds in ({str}, {bool})) or len(set(found)) < len(found):
        raise ValueError(f"labels must be different ones, all numbers or all strings, not {found!r:.60}")
    return found


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


def _written(proof: Proof, dual: dict[str, Any] | None) -> dict[str, Any]:
    own = {"status": proof.status.name, "n_iter": int(proof.n_iter), "solver": proof.solver}
    return {"certificate": certificate_record(proof.certificate), **own, "dual": dual}


def _model_of(content: Content) -> Model:
    record, tensors = content
    risk, labels = risk_of(record["risk"], RISKS), _labels(record["labels"])
    if record["kind"] != risk.kind:
        raise ValueError(f"it is of the kind {record['kind']!r:.40}, and its risk {risk.name!r} of {risk.kind!r}")
    kind = KINDS[risk.kind]
    if len(labels) == 1 or (not len(labels)) != (not risk.has_labels):
        raise ValueError(f"its labels are {labels[:5].tolist()}, which a model of {risk.name!r} cannot have")
    risk.check_labels(labels)
    arrays = {name: tensors.array(name) for name in kind.shapes}
    _check_shapes(arrays, kind.shapes, kind.sizes(risk, labels), kind.open_ended)
    given = {name.removeprefix("given."): _weights(name, tensors.array(name)) for name in tensors.names("given.")}
    proofs = tuple(_proof(entry, tensors, k) for k, entry in enumerate(record["proofs"]))
    if len(proofs) not in (0, len(risk.parts(labels))):
        raise ValueError(f"it has {len(proofs)} proofs for {len(risk.parts(labels))} problem(s)")
    features = Features(tuple(_map(entry, tensors, k) for k, entry in enumerate(record["features"])))
    calibration = {name: fields_of(record["calibration"], {name: float})[name] for name in record["calibration"]}
    if not set(calibration) <= set(kind.calibrations(risk)):
        raise ValueError(f"its calibration has {', '.join(sorted(calibration))!r:.60}, which its kind does not know")
    for name in ("n", "d", "nnz"):
        if type(record["fingerprint"].get(name, 0)) is not int:
            raise ValueError(
                f"its fingerprint's {name} must be a whole number, not {record['fingerprint'][name]!r:.40}"
            )
    return kind(
        risk, labels, arrays, proofs, features, given, calibration, record["fingerprint"], record["settings"],
        _probabilities(record, tensors, len(labels)),
    ).checked()  # fmt: skip


def _probabilities(record: dict[str, Any], tensors: Any, n_classes: int) -> Probabilities | None:
    if record.get("probabilities") is None:
        return None
    if record["kind"] != LinearModel.kind or n_classes < 2:
        raise ValueError("its probabilities are for a linear model of classes, which it is not")
    return probabilities.from_file(record["probabilities"], tensors, _PROBABILITIES, n_classes)


def _labels(found: list[Any]) -> NDArray[Any]:
    return np.array(labels_as_json(np.array(found, dtype=object))) if found else np.empty(0)


def _map(entry: Any, tensors: Any, k: int) -> Any:
    kind = fields_of(entry, {"kind": str})["kind"]
    if kind not in MAPS:
        raise ValueError(f"its features are of the unknown kind {kind!r:.40}")
    return MAPS[kind].from_file(entry, tensors, f"features.{k}.")


def _proof(entry: dict[str, Any], tensors: Any, k: int) -> Proof:
    dual = None if entry.get("dual") is None else from_tensors(entry["dual"], tensors, f"dual.{k}")
    if entry["status"] not in Status.__members__:
        raise ValueError(f"its status, {entry['status']!r:.40}, is not known")
    return Proof(_certificate(entry["certificate"]), dual, Status[entry["status"]], entry["n_iter"], entry["solver"])


def _certificate(entry: Any) -> Certificate:
    own = fields_of(entry, _CERTIFICATE)
    if not all(type(bias) in (int, float) for bias in own["biases"]):
        raise ValueError(f"biases must be numbers, not {own['biases']!r:.60}")
    biases = np.array(own["biases"], dtype=np.float64)
    return Certificate(**{name: own[name] for name in _CERTIFICATE} | {"biases": biases})


def _weights(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim != 1 or not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{name} must be a vector of finite numbers >= 0")
    return array


def _check_shapes(
    arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, Any], sizes: Mapping[str, int], open_ended: Any
) -> None:
    """Every letter of a shape has one size: the known one, or that of its first occurrence."""
    known = dict(sizes)
    for name, letters in shapes.items():
        array = arrays[name]
        if array.ndim != len(letters):
            raise ValueError(f"{name} must have {len(letters)} dimension(s), not the shape {array.shape}")
        wanted = tuple(known.setdefault(letter, size) for letter, size in zip(letters, array.shape, strict=True))
        if array.shape != wanted:
            raise ValueError(f"{name} must be of the shape {wanted} ({' x '.join(letters)}), not {array.shape}")
        check_finite(name, array, name in open_ended)


def _is_number(label: Any) -> bool:
    """Whether NumPy holds the label without loss: a finite float, or an integer of 64 bits."""
    return -(2**63) <= label < 2**63 if type(label) is int else bool(np.isfinite(label))
