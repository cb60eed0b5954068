"""Probabilities at the price of the search: the folds' own decision values, and the best sigmoid or rising line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from pragam import LinearSVC, LinearSVCCV, models
from pragam.estimators.calibration import sigmoid
from pragam.models.probabilities import Isotonic, Sigmoid

GRID = [0.01, 0.1, 1.0]
pytestmark = pytest.mark.filterwarnings("ignore:.*never predicted")


def noisy(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    return X, np.where(X[:, 0] + 0.7 * rng.standard_normal(n) > 0.3, "yes", "no")


def likelihood(at, f, is_positive, weights):
    more, less = weights[is_positive].sum(), weights[~is_positive].sum()
    t = np.where(is_positive, (more + 1) / (more + 2), 1 / (less + 2))
    z = at[0] * f + at[1]
    return weights @ (np.logaddexp(0, z) - t * z)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e8])
@pytest.mark.parametrize("case", ["noisy", "separated", "constant", "one class"])
def test_the_sigmoid_is_the_minimum_of_platts_likelihood(scale, case):
    rng = np.random.default_rng(4)
    is_positive = rng.random(80) < (1.1 if case == "one class" else 0.3)
    f = scale * {"noisy": is_positive + rng.standard_normal(80), "separated": np.where(is_positive, 3.0, -2.0),
                 "constant": np.zeros(80), "one class": rng.standard_normal(80)}[case]  # fmt: skip
    weights = rng.integers(1, 4, 80).astype(float)
    at = np.array(sigmoid(f, is_positive, weights))
    unit = lambda x: likelihood([x[0] / scale, x[1]], f, is_positive, weights)  # noqa: E731
    best = minimize(unit, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).fun
    assert likelihood(at, f, is_positive, weights) <= best * (1 + 1e-9) + 1e-9


def test_a_weight_of_two_is_a_row_that_is_there_twice():
    rng = np.random.default_rng(1)
    f, is_positive = rng.standard_normal(30), rng.random(30) < 0.4
    twice = np.r_[0:30, 0:30]
    np.testing.assert_allclose(
        sigmoid(f, is_positive, np.full(30, 2.0)), sigmoid(f[twice], is_positive[twice], np.ones(60)), rtol=1e-8
    )


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_map_is_that_of_decision_values_out_of_fold(method):
    """Against plain fits of LinearSVC on the same folds, and what the literature says of their decision values."""
    X, y = noisy()
    folds = StratifiedKFold(4)
    model = LinearSVCCV(GRID, cv=folds, calibrate=method).fit(X, y)
    f = np.empty(len(y))
    for train, held in folds.split(X, y):
        f[held] = LinearSVC(C=model.C_).fit(X[train], y[train]).decision_function(X[held])
    own, is_yes = model.decision_function(X), y == "yes"
    if method == "sigmoid":
        at = minimize(likelihood, [1.0, 0.0], (f, is_yes, np.ones(len(y)))).x
        expected = 1 / (1 + np.exp(-(at[0] * own + at[1])))
    else:
        expected = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(f, is_yes).predict(own)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-5)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_as_good_as_a_calibrated_classifier_of_scikit_learn(method):
    X, y = noisy(2000, seed=3)
    train, test = slice(0, 1000), slice(1000, None)
    own = LinearSVCCV(GRID, calibrate=method).fit(X[train], y[train])
    theirs = CalibratedClassifierCV(LinearSVC(C=own.C_), method=method, ensemble=False).fit(X[train], y[train])
    losses = [log_loss(y[test], model.predict_proba(X[test])) for model in (own, theirs)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    if method == "sigmoid":
        np.testing.assert_allclose(own.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_several_classes_sum_to_one(method, multi_class):
    X, y = load_iris(return_X_y=True)
    model = LinearSVCCV(GRID, calibrate=method, multi_class=multi_class).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (150, 3) and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    assert (p.argmax(axis=1) == y).mean() > 0.8
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)


def test_the_search_is_the_same_with_and_without():
    X, y = noisy()
    plain, own = LinearSVCCV(GRID).fit(X, y), LinearSVCCV(GRID, calibrate="sigmoid").fit(X, y)
    assert (plain.coef_ == own.coef_).all() and plain.C_ == own.C_
    assert (plain.cv_results_["mean_test_score"] == own.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_a_file_keeps_the_probabilities(method, tmp_path):
    X, y = load_iris(return_X_y=True)
    model = LinearSVCCV(GRID, calibrate=method).fit(X, y)
    model.save(tmp_path / "m.model")
    again = LinearSVCCV.load(tmp_path / "m.model")
    assert (again.predict_proba(X) == model.predict_proba(X)).all() and again.calibrate == method
    again.save(tmp_path / "n.model")
    assert (tmp_path / "n.model").read_bytes() == (tmp_path / "m.model").read_bytes()


def test_without_calibration_there_are_no_probabilities():
    X, y = noisy()
    model = LinearSVCCV(GRID).fit(X, y)
    assert not hasattr(model, "predict_proba") and model.model_.probabilities is None


def test_what_cannot_be_calibrated_is_refused_in_a_sentence(tmp_path):
    X, y = load_iris(return_X_y=True)
    lacking = [(np.r_[0:100], np.r_[100:150]), (np.r_[0:20, 50:150], np.r_[20:50])]
    with pytest.raises(ValueError, match="no row of the class 2 to train on"):
        LinearSVCCV(GRID, cv=lacking, calibrate="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="refit=True"):
        LinearSVCCV(GRID, refit=False, calibrate="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="calibrate=None"):
        LinearSVCCV(GRID, calibrate="sigmoid").fit(X, y).to_onnx(tmp_path / "m.onnx")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Sigmoid(np.ones(2), np.ones(2)), "must have 1 slopes"),
        (Isotonic([(np.zeros(2), np.array([0.0, 1.0]))]), "must rise"),
        (Isotonic([(np.arange(2.0), np.array([0.5, 0.2]))]), "must rise"),
        (Isotonic([(np.arange(2.0), np.array([0.5, 1.2]))]), "must rise"),
        (Isotonic([(np.arange(2.0), np.array([0.5]))]), "must rise"),
        (Isotonic([]), "probabilities.0.x"),
    ],
)
def test_a_file_whose_probabilities_make_no_sense_is_refused(wrong, message, tmp_path):
    X, y = noisy(60)
    model = LinearSVCCV(GRID, cv=2, calibrate="sigmoid").fit(X, y).model_
    models.save(tmp_path / "m.model", replace(model, probabilities=wrong))
    with pytest.raises(ValueError, match=message):
        models.load(tmp_path / "m.model")
