"""LinearSVC's options: losses, penalised intercepts, Crammer and Singer, and the words of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from row_data import labels
from sklearn import svm

import pragam
from pragam import LinearSVC


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("scaling", [1.0, 5.0])
def test_a_penalised_intercept_is_that_of_scikit_learn(scaling, K, loss):
    X, y, weights = labels(K=K)
    theirs = svm.LinearSVC(loss=loss, intercept_scaling=scaling, tol=1e-8, max_iter=10**5, dual=True, random_state=0)
    theirs.fit(X, y, weights)
    ours = LinearSVC(loss=loss, intercept_scaling=scaling, tol=1e-12).fit(X, y, weights)
    assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-6, abs=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-6, abs=1e-6)
    assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), rel=1e-6, abs=1e-6)


def test_a_penalised_intercept_has_finite_bounds_for_every_loss():
    X, y, _ = labels(K=2)
    for loss in ("hinge", "squared_hinge", "smoothed_hinge"):
        model = LinearSVC(loss=loss, intercept_scaling=1.0).fit(X, y)
        low, high = model.decision_bounds(X).T
        assert (low <= model.decision_function(X)).all() and (model.decision_function(X) <= high).all()
        assert np.isfinite(high - low).all()


def test_without_an_intercept_its_scaling_says_nothing():
    X, y, _ = labels(K=2)
    one, other = (LinearSVC(fit_intercept=False, intercept_scaling=s).fit(X, y) for s in (None, 3.0))
    assert np.array_equal(one.coef_, other.coef_) and one.intercept_ == other.intercept_ == 0


@pytest.mark.parametrize("bias", [True, False])
def test_crammer_and_singer_of_two_classes_have_one_row(bias):
    X, y, weights = labels(K=2)
    model = LinearSVC(multi_class="crammer_singer", fit_intercept=bias, tol=1e-9).fit(X, y, weights)
    problem = pragam.multiclass_hinge(X, y, 1 / len(y), bias=bias, sample_weight=weights)
    (w, b), = model.model_.points()  # fmt: skip
    assert model.coef_.shape == (1, 4) and model.intercept_.shape == (1,)
    assert np.array_equal(model.coef_, w.reshape(2, 4)[1:] - w.reshape(2, 4)[:1])
    assert pragam.certify(problem, w, model.model_.proofs[0].dual, b) == model.certificate_
    assert model.predict(X).tolist() == (model.decision_function(X) > 0).astype(int).tolist()


def test_crammer_and_singer_is_the_multiclass_classifier():
    X, y, weights = labels()
    one = LinearSVC(0.3, multi_class="crammer_singer", class_weight="balanced").fit(X, y, weights)
    other = pragam.MulticlassSVC(0.3, class_weight="balanced").fit(X, y, weights)
    assert one.model_.risk == other.model_.risk and np.array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("dual", [True, False, "auto"])
def test_calls_written_for_scikit_learn_are_taken(dual):
    X, y, _ = labels(K=2)
    model = LinearSVC(C=0.7, penalty="l2", dual=dual).fit(X, y)
    assert np.array_equal(model.coef_, LinearSVC(0.7).fit(X, y).coef_)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smoothed_hinge"])
def test_every_loss_is_its_function(loss):
    X, y, weights = labels(K=2)
    model = LinearSVC(2.0, loss=loss).fit(X, y, weights)
    problem = getattr(pragam, loss)(X, y, 1 / (2.0 * len(y)), sample_weight=weights)
    assert pragam.certify(problem, model.coef_[0], model.model_.proofs[0].dual, model.intercept_) == model.certificate_
