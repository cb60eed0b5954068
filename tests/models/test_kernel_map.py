"""The kernel as a map in front of a model: features and scores of tokens, with landmarks and without."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from pragam.models.kernel import Kernel
from pragam.samples import Chains

RNG = np.random.default_rng(0)
LENGTHS = np.array([3, 1, 4, 2, 5])
X, NEW = RNG.standard_normal((15, 2)), RNG.standard_normal((7, 2))
SAMPLES, OTHERS = Chains.of(X, lengths=LENGTHS), Chains.of(NEW, lengths=[4, 3])
COEF = RNG.standard_normal((15, 3))
RBF = {"gamma": 0.5}


def gram(**stored):
    return Kernel("rbf", X, lengths=LENGTHS, parameters=RBF, **stored)


def test_without_landmarks_the_features_are_the_gram_matrix_and_scores_those_of_its_functions():
    kernel = gram(precision="float32")
    found = kernel.apply(SAMPLES).X
    assert found.dtype == np.float32 and (found == found.T).all()
    np.testing.assert_allclose(found, rbf_kernel(X, gamma=0.5), atol=1e-7)
    np.testing.assert_allclose(kernel.scores(OTHERS, COEF), rbf_kernel(NEW, X, gamma=0.5) @ COEF, atol=1e-13)
    with pytest.raises(ValueError, match="X has 7 tokens, and the model was trained on 15"):
        kernel.apply(OTHERS)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_scores_by_landmarks_are_those_of_the_features_that_are_stored(storage, monkeypatch):
    monkeypatch.setattr("pragam.models.kernel.BLOCK", 4)
    kernel = Kernel.of_landmarks(storage(X), "rbf", RBF, 6, 0, precision="float32")
    samples = Chains.of(storage(NEW), lengths=[4, 3])
    phi = kernel.apply(samples).X
    assert phi.dtype == np.float32 and phi.shape == (7, 6) == (7, kernel.n_functions)
    np.testing.assert_allclose(kernel.scores(samples, COEF[:6]), phi.astype(np.float64) @ COEF[:6], atol=1e-13)
    whole = Kernel.of_landmarks(storage(X), "rbf", RBF, None, 0).apply(Chains.of(storage(X), lengths=LENGTHS)).X
    np.testing.assert_allclose(whole @ whole.T, rbf_kernel(X, gamma=0.5), atol=1e-10)


def test_tokens_count_once_for_each_edge_they_are_in():
    counts = np.array([1, 2, 1, 0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 1.0])
    whole = Kernel.of_landmarks(X, "rbf", RBF, 6, 0, nodes="per_edge").apply(SAMPLES).X
    plain = Kernel.of_landmarks(X, "rbf", RBF, 6, 0).apply(SAMPLES).X
    np.testing.assert_array_equal(whole, plain * counts[:, None])
    np.testing.assert_allclose(
        gram(nodes="per_edge").apply(SAMPLES).X, np.outer(counts, counts) * rbf_kernel(X, gamma=0.5), atol=1e-12
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (partial(Kernel, "rbf", X), "either the lengths of sequences or a map"),
        (partial(Kernel, "rbf", X, np.eye(15), LENGTHS), "either the lengths of sequences or a map"),
        (partial(Kernel, "rbf", X, lengths=LENGTHS[:-1]), "sum to 15"),
        (partial(Kernel, "rbf", X, np.eye(3)), "for each of 15 landmarks"),
        (partial(Kernel, "rbf", X, np.eye(15), nodes="by_position"), "by_position"),
        (lambda: gram().apply(Chains.of(X[:, :1], lengths=LENGTHS)), "X has 1 columns, and the model was trained on 2"),
    ],
)
def test_what_does_not_fit_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()
