"""Rows of one value each, packed: the operator of the same rows in another order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam.operators import ScaledRows
from pragam.operators.pattern import PatternRows

EPS = np.finfo(float).eps


def dense(seed):
    """A matrix whose rows have one value each besides 0, some of them none; and a scale."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 50)), int(rng.integers(1, 25))
    X = (rng.random((n, d)) < rng.random()) * rng.choice([-3.0, 0.5, 1.0, 0.1], n)[:, None]
    return X, rng.standard_normal(n), rng


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_operator_is_that_of_its_dense_matrix(kind, dtype):
    for seed in range(30):
        X, scale, rng = dense(seed)
        found = PatternRows.by_length(ScaledRows(kind(X.astype(dtype)), scale))
        assert found is not None
        operator, order = found
        A = (scale[:, None] * X.astype(dtype))[order]
        assert operator.shape == A.shape and operator.indices.dtype == np.uint16
        lengths = np.diff(operator.indptr)
        assert np.array_equal(np.sort(order), np.arange(len(X))) and (np.diff(lengths) >= 0).all()
        w, alpha, rows = rng.standard_normal(X.shape[1]), rng.standard_normal(len(X)), rng.integers(0, len(X), 5)
        assert np.allclose(operator.matvec(w), A @ w)
        assert np.allclose(operator.rmatvec(alpha), alpha @ A)
        assert np.allclose(operator.row_norms(), np.linalg.norm(A, axis=1))
        assert np.allclose(operator.gram(), A @ A.T)
        assert np.allclose(operator.take(rows).matvec(w), A[rows] @ w)
        outer = np.zeros((X.shape[1],) * 2)
        operator.add_outer(rows, alpha[:1].repeat(5), outer)
        assert np.allclose(np.triu(outer), np.triu(alpha[0] * A[rows].T @ A[rows]))
        assert operator.norm_bound() >= np.linalg.norm(A, 2) * (1 - 8 * EPS)
        assert operator.rows().kind == "pattern" and operator.rows().scale is operator.scale


def test_an_all_ones_matrix_attains_the_bound_of_the_norm():
    operator, _ = PatternRows.by_length(ScaledRows(sparse.csr_array(np.ones((7, 5))), np.full(7, -2.0)))
    assert operator.norm_bound() == pytest.approx(2 * np.sqrt(35), rel=1e-14)


def csr(data, indices, indptr, shape):
    return sparse.csr_array((np.array(data), np.array(indices), np.array(indptr)), shape=shape)


@pytest.mark.parametrize(
    "X",
    [
        np.ones((3, 2)),
        csr([1.0, 2.0], [0, 1], [0, 2], (1, 2)),
        csr([1.0, 0.0], [0, 1], [0, 2], (1, 2)),
        csr([1.0, 1.0], [1, 1], [0, 2], (1, 2)),
        csr([1.0, 1.0], [1, 0], [0, 2], (1, 2)),
        csr([1.0, 1.0], [0, 2**16], [0, 2], (1, 2**16 + 1)),
        csr([1e200], [0], [0, 1], (1, 1)),
    ],
    ids=["dense", "two values", "stored zero", "repeated", "unsorted", "too many columns", "overflow"],
)
def test_other_matrices_are_left_alone(X):
    assert PatternRows.by_length(ScaledRows(X, np.full(X.shape[0], 1e200))) is None


def test_a_full_row_of_all_columns_that_fit_into_sixteen_bits():
    X = sparse.csr_array(np.vstack([np.ones(2**16), np.eye(1, 2**16)[0]]))
    operator, order = PatternRows.by_length(ScaledRows(X, np.ones(2)))
    w = np.arange(2.0**16)
    assert np.array_equal(operator.matvec(w), (X @ w)[order])


def test_a_vector_of_the_wrong_length_is_named():
    operator, _ = PatternRows.by_length(ScaledRows(sparse.csr_array(np.eye(3)), np.ones(3)))
    with pytest.raises(ValueError, match="w has shape"):
        operator.matvec(np.ones(2))
    with pytest.raises(ValueError, match="alpha has shape"):
        operator.rmatvec(np.ones(4))
