"""pragam's model file: the weights, the dual variables that prove how good they are, and the proof.

One safetensors file: the float64 tensors coef, intercept and alpha, the int64 tensor columns if the model uses only
some columns of the data, and under the metadata key "pragam" a JSON object with the format's name and version, the
risk, the classes, the certificates, the parameters and the data's fingerprint. Nothing in it is executed when it is
read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.certificate import Certificate
from pragam.files import container, source
from pragam.files.columns import restricted
from pragam.io.record import FORMAT, VERSION, certificate_record, checked_record
from pragam.operators import check_data
from pragam.risks.one_vs_rest import positives

Array = NDArray[np.float64]
Label = int | float | str

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
    risk : dict that JSON can hold
        What was minimised: the name and the parameters that :mod:`pragam.risks.by_name` takes, as in
        ``{"name": "hinge", "lam": 1e-4, "bias": True, "class_weight": None}``; empty if unknown.
    parameters : dict that JSON can hold
        How it was solved: C, tol, solver, status, ...
    fingerprint : dict
        :func:`pragam.io.data_fingerprint` of the training data.
    columns : (d,) int64 array, increasing, or None
        The columns of the data that the weights belong to, None if they are the first d; :meth:`select` takes them.
    """

    coef: Array
    intercept: Array
    classes: list[Label]
    alpha: Array
    certificates: list[Certificate] = field(default_factory=list)
    risk: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    fingerprint: dict[str, Any] = field(default_factory=dict)
    columns: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_classes(self.classes)
        _check_risk(self.risk)
        outputs = len(positives(self.classes))
        for name, ndim in zip(_TENSORS, (2, 1, 2), strict=True):
            _check_array(name, getattr(self, name), ndim, outputs, len(self.classes))
        if self.columns is not None:
            _check_columns(self.columns, self.n_features)
        if len(self.certificates) not in (0, outputs):
            raise ValueError(f"certificates must be none or {outputs}, not {len(self.certificates)}")
        for proof in self.certificates:
            if not np.isfinite([proof.primal, proof.dual, proof.slack, *proof.biases]).all():
                raise ValueError(f"a certificate must hold finite numbers, not {proof}")

    @property
    def n_features(self) -> int:
        """The number of weights of an output."""
        return self.coef.shape[1]

    def select(self, X: Any) -> tuple[Any, int]:
        """Sparse data in the model's columns, and how many entries other than 0 are in columns that it does not have.

        Columns that X lacks are empty. A dense X stays as it is, unless the model has columns of its own.
        """
        if not sparse.issparse(X):
            return (X, 0) if self.columns is None else (X[:, self.columns], 0)
        rows: Any = X
        if self.columns is None and rows.shape[1] <= self.n_features:
            return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], self.n_features)), 0
        return restricted(rows, np.arange(self.n_features) if self.columns is None else self.columns)

    def decision_function(self, X: Any) -> Array:
        """The scores X coef' + intercept: (n,) for two classes, else (n, n_classes)."""
        storage = check_data(X)
        if storage.shape[1] != self.n_features:
            raise ValueError(f"X has {storage.shape[1]} columns, and the model needs {self.n_features}")
        scores = storage.matmat(self.coef) + self.intercept
        return scores[:, 0] if len(self.coef) == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each row; a score of 0 means ``classes[0]``, of equal scores the first wins."""
        return self.labels(self.decision_function(X))

    def labels(self, scores: Array) -> NDArray[Any]:
        """The labels that :meth:`decision_function`'s scores mean."""
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.array(self.classes)[best]


def save_model(path: str | os.PathLike[str], model: Model) -> None:
    """Write a model; the file appears whole, with all bytes on the disk, or not at all."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "risk": model.risk,
        "classes": model.classes,
        "certificates": [certificate_record(proof) for proof in model.certificates],
        "parameters": model.parameters,
        "fingerprint": model.fingerprint,
    }
    tensors = {name: getattr(model, name) for name in _TENSORS}
    if model.columns is not None:
        tensors["columns"] = model.columns
    container.write(path, record, tensors)


def load_model(path: source.Path) -> Model:
    """The model of a file that :func:`save_model` wrote; anything amiss is a ValueError of one line."""
    with source.opened(path) as opened:
        return read_model(opened.content(), opened.name)


def read_model(stream: BinaryIO, name: str) -> Model:
    """The model in a stream."""
    return container.read(stream, name, model_of)


def model_of(text: str, tensors: Callable[[], container.Tensors]) -> Model:
    """The model out of the parts of its file."""
    record = checked_record(text)
    own = tensors()
    coef, intercept, alpha = (own.array(key) for key in _TENSORS)
    columns = own.array("columns", "I64") if "columns" in own else None
    return Model(coef, intercept, alpha=alpha, columns=columns, **record)


def check_classes(classes: list[Label]) -> None:
    """Refuse what is no list of different labels."""
    if not isinstance(classes, list) or len(classes) < 2:
        raise ValueError(f"classes must be a list of at least two labels, not {classes!r:.60}")
    if not all(map(_is_number, classes)) and not all(type(label) is str for label in classes):
        raise ValueError(f"classes must be all finite numbers or all strings, not {classes!r:.60}")
    if len(set(classes)) < len(classes):
        raise ValueError(f"classes must be distinct, not {classes!r:.60}")


def _check_risk(risk: dict[str, Any]) -> None:
    """A name that this pragam does not know is none of its business until the model is to be verified."""
    if risk and not isinstance(risk.get("name"), str):
        raise ValueError(f"the risk must have a name, which {risk!r:.60} has not")


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


def _check_columns(columns: Any, n_features: int) -> None:
    if not isinstance(columns, np.ndarray) or columns.dtype != np.int64 or columns.shape != (n_features,):
        raise ValueError(f"columns must be an int64 array of length {n_features}")
    if (columns[:1] < 0).any() or (columns[1:] <= columns[:-1]).any():
        raise ValueError("columns must be increasing and not negative")
