"""What an audit says, and whom it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from audited import fitted, overlapping
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import (
    LogisticRegression,
    QuantileRegressor,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, LinearSVR

import pragam
from pragam import Status
from pragam.auditing.verdict import Bounds, Verdict, total


@pytest.fixture(scope="module")
def data():
    return overlapping()[:2]


def test_the_answer_is_short_and_says_the_problem(data):
    text = repr(pragam.audit(fitted(LinearSVC(loss="hinge", max_iter=2), *data), *data))
    assert len(text.splitlines()) == 8
    for piece in ("scikit-learn's LinearSVC", "C = 1 and n = 120", "a column of 1", "proven not to be", "verdict"):
        assert piece in text


def test_printed_bounds_are_rounded_outward(data):
    audit = pragam.audit(fitted(LinearSVC(loss="hinge", max_iter=2), *data), *data)
    line = dict(audit.rows())["relative to min J"].split()
    assert float(line[1]) <= audit.relative.lower and float(line[3]) >= audit.relative.upper


def test_the_html_is_escaped(data):
    weights = pragam.Weights(coef=np.zeros(6), C=1.0, name="<script>")
    html = pragam.audit(weights, *data)._repr_html_()
    assert "&lt;script&gt;" in html and "<script>" not in html and 'scope="row"' in html


def test_the_record_is_json_and_complete():
    X, y, _ = overlapping(n_classes=3)
    audit = pragam.audit(fitted(LinearSVC(loss="hinge"), X, y), X, y)
    record = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert record["above"] == list(audit.above) and record["within"] is audit.within
    assert [output["name"] for output in record["outputs"]] == [f"class {k} against the rest" for k in range(3)]
    assert record["predictions"] == audit.predictions._asdict()


def test_an_audit_is_frozen(data):
    audit = pragam.audit(pragam.Weights(coef=np.zeros(6), C=1.0), *data)
    with pytest.raises(AttributeError):
        audit.tol = 1.0


def test_without_time_the_bounds_are_wide_and_true(data):
    model = fitted(LinearSVC(loss="hinge", max_iter=1_000_000, tol=1e-9), *data)
    hasty, careful = pragam.audit(model, *data, max_seconds=0), pragam.audit(model, *data)
    assert hasty.relative.lower <= careful.relative.upper and hasty.relative.upper >= careful.relative.lower
    assert hasty.within is None and "time budget" in hasty.sentence


def test_the_problem_can_be_rebuilt_by_anybody(data):
    """The statement that the documentation makes of LinearSVC's intercept."""
    X, y = data
    model = fitted(LinearSVC(loss="hinge", C=2.0, intercept_scaling=4.0), X, y)
    audit = pragam.audit(model, X, y)
    problem = pragam.hinge(np.column_stack([X, np.full(len(y), 4.0)]), y, lam=1 / (len(y) * 2.0), bias=False)
    w = np.append(model.coef_, model.intercept_ / 4.0)
    assert pragam.certify(problem, w).primal == pytest.approx(audit.total.objective.upper, rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_free_intercepts_of_all_classes_in_one_problem(n_classes):
    X, y, weights = overlapping(n_classes=n_classes)
    best = pragam.solve(pragam.multiclass_hinge(X, y, lam=0.05, bias=True, sample_weight=weights), tol=1e-9)
    coef, intercept = best.w.reshape(n_classes, -1), best.biases
    if n_classes == 2:
        coef, intercept = coef[1] - coef[0], intercept[1] - intercept[0]
    found = pragam.Weights(coef=coef, intercept=intercept, lam=0.05, multi_class="crammer_singer")
    audit = pragam.audit(found, X, y, weights)
    assert audit.within and audit.predictions.differ == 0
    worse = replace(found, intercept=found.intercept + 1 + np.arange(len(found.intercept)))
    assert pragam.audit(worse, X, y, weights).relative.lower > 1e-3


REFUSED = [
    (SVC(), "kernel='rbf'"),
    (LinearSVC(penalty="l1", dual=False), "penalty='l1'"),
    (SGDClassifier(loss="log_loss"), "loss='log_loss', the logistic loss, a risk that pragam does not have"),
    (LinearSVR(loss="squared_epsilon_insensitive", dual=False), "the squared epsilon-insensitive loss, a risk"),
    (SGDRegressor(), "loss='squared_error', the squared loss, a risk that pragam does not have"),
    (QuantileRegressor(alpha=0.1), "alpha=0.1, and QuantileRegressor is audited with alpha=0"),
    (SGDOneClassSVM(), "the one-class SVM's, is one that pragam does not have"),
    (SGDClassifier(penalty="elasticnet"), "penalty='elasticnet'"),
    (LogisticRegression(), "its loss is the logistic one"),
    (CalibratedClassifierCV(LinearSVC()), "calibration"),
    (GridSearchCV(LinearSVC(), {"C": [1, 2]}), "audit its best_estimator_"),
    (RandomForestClassifier(n_estimators=2), "it is of another kind"),
    (make_pipeline(StandardScaler(), SVC()), "kernel='rbf'"),
]


@pytest.mark.parametrize(("model", "why"), REFUSED, ids=lambda value: type(value).__name__)
def test_other_models_are_refused_with_the_reason(model, why, data):
    with pytest.raises(ValueError, match=why):
        pragam.audit(fitted(model, *data), *data)


def test_what_is_accepted_is_listed(data):
    with pytest.raises(ValueError, match=r"accepted are scikit-learn's LinearSVC, .*pragam\.Weights"):
        pragam.audit(object(), *data)


@pytest.mark.parametrize("model", [LinearSVC(), SVC(kernel="linear"), SGDClassifier(), pragam.LinearSVC()])
def test_a_model_that_is_not_fitted_is_refused(model, data):
    with pytest.raises(ValueError, match="not fitted"):
        pragam.audit(model, *data)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"C": None}, "either C or lam"),
        ({"lam": 1.0}, "either C or lam"),
        ({"C": -1.0}, "C must be"),
        ({"loss": "logistic"}, "loss must be one of"),
        ({"C": None, "lam": -1.0}, "lam must be"),
        ({"C": None, "lam": 0, "intercept": 1.0, "penalised": True}, "penalised must be False where lam = 0"),
        ({"loss": "quantile", "q": 1.5}, "q must be a number between 0 and 1"),
        ({"loss": "ordinal_hinge"}, "penalised must be False for loss='ordinal_hinge'"),
        ({"loss": "ordinal_hinge", "intercept": [1.0, 2.0]}, "intercept 1 numbers, one less than there are levels"),
        ({"loss": "quantile", "coef": np.zeros((2, 6))}, "a regression has one"),
        ({"multi_class": "both"}, "multi_class must be one of"),
        ({"multi_class": "crammer_singer", "loss": "squared_hinge"}, "has the loss 'hinge'"),
        ({"coef": [np.nan] * 6}, "coef contains NaN"),
        ({"coef": np.zeros((1, 2, 3))}, "coef must be a vector or a matrix"),
        ({"coef": np.zeros((2, 6))}, "does not fit 2 classes"),
        ({"coef": np.zeros(5)}, "X has 6 columns, and the model needs 5"),
        ({"intercept": [1.0, 2.0]}, "intercept must be 1 finite"),
        ({"classes": [0, 7]}, "labels that the model does not know"),
        ({"class_weight": {0: -1}}, "class_weight of 0 must be"),
    ],
)
def test_bad_weights_are_refused(change, why, data):
    with pytest.raises(ValueError, match=why):
        pragam.audit(pragam.Weights(**{"coef": np.zeros(6), "C": 1.0, **change}), *data)


