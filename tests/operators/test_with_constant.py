"""X with a column of ones that is not stored: as the matrix that has it, in every storage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import ALL, D, N, matrix

from pragam.operators import LabelRows, check_data
from pragam.operators.storage import WithConstant

whole = np.column_stack([matrix(), np.ones(N)])


@pytest.fixture(params=ALL, name="storage")
def with_constant(request):
    return WithConstant(check_data(ALL[request.param]))


def test_it_is_the_matrix_with_a_column_of_ones(storage):
    rng = np.random.default_rng(0)
    w, alpha, W, B = (rng.standard_normal(shape) for shape in (D + 1, N, (3, D + 1), (N, 3)))
    scale, some, out = rng.standard_normal(N), np.array([4, 0, 17]), rng.standard_normal((D + 1, 3))
    after = out + whole.T @ B
    storage.add_rmatmat(B, out)
    assert storage.shape == whole.shape and storage.rigorous
    for found, expected in (
        (storage.matvec(w), whole @ w),
        (storage.matvec(w, scale), scale * (whole @ w)),
        (storage.rmatvec(alpha), whole.T @ alpha),
        (storage.rmatvec(alpha, scale), whole.T @ (scale * alpha)),
        (storage.matmat(W), whole @ W.T),
        (storage.rmatmat(B), B.T @ whole),
        (out, after),
        (storage.part(3, 9).matvec(w), whole[3:9] @ w),
        (storage.take(some).matvec(w), whole[some] @ w),
        (storage.T.matvec(alpha), whole.T @ alpha),
        (storage.twofold_matvec(w)[0], whole @ w),
        (storage.twofold_rmatvec(alpha)[0], whole.T @ alpha),
        (storage.running_rmatvec(alpha)[0], whole.T @ alpha),
        (storage.row_norms2, (whole**2).sum(axis=1)),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_its_rows_can_be_walked(storage):
    kind, arrays = storage.rows()
    found = arrays[0] if kind == "dense" else sparse.csr_array(arrays, shape=whole.shape).toarray()
    np.testing.assert_allclose(found, whole, atol=1e-12)
    out = np.zeros((D + 1, D + 1))
    storage.add_outer(np.arange(N), np.ones(N), out)
    np.testing.assert_allclose(np.triu(out), np.triu(whole.T @ whole), atol=1e-12)


def test_bounds_of_sizes_hold(storage):
    assert (storage.row_bounds >= np.linalg.norm(whole, axis=1)).all() and (storage.row_sizes >= 1).all()
    assert storage.norm_bound >= np.linalg.norm(whole, 2)
    assert (storage.abs_sums()[0] >= np.abs(whole).sum(axis=1)).all()
    assert (storage.abs_sums()[1] >= np.abs(whole).sum(axis=0)).all()
    assert np.all(storage.counts >= (whole != 0).sum(axis=1))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e8, 1e160])
def test_its_rounding_is_bounded_in_rational_arithmetic(store, size):
    rng = np.random.default_rng(3)
    X, alpha = size * rng.standard_normal((40, 5)), rng.standard_normal(40)
    w = rng.standard_normal(6)
    operator = LabelRows(WithConstant(check_data(store(X))), 1)
    rows = [[Fraction(x) for x in row] + [Fraction(1)] for row in X.tolist()]
    exact = [sum(a * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in rows]
    off = [abs(Fraction(x) - y) for x, y in zip(operator.matvec(w).tolist(), exact, strict=True)]
    assert all(error <= Fraction(bound) for error, bound in zip(off, operator.matvec_error(w).tolist(), strict=True))
    adjoint = [sum(row[j] * Fraction(a) for row, a in zip(rows, alpha.tolist(), strict=True)) for j in range(6)]
    away = sum((Fraction(x) - y) ** 2 for x, y in zip(operator.rmatvec(alpha).tolist(), adjoint, strict=True))
    assert away <= Fraction(operator.rmatvec_error(alpha)) ** 2
