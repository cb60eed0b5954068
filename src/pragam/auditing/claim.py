"""Which problems a model claims to solve on these data, and the point at which it stands in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.auditing.weights import Weights
from pragam.numerics.arguments import float_of, refuse_masked
from pragam.numerics.vector import Vector
from pragam.operators import check_data
from pragam.operators.storage import Storage
from pragam.problem import AnyProblem
from pragam.risks import epsilon_insensitive, hinge, multiclass_hinge, squared_hinge
from pragam.risks.arguments import check_labels, example_weights
from pragam.risks.scaling import c_of, lam_of

_RISKS = {"hinge": hinge, "squared_hinge": squared_hinge}
_FORMS = {
    "hinge": "[1 - y_i f(x_i)]_+",
    "squared_hinge": "[1 - y_i f(x_i)]_+^2",
    "epsilon_insensitive": "[|y_i - f(x_i)| - epsilon]_+",
    "crammer_singer": "max over k of [k != y_i] + f_k(x_i) - f_{y_i}(x_i)",
}
_RULES = {"ovr": "argmax", "ovo": "votes"}
_SCHEMES = {
    "ovr": "one problem for each class against the rest, and their sum",
    "ovo": "one problem for each pair of classes, in which rows of other classes have weight 0, and their sum",
}


@dataclass(frozen=True, eq=False)
class Part:
    """One problem, and the model's own weights and biases in it. ``name`` is empty if there is no other."""

    name: str
    problem: AnyProblem
    w: Vector
    biases: Vector


@dataclass(frozen=True, eq=False)
class Claim:
    """What a model claims to minimise.

    Attributes
    ----------
    model, sentence : str
        What the model is, and the objective in words.
    parts : tuple of Part
        Problems that share nothing but X.
    rule : str
        How decision values become classes (:mod:`pragam.auditing.predictions`); "regression" if they do not.
    n_classes : int
    values : (n, n_values) array
        The model's own decision values on X.
    """

    model: str
    sentence: str
    parts: tuple[Part, ...]
    rule: str
    n_classes: int
    values: Vector


def claim_of_weights(weights: Weights, X: Any, y: Any, sample_weight: Any) -> Claim:
    """The claim of plain weights. X is copied where the intercept is a column of its own."""
    refuse_masked(X=X, y=y, sample_weight=sample_weight)
    storage = check_data(X)
    n, d = storage.shape
    if d != weights.coef.shape[1]:
        raise ValueError(f"X has {d} columns, and the model needs {weights.coef.shape[1]}")
    lam = weights.lam if weights.lam is not None else lam_of(weights.C, n)  # type: ignore[arg-type]
    data = with_column(X, weights.intercept_scaling) if weights.has_column else storage
    free = np.zeros(len(weights.coef)) if weights.intercept is None else weights.intercept
    values = storage.matmat(weights.coef) + free
    if weights.loss == "epsilon_insensitive":
        return _regression(weights, data, y, sample_weight, lam, values)
    labels = check_labels(y, n)
    classes = _classes(weights, labels)
    parts = tuple(_classification(weights, data, labels, classes, sample_weight, lam))
    joint = weights.multi_class == "crammer_singer"
    if joint and len(weights.coef) == 1:  # its problem has a decision value for each of the two classes
        values = values * np.array([-0.5, 0.5])
    rule = "argmax" if joint else "sign" if len(classes) == 2 else _RULES[weights.multi_class]
    return Claim(weights.name, _sentence(weights, lam, n, len(classes)), parts, rule, len(classes), values)


def with_column(X: Any, value: float) -> Storage:
    """X with one more column, which holds ``value`` exactly: float32 data become float64 where it would be rounded."""
    stored: Any = X if sparse.issparse(X) else np.asarray(X)
    kind = stored.dtype if stored.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    with np.errstate(over="ignore"):
        kind = kind if float(kind.type(value)) == value else np.dtype(np.float64)
    column: Any = np.full((stored.shape[0], 1), value, dtype=kind)
    if sparse.issparse(X):
        return check_data(sparse.hstack([sparse.csr_array(stored, dtype=kind), sparse.csr_array(column)], format="csr"))
    return check_data(np.hstack([stored.astype(kind, copy=False), column]))


def _classes(weights: Weights, y: NDArray[Any]) -> NDArray[Any]:
    """The classes in the order of the outputs, checked against y and the number of outputs."""
    classes = np.unique(y) if weights.classes is None else np.asarray(weights.classes)
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y has labels that the model does not know: {unknown[:5].tolist()}")
    K = len(classes)
    outputs = K * (K - 1) // 2 if weights.multi_class == "ovo" else K
    if K < 2 or len(weights.coef) != (1 if K == 2 else outputs):
        raise ValueError(f"coef has {len(weights.coef)} rows, which does not fit {K} classes: {classes[:5].tolist()}")
    return classes


