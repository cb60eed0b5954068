"""standardize=True: the problem of standardised columns, exactly, in all estimators of rows; weights are those of X."""

from __future__ import annotations

import numpy as np
import pytest
from row_data import CASES, case
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import pragam
from peaks import peak_memory
from pragam.certificate.exact import judge
from pragam.models import save_liblinear
from pragam.models.liblinear import load_liblinear
from pragam.samples import Rows

STORES = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


def uneven(X):
    """X with columns of other sizes and offsets, and one that never changes."""
    X = X * 10.0 ** np.linspace(-3, 3, X.shape[1]) + np.linspace(-5, 100, X.shape[1])
    return np.column_stack([X, np.full(len(X), 7.1)])


def drawn(name, **parameters):
    estimator, data = case(name, tol=1e-7, **parameters)
    return estimator, data._replace(X=uneven(data.X))


def overlap(one, other, rel):
    """Whether two intervals [dual, primal] of one optimum meet, but for the rounding of another matrix."""
    slack = rel * max(abs(one.primal), abs(other.primal))
    return one.dual <= other.primal + slack and other.dual <= one.primal + slack


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CASES)
def test_the_optimum_is_that_of_scaled_data(name, store):
    estimator, data = drawn(name, standardize=True)
    model = clone(estimator).fit(STORES[store](data.X), data.y)
    scaled = clone(estimator).set_params(standardize=False).fit(StandardScaler().fit_transform(data.X), data.y)
    assert model.certificate_.rigorous and model.certificate_.relative_gap <= 1e-7
    assert overlap(model.certificate_, scaled.certificate_, 1e-10)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CASES)
def test_its_certificates_hold_in_rational_arithmetic(name, store):
    estimator, data = drawn(name, standardize=True)
    model = estimator.fit(STORES[store](data.X), data.y, sample_weight=data.weights).model_
    own = Rows.of(STORES[store](data.X), data.y, data.weights)
    columns = model.features.maps[0].columns
    X = data.X
    if len(model.features.maps) > 1:
        X = np.column_stack([X, np.full(len(X), model.features.maps[1].value)])
        columns = columns.with_constant()
    parts = zip(model.risk.stated(own, model.labels), model.points(), model.proofs, strict=True)
    for stated, (w, biases), proof in parts:
        found = judge(
            stated.risk, X, stated.y, w, biases, proof.dual, stated.weights, None, columns.factor, columns.mean
        )
        assert found.confirms(proof.certificate.primal, proof.certificate.dual)
        assert float(found.relative_gap) <= 1e-7


@pytest.mark.parametrize("name", CASES)
def test_weights_are_those_of_x_and_a_column_that_never_changes_has_none(name):
    estimator, data = drawn(name, standardize=True)
    model = estimator.fit(data.X, data.y)
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    scores = model.model_.risk.rule.shown(model.model_.scores(Rows.of(data.X)).T).T
    np.testing.assert_allclose(data.X @ coef.T + intercept, scores, rtol=1e-10, atol=1e-8)
    assert not coef[:, -1].any()


@pytest.mark.parametrize("name", CASES)
def test_a_file_brings_it_back(name, tmp_path):
    estimator, data = drawn(name, standardize=True)
    model = estimator.fit(data.X, data.y, sample_weight=data.weights)
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    assert loaded.standardize
    assert loaded.certify(data.X, data.y) == model.certificate_
    np.testing.assert_array_equal(loaded.coef_, model.coef_)
    np.testing.assert_array_equal(loaded.predict(data.X), model.predict(data.X))
    assert pragam.audit(model, data.X, data.y, tol=1e-6).within


