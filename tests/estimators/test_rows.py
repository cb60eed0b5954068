"""What every estimator of rows has: a model under the names that people know, its dual, proofs, copies and files."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from row_data import BOXES, CASES, case
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from pragam import Status, models
from pragam.certificate.totals import total_certificate
from pragam.samples import Rows


def fitted(name, seed=0, **parameters):
    model, data = case(name, seed, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(*data), data


def scores(model, X):
    """As the attributes say; one direction may have several intercepts."""
    return X @ np.atleast_2d(model.coef_).T + model.intercept_


@pytest.mark.parametrize("name", CASES)
def test_the_certificate_is_computed_anew_from_data_and_model(name):
    model, (X, y, weights) = fitted(name)
    assert model.status_ is Status.CONVERGED and model.certificate_.relative_gap <= 1e-4
    assert model.certify(X, y) == model.certify(X, y, weights) == model.certificate_
    assert model.certificate_ == total_certificate(model.certificates_)
    assert len(model.certificates_) == len(model.statuses_) == len(model.histories_) == len(model.model_.proofs)
    with pytest.raises(ValueError, match=r"the certificate belongs to other data|y has"):
        model.certify(X[:-1], y[:-1])


@pytest.mark.parametrize("name", CASES)
def test_weights_are_the_dual_combination_up_to_the_gap(name):
    """lam/2 |w - w(alpha)|^2 <= J(w) - D(alpha), for the sum of the problems as for each."""
    model, (X, y, _) = fitted(name)
    shown = np.atleast_2d(model.coef_)
    assert model.dual_coef_.shape == (len(shown), len(model.support_))
    far = np.linalg.norm(shown - model.dual_coef_ @ X[model.support_])
    lam = model.model_.risk.lam
    rounding = 1e-13 * abs(model.certificate_.primal)
    assert far <= 2 * np.sqrt(2 * (model.certificate_.gap + rounding) / lam)
    assert np.array_equal(model.support_vectors(X), X[model.support_])
    assert (model.dual_coef_ != 0).any(axis=0).all()
    if hasattr(model, "n_support_") and np.ndim(y) == 1:
        assert model.n_support_.tolist() == [np.sum(y[model.support_] == k) for k in model.classes_]


@pytest.mark.parametrize("name", CASES)
def test_scores_are_linear_in_what_is_shown(name):
    model, (X, _, _) = fitted(name)
    shown = scores(model, X)
    if hasattr(model, "thresholds_"):
        assert np.array_equal(model.thresholds_, -model.intercept_)
        shown = np.hstack([np.zeros((len(X), 1)), shown.cumsum(axis=1)])
    decision = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    cut = getattr(model, "cut_", 0.0)
    assert decision.reshape(len(X), -1) == pytest.approx(shown - cut, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("name", CASES)
def test_bounds_hold_the_decisions_of_the_optimum(name):
    rough, (X, y, weights) = fitted(name, tol=1e-1, max_iter=3)
    exact = clone(rough).set_params(tol=1e-10, max_iter=None).fit(X, y, weights)
    decide = type(exact).decision_function if hasattr(exact, "decision_function") else type(exact).predict
    values, cut = decide(exact, X), getattr(exact, "cut_", 0.0) - getattr(rough, "cut_", 0.0)
    bounds = rough.decision_bounds(X)
    assert bounds.shape == (*values.shape, 2)
    assert (bounds[..., 0] <= values + cut + 1e-7).all() and (values + cut - 1e-7 <= bounds[..., 1]).all()


@pytest.mark.parametrize("name", BOXES)
def test_weighting_a_row_is_repeating_it(name):
    model, (X, y, weights) = case(name)
    times = weights.astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = clone(model).fit(X, y, weights)
        other = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times, axis=0))
    assert one.coef_ == pytest.approx(other.coef_, rel=1e-7, abs=1e-7)
    assert one.intercept_ == pytest.approx(other.intercept_, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_rows_and_columns_does_not_matter(name):
    model, (X, y, weights) = fitted(name, tol=1e-8)
    rows, columns = np.random.default_rng(1).permutation(len(X)), np.arange(X.shape[1])[::-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        other = clone(model).fit(X[rows][:, columns], y[rows], weights[rows])
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-7)
    far = np.linalg.norm(np.atleast_2d(other.coef_)[:, columns] - np.atleast_2d(model.coef_))
    gap = other.certificate_.gap + model.certificate_.gap + 1e-12 * abs(model.certificate_.primal)
    assert far <= 2 * np.sqrt(2 * gap / model.model_.risk.lam)


@pytest.mark.parametrize("storage", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, np.asfortranarray])
@pytest.mark.parametrize("name", CASES)
def test_the_storage_does_not_matter(name, storage):
    model, (X, y, weights) = fitted(name, tol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        other = clone(model).fit(storage(X), y, weights)
    assert other.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-7)
    assert np.mean(other.predict(storage(X)) == other.predict(X)) == 1 or model.predict(X).dtype.kind == "f"


@pytest.mark.parametrize("name", CASES)
def test_copies_predict_the_same(name):
    model, (X, y, _) = fitted(name)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X)) and again.certify(X, y) == model.certificate_
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "coef_")
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    with pytest.raises(NotFittedError):
        clone(model).decision_bounds(X)
    shown = np.array(model.coef_)
    assert sparse.issparse(model.sparsify().coef_) and np.array_equal(model.densify().coef_, shown)


@pytest.mark.parametrize("name", CASES)
def test_a_warm_start_ends_at_once(name):
    model, data = case(name, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert model.fit(*data).n_iter_ > 0
        assert model.fit(*data).n_iter_ == 0


@pytest.mark.parametrize("name", CASES)
def test_a_spent_budget_keeps_a_model_and_warns_once_at_the_callers_line(name):
    model, data = case(name, max_iter=0)
    with pytest.warns(ConvergenceWarning, match=r"tol=0.0001 was asked for.*max_iter=0.*or lower C\.$") as caught:
        model.fit(*data)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert model.status_ is Status.MAX_ITER and np.isfinite(model.coef_).all() and len(model.predict(data.X)) == 60


@pytest.mark.parametrize("name", CASES)
def test_the_model_below_predicts_and_certifies_the_same(name):
    model, (X, y, weights) = fitted(name)
    assert isinstance(model.model_, models.LinearModel)
    assert np.array_equal(model.model_.predict(Rows.of(X)), model.predict(X))
    assert model.model_.certify(Rows.of(X, y, weights)) == model.certificates_
    assert model.n_features_in_ == model.model_.n_features == X.shape[1]
