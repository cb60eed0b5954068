"""C of a whole range: no C that anybody tries is better than was proven, whatever the folds and the features."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

from pragam import LinearSVC, LinearSVCCV, LinearSVR, LinearSVRCV, QuantileRegressor, QuantileRegressorCV
from pragam.risks.scaling import c_of, lam_of

RANGE = (1e-3, 1e1)
pytestmark = pytest.mark.filterwarnings("ignore:.*never predicted")


def binary(n=311):
    """Folds of unequal sizes."""
    X, y = load_breast_cancer(return_X_y=True)
    return (X / X.max(axis=0))[:n], y[:n]


def numbers():
    X, y = load_diabetes(return_X_y=True)
    return 5 * X[:151], (y / y.std())[:151]


CLASSIFIERS = {
    "plain": (binary, {}),
    "strings": (lambda: (binary()[0], np.array(["benign", "malign"])[binary()[1]]), {}),
    "standardized": (binary, {"standardize": True}),
    "balanced": (binary, {"class_weight": "balanced"}),
    "penalised intercept": (binary, {"intercept_scaling": 2.0}),
    "no intercept": (binary, {"fit_intercept": False}),
    "sparse": (lambda: (sparse.csr_matrix(binary()[0]), binary()[1]), {}),
    "squared hinge": (binary, {"loss": "squared_hinge"}),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_no_c_of_a_search_is_better(name):
    make, more = CLASSIFIERS[name]
    X, y = make()
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    ends = (0.3, 1e1) if name == "balanced" else RANGE  # at small C all biases of an interval are best
    found = LinearSVCCV(ends, cv=cv, prove=0.01, **more).fit(X, y)
    proof = found.proof_
    assert proof.is_proven and proof.n_rows == len(y) and lam_of(found.C_, len(y)) == pytest.approx(proof.lam)
    for C in np.geomspace(*ends, 9)[1:-1]:
        wrong = np.mean(cross_val_predict(LinearSVC(C=C, tol=1e-9, **more), X, y, cv=cv) != y)
        lower, upper = proof.bounds(lam_of(C, len(y)))
        assert lower <= wrong <= upper and wrong >= proof.error - 0.01, C
    wrong = np.mean(cross_val_predict(LinearSVC(C=found.C_, tol=1e-9, **more), X, y, cv=cv) != y)
    assert wrong == pytest.approx(proof.error)
    assert found.model_.risk.lam == pytest.approx(proof.lam) and len(found.cv_results_["mean_test_score"]) == 1


@pytest.mark.parametrize(("n", "low"), [(22, 0.001), (44, 0.01)])
def test_the_c_that_is_found_is_none_beyond_the_ends(n, low):
    """lam = 1/(n C) and back is a rounding off."""
    X = np.repeat([[-100.0], [100.0]], n // 2, axis=0)
    found = LinearSVCCV((low, 0.1), cv=2, prove=0.5).fit(X, X[:, 0] > 0)
    assert c_of(found.proof_.lam, n) < low
    assert low == found.C_


def test_a_grid_search_finds_no_better_score():
    X, y = binary(300)  # equal folds: the mean of their scores is the share of all rows
    found = LinearSVCCV(RANGE, cv=3, prove=0.0).fit(X, y)
    search = GridSearchCV(LinearSVC(tol=1e-9), {"C": np.geomspace(*RANGE, 40)[1:-1]}, cv=3).fit(X, y)
    assert found.proof_.is_proven and found.best_score_ >= search.best_score_ - 1e-12
    assert found.best_score_ == pytest.approx(1 - found.proof_.error)


@pytest.mark.parametrize(
    ("cv", "plain", "loss"),
    [
        (LinearSVRCV, LinearSVR, lambda y, p: np.abs(y - p).mean()),
        (QuantileRegressorCV, QuantileRegressor, lambda y, p: np.maximum(0.3 * (y - p), -0.7 * (y - p)).mean()),
    ],
)
def test_losses_of_regressors(cv, plain, loss):
    X, y = numbers()
    more = {"quantile": 0.3} if plain is QuantileRegressor else {}
    found = cv(RANGE, cv=3, prove=0.02, **more).fit(X, y)
    assert found.proof_.is_proven
    for C in np.geomspace(*RANGE, 6)[1:-1]:
        value = loss(y, cross_val_predict(plain(C=C, tol=1e-10, **more), X, y, cv=3))
        lower, upper = found.proof_.bounds(lam_of(C, len(y)))
        assert lower - 1e-6 <= value <= upper + 1e-6  # predictions are known to the root of the gap


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_come_from_the_folds_at_c(method):
    X, y = binary()
    found = LinearSVCCV(RANGE, cv=3, prove="se", calibrate=method).fit(X, y)
    grid = LinearSVCCV([found.C_], cv=3, tol=1e-9, calibrate=method).fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), grid.predict_proba(X), atol=1e-4)
    assert found.proof_.asked == found.proof_.standard_error


def test_the_default_range_is_the_papers():
    X, y = binary(60)
    proof = LinearSVCCV(cv=2, prove=0.2).fit(X, y).proof_
    assert proof.lams == (2.0**-20, 1.0)


def test_it_can_be_cloned_and_saved(tmp_path):
    X, y = binary(120)
    found = clone(LinearSVCCV(RANGE, cv=2, prove=0.1)).fit(X, y)
    found.save(tmp_path / "m")
    loaded = LinearSVCCV.load(tmp_path / "m")
    assert pytest.approx(loaded.C_) == found.C_ and (loaded.predict(X) == found.predict(X)).all()


def test_time_that_is_over_is_said():
    X, y = binary()
    with pytest.warns(ConvergenceWarning, match="the time ended before that was proven"):
        found = LinearSVCCV(RANGE, cv=3, prove=0.0, max_seconds=0.0).fit(X, y)
    assert not found.proof_.is_proven and found.predict(X).shape == y.shape


def test_control_c_keeps_the_best_so_far():
    X, y = binary()
    calls = []

    def interrupted(self, *arguments, **more):
        calls.append(1)
        if len(calls) == 12:
            os.kill(os.getpid(), signal.SIGINT)
        return solve(self, *arguments, **more)

    from pragam.selection.proven.folds import FoldAtWork

    solve = FoldAtWork.solve
    with pytest.MonkeyPatch.context() as patch, pytest.warns(ConvergenceWarning, match="was interrupted"):
        patch.setattr(FoldAtWork, "solve", interrupted)
        found = LinearSVCCV(RANGE, cv=3, prove=0.0).fit(X, y)
    assert not found.proof_.is_proven and found.predict(X).shape == y.shape


@pytest.mark.parametrize(
    ("message", "change", "fit"),
    [
        ("C must be", {"C": [1.0]}, {}),
        ("C must be", {"C": (2.0, 1.0)}, {}),
        ("C must be", {"C": (0.0, 1.0)}, {}),
        ("scoring must be", {"scoring": "f1"}, {}),
        ("rule must be 'best'", {"rule": "one_se"}, {}),
        ("sample_weight must be None", {}, {"sample_weight": np.ones(311)}),
        ("'prove' parameter", {"prove": -1.0}, {}),
    ],
)
def test_what_cannot_be_proven_is_refused(message, change, fit):
    X, y = binary()
    with pytest.raises(ValueError, match=message):
        LinearSVCCV(**{"C": RANGE, "cv": 3, "prove": 0.1, **change}).fit(X, y, **fit)


def test_several_classes_are_refused():
    X, y = binary()
    with pytest.raises(ValueError, match="models with one score"):
        LinearSVCCV(RANGE, prove=0.1).fit(X, np.arange(len(y)) % 3)


def test_a_range_is_of_two_classes_and_the_tags_say_so():
    assert LinearSVCCV().__sklearn_tags__().classifier_tags.multi_class
    assert not LinearSVCCV(C=(0.1, 1.0), prove=0.2).__sklearn_tags__().classifier_tags.multi_class
    assert LinearSVRCV(C=(0.1, 1.0), prove=0.2).__sklearn_tags__().classifier_tags is None


@pytest.mark.parametrize("more", [{"C": [0.1, 1.0]}, {"C": (0.1, 1.0), "prove": 0.5}])
def test_folds_may_come_from_a_generator(more):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = (X[:, 0] + rng.standard_normal(40) > 0).astype(int)
    pairs = [(np.arange(20), np.arange(20, 40)), (np.arange(20, 40), np.arange(20))]
    given, made = (LinearSVCCV(cv=cv, **more).fit(X, y) for cv in (pairs, (pair for pair in pairs)))
    assert given.C_ == made.C_ and given.best_score_ == made.best_score_