def test_bad_data_are_refused(data):
    X, y = data
    model = fitted(LinearSVC(), X, y)
    with pytest.raises(ValueError, match="X has 5 columns"):
        pragam.audit(model, X[:, :5], y)
    with pytest.raises(ValueError, match="y must hold one label"):
        pragam.audit(model, X, y[:-1])
    with pytest.raises(ValueError, match="sample_weight"):
        pragam.audit(model, X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="tol"):
        pragam.audit(model, X, y, tol=0)
    with pytest.raises(ValueError, match="C and lam are for LIBLINEAR"):
        pragam.audit(model, X, y, C=1.0)


def test_a_sum_ends_as_badly_as_its_worst_problem():
    """In whatever order the problems stand, and with outward sums."""
    ends = [Status.CONVERGED, Status.ROUNDING, Status.MAX_SECONDS, Status.STALLED]
    for seed in range(5):
        statuses = np.random.default_rng(seed).permutation(ends).tolist()
        parts = [Verdict("", Bounds(0.1, 0.3), Bounds(0.1, 0.2), status, True) for status in statuses]
        whole = total(parts)
        assert whole.status is Status.MAX_SECONDS
        assert (
            Fraction(whole.objective.lower) <= 4 * Fraction(0.1) <= 4 * Fraction(0.3) <= Fraction(whole.objective.upper)
        )
