"""Real fits of scikit-learn: a converged one is proven good, which it could not be if the claim were wrong."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from audited import fitted, overlapping
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import pragam
from pragam.auditing.claim import claim_of

CONVERGED = {"max_iter": 1_000_000, "tol": 1e-9}
WEIGHTS = [None, "balanced", {0: 3.0, 1: 0.5, 2: 1.5}]


def class_weights(which, n_classes):
    return {k: v for k, v in which.items() if k < n_classes} if isinstance(which, dict) else which


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", WEIGHTS)
@pytest.mark.parametrize("intercept", [1.0, 10.0, 0.3, None])
def test_a_converged_linear_svc_is_proven_good(loss, n_classes, class_weight, intercept):
    X, y, weights = overlapping(n_classes=n_classes)
    model = LinearSVC(
        loss=loss, C=0.7, class_weight=class_weights(class_weight, n_classes), fit_intercept=intercept is not None,
        intercept_scaling=intercept or 1.0, **CONVERGED,
    )  # fmt: skip
    audit = pragam.audit(fitted(model, X, y, weights), X, y, weights)
    assert audit.relative.upper < 1e-6 and audit.within is True
    assert len(audit.verdicts) == (1 if n_classes == 2 else 3)
    assert audit.predictions.differ == 0 and audit.predictions.agree >= len(y) - 3  # some optima have ties


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", WEIGHTS)
def test_a_converged_crammer_singer_is_proven_good(n_classes, class_weight):
    X, y, weights = overlapping(n_classes=n_classes)
    model = LinearSVC(multi_class="crammer_singer", class_weight=class_weights(class_weight, n_classes), **CONVERGED)
    audit = pragam.audit(fitted(model, X, y, weights), X, y, weights)
    assert audit.relative.upper < 1e-7 and len(audit.verdicts) == 1
    assert audit.predictions.differ == 0 and audit.predictions.agree >= len(y) - 3


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", WEIGHTS)
def test_a_converged_svc_is_proven_good(n_classes, class_weight):
    """LIBSVM keeps products of rows in float32, so it cannot be better than about 1e-6."""
    X, y, weights = overlapping(n_classes=n_classes)
    model = SVC(kernel="linear", tol=1e-8, class_weight=class_weights(class_weight, n_classes))
    audit = pragam.audit(fitted(model, X, y, weights), X, y, weights, tol=1e-4)
    assert audit.relative.upper < 1e-4 and len(audit.verdicts) == n_classes * (n_classes - 1) // 2
    assert audit.predictions.differ == 0 and audit.predictions.agree > 0.95 * len(y)


@pytest.mark.parametrize(("n_classes", "class_weight"), [(2, None), (2, "balanced"), (2, {0: 3.0}), (3, {0: 2.0})])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_stochastic_gradients_come_near(n_classes, class_weight, loss):
    X, y, weights = overlapping(n_classes=n_classes)
    X = X / 4
    model = SGDClassifier(
        loss=loss, alpha=0.1, learning_rate="constant", eta0=0.02, max_iter=1000, tol=None, average=20_000,
        class_weight=class_weight, random_state=0,
    )  # fmt: skip
    audit = pragam.audit(fitted(model, X, y, weights), X, y, weights)
    assert 0 < audit.relative.lower < audit.relative.upper < 0.01


@pytest.mark.parametrize("intercept", [1.0, 10.0, None])
def test_converged_regressions_are_proven_good(intercept):
    X, _, weights = overlapping()
    y = X @ np.arange(6.0) + np.random.default_rng(0).standard_normal(len(X))
    settings = {"fit_intercept": intercept is not None, "intercept_scaling": intercept or 1.0}
    linear = LinearSVR(epsilon=0.2, C=0.5, **settings, **CONVERGED)
    audit = pragam.audit(fitted(linear, X, y, weights), X, y, weights)
    assert audit.relative.upper < 1e-7 and audit.predictions is None
    by_kernel = SVR(kernel="linear", epsilon=0.2, C=0.5, tol=1e-8)
    assert pragam.audit(fitted(by_kernel, X, y, weights), X, y, weights).relative.upper < 1e-4


@pytest.mark.parametrize(
    "settings", [{"max_iter": 1}, {"max_iter": 3}, {"max_iter": 10}, {"multi_class": "crammer_singer", "tol": 2.0}]
)
def test_an_unconverged_fit_is_proven_bad(settings):
    """Crammer-Singer has no limit of iterations in LIBLINEAR, only a tolerance."""
    X, y, _ = overlapping(n_classes=3)
    model = fitted(LinearSVC(loss="hinge", C=100, random_state=0, **settings), X, y)
    audit = pragam.audit(model, X, y)
    lower, upper = audit.relative
    assert 1e-3 < lower <= upper < lower * (1 + 1e-4) and audit.within is False
    assert "not within" in audit.sentence


def test_a_plateau_is_found():
    """Example 1, smaller: a smaller tolerance of LIBLINEAR's makes the model worse."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 50))
    y = np.where(X @ rng.standard_normal(50) + 3 * rng.standard_normal(200) > 0, 1, -1)
    model = LinearSVC(loss="hinge", C=5, fit_intercept=False, random_state=0, tol=1e-12, max_iter=10_000)
    audit = pragam.audit(fitted(model, X, y), X, y)
    assert audit.relative.lower > 0.01 and audit.predictions.differ > 0


