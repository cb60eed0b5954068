"""Standardised columns: as the matrix that has them, in every storage; rounding bounded in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from storage_zoo import ALL, D, N, matrix

from pragam.operators import LabelRows, ScaledRows, check_data
from pragam.operators.storage import ColumnMap, Standardized

_rng = np.random.default_rng(5)
FACTOR = np.where(np.arange(D) == 3, 0.0, 10.0 ** _rng.uniform(-3, 3, D))
MEAN = _rng.standard_normal(D)
MAPS = {"scaled": ColumnMap(FACTOR), "centred": ColumnMap(FACTOR, MEAN)}


@pytest.fixture(params=ALL, name="storage")
def plain(request):
    return check_data(ALL[request.param])


@pytest.fixture(params=MAPS, name="columns")
def column_map(request):
    return MAPS[request.param]


def mapped(X, columns):
    return (X - (0.0 if columns.mean is None else columns.mean)) * columns.factor


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-9)


def test_it_is_the_matrix_of_mapped_columns(storage, columns):
    Z, z = Standardized(storage, columns), mapped(matrix(), columns)
    rng = np.random.default_rng(0)
    w, alpha, W, B = (rng.standard_normal(shape) for shape in (D, N, (3, D), (N, 3)))
    scale, out = rng.standard_normal(N), rng.standard_normal((D, 3))
    after = out + z.T @ B
    Z.add_rmatmat(B, out)
    assert Z.shape == z.shape and Z.rigorous
    close(Z.matvec(w), z @ w)
    close(Z.matvec(w, scale), scale * (z @ w))
    close(Z.rmatvec(alpha), z.T @ alpha)
    close(Z.rmatvec(alpha, scale), z.T @ (scale * alpha))
    close(Z.matmat(W), z @ W.T)
    close(Z.rmatmat(B), B.T @ z)
    close(out, after)
    close(Z.part(3, 9).matvec(w), z[3:9] @ w)
    close(sum(Z.twofold_matvec(w)[:2]), z @ w)
    close(Z.twofold_rmatvec(alpha)[0], z.T @ alpha)
    close(Z.running_rmatvec(alpha)[0], z.T @ alpha)


def test_several_products_at_once_are_those_one_by_one_to_the_bit(storage, columns):
    Z, rng = Standardized(storage, columns), np.random.default_rng(1)
    W, B = rng.standard_normal((3, D)), rng.standard_normal((3, N))
    np.testing.assert_array_equal(Z.matvecs(W), [Z.matvec(w) for w in W])
    np.testing.assert_array_equal(Z.rmatvecs(B), [Z.rmatvec(alpha) for alpha in B])


def test_its_rows_can_be_walked_unless_they_would_be_dense(storage, columns):
    Z, z = Standardized(storage, columns), mapped(matrix(), columns)
    if columns.mean is not None and not storage.is_dense:
        assert "rows" in Z.lacks
        with pytest.raises(ValueError, match="would be dense"):
            Z.rows()
        return
    assert not Z.lacks
    kind, arrays = Z.rows()
    assert kind == storage.rows()[0]
    close(arrays[0] if kind == "dense" else sparse.csr_array(arrays, shape=z.shape).toarray(), z)
    out, some, w = np.zeros((D, D)), np.array([4, 0, 17]), np.ones(D)
    Z.add_outer(np.arange(N), np.ones(N), out)
    np.testing.assert_allclose(np.triu(out), np.triu(z.T @ z), rtol=1e-9, atol=1e-6)
    close(Z.take(some).matvec(w), z[some] @ w)
    close(Z.T.matvec(np.ones(N)), z.T @ np.ones(N))


def test_bounds_of_sizes_hold(storage, columns):
    Z, z = Standardized(storage, columns), mapped(matrix(), columns)
    lengths = np.linalg.norm(z, axis=1)
    assert (Z.row_bounds >= lengths * (1 - 1e-12)).all() and (Z.row_sizes >= lengths * (1 - 1e-12)).all()
    np.testing.assert_allclose(np.sqrt(Z.row_norms2), lengths, rtol=1e-6, atol=1e-6)
    assert Z.norm_bound >= np.linalg.norm(z, 2) * (1 - 1e-12)
    assert (Z.abs_sums()[0] >= np.abs(z).sum(axis=1) * (1 - 1e-12)).all()
    assert (Z.abs_sums()[1] >= np.abs(z).sum(axis=0) * (1 - 1e-12)).all()


STORES = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array}
#: Columns of ordinary size; of sizes from 1e-9 to 1e9 that become 1; a mean 1e9 times the deviation; extremes.
HARD = {
    "plain": (np.zeros(5), np.ones(5)),
    "scales": (np.zeros(5), 10.0 ** np.array([-9.0, -3, 0, 5, 9])),
    "offsets": (1e9 * np.arange(5), np.ones(5)),
    "large": (np.zeros(5), np.full(5, 1e140)),
    "small": (np.zeros(5), np.full(5, 1e-140)),
}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("hard", HARD)
@pytest.mark.parametrize("centred", [False, True])
def test_its_rounding_is_bounded_in_rational_arithmetic(store, hard, centred):
    rng, (offset, size) = np.random.default_rng(3), HARD[hard]
    X = offset + size * rng.standard_normal((40, 5))
    mean = offset + 0.1 * size
    Z = Standardized(check_data(STORES[store](X)), ColumnMap(1.1 / size, mean if centred else None))
    w, alpha = rng.standard_normal(5), rng.standard_normal(40)
    means, factors = [Fraction(m) if centred else Fraction(0) for m in mean], [Fraction(f) for f in 1.1 / size]
    rows = [[(Fraction(x) - m) * f for x, m, f in zip(row, means, factors, strict=True)] for row in X.tolist()]
    scores = [sum(a * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in rows]
    sums = [sum(row[j] * Fraction(a) for row, a in zip(rows, alpha.tolist(), strict=True)) for j in range(5)]
    for A in (ScaledRows(Z, np.ones(40)), LabelRows(Z, 1)):
        high, low, error = A.sharp_matvec(w)
        plain = zip(A.matvec(w).tolist(), np.zeros(40), A.matvec_error(w).tolist(), strict=True)
        for products in (plain, zip(high.tolist(), low.tolist(), error.tolist(), strict=True)):
            for (value, tail, bound), exact in zip(products, scores, strict=True):
                assert abs(Fraction(value) + Fraction(tail) - exact) <= Fraction(bound)
        for value, bound in (
            (A.rmatvec(alpha), A.rmatvec_error(alpha)), A.running_rmatvec(alpha), A.sharp_rmatvec(alpha)
        ):  # fmt: skip
            away = sum((Fraction(x) - y) ** 2 for x, y in zip(value.tolist(), sums, strict=True))
            assert away <= Fraction(bound) ** 2


@pytest.mark.parametrize("centred", [False, True])
def test_twice_the_precision_is_worth_its_name(centred):
    rng = np.random.default_rng(3)
    X, mean = 1e6 + rng.standard_normal((60, 5)), np.full(5, 1e6)
    A = ScaledRows(Standardized(check_data(X), ColumnMap(np.ones(5), mean if centred else None)), np.ones(60))
    w, alpha = rng.standard_normal(5), rng.standard_normal(60)
    assert A.sharp_matvec(w)[2].max() < 1e-6 * A.matvec_error(w).max()
    assert A.sharp_rmatvec(alpha)[1] < 1e-3 * A.rmatvec_error(alpha)


@pytest.mark.parametrize(
    ("factor", "mean", "message"),
    [
        ([1.0, np.nan], None, "factor must hold a finite number"),
        ([1.0, 1e-300], None, "factor must hold 0 or numbers between"),
        ([1.0, 1e300], None, "factor must hold 0 or numbers between"),
        ([1.0, 1.0], [0.0, np.inf], "mean must hold a finite number"),
        ([1.0, 1.0], [0.0], "mean must hold a finite number"),
    ],
)
def test_refuses_maps_that_are_none(factor, mean, message):
    with pytest.raises(ValueError, match=message):
        ColumnMap(np.array(factor), None if mean is None else np.array(mean))


def test_refuses_a_map_of_other_columns():
    with pytest.raises(ValueError, match="X has 11 columns, and 2 are to be mapped"):
        Standardized(check_data(matrix()), ColumnMap(np.ones(2)))
