"""The claims of pragam's own models: fitted estimators, and model files with the risk that they name."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.auditing.claim import Claim, Part
from pragam.io import Model, data_fingerprint
from pragam.numerics.vector import Vector
from pragam.operators.needs import HasData
from pragam.problem import AnyProblem
from pragam.risks.by_name import parameters_of, problems_of
from pragam.risks.one_vs_rest import positives
from pragam.samples import Rows


def is_estimator(model: Any) -> bool:
    """Whether it is one of pragam's estimators, by the name of their base: scikit-learn stays where it is."""
    return any(base.__module__ == "pragam.estimators.base" for base in type(model).__mro__)


def claim_of_estimator(model: Any, X: Any, y: Any, sample_weight: Any) -> Claim:
    """The problems that ``fit`` would build from these data."""
    if not hasattr(model, "coef_"):
        raise ValueError(f"model is a {type(model).__name__} that is not fitted: it has no coef_")
    samples, own = Rows.of(X, np.asarray(y), sample_weight), model.model_
    _check_columns(samples.n_features, own.n_features)
    if len(samples.y) != samples.n:
        raise ValueError(f"y must hold one label for each of the {samples.n} rows of X, not {len(samples.y)}")
    classes = own.labels
    found = own.risk.learn(samples)
    if not np.array_equal(classes, found):
        raise ValueError(f"y has the classes {found[:5].tolist()}, the model {classes[:5].tolist()}")
    problems = own.risk.pose(own.features.of(samples), classes)
    coef = model.coef_ if isinstance(model.coef_, np.ndarray) else model.coef_.toarray()
    chosen = {key: value for key, value in model.get_params().items() if key in ("C", "loss", "fit_intercept")}
    sentence = f"the problem of pragam.{type(model).__name__}({', '.join(f'{k}={v!r}' for k, v in chosen.items())})"
    return _claim(f"pragam's {type(model).__name__}", sentence, problems, coef, model.intercept_, classes)


def claim_of_file(model: Model, X: Any, y: Any, sample_weight: Any) -> Claim:
    """The problems of the risk that the file names, on the data that the file names by their fingerprint."""
    if sample_weight is not None:
        raise ValueError("sample_weight: the problem of a pragam model file has none")
    parameters = parameters_of(model.risk)
    columns, labels = columns_of(model, X), np.asarray(y)
    if model.fingerprint and model.fingerprint != data_fingerprint(columns, labels):
        raise ValueError("X and y are not the data that the model was trained on: its file has another fingerprint")
    problems = problems_of(model.risk, columns, labels, model.classes)
    chosen = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    sentence = f"the risk {model.risk['name']!r} of its file, {chosen}"
    return _claim("a pragam model file", sentence, problems, model.coef, model.intercept, np.array(model.classes))


def columns_of(model: Model, X: Any) -> Any:
    """X in the columns of a model from a file, which must be all that X has."""
    columns, ignored = model.select(X)
    _check_columns(columns.shape[1], model.n_features)
    if ignored:
        raise ValueError(f"X has {ignored} entries in columns that the model does not have")
    return columns


def _check_columns(found: int, needed: int) -> None:
    if found != needed:
        raise ValueError(f"X has {found} columns, and the model needs {needed}")


def _claim(
    name: str, sentence: str, problems: list[AnyProblem], coef: Vector, intercept: Vector, classes: Any
) -> Claim:
    """One part for each row of the weights, or one for all of them."""
    rows = np.atleast_2d(coef)
    free = np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(rows))
    if len(problems) == len(rows):
        labels = [f"class {k} against the rest" for k in positives(classes)] if len(rows) > 1 else [""]
        parts = tuple(
            Part(label, problem, w, b[: problem.n_biases])
            for label, problem, w, b in zip(labels, problems, rows, free[:, None], strict=True)
        )
    elif len(problems) == 1 and problems[0].n_weights == rows.size:
        parts = (Part("", problems[0], rows.ravel(), free[: problems[0].n_biases]),)
    else:
        raise ValueError(
            f"model has weights of shape {rows.shape}, which are not those of its {len(problems)} problems"
        )
    rule = "regression" if not len(classes) else "sign" if len(rows) == 1 else "argmax"
    A = problems[0].A
    assert isinstance(A, HasData)
    values = A.storage.matmat(rows) + free
    return Claim(name, sentence, parts, rule, len(classes), values)
