"""What takes estimators of scikit-learn takes ours: searches, calibration, importances, conformal intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pragam

_RNG = np.random.default_rng(5)
X = _RNG.standard_normal((120, 4)) * [1.0, 3.0, 0.2, 1.0]
SCORE = X @ [2.0, -1.0, 4.0, 0.0] + 0.7 * _RNG.standard_normal(120)
LEVEL = np.digitize(SCORE, [-2.0, 2.0])
SETS = X[:, :3] > 0

ESTIMATORS = [
    (pragam.LinearSVC(), SCORE > 0),
    (pragam.LinearSVC(loss="squared_hinge", intercept_scaling=1.0), LEVEL),
    (pragam.MulticlassSVC(), LEVEL),
    (pragam.OrdinalSVC(), LEVEL),
    (pragam.MultilabelSVC(), SETS.astype(int)),
    (pragam.LinearSVR(epsilon=0.1), SCORE),
    (pragam.QuantileRegressor(quantile=[0.2, 0.8]), SCORE),
]


def id_of(value):
    return type(value).__name__ if hasattr(value, "fit") else ""


@pytest.mark.parametrize(("model", "y"), ESTIMATORS, ids=id_of)
def test_a_search_finds_what_separate_fits_find(model, y):
    """Its score of each C is the mean over the folds of fits by hand, and its model that of all rows at the best."""
    folds, grid = KFold(3), [0.01, 1.0]
    search = GridSearchCV(model, {"C": grid}, cv=folds).fit(X, y)
    found = [
        np.mean([clone(model).set_params(C=C).fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds.split(X)])
        for C in grid
    ]
    assert search.cv_results_["mean_test_score"].tolist() == found
    own = clone(model).set_params(C=grid[int(np.argmax(found))]).fit(X, y)
    assert (search.best_estimator_.coef_ == own.coef_).all()
    assert search.best_estimator_.certificate_ == own.certificate_


@pytest.mark.parametrize("y", [SCORE > 0, np.array(["a", "b", "c"])[LEVEL]], ids=["two", "three"])
def test_calibrated_probabilities_rise_with_the_scores(y):
    """Without an ensemble they are increasing functions of the scores of one model, of all rows."""
    calibrated = CalibratedClassifierCV(pragam.LinearSVC(), cv=3, ensemble=False).fit(X, y)
    own, p = pragam.LinearSVC().fit(X, y), calibrated.predict_proba(X)
    assert (calibrated.classes_ == own.classes_).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    if len(own.classes_) == 2:
        assert (np.diff(p[np.argsort(own.decision_function(X)), 1]) >= 0).all()
    assert (calibrated.calibrated_classifiers_[0].estimator.coef_ == own.coef_).all()


@pytest.mark.parametrize(("model", "y"), ESTIMATORS, ids=id_of)
def test_a_column_that_no_prediction_reads_has_no_importance(model, y):
    padded = np.hstack([X, np.zeros((120, 1))])
    found = permutation_importance(clone(model).fit(padded, y), padded, y, n_repeats=2, random_state=0)
    assert (found.importances[-1] == 0).all() and found.importances_mean[1] > 0


class TestConformal:
    """MAPIE's ConformalizedQuantileRegressor on 60 rows, conformalised on 40 others, to hold 80 %."""

    train, left_out, new = slice(0, 60), slice(60, 100), slice(100, 120)
    model = pragam.QuantileRegressor(C=10.0, tol=1e-8)

    @staticmethod
    def conformal(model, **options):
        regression = pytest.importorskip("mapie.regression", reason="mapie is not installed")
        return regression.ConformalizedQuantileRegressor(model, confidence_level=0.8, **options)

    def three(self, weights=None):
        """Fits of our own, in MAPIE's order."""
        return [
            clone(self.model).set_params(quantile=q).fit(X[self.train], SCORE[self.train], weights)
            for q in (0.1, 0.9, 0.5)
        ]

    def intervals(self, conformal, rows=None, **options):
        conformal.conformalize(X[self.left_out], SCORE[self.left_out])
        return conformal.predict_interval(X[self.new] if rows is None else rows, **options)

    def test_the_band_is_ours_moved_by_a_score_that_covers(self):
        """[low(x) - s, high(x) + s], where s is the score max(low - y, y - high) of a row that was left out, and at
        least (n + 1) 80 % of the n scores are no larger: what the theorem of Romano, Patterson and Candes needs."""
        conformal = self.conformal(self.model).fit(X[self.train], SCORE[self.train])
        middle, found = self.intervals(conformal, symmetric_correction=True)
        low, high, median = self.three()
        below, above = low.predict(X[self.left_out]), high.predict(X[self.left_out])
        scores = np.maximum(below - SCORE[self.left_out], SCORE[self.left_out] - above)
        s = scores[np.argmin(np.abs(scores - (found[0, 1, 0] - high.predict(X[self.new])[0])))]
        np.testing.assert_allclose(found[:, 0, 0], low.predict(X[self.new]) - s, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found[:, 1, 0], high.predict(X[self.new]) + s, rtol=0, atol=1e-12)
        assert (scores <= s).sum() >= math.ceil((len(scores) + 1) * 0.8)
        assert (middle == median.predict(X[self.new])).all()
        assert self.model.quantile == 0.5 and not hasattr(self.model, "coef_")  # it fits copies

    def test_fitted_models_and_what_their_quantile_was(self):
        _, fitted_by_it = self.intervals(self.conformal(self.model).fit(X[self.train], SCORE[self.train]))
        _, fitted_before = self.intervals(self.conformal(self.three(), prefit=True))
        several = clone(self.model).set_params(quantile=[0.2, 0.5, 0.7])
        _, of_several = self.intervals(self.conformal(several).fit(X[self.train], SCORE[self.train]))
        assert (fitted_before == fitted_by_it).all() and (of_several == fitted_by_it).all()

    def test_weights_of_samples_reach_the_fits(self):
        weights = np.arange(60) % 3 + 0.5
        conformal = self.conformal(self.model)
        conformal.fit(X[self.train], SCORE[self.train], fit_params={"sample_weight": weights})
        _, weighted = self.intervals(conformal)
        _, own = self.intervals(self.conformal(self.three(weights), prefit=True))
        _, plain = self.intervals(self.conformal(self.three(), prefit=True))
        assert (weighted == own).all() and (weighted != plain).any()

    def test_a_pipeline_is_told_the_quantiles_too(self):
        pipeline = make_pipeline(StandardScaler(), self.model)
        middle, found = self.intervals(self.conformal(pipeline).fit(X[self.train], SCORE[self.train]))
        scaler = StandardScaler().fit(X[self.train])
        own = clone(self.model).fit(scaler.transform(X[self.train]), SCORE[self.train])
        assert (middle == own.predict(scaler.transform(X[self.new]))).all()
        assert (found[:, 0, 0] < found[:, 1, 0]).all()
