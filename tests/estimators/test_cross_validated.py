"""C by cross-validation is what a grid search over the plain estimator finds, at the price of paths."""

from __future__ import annotations

import os
import signal
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold

import pragam
from pragam import LinearSVC, LinearSVCCV, LinearSVR, LinearSVRCV, QuantileRegressor, QuantileRegressorCV, Status

GRID = np.logspace(-3, 2, 7)
pytestmark = pytest.mark.filterwarnings("ignore:.*never predicted")


def binary():
    X, y = load_breast_cancer(return_X_y=True)
    return X / X.max(axis=0), y


def many_rows():
    """Too many for newton-dense: solved to tol alone."""
    rng = np.random.default_rng(2)
    X = sparse.random(3000, 400, 0.02, format="csr", random_state=3)
    return X, X @ rng.standard_normal(400) + 0.3 * rng.standard_normal(3000) > 0


def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X, y / y.std()


CLASSIFIERS = {
    "two classes": (binary, {}),
    "three classes": (lambda: load_iris(return_X_y=True), {}),
    "strings": (lambda: (binary()[0], np.array(["benign", "malign"])[binary()[1]]), {}),
    "standardized": (binary, {"standardize": True}),
    "balanced": (binary, {"class_weight": "balanced"}),
    "weights of classes": (binary, {"class_weight": {0: 3.0, 1: 0.5}}),
    "penalised intercept": (binary, {"intercept_scaling": 2.0}),
    "sparse": (lambda: (sparse.csr_matrix(binary()[0]), binary()[1]), {}),
    "squared hinge": (binary, {"loss": "squared_hinge"}),
    "joint": (lambda: load_iris(return_X_y=True), {"multi_class": "crammer_singer"}),
    "more rows": (many_rows, {"tol": 1e-9}),
}


def assert_same(found, search):
    """The same C, scores, ranks and final model."""
    assert search.best_params_["C"] == found.C_ and found.best_index_ == search.best_index_
    mine, theirs = found.cv_results_, search.cv_results_
    assert set(theirs) <= set(mine)
    for name in ("mean_test_score", "std_test_score", *(f"split{k}_test_score" for k in range(found.n_splits_))):
        np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-7, atol=1e-9)
    assert (mine["rank_test_score"] == theirs["rank_test_score"]).all()
    assert mine["params"] == theirs["params"] and (mine["param_C"] == theirs["param_C"]).all()
    assert found.best_score_ == pytest.approx(search.best_score_)


@pytest.mark.parametrize("case", CLASSIFIERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_grid_search_gives_the_same_classifier(case, weighted):
    make, options = CLASSIFIERS[case]
    X, y = make()
    weights = {"sample_weight": np.random.default_rng(0).integers(1, 4, len(y)).astype(float)} if weighted else {}
    found = LinearSVCCV(GRID, cv=4, **options).fit(X, y, **weights)
    search = GridSearchCV(LinearSVC(**options), {"C": GRID}, cv=4).fit(X, y, **weights)
    assert_same(found, search)
    assert (found.coef_ == search.best_estimator_.coef_).all()
    assert (found.predict(X) == search.predict(X)).all()
    assert found.certificate_ == search.best_estimator_.certificate_


@pytest.mark.parametrize(
    ("own", "plain", "options"),
    [
        (LinearSVRCV, LinearSVR, {}),
        (LinearSVRCV, LinearSVR, {"epsilon": 0.3, "standardize": True}),
        (QuantileRegressorCV, QuantileRegressor, {"quantile": 0.8}),
        (QuantileRegressorCV, QuantileRegressor, {"quantile": [0.2, 0.8]}),
    ],
)
def test_a_grid_search_gives_the_same_regressor(own, plain, options):
    X, y = numbers()
    found = own(GRID, **options).fit(X, y)
    assert_same(found, GridSearchCV(plain(**options), {"C": GRID}).fit(X, y))


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "roc_auc", lambda model, X, y: -model.C_])
def test_scores_may_be_others(scoring):
    X, y = binary()
    found = LinearSVCCV(GRID, scoring=scoring, cv=3).fit(X, y)
    if isinstance(scoring, str):
        assert_same(found, GridSearchCV(LinearSVC(), {"C": GRID}, scoring=scoring, cv=3).fit(X, y))
    else:
        assert GRID.min() == found.C_


def test_folds_may_be_a_splitter_with_groups_or_pairs():
    X, y = binary()
    groups = np.arange(len(y)) % 7
    splitter = GroupKFold(3)
    by_groups = LinearSVCCV(GRID, cv=splitter).fit(X, y, groups=groups)
    assert_same(by_groups, GridSearchCV(LinearSVC(), {"C": GRID}, cv=splitter).fit(X, y, groups=groups))
    pairs = list(KFold(3, shuffle=True, random_state=1).split(X))
    masks = [tuple(np.isin(np.arange(len(y)), part) for part in pair) for pair in pairs]
    assert_same(LinearSVCCV(GRID, cv=masks).fit(X, y), GridSearchCV(LinearSVC(), {"C": GRID}, cv=pairs).fit(X, y))
    assert_same(LinearSVCCV(GRID, cv=pairs).fit(X, y), GridSearchCV(LinearSVC(), {"C": GRID}, cv=pairs).fit(X, y))


