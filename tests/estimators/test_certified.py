"""The base of the estimators is general: a regressor and a second classifier in a few lines each.

Neither is public. They show what an estimator has to say of itself: its problems, and how their solutions become
``coef_`` and ``intercept_``.
"""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import RegressorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import QuantileRegressor as LinearProgram
from sklearn.linear_model._base import LinearModel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from svc_data import make_data

import pragam
from posed import posed
from pragam import Status
from pragam.estimators.certified import CertifiedEstimator
from pragam.estimators.classifier import CertifiedClassifier
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane


class Quantile(CertifiedEstimator, RegressorMixin, LinearModel):
    """lam/2 |w|^2 + (1/n) sum_i weight_i max(q r_i, (q - 1) r_i),  r_i = y_i - <x_i, w> - b."""

    _checks_of_y = {"y_numeric": True}  # noqa: RUF012
    _easier = "raise lam"

    def __init__(
        self, q=0.5, lam=1e-3, fit_intercept=True, tol=1e-6, solver="auto", max_iter=None, warm_start=False, verbose=0
    ):
        super().__init__(tol=tol, solver=solver, max_iter=max_iter, warm_start=warm_start, verbose=verbose)
        self.q, self.lam, self.fit_intercept = q, lam, fit_intercept

    def _problems(self, X, y, weights):
        n = len(y)
        lower, upper = (self.q - 1) * weights / n, self.q * weights / n
        Q = BoxPlane(lower, upper, sigma=np.ones(n)) if self.fit_intercept else Box(lower, upper)
        return [posed(ScaledRows(X, -np.ones(n)), np.asarray(y, dtype=np.float64), Q, self.lam)]

    def _keep_model(self, problems, results, y):
        super()._keep_model(problems, results, y)
        self.coef_, self.intercept_ = results[0].w, results[0].bias


class CrammerSinger(CertifiedClassifier):
    """One problem whose weights are the rows of coef_: no output has a problem of its own."""

    def __init__(self, lam=1e-2, *, class_weight=None, tol=1e-3, max_iter=None):
        super().__init__(class_weight=class_weight, tol=tol, max_iter=max_iter)
        self.lam = lam

    def _problems(self, X, y, weights):
        return [pragam.multiclass_hinge(X, y, self.lam, sample_weight=weights)]

    def _keep_model(self, problems, results, y):
        K = len(self.classes_)
        W = results[0].w.reshape(K, -1)
        self.coef_ = W if K > 2 else W[1:] - W[:1]  # scikit-learn has one row for two classes
        self.intercept_ = np.zeros(len(self.coef_))


def regression(seed=0, n=200, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.arange(d) + 10 + rng.exponential(size=n), rng.integers(1, 4, n).astype(float)


def beyond(estimator):
    """Without an intercept no class weight makes a class win everywhere."""
    return {"check_class_weight_classifiers": "no intercept"} if isinstance(estimator, CrammerSinger) else {}


# The weights of a model that is solved to rounding are those of its repeated rows: the checks compare seven digits.
@parametrize_with_checks([Quantile(), CrammerSinger(tol=1e-13)], expected_failed_checks=beyond)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_a_regressor_fits_to_its_quantile_and_proves_it(q, storage):
    X, y, weights = regression()
    model = Quantile(q).fit(storage(X), y, weights)
    assert model.status_ is Status.CONVERGED and model.certificate_.relative_gap <= 1e-6
    problem = model._problems(pragam.operators.check_data(X), y, weights)[0]
    again = pragam.certify(problem, model.coef_, model._alphas[1][0], model.intercept_)
    assert again.rigorous and again.relative_gap <= 1e-6
    below = weights[y <= model.predict(storage(X)) + 1e-9].sum() / weights.sum()
    assert abs(below - q) <= 0.03
    assert model.coef_ == pytest.approx(model.dual_coef_[0] @ X[model.support_], abs=1e-3)
    assert np.array_equal(model.support_vectors(X), X[model.support_])


def test_a_regressor_without_a_regulariser_is_the_linear_program():
    X, y, _ = regression(1, n=60)
    exact = LinearProgram(quantile=0.3, alpha=0.0).fit(X, y)
    model = Quantile(0.3, lam=1e-7, tol=1e-9).fit(X, y)
    assert model.coef_ == pytest.approx(exact.coef_, abs=1e-4)
    assert model.intercept_ == pytest.approx(exact.intercept_, abs=1e-4)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_decision_bounds_hold_the_optimum_of_a_regressor(fit_intercept):
    X, y, _ = regression(2)
    exact = Quantile(0.7, fit_intercept=fit_intercept, tol=1e-12).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        rough = Quantile(0.7, fit_intercept=fit_intercept, solver="pragam", tol=1e-9, max_iter=300).fit(X, y)
    low, high = rough.decision_bounds(X).T
    assert (low <= exact.predict(X)).all() and (exact.predict(X) <= high).all()
    assert np.isfinite(low).all() and np.isfinite(high).all()
    assert np.array_equal(rough.sparsify().decision_bounds(X), np.stack([low, high], axis=1))


def test_a_regressor_warns_with_its_own_remedy():
    X, y, _ = regression()
    with pytest.warns(ConvergenceWarning, match=r"tol=1e-06 was asked for.*max_iter=0.*or raise lam\.$") as caught:
        model = Quantile(max_iter=0).fit(X, y)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert model.status_ is Status.MAX_ITER and len(model.history_) == 1


def test_a_regressor_starts_warm_clones_and_is_searched(capsys):
    X, y, weights = regression()
    model = Quantile(0.4, warm_start=True, verbose=1).fit(X, y)
    assert model.n_iter_ > 0 and model.fit(X, y).n_iter_ == 0
    assert capsys.readouterr().err.startswith("Quantile iteration")
    copy = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "coef_")
    again = pickle.loads(pickle.dumps(model))
    assert again.certificates_ == model.certificates_ and np.array_equal(again.predict(X), model.predict(X))
    search = GridSearchCV(Quantile(), {"lam": [1e-3, 1e3]}).fit(X, y, sample_weight=weights)
    assert search.best_params_ == {"lam": 1e-3}


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_one_problem_may_have_several_outputs(n_classes):
    X, y, weights, _ = make_data(4, n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the advice about one against the rest is LinearSVC's alone
        model = CrammerSinger().fit(X, np.array(list("abcde"))[y], weights)
    assert model.coef_.shape == (1 if n_classes == 2 else n_classes, X.shape[1])
    assert len(model.certificates_) == 1 and model.certificate_.relative_gap <= 1e-3
    assert set(model.predict(X)) <= set("abcde")
    assert model.history_ is model.histories_[0]


def test_an_estimator_must_name_its_problems():
    class Nothing(CertifiedEstimator):
        pass

    with pytest.raises(NotImplementedError, match="Nothing"):
        Nothing().fit(np.eye(2), [0.0, 1.0])
