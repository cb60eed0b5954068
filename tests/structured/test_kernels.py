"""Kernels on tokens: a bandwidth that is the spread of the data, and one function for every kind of kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import polynomial_kernel

from pragam import GPSequenceClassifier
from pragam.structured.kernels import TokenKernel, kernel_function, scaled_rbf

X = np.random.default_rng(0).standard_normal((40, 5)) * [1, 0.1, 3, 1e-3, 2] * (np.arange(40)[:, None] % 3 > 0)


def test_the_mean_exponent_is_minus_two():
    pairs = 2 * (pdist(X) ** 2).sum() / len(X) ** 2  # each with itself too
    assert 0.5 * pairs / scaled_rbf(X).length_scale ** 2 == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_it_grows_with_the_data_and_does_not_see_how_they_are_stored(store, size):
    expected = size * scaled_rbf(X).length_scale
    assert scaled_rbf(store(size * X)).length_scale == pytest.approx(expected, rel=1e-12)
    single = sparse.csr_array(X.astype(np.float32))
    assert scaled_rbf(single).length_scale == pytest.approx(scaled_rbf(single.toarray()).length_scale, rel=1e-12)


def test_it_does_not_see_where_the_data_are():
    away = X + np.array([1e3, -5, 0, 7, 1e2])
    assert scaled_rbf(away).length_scale == pytest.approx(scaled_rbf(X).length_scale, rel=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -1e200, 5e-324])
def test_equal_tokens_have_the_bandwidth_one(value):
    for same in (np.full((7, 3), value), sparse.csr_array(np.full((7, 3), value)), np.full((1, 3), value)):
        assert scaled_rbf(same).length_scale == 1.0


def test_it_is_the_default_and_a_kernel_that_is_given_stays():
    y = np.where(X[:, 0] > 0, "a", "b")
    model = GPSequenceClassifier(lam=1e-2).fit(X, y)
    assert model.kernel is None and model.kernel_ == scaled_rbf(X)
    again = GPSequenceClassifier(model.kernel_, lam=1e-2).fit(X, y)
    assert again.certificate_ == model.certificate_
    wide = RBF(7.0)
    assert GPSequenceClassifier(wide, lam=1e-2).fit(X, y).kernel_ is wide


@pytest.mark.parametrize(
    ("kernel", "parameters", "plain"),
    [
        (RBF(2.0), None, lambda A, B: RBF(2.0)(A, B)),
        ("poly", {"degree": 2}, lambda A, B: polynomial_kernel(A, B, degree=2)),
        (lambda A, B, c: A @ B.T + c, {"c": 1.0}, lambda A, B: A @ B.T + 1.0),
    ],
)
def test_features_have_the_inner_products_of_the_function(kernel, parameters, plain):
    found = kernel_function(kernel, parameters)(X, X[:4])
    np.testing.assert_allclose(found, plain(X, X[:4]), rtol=1e-10, atol=1e-12)
    phi = TokenKernel.fit(X, kernel, parameters, None, None).transform(X)
    np.testing.assert_allclose(phi @ phi.T, plain(X, X), rtol=1e-6, atol=1e-6)
