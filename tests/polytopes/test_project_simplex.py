"""The projection on the simplex, by rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pragam.polytopes import project_simplex

entries = st.one_of(st.sampled_from([0.0, 1.0, 1e150, -1e150, 1e-160]), st.floats(-100, 100))


@given(arrays(float, array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=8), elements=entries))
def test_rows_are_the_clip_of_a_shift_and_sum_to_the_total(v):
    for total in (0.0, 1.0, 1e-9, 30.0):
        alpha = project_simplex(v, total)
        assert np.all(alpha >= 0)
        np.testing.assert_allclose(alpha.sum(axis=-1), total, rtol=1e-14)
        # Any two positive entries were lowered by the same amount, and by no less than a zero one needed.
        rows, before = np.atleast_2d(alpha), np.atleast_2d(v)
        for a, b in zip(rows, before, strict=True):
            theta = (b - a)[a > 0]
            noise = 1e-13 * (np.abs(b).max() + total)
            assert np.ptp(theta) <= noise if theta.size else total == 0
            assert np.all(b[a == 0] <= theta.min(initial=np.inf) + noise)


def test_totals_by_row():
    v = np.random.default_rng(0).standard_normal((3, 4))
    totals = np.array([0.0, 1.0, 7.0])
    rows = np.array([project_simplex(row, total) for row, total in zip(v, totals, strict=True)])
    np.testing.assert_array_equal(project_simplex(v, totals), rows)


@pytest.mark.parametrize(
    ("v", "total", "named"),
    [
        ([1.0], -1.0, "total"),
        ([1.0], np.nan, "total"),
        ([np.nan], 1.0, "v must"),
        ([], 1.0, "v must"),
        ([[1.0]], [1.0, 2.0], "total"),
    ],
)
def test_invalid_arguments_are_named(v, total, named):
    with pytest.raises(ValueError, match=named):
        project_simplex(v, total)