def test_one_standard_error_prefers_the_smaller_c():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 20))
    y = X[:, 0] + 2 * rng.standard_normal(300) > 0  # hardly to be learnt: the folds differ more than the C
    best, simple = (LinearSVCCV(GRID, rule=rule).fit(X, y) for rule in ("best", "one_se"))
    assert (best.cv_results_["mean_test_score"] == simple.cv_results_["mean_test_score"]).all()
    results, k = simple.cv_results_, best.best_index_
    enough = results["mean_test_score"] >= results["mean_test_score"][k] - results["se_test_score"][k]
    assert simple.C_ == GRID[enough].min() < best.C_
    splits = [results[f"split{k}_test_score"] for k in range(5)]
    np.testing.assert_allclose(results["se_test_score"], np.std(splits, axis=0, ddof=1) / 5**0.5)


def test_the_grid_by_default_is_the_papers_in_lambda():
    X, y = binary()
    found = LinearSVCCV(cv=2).fit(X, y)
    assert found.cv_results_["param_C"][0] == pytest.approx(1 / len(y))
    assert len(found.cv_results_["params"]) == 21


def test_every_solve_of_the_search_is_certified():
    X, y = many_rows()
    found = LinearSVCCV(GRID, cv=3, tol=1e-5).fit(X, y)
    assert (found.cv_results_["max_gap"] <= 1e-5).all() and found.certificate_.relative_gap <= 1e-5


def test_without_refit_nothing_is_predicted():
    X, y = binary()
    found = LinearSVCCV(GRID, refit=False).fit(X, y)
    assert found.C_ in GRID and not hasattr(found, "coef_")
    with pytest.raises(NotFittedError):
        found.predict(X)


def test_one_budget_ends_the_search_and_the_last_fit_with_a_word():
    X, y = many_rows()
    with pytest.warns(ConvergenceWarning) as told:
        found = LinearSVCCV(GRID, cv=3, max_seconds=0.0, tol=1e-9).fit(X, y)
    assert any("solves of the search did not certify" in str(each.message) for each in told)
    assert {str(each.filename) for each in told} == {__file__}
    assert found.status_ is Status.MAX_SECONDS and np.isfinite(found.cv_results_["mean_test_score"]).all()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_keeps_the_best_so_far():
    X, y = many_rows()
    scored = []

    def accuracy(model, X, y):
        scored.append(len(scored))
        if len(scored) == 2 * len(GRID) + 3:  # in the third fold
            os.kill(os.getpid(), signal.SIGINT)
        return model.score(X, y)

    with pytest.warns(ConvergenceWarning, match=r"Ctrl-C ended the search: C_ is the best of 2 of 5 folds"):
        found = LinearSVCCV(GRID, scoring=accuracy).fit(X, y)
    assert found.n_splits_ == 2 and found.C_ in GRID and found.status_ is Status.INTERRUPTED
    assert found.score(X, y) > 0.8  # the weights of a fold
    assert found.certify(X, y) == found.certificate_


def test_a_file_keeps_the_model_and_its_c(tmp_path):
    X, y = binary()
    found = LinearSVCCV(GRID, cv=3).fit(X, y)
    found.save(tmp_path / "m.model")
    again = LinearSVCCV.load(tmp_path / "m.model")
    assert pytest.approx(found.C_) == again.C_ and (again.predict(X) == found.predict(X)).all()
    np.testing.assert_allclose(again.C, GRID)
    assert pytest.approx(found.C_) == LinearSVC.load(tmp_path / "m.model").C


def test_an_estimator_is_a_clone_of_its_parameters_and_fits_equal_bits_again():
    X, y = binary()
    first = LinearSVCCV(GRID, cv=3, rule="one_se").fit(X, y)
    again = clone(first).fit(X, y)
    assert (first.coef_ == again.coef_).all() and first.C_ == again.C_


@pytest.mark.parametrize("C", [[], [0.0], [-1.0, 2.0], [np.nan], [[1.0, 2.0]], ["a"]])
def test_what_is_no_grid_is_refused_by_name(C):
    with pytest.raises(ValueError, match="C must"):
        LinearSVCCV(C).fit(*binary())


def test_packed_data_and_folds_of_one_class_are_refused_with_a_way_out(tmp_path):
    X, y = binary()
    with pytest.raises(ValueError, match=r"at least two classes"):
        LinearSVCCV(GRID, cv=[(np.flatnonzero(y == 0), np.flatnonzero(y == 1))]).fit(X, y)
    with pytest.raises(ValueError, match=r"cv names rows that X does not have: index 569"):
        LinearSVCCV(GRID, cv=[(np.arange(570), np.arange(10))]).fit(X, y)
    pragam.pack([(X, y)], tmp_path / "packed")
    with pytest.raises(ValueError, match=r"pragam\.selection\.tune"), warnings.catch_warnings():
        LinearSVCCV(GRID).fit(pragam.open_packed(tmp_path / "packed"))
