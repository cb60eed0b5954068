"""Means and deviations of columns, beside exact ones: in every storage, with weights, at any scale and offset."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from storage_zoo import ALL, N, matrix

from pragam.operators import check_data
from pragam.operators.column_moments import column_moments, standardising


def exact(column, weights):
    """(mean, deviation) of a column, the sums in rationals, in units of its largest entry."""
    unit = float(np.abs(column).max(initial=0.0)) or 1.0
    x, u = [Fraction(v) / Fraction(unit) for v in column.tolist()], [Fraction(v) for v in weights.tolist()]
    mean = sum(a * b for a, b in zip(x, u, strict=True)) / sum(u)
    variance = sum(b * (a - mean) ** 2 for a, b in zip(x, u, strict=True)) / sum(u)
    return unit * float(mean), unit * sqrt(variance)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_storage_has_the_moments_of_the_matrix(name, weighted):
    weights = np.random.default_rng(2).integers(0, 3, N).astype(float) if weighted else None
    found = column_moments(check_data(ALL[name]), weights)
    wanted = [exact(column, np.ones(N) if weights is None else weights) for column in matrix().T]
    np.testing.assert_allclose(np.transpose(found), wanted, rtol=1e-12, atol=1e-15)
    assert found.deviation[6] == 0.0


@given(
    seed=st.integers(0, 2**32), n=st.integers(1, 30), scale=st.sampled_from([1e-250, 1e-6, 1.0, 1e6, 1e250]),
    offset=st.sampled_from([0.0, 1.0, -1e6]), store=st.sampled_from([np.asarray, sparse.csr_array, sparse.csc_array]),
)  # fmt: skip
@settings(deadline=None)
def test_they_are_exact_to_rounding_at_any_scale_and_offset(seed, n, scale, offset, store):
    rng = np.random.default_rng(seed)
    X = scale * (offset + rng.standard_normal((n, 3))) * (rng.random((n, 3)) < 0.7)
    X[:, 2] = scale * offset
    weights = rng.integers(0, 3, n) + (np.arange(n) == n - 1.0)
    found = column_moments(check_data(store(X)), weights)
    wanted = np.array([exact(column, weights) for column in X.T])
    np.testing.assert_allclose(found.mean, wanted[:, 0], rtol=1e-12, atol=1e-14 * np.abs(X).max(initial=1e-300))
    np.testing.assert_allclose(found.deviation, wanted[:, 1], rtol=1e-9, atol=1e-14 * np.abs(X).max(initial=1e-300))
    is_constant = [len(set(column[weights > 0].tolist())) == 1 for column in X.T]
    np.testing.assert_array_equal(found.deviation == 0, is_constant)


def test_a_weight_of_two_is_a_row_twice_and_of_zero_none():
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((20, 3)), rng.integers(0, 3, 20)
    twice = column_moments(check_data(np.repeat(X, weights, axis=0)))
    np.testing.assert_allclose(np.transpose(column_moments(check_data(X), weights)), np.transpose(twice), rtol=1e-13)


def test_the_entry_that_is_far_from_the_others_does_not_spoil_the_deviation():
    """Sums relative to one entry lose digits when that is the outlier; sums relative to the mean do not."""
    X = np.append(1e12, np.random.default_rng(0).standard_normal(1000))[:, None]
    weights = np.append(1e-30, np.ones(1000))
    assert column_moments(check_data(X), weights).deviation[0] == pytest.approx(exact(X[:, 0], weights)[1], rel=1e-9)


@pytest.mark.parametrize("size", [1e-290, 1e290])
def test_columns_beyond_any_scale_are_refused_by_number(size):
    X = np.array([[1.0, 0.0], [2.0, size]])
    with pytest.raises(ValueError, match=r"column 1 (has the standard deviation|overflows)"):
        standardising(check_data(X), True)


def test_nothing_is_learnt_of_no_rows():
    with pytest.raises(ValueError, match="no row has a weight"):
        standardising(check_data(np.ones((2, 2))), True, np.zeros(2))
