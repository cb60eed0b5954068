"""Plain weights as a model of ours: the record of what they claim to minimise, and the tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.auditing.schemes import OneVsOne, OwnWeights
from pragam.auditing.weights import REGRESSIONS, Weights
from pragam.models import LinearModel
from pragam.models.features import Constant, Features
from pragam.numerics.vector import Vector
from pragam.risks import (
    EpsilonInsensitive,
    Hinge,
    MulticlassHinge,
    OneVsRest,
    OrdinalHinge,
    Quantile,
    Risk,
    SquaredHinge,
)
from pragam.risks.scaling import c_of, lam_of
from pragam.samples import Rows

_LOSSES = {"hinge": Hinge, "squared_hinge": SquaredHinge}
_SCHEMES = {"ovr": OwnWeights, "ovo": OneVsOne}
_FORMS = {
    "hinge": "[1 - y_i f(x_i)]_+",
    "squared_hinge": "[1 - y_i f(x_i)]_+^2",
    "epsilon_insensitive": "[|y_i - f(x_i)| - epsilon]_+",
    "quantile": "max(q r_i, (q - 1) r_i), r_i = y_i - f(x_i), q = {q:g}",
    "ordinal_hinge": "sum over all thresholds k of [1 - t_ik (<w, x_i> + b_k)]_+, t_ik = 1 if y_i is above k, else -1",
    "crammer_singer": "max over k of [k != y_i] + f_k(x_i) - f_{y_i}(x_i)",
}


def model_of_weights(weights: Weights, samples: Rows) -> LinearModel:
    """The model on samples of the weights' own columns: an intercept that is penalised is a constant feature."""
    d = weights.coef.shape[1]
    if samples.n_features != d:
        raise ValueError(f"X has {samples.n_features} columns, and the model needs {d}")
    lam = _lam(weights, samples.n)
    labels = _labels(weights, samples.y)
    coef, intercept = _tensors(weights)
    features = Features((Constant(weights.intercept_scaling),) if weights.has_column else ())
    return LinearModel.of_weights(_record(weights, lam, len(labels)), labels, coef, intercept, features=features)


def _lam(weights: Weights, n: int) -> float:
    """That of the problem. A problem without a penalty is posed later, at a small lam (``unpenalised``)."""
    if weights.is_unpenalised:
        return 1.0
    return lam_of(weights.C, n) if weights.lam is None else weights.lam  # type: ignore[arg-type]


def sentence(weights: Weights, model: LinearModel, n: int) -> str:
    """The objective in words, with its numbers."""
    joint, lam = weights.multi_class == "crammer_singer", model.risk.lam  # type: ignore[attr-defined]
    loss = _FORMS["crammer_singer" if joint else weights.loss].replace("epsilon", f"{weights.epsilon:g}")
    loss = loss.replace("{q:g}", f"{weights.q:g}")
    if weights.is_unpenalised:
        intercept = "with an intercept" if weights.has_bias else "no intercept"
        return f"1/n sum_i weight_i {loss}, n = {n}; nothing is penalised; {intercept}"
    numbers = f"lam = {lam:.6g}, that is C = {c_of(lam, n):.6g}, and n = {n}"
    if weights.C is not None:
        numbers = f"lam = 1/(n C) = {lam:.6g} with C = {weights.C:.6g} and n = {n}"
    text = f"lam/2 |w|^2 + 1/n sum_i weight_i {loss}, {numbers}"
    if weights.has_column:
        text += f"; the intercept is penalised, as the weight of a column of {weights.intercept_scaling:g}"
    else:
        text += "; the intercept is not penalised" if weights.has_bias else "; no intercept"
    return text + (f"; {model.risk.words}" if isinstance(model.risk, (OwnWeights, OneVsOne)) else "")


def _labels(weights: Weights, y: Any) -> NDArray[Any]:
    """The classes in the order of the outputs, whose number must fit; none of a regression."""
    rows = len(weights.coef)
    if weights.loss in REGRESSIONS:
        if rows != 1:
            raise ValueError(f"coef has {rows} rows, and a regression has one")
        return np.empty(0)
    target = OrdinalHinge.target if weights.loss == "ordinal_hinge" else OneVsRest.target
    labels = target.learn(y) if weights.classes is None else np.asarray(weights.classes)
    K = len(labels)
    if weights.loss == "ordinal_hinge":
        if rows != 1 or len(weights.intercept) != K - 1:
            raise ValueError(f"coef must have one row and intercept {K - 1} numbers, one less than there are levels")
        return labels
    outputs = K * (K - 1) // 2 if weights.multi_class == "ovo" else K
    if K < 2 or rows != (1 if K == 2 else outputs):
        raise ValueError(f"coef has {rows} rows, which does not fit {K} classes: {labels[:5].tolist()}")
    return labels


def _record(weights: Weights, lam: float, K: int) -> Risk:
    own: dict[str, Any] = {"lam": lam, "bias": weights.has_bias}
    if weights.loss == "epsilon_insensitive":
        return EpsilonInsensitive(epsilon=weights.epsilon, **own)
    if weights.loss == "quantile":
        return Quantile(q=weights.q, **own)
    if weights.loss == "ordinal_hinge":
        return OrdinalHinge(lam=lam)
    if weights.multi_class == "crammer_singer":
        return MulticlassHinge(class_weight=weights.class_weight, **own)
    scheme = OneVsRest if K == 2 else _SCHEMES[weights.multi_class]
    return scheme(each=_LOSSES[weights.loss](**own), class_weight=weights.class_weight)


def _tensors(weights: Weights) -> tuple[Vector, Vector]:
    """Of two classes in one problem scikit-learn keeps w_1 - w_0 alone: w_1 = -w_0 has the least norm."""
    coef = weights.points
    intercept = weights.intercept if weights.has_bias else np.zeros(len(coef))
    if weights.multi_class != "crammer_singer" or len(coef) > 1:
        return coef, intercept
    return coef * np.array([[-0.5], [0.5]]), intercept * np.array([-0.5, 0.5])
