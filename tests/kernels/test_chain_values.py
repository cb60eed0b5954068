"""The kernel of the values of sequences equals its NumPy twin and the way block by block; products beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins
from pragam.operators import check_data
from pragam.operators.storage import WithConstant
from pragam.structured import chain_hinge
from pragam.structured.chains import values as chain_values

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")
STORES = {
    "dense": np.asarray,
    "dense float32 F": lambda X: np.asfortranarray(X, dtype=np.float32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "csr with a constant": lambda X: WithConstant(check_data(sparse.csr_array(X))),
    "dense with a constant": lambda X: WithConstant(check_data(X)),
}


def drawn(store, K, seed=0):
    """A model with forbidden transitions and starts, and weights."""
    rng = np.random.default_rng([seed, K])
    lengths = rng.integers(1, 9, 60)
    N, y = int(lengths.sum()), rng.integers(0, K, int(lengths.sum()))
    X = np.where(rng.random((N, 13)) < 0.4, rng.standard_normal((N, 13)).round(3), 0.0)
    allowed = rng.random((K, K)) < 0.8
    allowed[y[:-1], y[1:]] = True
    starts = rng.random(K) < 0.8
    starts[y[np.cumsum(lengths) - lengths]] = True
    problem = chain_hinge(
        STORES[store](X), y, lengths, 0.1, rng.random((K, K)) * (1 - np.eye(K)), list(range(K)), transitions=allowed,
        starts=starts, token_weight=rng.random(N),
    )  # fmt: skip
    return problem.Q.structure, rng.standard_normal(problem.n_weights)


@pytest.mark.parametrize("K", [2, 8, 26, 41])
@pytest.mark.parametrize("store", STORES)
def test_values_equal_those_of_blocks_of_scores(store, K):
    model, w = drawn(store, K)
    for loss, weights in ((1.0, w), (0.0, w), (0.5, 0 * w)):
        found = chain_values.values(model, weights, loss)
        expected = chain_values.Values(np.zeros(model.n), np.zeros(model.n))
        own = chain_values.Weights(model, weights)
        chain_values._add_by_blocks(model, own, loss, expected)
        assert np.allclose(found.values, expected.values, rtol=1e-12, atol=1e-12)
        assert np.allclose(found.sizes, expected.sizes + own.size_of_ends, rtol=1e-12, atol=1e-12)


@compiled
@pytest.mark.parametrize("store", STORES)
def test_kernel_equals_twin(store, monkeypatch):
    model, w = drawn(store, 11)
    ours = chain_values.values(model, w)
    monkeypatch.setattr(_kernels, "get", lambda name: getattr(twins, name))
    theirs = chain_values.values(model, w)
    assert np.allclose(ours.values, theirs.values, rtol=1e-12) and np.allclose(ours.sizes, theirs.sizes, rtol=1e-12)


@pytest.mark.parametrize("store", ["dense", "csr"])
def test_what_overflows_is_infinite(store):
    """Never NaN that a comparison forgets, nor less than the truth."""
    model, w = drawn(store, 3)
    first = model.first_token
    for size in (1e307, 1e308, 1.7e308):
        large = np.zeros_like(w)
        large[: 3 * model.n_features] = size * np.sign(w[: 3 * model.n_features])
        values, sizes = chain_values.values(model, large)
        assert not np.isnan(values).any() and (values >= 0).all()
        assert np.isinf(values[np.isinf(sizes)]).all()
    scores = np.abs(model.storage.matmat(model.parts(w).nodes)).max(axis=1)
    assert np.isinf(values[np.add.reduceat(scores, first[:-1]) > 5]).any()


@compiled
def test_bits_do_not_depend_on_threads(monkeypatch):
    model, w = drawn("csr", 11)
    results = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(chain_values, "n_threads", lambda entries, threads=threads: threads)
        results.append(chain_values.values(model, w))
    assert all(np.array_equal(a, b) for other in results[1:] for a, b in zip(results[0], other, strict=True))


@pytest.mark.parametrize("shape", [(1, 1), (3, 100), (26, 33), (100, 7)])
@pytest.mark.parametrize("threads", [1, 2])
def test_transposes(shape, threads):
    X, out = np.random.default_rng(0).standard_normal(shape), np.empty(shape[0] * shape[1])
    _kernels.get("transpose")(X.reshape(-1), len(X), out, threads)
    assert np.array_equal(out.reshape(shape[::-1]), X.T)


@pytest.mark.parametrize("order", ["C", "F"])
def test_adjoint_products_into_any_strides(order):
    rng = np.random.default_rng(1)
    X, B = sparse.random_array((30, 9), density=0.3, rng=rng, format="csr"), rng.standard_normal((30, 4))
    B[rng.random(B.shape) < 0.5] = 0.0
    whole = np.asarray(rng.standard_normal((10, 4)), order=order)
    out = whole[:-1]
    expected = out + X.T @ B
    check_data(X).add_rmatmat(B, out)
    assert np.allclose(out, expected, atol=1e-13)