@pytest.mark.parametrize("name", ["hinge", "no intercept", "tube", "levels"])
def test_a_weight_of_two_is_a_row_twice_and_of_zero_none(name):
    estimator, data = drawn(name, standardize=True)
    weighted = clone(estimator).fit(data.X, data.y, sample_weight=data.weights)
    times = data.weights.astype(int)
    C = estimator.C  # the sum of the losses has the weight C in both
    twice = clone(estimator).set_params(C=C).fit(np.repeat(data.X, times, axis=0), np.repeat(data.y, times))
    np.testing.assert_allclose(weighted.coef_, twice.coef_, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_data_of_many_columns_stay_sparse(intercept):
    """(50, 200,000): as a dense matrix 80 MB; the vectors of the columns are a few of 1.6 MB each."""
    X = sparse.random_array((50, 200_000), density=1e-4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(50) % 2
    with peak_memory() as peak:
        model = pragam.LinearSVC(standardize=True, fit_intercept=intercept, tol=1e-3).fit(X, y)
    assert peak.bytes < 60e6 and model.certificate_.relative_gap <= 1e-3


def test_tuning_learns_from_the_rows_to_train_on():
    rng = np.random.default_rng(0)
    X, y = uneven(rng.standard_normal((120, 3))), rng.integers(0, 2, 120)
    held = X[:20].copy()
    held[0] *= 1e6  # would change every deviation
    found = pragam.selection.tune(X, y, [0.1, 0.01], validation=(held, y[:20]), standardize=True)
    scaler = StandardScaler().fit(X)
    for lam, score in zip(found.lam, found.score, strict=True):
        model = pragam.LinearSVC(1 / (120 * lam), tol=1e-6).fit(scaler.transform(X), y)
        assert score == pytest.approx(model.score(scaler.transform(held), y[:20]), abs=0.051)


@pytest.mark.parametrize("bias", [True, False])
def test_the_functions_of_risks_have_it_too(bias):
    rng = np.random.default_rng(1)
    X, y = uneven(rng.standard_normal((40, 3))), rng.integers(0, 3, 40)
    Z, sign, sets = StandardScaler().fit_transform(X), np.where(y > 0, 1, -1), np.eye(3)[y]
    for build, target in (
        (pragam.hinge, sign), (pragam.squared_hinge, sign), (pragam.smoothed_hinge, sign), (pragam.quantile, y),
        (pragam.epsilon_insensitive, y), (pragam.multiclass_hinge, y), (pragam.multilabel_hinge, sets),
    ):  # fmt: skip
        ours, theirs = build(X, target, lam=0.1, bias=bias, standardize=True), build(Z, target, lam=0.1, bias=bias)
        assert overlap(pragam.solve(ours, tol=1e-7).certificate, pragam.solve(theirs, tol=1e-7).certificate, 1e-10)
    ours, theirs = pragam.ordinal_hinge(X, y, 0.1, standardize=True), pragam.ordinal_hinge(Z, y, 0.1)
    assert overlap(pragam.solve(ours, tol=1e-7).certificate, pragam.solve(theirs, tol=1e-7).certificate, 1e-10)


def test_a_path_is_of_the_standardised_problem():
    rng = np.random.default_rng(1)
    X, y = uneven(rng.standard_normal((60, 3))), rng.integers(0, 2, 60)
    lams = [1.0, 0.1, 0.01]
    ours = pragam.path(pragam.hinge(X, y, standardize=True), lams)
    theirs = pragam.path(pragam.hinge(StandardScaler().fit_transform(X), y), lams)
    assert all(overlap(a.certificate, b.certificate, 1e-9) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("scaling", [None, 2.0])
def test_liblinear_files_have_the_weights_of_x(tmp_path, scaling):
    rng = np.random.default_rng(1)
    X, y = uneven(rng.standard_normal((60, 3))), rng.integers(0, 2, 60)
    model = pragam.LinearSVC(standardize=True, intercept_scaling=scaling).fit(X, y)
    save_liblinear(tmp_path / "m", model.model_)
    found = load_liblinear(tmp_path / "m")
    np.testing.assert_allclose(found.scores(Rows.of(X)), model.model_.scores(Rows.of(X)), rtol=1e-9, atol=1e-9)


def test_it_is_said_what_is_wrong():
    X, y = np.array([[0.0, 1.0], [1e290, 2.0], [0.0, 3.0]]), [0, 1, 0]
    with pytest.raises(ValueError, match="X cannot be standardised: column 0"):
        pragam.LinearSVC(standardize=True).fit(X, y)
    with pytest.raises(ValueError, match="standardize must be True or False, not 'yes'"):
        pragam.hinge(X, y, standardize="yes")
    with pytest.raises(ValueError, match="'standardize' parameter"):
        pragam.LinearSVC(standardize="yes").fit(X, y)
