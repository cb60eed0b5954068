"""X with a column of one number that is not stored: as the matrix that has it, in every storage."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import ALL, D, N, matrix

from pragam.operators import LabelRows, check_data
from pragam.operators.storage import WithConstant

#: A one, a number that float32 has not and whose sums are exact, and one that is larger than all entries.
VALUES = [1.0, -1.0 - 2.0**-30, 300.0]


@pytest.fixture(params=ALL, name="storage")
def plain(request):
    return check_data(ALL[request.param])


@pytest.fixture(params=VALUES, name="value")
def constant(request):
    return request.param


@pytest.fixture(name="whole")
def matrix_with_it(value):
    return np.column_stack([matrix(), np.full(N, value)])


@pytest.fixture(name="wide")
def with_constant(storage, value):
    return WithConstant(storage, value)


def test_it_is_the_matrix_with_a_constant_column(wide, whole):
    rng = np.random.default_rng(0)
    w, alpha, W, B = (rng.standard_normal(shape) for shape in (D + 1, N, (3, D + 1), (N, 3)))
    scale, some, out = rng.standard_normal(N), np.array([4, 0, 17]), rng.standard_normal((D + 1, 3))
    after = out + whole.T @ B
    wide.add_rmatmat(B, out)
    assert wide.shape == whole.shape and wide.rigorous
    for found, expected in (
        (wide.matvec(w), whole @ w),
        (wide.matvec(w, scale), scale * (whole @ w)),
        (wide.rmatvec(alpha), whole.T @ alpha),
        (wide.rmatvec(alpha, scale), whole.T @ (scale * alpha)),
        (wide.matmat(W), whole @ W.T),
        (wide.rmatmat(B), B.T @ whole),
        (out, after),
        (wide.part(3, 9).matvec(w), whole[3:9] @ w),
        (wide.take(some).matvec(w), whole[some] @ w),
        (wide.T.matvec(alpha), whole.T @ alpha),
        (wide.twofold_matvec(w)[0], whole @ w),
        (wide.twofold_rmatvec(alpha)[0], whole.T @ alpha),
        (wide.running_rmatvec(alpha)[0], whole.T @ alpha),
        (wide.row_norms2, (whole**2).sum(axis=1)),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_its_rows_can_be_walked(wide, whole):
    kind, arrays = wide.rows()
    found = arrays[0] if kind == "dense" else sparse.csr_array(arrays, shape=whole.shape).toarray()
    np.testing.assert_allclose(found, whole, atol=1e-12)
    out = np.zeros((D + 1, D + 1))
    wide.add_outer(np.arange(N), np.ones(N), out)
    np.testing.assert_allclose(np.triu(out), np.triu(whole.T @ whole), atol=1e-12)


def test_bounds_of_sizes_hold(wide, whole):
    assert (wide.row_bounds >= np.linalg.norm(whole, axis=1)).all() and (wide.row_sizes >= abs(wide.value)).all()
    assert wide.norm_bound >= np.linalg.norm(whole, 2)
    assert (wide.abs_sums()[0] >= np.abs(whole).sum(axis=1)).all()
    assert (wide.abs_sums()[1] >= np.abs(whole).sum(axis=0)).all()
    assert np.all(wide.counts >= (whole != 0).sum(axis=1))


def test_the_constant_is_apart_for_kernels_that_know_ones(storage):
    assert WithConstant(storage).split_constant() == (storage, True)
    stored, has_constant = WithConstant(storage, 0.1).split_constant()
    assert not has_constant and stored.shape == (N, D + 1)
    w = np.append(np.zeros(D), 1.0)
    np.testing.assert_array_equal(stored.matvec(w), np.full(N, 0.1))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_refuses_a_constant_that_is_no_number(storage, value):
    with pytest.raises(ValueError, match="value must be a finite number"):
        WithConstant(storage, value)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e8, 1e160])
@pytest.mark.parametrize("value", [1.0, 0.1, -1e8, 1e-300, 5e-324])
def test_its_rounding_is_bounded_in_rational_arithmetic(store, size, value):
    rng = np.random.default_rng(3)
    X, alpha = size * rng.standard_normal((40, 5)), rng.standard_normal(40)
    w = rng.standard_normal(6)
    operator = LabelRows(WithConstant(check_data(store(X)), value), 1)
    rows = [[Fraction(x) for x in row] + [Fraction(value)] for row in X.tolist()]
    exact = [sum(a * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in rows]
    off = [abs(Fraction(x) - y) for x, y in zip(operator.matvec(w).tolist(), exact, strict=True)]
    assert all(error <= Fraction(bound) for error, bound in zip(off, operator.matvec_error(w).tolist(), strict=True))
    adjoint = [sum(row[j] * Fraction(a) for row, a in zip(rows, alpha.tolist(), strict=True)) for j in range(6)]
    away = sum((Fraction(x) - y) ** 2 for x, y in zip(operator.rmatvec(alpha).tolist(), adjoint, strict=True))
    assert away <= Fraction(operator.rmatvec_error(alpha)) ** 2
