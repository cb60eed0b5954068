"""Fitted models of other packages as plain weights. Types are recognised by their names: nothing is imported.

===================================  ==========================================================================
scikit-learn                         :mod:`pragam.auditing.scikit_learn`
statsmodels: results of QuantReg     the loss alone; a constant column is the intercept
skordinal: SVOR(kernel="linear",     the all-threshold ordinal hinge; its kernel is <x, z>/d, so 1/2 |v|^2 for
constraints="implicit")              f(x) = <v, x>/sqrt(d) is d/2 |w|^2, that is lam = d/(n C)
rehline: plqERM_Ridge                C times the sum of the losses and 1/2 |w|^2, without an intercept
===================================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pragam.auditing import scikit_learn
from pragam.auditing.weights import Weights

ACCEPTED = (
    "scikit-learn's LinearSVC, LinearSVR, SVC and SVR with kernel='linear', SGDClassifier with a hinge loss and "
    "SGDRegressor with the epsilon-insensitive one and penalty='l2', QuantileRegressor with alpha=0, statsmodels' "
    "QuantReg results, skordinal's SVOR with kernel='linear', rehline's plqERM_Ridge, pragam's own estimators and "
    "models, a Pipeline that ends with one of these, model files of pragam and of LIBLINEAR, and pragam.Weights"
)
#: The losses of rehline by their names there, in the terms of Weights.
_REHLINE = {
    **dict.fromkeys(("hinge", "svm", "SVM"), "hinge"),
    **dict.fromkeys(("squared hinge", "squared svm", "squared SVM"), "squared_hinge"),
    **dict.fromkeys(("check", "quantile", "quantile regression", "QR"), "quantile"),
    **dict.fromkeys(("SVR", "svr", "MAE", "mae", "mean absolute error"), "epsilon_insensitive"),
}


def kind_of(model: Any) -> tuple[str, str]:
    """The package and the name of the class that a model is of, or a subclass of; empty if of none that is known."""
    for base in type(model).__mro__:
        package = base.__module__.partition(".")[0]
        if package in _PACKAGES:
            return package, base.__name__
    return "", ""


def read(model: Any, X: Any, y: Any) -> tuple[Weights, Any]:
    """The weights of a fitted model and what they claim, and X in their columns. ValueError if nobody can tell."""
    package, kind = kind_of(model)
    if hasattr(model, "fit") and not _is_fitted(model):
        raise ValueError(f"model is a {type(model).__name__} that is not fitted")
    reason = scikit_learn.why_not(kind) if package in ("sklearn", "") else ""
    if reason:
        raise ValueError(f"model is a {type(model).__name__}, and {reason}; accepted are {ACCEPTED}")
    return _PACKAGES[package](model, kind, X, y)


def _is_fitted(model: Any) -> bool:
    """scikit-learn's convention: what a fit finds has a name that ends with an underscore, and is something."""
    found = [value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("__")]
    return any(value is not None for value in found)


def _scikit_learn(model: Any, kind: str, X: Any, y: Any) -> tuple[Weights, Any]:
    return scikit_learn.weights_of(model, kind, y), X


def _statsmodels(model: Any, kind: str, X: Any, y: Any) -> tuple[Weights, Any]:
    """The wrapper of all results, or those themselves."""
    results = getattr(model, "_results", model)
    if type(results).__name__ != "QuantRegResults":
        raise ValueError(f"model is statsmodels' {type(results).__name__}, and of these only QuantReg's are audited")
    params, X = np.asarray(results.params, dtype=np.float64), np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != len(params):
        raise ValueError(f"X must be the exog of the model, with {len(params)} columns and the constant among them")
    constant = getattr(results.model.data, "const_idx", None)
    intercept = None
    if constant is not None and len(X) and (X[:, constant] == X[0, constant]).all():
        intercept = params[constant] * X[0, constant]
        params, X = np.delete(params, constant), np.delete(X, constant, axis=1)
    if not len(params):
        raise ValueError("model has a constant alone, and there is no weight to audit")
    return Weights(
        coef=params, intercept=intercept, lam=0.0, loss="quantile", q=float(results.q), name="statsmodels' QuantReg"
    ), X


def _skordinal(model: Any, kind: str, X: Any, y: Any) -> tuple[Weights, Any]:
    if kind != "SVOR":
        raise ValueError(f"model is skordinal's {kind}, and of these only SVOR is audited")
    for name, allowed in (("kernel", "linear"), ("constraints", "implicit")):
        if getattr(model, name) != allowed:
            raise ValueError(f"model has {name}={getattr(model, name)!r:.40}, and SVOR is audited with {allowed!r}")
    d = int(model.n_features_in_)
    n = np.shape(y)[0]
    coef = np.asarray(model.predict_projection(np.eye(d)))  # f is linear, without a constant
    return Weights(
        coef=coef, intercept=-np.asarray(model.thresholds_), lam=d / (n * float(model.C)), loss="ordinal_hinge",
        classes=model.classes_, name="skordinal's SVOR",
    ), X  # fmt: skip


def _rehline(model: Any, kind: str, X: Any, y: Any) -> tuple[Weights, Any]:
    if kind != "plqERM_Ridge":
        raise ValueError(f"model is rehline's {kind}, and of these only plqERM_Ridge is audited")
    if len(model.constraint) or (model.A is not None and np.size(model.A)):
        raise ValueError("model has constraints, and pragam's problems have none")
    name = model.loss["name"]
    own: dict[str, Any] = {}
    if name not in _REHLINE:
        known = ", ".join(_REHLINE)
        raise ValueError(f"model has the loss {name!r:.40}, a risk that pragam does not have; audited are {known}")
    loss = _REHLINE[name]
    if loss == "quantile":
        own["q"] = float(model.loss["qt"])
    elif name in ("SVR", "svr"):
        own["epsilon"] = float(model.loss["epsilon"])
    elif loss in ("hinge", "squared_hinge") and not np.isin(y, (-1, 1)).all():
        raise ValueError("y must be -1 or 1, as rehline's hinge losses multiply by it")
    return Weights(coef=model.coef_, C=float(model.C), loss=loss, name="rehline's plqERM_Ridge", **own), X


_PACKAGES: dict[str, Callable[[Any, str, Any, Any], tuple[Weights, Any]]] = {
    "sklearn": _scikit_learn, "statsmodels": _statsmodels, "skordinal": _skordinal, "rehline": _rehline,
}  # fmt: skip
