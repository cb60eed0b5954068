"""X and y in the forms of other libraries: data frames, 64-bit indices, sparse arrays, routed weights."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from row_data import CASES, case, labels
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate

from pragam import LinearSVC, LinearSVR, MulticlassSVC, MultilabelSVC, OrdinalSVC, QuantileRegressor

NAMES = list("abcd")


def pandas_frames(X, y):
    pandas = pytest.importorskip("pandas")
    target = pandas.Series(y, index=range(100, 160)) if y.ndim == 1 else pandas.DataFrame(y)
    return pandas.DataFrame(X, columns=NAMES), target


def polars_frames(X, y):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(X, schema=NAMES), polars.Series(y) if y.ndim == 1 else polars.DataFrame(y)


@pytest.mark.parametrize("frames", [pandas_frames, polars_frames])
@pytest.mark.parametrize("name", CASES)
def test_data_frames_are_matrices_with_names(name, frames):
    model, (X, y, weights) = case(name)
    table, target = frames(X, y)
    X = table.to_numpy()  # the same numbers in the same order: column by column
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain, framed = clone(model).fit(X, y, weights), clone(model).fit(table, target, weights)
    assert np.array_equal(plain.coef_, framed.coef_) and framed.feature_names_in_.tolist() == NAMES
    assert np.array_equal(framed.predict(table), plain.predict(X))
    assert framed.certify(table, target) == plain.certificate_
    assert framed.score(table, target) == plain.score(X, y)
    with pytest.raises(ValueError, match="feature names"):
        framed.predict(pytest.importorskip("pandas").DataFrame(X, columns=NAMES[::-1]))


def wide(X):
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


@pytest.mark.parametrize("name", CASES)
def test_sparse_arrays_may_have_64_bit_indices(name):
    model, (X, y, weights) = case(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain, stored = clone(model).fit(sparse.csr_array(X), y, weights), clone(model).fit(wide(X), y, weights)
    assert np.array_equal(plain.coef_, stored.coef_)
    assert np.array_equal(stored.predict(wide(X)), plain.predict(X)) or plain.predict(X).dtype.kind == "f"
    assert sparse.issparse(stored.support_vectors(wide(X)))


@pytest.mark.parametrize("interface", ["spmatrix", "sparray"])
def test_sparse_coefficients_are_what_scikit_learn_is_set_to(interface):
    try:
        context = config_context(sparse_interface=interface)
    except TypeError:
        pytest.skip("this scikit-learn has no sparse_interface")
    X, y, _ = labels()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with context:
            model = LinearSVC().fit(X, y).sparsify()
    assert isinstance(model.coef_, sparse.sparray) == (interface == "sparray")


@pytest.mark.parametrize("cls", [LinearSVC, LinearSVR, QuantileRegressor, OrdinalSVC, MulticlassSVC, MultilabelSVC])
def test_weights_are_routed(cls):
    X, y, weights = labels(K=2)
    with config_context(enable_metadata_routing=True):
        model = cls().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(model, X, y, params={"sample_weight": weights}, cv=2, return_estimator=True)
        search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=2).fit(X, y, sample_weight=weights)
    assert all("weights" in each.model_.given for each in found["estimator"])
    assert np.array_equal(search.best_estimator_.model_.given["weights"], weights)
