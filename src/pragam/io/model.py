"""pragam's model file: the weights, the dual variables that prove how good they are, and the proof.

One safetensors file: the float64 tensors coef, intercept and alpha, and under the metadata key "pragam" a
JSON object with the format's name and version, the classes, the certificates, the parameters and the data's
fingerprint. Nothing in it is executed when it is read.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.atomic import replacing
from pragam.certificate import Certificate
from pragam.operators import check_data

Array = NDArray[np.float64]
Label = int | float | str

FORMAT, VERSION = "pragam-model", 1
_KEY = "pragam"
_TENSORS = ("coef", "intercept", "alpha")


@dataclass(frozen=True, eq=False)
class Model:
    """A linear classifier with its proof: scores = X coef' + intercept.

    Two classes have one output, positive for ``classes[1]``; more have one each, and the largest score wins.

    Attributes
    ----------
    coef : (n_outputs, d) float64 array
    intercept : (n_outputs,) float64 array
    classes : list of labels, all numbers or all strings
    alpha : (n_outputs, n) float64 array
        The dual variables in the paper's scaling (0 .. weight/n), a problem a row; (n_outputs, 0) if unknown.
    certificates : list of Certificate, one for each output, or empty if unknown
    parameters : dict that JSON can hold
        What the problems were made of and how they were solved: lam, C, bias, tol, solver, status, ...
    fingerprint : dict
        :func:`pragam.io.data_fingerprint` of the training data.
    """

    coef: Array
    intercept: Array
    classes: list[Label]
    alpha: Array
    certificates: list[Certificate] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)
    fingerprint: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_classes(self.classes)
        outputs = 1 if len(self.classes) == 2 else len(self.classes)
        for name, ndim in zip(_TENSORS, (2, 1, 2), strict=True):
            _check_array(name, getattr(self, name), ndim, outputs, len(self.classes))
        if len(self.certificates) not in (0, outputs):
            raise ValueError(f"certificates must be none or {outputs}, not {len(self.certificates)}")
        for proof in self.certificates:
            if not np.isfinite([proof.primal, proof.dual, *proof.biases]).all():
                raise ValueError(f"a certificate must hold finite numbers, not {proof}")

    @property
    def n_features(self) -> int:
        """The number of columns that X must have."""
        return self.coef.shape[1]

    def decision_function(self, X: Any) -> Array:
        """The scores X coef' + intercept: (n,) for two classes, else (n, n_classes)."""
        storage = check_data(X)
        if storage.shape[1] != self.n_features:
            raise ValueError(f"X has {storage.shape[1]} columns, and the model needs {self.n_features}")
        scores = storage.matmat(self.coef) + self.intercept
        return scores[:, 0] if len(self.classes) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row; a score of 0 means ``classes[0]``, of equal scores the first wins."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.array(self.classes)[best]


def save_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all."""
    from safetensors.numpy import save

    record = {
        "format": FORMAT,
        "version": VERSION,
        "classes": model.classes,
        "certificates": [_numbers(proof) for proof in model.certificates],
        "parameters": model.parameters,
        "fingerprint": model.fingerprint,
    }
    # safetensors would write a strided array's memory in its own order, that is: other numbers.
    tensors = {name: np.ascontiguousarray(getattr(model, name)) for name in _TENSORS}
    content = save(tensors, {_KEY: json.dumps(record, allow_nan=False)})
    with replacing(path) as stream:
        stream.write(content)


def load_model(path: str | os.PathLike[str]) -> Model:
    """The model of a file that :func:`save_model` wrote; anything amiss is a ValueError of one line."""
    from safetensors import SafetensorError, safe_open

    with open(path, "rb"):
        pass  # a missing file, a folder or a lacking permission is an OSError of Python's own
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            record = _record(file.metadata() or {})
            coef, intercept, alpha = (_tensor(file, name) for name in _TENSORS)
        certificates = [_certificate(entry) for entry in record.pop("certificates")]
        return Model(coef, intercept, alpha=alpha, certificates=certificates, **record)
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise ValueError(f"{os.fspath(path)}: not a usable model file: {error}") from error


def _record(metadata: dict[str, str]) -> dict[str, Any]:
    """The JSON part, checked as far as its own types go."""
    if _KEY not in metadata:
        raise ValueError(f"its metadata have no entry {_KEY!r}")
    record = json.loads(metadata[_KEY], parse_float=_finite, parse_constant=_finite)
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    version = record.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise ValueError(f"its format version is {version!r}, and this pragam reads up to {VERSION}")
    kinds = {"classes": list, "certificates": list, "parameters": dict, "fingerprint": dict}
    for name, kind in kinds.items():
        if not isinstance(record.get(name), kind):
            raise ValueError(f"{name} must be a {kind.__name__}")
    return {name: record[name] for name in kinds}


def _finite(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(f"its metadata hold the number {text}, which is not finite")
    return value


def _tensor(file: Any, name: str) -> Array:
    if name not in file.keys():  # noqa: SIM118 (safetensors' own object, not a dict)
        raise ValueError(f"it has no tensor {name!r}")
    dtype = file.get_slice(name).get_dtype()
    if dtype != "F64":
        raise ValueError(f"{name} must hold float64 numbers, not {dtype}")
    return file.get_tensor(name)


def _numbers(proof: Certificate) -> dict[str, Any]:
    """JSON keeps a float64 exactly."""
    bounds = {name: float(getattr(proof, name)) for name in ("primal", "dual")}
    return {**bounds, "bias": float(proof.biases.sum()), "exact": bool(proof.exact)}


def _certificate(entry: Any) -> Certificate:
    kinds: dict[str, type] = {"primal": float, "dual": float, "bias": float, "exact": bool}
    if not isinstance(entry, dict) or any(type(entry.get(name)) is not kind for name, kind in kinds.items()):
        raise ValueError("a certificate must hold the floats primal, dual and bias, and whether it is exact")
    return Certificate(entry["primal"], entry["dual"], np.array([entry["bias"]]), entry["exact"])


def _check_classes(classes: list[Label]) -> None:
    if not isinstance(classes, list) or len(classes) < 2:
        raise ValueError(f"classes must be a list of at least two labels, not {classes!r:.60}")
    if not all(map(_is_number, classes)) and not all(type(label) is str for label in classes):
        raise ValueError(f"classes must be all finite numbers or all strings, not {classes!r:.60}")
    if len(set(classes)) < len(classes):
        raise ValueError(f"classes must be distinct, not {classes!r:.60}")


def _is_number(label: Any) -> bool:
    """Whether NumPy holds the label without loss: a finite float, or an integer of 64 bits."""
    return -(2**63) <= label < 2**63 if type(label) is int else type(label) is float and bool(np.isfinite(label))


def _check_array(name: str, array: Any, ndim: int, outputs: int, n_classes: int) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        raise ValueError(f"{name} must be a float64 array, not {getattr(array, 'dtype', type(array))}")
    if array.ndim != ndim or len(array) != outputs:
        raise ValueError(
            f"{name} must have {ndim} dimension(s) and {outputs} row(s) for {n_classes} classes, "
            f"not the shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains NaN or infinity")
