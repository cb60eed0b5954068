"""Both find the same minimum, where LIBLINEAR is given as long as it needs: judged by the objective in NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from pragam.datasets import load_named
from pragam.patch.linear_svc import LinearSVC
from pragam.patch.linear_svr import LinearSVR


def objective(model, X, y, weights=1.0):
    """1/2 |w|^2 + 1/2 (b / scaling)^2 + C sum_i weight_i loss_i."""
    W, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    size = 0.5 * np.sum(W**2) + 0.5 * np.sum((b / model.intercept_scaling) ** 2)
    return size + model.C * np.sum(weights * losses(model, X @ W.T + b, y))


def losses(model, scores, y):
    if hasattr(model, "epsilon"):
        return np.maximum(0, np.abs(y - scores[:, 0]) - model.epsilon)
    code, own = np.searchsorted(model.classes_, y)[:, None], np.arange(scores.shape[1])
    if model.multi_class == "crammer_singer":
        return np.max((own != code) + scores - np.take_along_axis(scores, code, 1), axis=1)
    margins = np.where(code == (own if len(own) > 1 else 1), 1, -1) * scores
    hinges = np.maximum(0, 1 - margins)
    return np.sum(hinges**2 if model.loss == "squared_hinge" else hinges, axis=1)


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def made(n, d, K=2, seed=0):
    return datasets.make_classification(n, d, n_informative=5, n_classes=K, random_state=seed)


def numbers():
    X, y = scaled(datasets.load_diabetes)
    return X, y / y.std()


def few_entries():
    X = sparse.random_array((300, 80), density=0.1, format="csr", rng=np.random.default_rng(0))
    return X, np.where(X @ np.linspace(-2, 2, 80) > 0.1, "yes", "no")


SETS = {
    "iris": lambda: scaled(datasets.load_iris),
    "wine": lambda: scaled(datasets.load_wine),
    "cancer": lambda: scaled(datasets.load_breast_cancer),
    "diabetes": numbers,
    "tall": lambda: made(1000, 8),
    "wide": lambda: made(60, 200),
    "three classes": lambda: made(400, 8, 3, seed=1),
    "sparse": few_entries,
    "plane": lambda: datasets.make_regression(200, 10, noise=1.0, random_state=0),
}
REAL = ("diabetes", "vehicle", "ionosphere", "sonar", "german.numer_scale", "australian", "splice")
CLASSES = ("iris", "wine", "cancer", "tall", "wide", "three classes", "sparse")
CASES = [
    *((name, LinearSVC, {}) for name in CLASSES),
    *((name, LinearSVC, {"loss": "hinge"}) for name in CLASSES),
    *((name, LinearSVC, {"multi_class": "crammer_singer"}) for name in ("iris", "wine", "three classes")),
    ("iris", LinearSVC, {"C": 0.01, "intercept_scaling": 10.0, "class_weight": "balanced"}),
    ("tall", LinearSVC, {"fit_intercept": False}),
    ("diabetes", LinearSVR, {}),
    ("diabetes", LinearSVR, {"epsilon": 0.2, "C": 0.1, "intercept_scaling": 3.0}),
    ("plane", LinearSVR, {"epsilon": 1.0}),
    ("plane", LinearSVR, {"fit_intercept": False}),
]


def assert_both_find_the_minimum(cls, parameters, X, y):
    weights = 1.0
    if parameters.get("class_weight") == "balanced":
        _, code, sizes = np.unique(y, return_inverse=True, return_counts=True)
        weights = (len(y) / (len(sizes) * sizes))[code]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        theirs = cls.original(tol=1e-10, max_iter=1_000_000, **parameters).fit(X, y)
        ours = cls(**parameters).fit(X, y)
    J = objective(ours, X, y, weights)
    least = objective(theirs, X, y, weights)
    assert abs(J - least) <= 1e-6 * least
    assert ours.certificate_.relative_gap <= 1e-8
    assert J - least <= 1e-8 * least
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)


@pytest.mark.parametrize(("name", "cls", "parameters"), CASES)
def test_the_minimum_is_theirs(name, cls, parameters):
    assert_both_find_the_minimum(cls, parameters, *SETS[name]())


@pytest.mark.parametrize("name", REAL)
def test_the_minimum_is_theirs_on_real_data(name):
    try:
        X, y = load_named(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    X = StandardScaler().fit_transform(X.toarray() if sparse.issparse(X) else X)
    assert_both_find_the_minimum(LinearSVC, {}, X, y)
    if name not in ("diabetes", "splice"):  # LIBLINEAR does not end there in a million passes over the data
        assert_both_find_the_minimum(LinearSVC, {"loss": "hinge"}, X, y)


@pytest.mark.parametrize("name", ["iris", "cancer", "wide", "three classes", "sparse"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_default_tolerance_ends_where_theirs_does_or_lower(name, loss):
    X, y = SETS[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = LinearSVC.original(loss=loss, random_state=0).fit(X, y)
    ours = LinearSVC(loss=loss).fit(X, y)
    assert objective(ours, X, y) <= objective(theirs, X, y) * (1 + 1e-8)
