r"""scikit-learn's linear models as plain weights: what each claims to minimise.

========================================  =====================================================================
LinearSVC(loss="hinge", "squared_hinge")  LIBLINEAR: C, the intercept is the weight of a column and penalised
LinearSVC(multi_class="crammer_singer")   the same column, one problem for all classes
LinearSVR(loss="epsilon_insensitive")     as LinearSVC
SVC, SVR(kernel="linear")                 LIBSVM: C, the intercept is free; several classes by pairs
SGDClassifier(loss="hinge", ..)           alpha = lam, the intercept is free; several classes against the rest
SGDRegressor(loss="epsilon_insensitive")  the same
QuantileRegressor(alpha=0)                the loss alone; its own penalty is the L1 norm
========================================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pragam.auditing.weights import Weights

#: What the words of scikit-learn mean that no record of ours does.
_LACKING = {
    "squared_epsilon_insensitive": "the squared epsilon-insensitive loss",
    "log_loss": "the logistic loss",
    "modified_huber": "the modified Huber loss",
    "perceptron": "the perceptron's loss",
    "huber": "the Huber loss",
    "squared_error": "the squared loss",
    "l1": "an L1 penalty",
    "elasticnet": "an elastic-net penalty",
}
#: Wrappers that hold a model that can be audited.
_INSIDE = {
    "CalibratedClassifierCV": "its calibration is no linear SVM: audit a classifier fitted without it",
    "GridSearchCV": "audit its best_estimator_",
    "RandomizedSearchCV": "audit its best_estimator_",
    "OneVsRestClassifier": "audit its estimators_ one by one, each with its own y",
    "OneVsOneClassifier": "audit its estimators_ one by one, each with the rows of its two classes",
    "LogisticRegression": "its loss is the logistic one",
    "RidgeClassifier": "its loss is the squared one",
    "Perceptron": "it minimises no objective with a margin",
    "SGDOneClassSVM": "its risk, the one-class SVM's, is one that pragam does not have",
    "HuberRegressor": "its loss is the Huber one",
    "TransformedTargetRegressor": "audit its regressor_ with the transformed y",
}


def why_not(kind: str) -> str:
    """Why a class cannot be audited; empty if it can."""
    return "" if kind in _READERS else _INSIDE.get(kind, "it is of another kind")


def weights_of(model: Any, kind: str, y: Any) -> Weights:
    """The weights of a fitted model of an audited class, and what they claim. ValueError of other settings."""
    _require(model, kind)
    return _READERS[kind](model, y)


def _require(model: Any, kind: str) -> None:
    """Refuse settings whose problem is another one, and say which."""
    for name, allowed in _ALLOWED[kind].items():
        value = getattr(model, name)
        if value not in allowed and not (kind == "LinearSVC" and name == "loss" and _joint(model)):
            usable = " or ".join(f"{name}={choice!r}" for choice in allowed)
            lacking = _LACKING.get(value) if isinstance(value, str) else None
            which = f", {lacking}, a risk that pragam does not have" if lacking else ""
            raise ValueError(f"model has {name}={value!r:.40}{which}, and {kind} is audited with {usable}")


def _joint(model: Any) -> bool:
    return bool(model.multi_class == "crammer_singer")


def _linear_svc(model: Any, y: Any) -> Weights:
    return Weights(
        coef=model.coef_, intercept=model.intercept_ if model.fit_intercept else None, C=model.C,
        loss="hinge" if _joint(model) else model.loss, penalised=True, intercept_scaling=model.intercept_scaling,
        classes=model.classes_, multi_class=model.multi_class, class_weight=model.class_weight, name=_name(model),
    )  # fmt: skip


def _linear_svr(model: Any, y: Any) -> Weights:
    return Weights(
        coef=model.coef_, intercept=model.intercept_ if model.fit_intercept else None, C=model.C, loss=model.loss,
        penalised=True, intercept_scaling=model.intercept_scaling, epsilon=model.epsilon, name=_name(model),
    )  # fmt: skip


def _svc(model: Any, y: Any) -> Weights:
    if model.break_ties and len(model.classes_) > 2:
        raise ValueError("model has break_ties=True, and SVC is audited by the votes of its pairs of classes")
    return Weights(
        coef=model.coef_, intercept=model.intercept_, C=model.C, classes=model.classes_, multi_class="ovo",
        class_weight=dict(zip(model.classes_.tolist(), model.class_weight_.tolist(), strict=True)), name=_name(model),
    )  # fmt: skip


def _svr(model: Any, y: Any) -> Weights:
    return Weights(
        coef=model.coef_, intercept=model.intercept_, C=model.C, loss="epsilon_insensitive", epsilon=model.epsilon,
        name=_name(model),
    )  # fmt: skip


def _sgd(model: Any, y: Any) -> Weights:
    class_weight = model.class_weight
    if class_weight == "balanced":  # by the number of rows, whatever their weights
        labels, counts = np.unique(y, return_counts=True)
        class_weight = dict(zip(labels.tolist(), (counts.sum() / (len(labels) * counts)).tolist(), strict=True))
    return Weights(
        coef=model.coef_, intercept=model.intercept_ if model.fit_intercept else None, lam=model.alpha,
        loss=model.loss, classes=model.classes_, class_weight=class_weight, name=_name(model),
    )  # fmt: skip


def _sgd_regressor(model: Any, y: Any) -> Weights:
    return Weights(
        coef=model.coef_, intercept=model.intercept_ if model.fit_intercept else None, lam=model.alpha,
        loss=model.loss, epsilon=model.epsilon, name=_name(model),
    )  # fmt: skip


def _quantile_regressor(model: Any, y: Any) -> Weights:
    return Weights(
        coef=model.coef_, intercept=model.intercept_ if model.fit_intercept else None, lam=0.0, loss="quantile",
        q=model.quantile, name=_name(model),
    )  # fmt: skip


def _name(model: Any) -> str:
    return f"scikit-learn's {type(model).__name__}"


_READERS: dict[str, Callable[[Any, Any], Weights]] = {
    "LinearSVC": _linear_svc, "LinearSVR": _linear_svr, "SVC": _svc, "SVR": _svr, "SGDClassifier": _sgd,
    "SGDRegressor": _sgd_regressor, "QuantileRegressor": _quantile_regressor,
}  # fmt: skip
_ALLOWED: dict[str, dict[str, tuple[Any, ...]]] = {
    "LinearSVC": {"penalty": ("l2",), "loss": ("hinge", "squared_hinge")},
    "LinearSVR": {"loss": ("epsilon_insensitive",)},
    "SVC": {"kernel": ("linear",)},
    "SVR": {"kernel": ("linear",)},
    "SGDClassifier": {"penalty": ("l2",), "loss": ("hinge", "squared_hinge")},
    "SGDRegressor": {"penalty": ("l2",), "loss": ("epsilon_insensitive",)},
    "QuantileRegressor": {"alpha": (0,)},  # else the L1 norm of the weights is penalised
}