@pytest.mark.parametrize("C", [1e-8, 1e-3, 1e5])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_tiny_and_huge_c(C, loss):
    X, y, _ = overlapping(n=60)
    model = fitted(LinearSVC(loss=loss, C=C, dual=loss == "hinge", max_iter=20_000), X, y)
    lower, upper = pragam.audit(model, X, y, max_seconds=5).relative
    assert 0 <= lower <= upper < np.inf
    if C < 1:
        assert upper < 1e-3


@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_storage_gives_the_same_answer(form, dtype):
    X, y, _ = overlapping()
    X = X.astype(dtype)
    X[np.abs(X) < 0.5] = 0
    model = fitted(LinearSVC(loss="hinge", max_iter=5, intercept_scaling=0.1, random_state=0), X.astype(float), y)
    plain, other = pragam.audit(model, X, y), pragam.audit(model, form(X), y)
    assert other.relative == pytest.approx(plain.relative, rel=1e-5)
    assert other.problems[0].A.shape == (120, 7)  # with the column of the intercept
    assert other.predictions == plain.predictions


def test_a_pipeline_and_strings_as_labels():
    X, y, _ = overlapping()
    names = np.array(["no", "yes"])[y]
    model = fitted(make_pipeline(StandardScaler(), LinearSVC(loss="hinge", **CONVERGED)), 100 * X + 7, names)
    audit = pragam.audit(model, 100 * X + 7, names)
    assert audit.within and audit.predictions.agree == len(y)


def test_the_predictions_are_those_of_the_model():
    X, y, _ = overlapping(n_classes=4)
    for model in (LinearSVC(loss="hinge", **CONVERGED), SVC(kernel="linear", tol=1e-8)):
        claim = claim_of(fitted(model, X, y), X, y)
        assert np.array_equal(claim.model.predict(claim.samples), model.predict(X))


def test_the_model_is_not_touched():
    X, y, _ = overlapping(n_classes=3)
    for model in (LinearSVC(loss="hinge"), SGDClassifier(), pragam.LinearSVC()):
        before = copy.deepcopy(vars(fitted(model, X, y)))
        pragam.audit(model, X, y)
        assert vars(model).keys() == before.keys()
        assert all(np.array_equal(before[name], vars(model)[name]) for name in ("coef_", "intercept_", "classes_"))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_our_own_estimator(n_classes):
    X, y, weights = overlapping(n_classes=n_classes)
    model = pragam.LinearSVC(tol=1e-8, class_weight="balanced").fit(X, y, sample_weight=weights)
    audit = pragam.audit(model, X, y, weights)
    assert audit.within and audit.total.objective.upper == pytest.approx(model.certificate_.primal, rel=1e-12)