def _classification(
    weights: Weights, X: Storage, y: NDArray[Any], classes: NDArray[Any], sample_weight: Any, lam: float
) -> Iterator[Part]:
    rows = example_weights(y, sample_weight, None)
    by_class = _class_weights(weights.class_weight, classes, y, rows)
    own = by_class[np.argmax(y[:, None] == classes, axis=1)]  # the weight of each row's class
    points = weights.points
    biases = weights.intercept[:, None] if weights.has_bias else np.empty((len(points), 0))
    if weights.multi_class == "crammer_singer":
        yield _crammer_singer(points, biases, X, np.argmax(y[:, None] == classes, axis=1), rows * own, lam)
        return
    risk = _RISKS[weights.loss]
    for k, (name, positive, scale) in enumerate(_two_sides(weights.multi_class, y, classes, own)):
        problem = risk(X, np.where(positive, 1, -1), lam, weights.has_bias, rows * scale)
        yield Part(name, problem, points[k], biases[k])


def _two_sides(
    scheme: str, y: NDArray[Any], classes: NDArray[Any], own: Vector
) -> Iterator[tuple[str, NDArray[np.bool_], Vector]]:
    """(name, which rows are positive, the weights of the rows' classes) of each problem of two classes."""
    if len(classes) == 2:
        yield "", y == classes[1], own
    elif scheme == "ovr":
        for k in classes.tolist():
            yield f"class {k} against the rest", y == k, np.where(y == k, own, 1.0)
    else:
        for i, j in combinations(classes.tolist(), 2):
            yield f"class {i} against class {j}", y == i, np.where((y == i) | (y == j), own, 0.0)


def _crammer_singer(
    points: Vector, biases: Vector, X: Storage, index: NDArray[np.intp], rows: Vector, lam: float
) -> Part:
    """One problem for all classes. Of two classes scikit-learn keeps w_1 - w_0 alone: w_1 = -w_0 has the least norm."""
    halves = np.array([[-0.5], [0.5]]) if len(points) == 1 else 1.0
    w, free = (points * halves).ravel(), (biases * halves).ravel()
    problem = multiclass_hinge(X, index, lam, bias=bool(free.size), sample_weight=rows)
    if problem.n_weights != w.size:
        raise ValueError(f"y must have all classes of the model, and has {len(np.unique(index))} of them")
    return Part("", problem, w, free)


def _class_weights(class_weight: Any, classes: NDArray[Any], y: NDArray[Any], rows: Vector) -> Vector:
    """One for each class; "balanced" is the share of the rows' weight that it would have by right, over what it has."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        mass = np.array([rows[y == k].sum() for k in classes])
        return np.divide(mass.sum(), len(classes) * mass, out=np.ones(len(classes)), where=mass > 0)
    if not isinstance(class_weight, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {class_weight!r:.60}")
    values = np.array([float_of(class_weight.get(label, 1.0)) for label in classes.tolist()])
    if not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError("class_weight must hold finite numbers >= 0")
    return values


def _regression(weights: Weights, X: Storage, y: Any, sample_weight: Any, lam: float, values: Vector) -> Claim:
    if len(weights.coef) != 1:
        raise ValueError(f"coef has {len(weights.coef)} rows, and a regression has one")
    problem = epsilon_insensitive(X, y, lam, weights.epsilon, weights.has_bias, sample_weight)
    biases = weights.intercept if weights.has_bias else np.empty(0)
    part = Part("", problem, weights.points[0], biases)
    return Claim(weights.name, _sentence(weights, lam, X.shape[0], 1), (part,), "regression", 0, values)


def _sentence(weights: Weights, lam: float, n: int, n_classes: int) -> str:
    """The objective in words, with its numbers."""
    joint = weights.multi_class == "crammer_singer"
    loss = _FORMS["crammer_singer" if joint else weights.loss].replace("epsilon", f"{weights.epsilon:g}")
    numbers = f"lam = {lam:.6g}, that is C = {c_of(lam, n):.6g}, and n = {n}"
    if weights.C is not None:
        numbers = f"lam = 1/(n C) = {lam:.6g} with C = {weights.C:.6g} and n = {n}"
    text = f"lam/2 |w|^2 + 1/n sum_i weight_i {loss}, {numbers}"
    if weights.has_column:
        text += f"; the intercept is penalised, as the weight of a column of {weights.intercept_scaling:g}"
    else:
        text += "; the intercept is not penalised" if weights.has_bias else "; no intercept"
    return text + (f"; {_SCHEMES[weights.multi_class]}" if n_classes > 2 and not joint else "")
