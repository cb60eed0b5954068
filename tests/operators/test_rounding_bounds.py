"""What an operator says of its rounding holds, by rational arithmetic, on data that round as badly as can be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from pragam.numerics.rounding import U
from pragam.operators import Columns, Counting, LabelRows, ScaledRows, SharedRows

STORES = {"dense": np.asarray, "dense F": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}


def exact(x):
    return [Fraction(a) for a in np.asarray(x, dtype=float).ravel().tolist()]


def sticky(n):
    """1 and then numbers just above half a unit in its last place: added one after the other, each rounds up."""
    return np.r_[1.0, np.full(n - 1, U * (1 + 2.0**-10))]


def ordinary(rng, shape):
    return rng.standard_normal(shape) * 10.0 ** rng.uniform(-6, 6, shape)


def rows_of(operator, X):
    """A as rows of Fractions, from its definition."""
    X = [exact(row) for row in X]
    if isinstance(operator, Counting):
        operator = operator.operator
    if isinstance(operator, LabelRows):
        scale = exact(np.ones(operator.shape[0]) if operator.scale is None else operator.scale)
        d, zero = len(X[0]), Fraction(0)
        rows = [[zero] * (k * d) + x + [zero] * ((operator.K - 1 - k) * d) for x in X for k in range(operator.K)]
        return [[s * v for v in row] for s, row in zip(scale, rows, strict=True)]
    if isinstance(operator, SharedRows):
        X = [X[i] for i in operator.number.tolist()]
    X = [list(column) for column in zip(*X, strict=True)] if isinstance(operator, Columns) else X
    return [[s * v for v in row] for s, row in zip(exact(operator.scale), X, strict=True)]


def operators(rng, store, X):
    n, K = len(X), 3
    stored = store(X)
    scale = 10.0 ** rng.uniform(-3, 3, n) * rng.choice([-1.0, 1.0], n)
    yield ScaledRows(stored, np.where(scale > 0, 1.0, -1.0))
    yield ScaledRows(stored, scale)
    yield ScaledRows(stored, np.full(n, 1e3 / 3))
    yield Counting(ScaledRows(stored, scale))
    number = rng.integers(0, n, 3 * n)
    yield SharedRows(stored, number, np.repeat(np.where(scale > 0, 1.0, -1.0), 3))
    yield SharedRows(stored, number, np.repeat(scale, 3))
    yield Counting(SharedRows(stored, np.arange(n)[::-1], scale))
    yield Columns(stored)
    yield LabelRows(stored, K)
    yield LabelRows(stored, K, rng.choice([-1.0, 1.0], n * K))


def check(operator, A, w, alpha):
    exact_w, exact_alpha = exact(w), exact(alpha)
    scores = [sum(a * v for a, v in zip(row, exact_w, strict=True)) for row in A]
    plain, error = exact(operator.matvec(w)), exact(operator.matvec_error(w))
    high, low, sharp_error = map(exact, operator.sharp_matvec(w))
    for true, value, bound, first, second, sharp in zip(scores, plain, error, high, low, sharp_error, strict=True):
        assert abs(value - true) <= bound
        assert abs(first + second - true) <= sharp <= max(error) * Fraction(1e-10) + Fraction(1e-290)
    sums = [sum(a * row[j] for a, row in zip(exact_alpha, A, strict=True)) for j in range(operator.shape[1])]
    plain = operator.rmatvec(alpha), operator.rmatvec_error(alpha)
    for value, bound in (plain, operator.running_rmatvec(alpha), operator.sharp_rmatvec(alpha)):
        assert sum((v - t) ** 2 for v, t in zip(exact(value), sums, strict=True)) <= Fraction(bound) ** 2
    lengths2 = [sum(a * a for a in row) for row in A]
    bounds = exact(operator.row_bounds(np.arange(len(A))))
    for length2, bound in zip(lengths2, bounds, strict=True):
        assert length2 <= bound**2 <= 2 * length2 + Fraction(1e-290)


@pytest.mark.parametrize("store", STORES)
def test_products_are_within_their_bounds(store):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((9, 4)) < 0.8, ordinary(rng, (9, 4)), 0.0)
        for operator in operators(rng, STORES[store], X):
            w, alpha = ordinary(rng, operator.shape[1]), ordinary(rng, operator.shape[0])
            check(operator, rows_of(operator, X), w, alpha)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("n", [7, 90])
def test_sums_that_always_round_up_are_within_their_bounds(store, n):
    """A column, and a row, of which every partial sum rounds the same way."""
    rng = np.random.default_rng(n)
    for X in (sticky(n)[:, None], sticky(n)[None, :]):
        for operator in operators(rng, STORES[store], X):
            check(operator, rows_of(operator, X), np.ones(operator.shape[1]), np.ones(operator.shape[0]))


@pytest.mark.parametrize("r", [2, 6, 120])
@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_sums_over_a_shared_row_are_within_their_bounds(r, scale):
    """One entry: what rounds is the sum of the dual variables. In twice the precision its value is rounded once."""
    operator = SharedRows(np.ones((1, 1)), np.zeros(r, int), np.full(r, scale))
    alpha = sticky(r)
    check(operator, rows_of(operator, np.ones((1, 1))), np.array([0.1]), alpha)
    true = Fraction(scale) * sum(exact(alpha))
    off = abs(Fraction(operator.rmatvec(alpha)[0]) - true)
    assert r == 2 or scale != 1 or off > 4 * U  # so that a bound of a few roundings would not do
    value, bound = operator.sharp_rmatvec(alpha)
    assert abs(Fraction(value[0]) - true) <= Fraction(bound) <= Fraction(3 * U) * true


def test_sums_over_a_shared_row_that_cancel_keep_their_digits_in_twice_the_precision():
    """1e16 + 0.7 - 1e16 is 0 or 2 in float64."""
    operator = SharedRows(np.ones((1, 1)), np.zeros(3, int), np.ones(3))
    alpha = np.array([1e16, 0.7, -1e16])
    assert abs(operator.rmatvec(alpha)[0] - 0.7) <= operator.rmatvec_error(alpha)
    assert abs(operator.rmatvec(alpha)[0] - 0.7) > 0.5
    value, bound = operator.sharp_rmatvec(alpha)
    assert abs(value[0] - 0.7) <= bound <= 1e-14


def test_what_cancels_even_in_twice_the_precision_counts():
    """2^106 + 1 + 2^-60 - 1 - 2^106: two doubles hold 2^106 + 1 at most, and find 0."""
    operator = SharedRows(np.ones((1, 1)), np.zeros(5, int), np.ones(5))
    value, bound = operator.sharp_rmatvec(np.array([2.0**106, 1.0, 2.0**-60, -1.0, -(2.0**106)]))
    assert value[0] == 0 and 2.0**-60 <= bound <= 1e-13


def test_the_rounding_of_a_scaled_alpha_counts():
    operator = ScaledRows(np.ones((1, 1)), [1 / 3])
    check(operator, [[Fraction(1 / 3)]], np.array([0.1]), np.array([0.1]))
    value, bound = operator.sharp_rmatvec(np.array([0.1]))
    assert 0 < abs(Fraction(value[0]) - Fraction(1 / 3) * Fraction(0.1)) <= Fraction(bound)


def test_repeated_entries_that_cancel_leave_their_rounding():
    """4e15 + 0.7 - 4e15 in one place: of length 0.7, and float64 finds 0.5."""
    data = np.array([4e15, 0.7, -4e15])
    operator = ScaledRows(sparse.csr_array((data, np.zeros(3, int), np.array([0, 3])), shape=(1, 1)), [2.0])
    assert operator.row_norms()[0] == 1.0 and 1.4 <= operator.row_bounds(np.arange(1))[0] <= 20
    for product, bound in (
        (operator.matvec(np.ones(1)), operator.matvec_error(np.ones(1))[0]),
        (operator.rmatvec(np.ones(1)), operator.rmatvec_error(np.ones(1))),
        operator.running_rmatvec(np.ones(1)),
    ):
        assert product[0] == 1.0 and 0.4 <= bound <= 20


def repeated(n, kind):
    """Rows whose only column has these n entries, all stored: the first row's round up, the others' are 1."""
    data = np.r_[sticky(n), np.ones(n)]
    if kind is sparse.csr_array:
        return kind((data, np.zeros(2 * n, int), np.array([0, n, 2 * n])), shape=(2, 1))
    return kind((data, np.repeat([0, 1], n), np.array([0, 2 * n])), shape=(2, 1))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("n", [7, 300])
def test_a_column_may_have_more_entries_than_there_are_rows(kind, n):
    operator = ScaledRows(repeated(n, kind), [1.0, 1.0])
    A = [[sum(exact(sticky(n)))], [Fraction(n)]]
    for alpha in (np.array([1.0, 0.0]), np.array([1.0, -1.0 / n])):
        true = sum(a * row[0] for a, row in zip(exact(alpha), A, strict=True))
        plain = operator.rmatvec(alpha), operator.rmatvec_error(alpha)
        for value, bound in (plain, operator.running_rmatvec(alpha), operator.sharp_rmatvec(alpha)):
            assert abs(Fraction(value[0]) - true) <= Fraction(bound)


def test_a_running_bound_is_far_below_the_plain_one():
    """A column's rounding is that of its own entries, whatever the number of rows: a diagonal matrix has hardly any."""
    for store in STORES.values():
        operator = ScaledRows(store(np.eye(200)), np.ones(200))
        alpha = np.random.default_rng(0).random(200)
        few = 4 * U * np.linalg.norm(alpha)
        assert 0 < operator.running_rmatvec(alpha)[1] < few < operator.rmatvec_error(alpha) / 100


@pytest.mark.parametrize("inner", [ScaledRows(np.eye(3), np.ones(3)), LabelRows(np.eye(3), 2)])
def test_products_in_more_digits_are_counted(inner):
    operator = Counting(inner)
    operator.sharp_matvec(np.ones(operator.shape[1]))
    operator.sharp_matvec(np.ones(operator.shape[1]))
    operator.sharp_rmatvec(np.ones(operator.shape[0]))
    operator.running_rmatvec(np.ones(operator.shape[0]))
    assert (operator.matvecs, operator.rmatvecs) == (2, 2)
