"""The projection on box and plane: three methods, one answer, on hard instances too."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pragam.polytopes import project_box_plane, project_simplex

METHODS = ["newton", "median", "sort"]
INF = np.inf


def assert_optimal(alpha, t, m, lower, upper, sigma, z, d):
    """The KKT conditions: alpha in the box and on the plane, and the clip of m + t sigma/d^2 by the box."""
    assert np.all((lower <= alpha) & (alpha <= upper))
    # Below the smallest normal number float64 has no relative accuracy to offer.
    rounding = 1e-13 * np.sum(np.abs(sigma * alpha)) + np.finfo(np.float64).tiny
    assert np.sum(sigma * alpha) == pytest.approx(z, rel=1e-13, abs=rounding)
    free = m + t * sigma / d**2
    noise = 1e-13 * np.max(np.abs(m) + np.abs(t * sigma / d**2) + np.abs(alpha), initial=0) + np.finfo(np.float64).tiny
    np.testing.assert_allclose(alpha, np.clip(free, lower, upper), rtol=0, atol=noise)


def check_all_methods(m, lower, upper, sigma, z, d):
    answers = []
    for method in METHODS:
        alpha, t = project_box_plane(m, lower, upper, sigma, z, d, method=method, return_multiplier=True)
        assert np.isfinite(t)
        assert_optimal(alpha, t, m, lower, upper, sigma, z, d)
        answers.append(alpha)
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], rtol=0, atol=1e-12 * np.abs(answers[0]).max(initial=0))


values = st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 0.1, 1 / 3, 10.0, -0.7])
row = st.tuples(
    values,  # m
    st.sampled_from([-INF, -1.0, 0.0, 0.0, 0.25]),  # lower
    st.sampled_from([0.0, 0.25, 1.0, 5.0, INF]),  # width
    st.sampled_from([1.0, -1.0, 1.0, -1.0, 0.0, 2.5, -0.3]),  # sigma
    st.sampled_from([1.0, 1.0, 2.0, 0.5]),  # d
)


@settings(max_examples=400, deadline=None)
@given(st.lists(row, min_size=0, max_size=9), st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)))
def test_hard_rows(rows, where):
    m, lower, width, sigma, d = np.array(rows, dtype=float).reshape(-1, 5).T
    upper = np.where(np.isinf(lower), 1.0, lower) + width
    used = sigma != 0
    ends = [np.sum(sigma[used] * np.where(side * sigma > 0, upper, lower)[used]) for side in (-1, 1)]
    ends = np.sort(np.nan_to_num(np.array(ends), neginf=min(-2, ends[1] - 3), posinf=max(2, ends[0] + 3)))
    z = (1 - where) * ends[0] + where * ends[1]
    check_all_methods(m, lower, upper, sigma, z, d)


def interior_point(m, lower, upper, sigma, z, d):
    """The same projection by Clarabel."""
    n = len(m)
    quadratic = sparse.diags(d**2, format="csc")
    rows = sparse.csc_matrix(np.vstack([sigma, np.eye(n), -np.eye(n)]))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    precise = clarabel.DefaultSettings()
    precise.verbose = False
    precise.tol_gap_abs = precise.tol_gap_rel = precise.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(quadratic, -(d**2) * m, rows, np.concatenate([[z], upper, -lower]), cones, precise)
    return np.array(solver.solve().x)


def test_random_rows_against_an_interior_point_solver():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 30
        m, d = rng.normal(0, 2, n), rng.uniform(0.5, 2, n)
        sigma = rng.choice([-1.0, 1.0, 0.0, 0.5], n)
        lower, upper = -rng.random(n), rng.random(n)
        qp = m, lower, upper, sigma, float(sigma @ rng.uniform(lower, upper)), d
        check_all_methods(*qp)
        theirs = interior_point(*qp)
        np.testing.assert_allclose(project_box_plane(*qp), theirs, rtol=0, atol=1e-7, err_msg=f"seed {seed}")


@pytest.mark.parametrize("method", METHODS)
def test_two_equal_entries_on_the_simplex(method):
    """The paper's Algorithm 2 never ends here: its kinks are {0, 0, 1, 1}."""
    np.testing.assert_array_equal(project_box_plane([0.0, 0.0], 0.0, 1.0, 1.0, 1.0, method=method), [0.5, 0.5])


@pytest.mark.parametrize("scale", [1e150, 1e-160, 1e300, 1e-300])
@pytest.mark.parametrize("method", METHODS)
def test_extreme_scales(method, scale):
    m = scale * np.array([1.0, 1.0, -2.0, 0.5, 3.0])
    for bound in (1.0, min(scale, 1e250)):
        alpha = project_box_plane(m, 0.0, bound, 1.0, 1.5 * bound, method=method)
        assert alpha.sum() == pytest.approx(1.5 * bound, rel=1e-13)
        assert np.all((alpha >= 0) & (alpha <= bound))
        assert np.all(np.diff(alpha[np.argsort(m)]) >= -1e-13 * bound)  # the projection keeps the order


@pytest.mark.parametrize("method", METHODS)
def test_wide_weights(method):
    rng = np.random.default_rng(0)
    n = 200
    m, sigma, d = rng.standard_normal(n), 10 ** rng.uniform(-8, 8, n), 10 ** rng.uniform(-8, 8, n)
    z = float(sigma @ rng.random(n))
    alpha, t = project_box_plane(m, 0.0, 1.0, sigma, z, d, method=method, return_multiplier=True)
    assert_optimal(alpha, t, m, 0.0, 1.0, sigma, z, d)


@pytest.mark.parametrize("n", [1, 7, 1023, 1024, 1025, 70_000])
def test_agrees_with_the_simplex_projection(n):
    v = np.random.default_rng(n).standard_normal(n)
    np.testing.assert_allclose(project_box_plane(v, 0.0, INF, 1.0, 2.0), project_simplex(v, 2.0), rtol=0, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_a_million_rows(method):
    n = 10**6
    rng = np.random.default_rng(0)
    m, y = rng.normal(0.4, 1.0, n), rng.choice([-1.0, 1.0], n)
    alpha, t = project_box_plane(m, 0.0, 1.0, y, 100.0, method=method, return_multiplier=True)
    assert_optimal(alpha, t, m, 0.0, 1.0, y, 100.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_ends_of_the_range(method):
    m, sigma = np.array([5.0, -5.0, 0.3, 9.0]), np.array([1.0, -2.0, 1.0, 0.0])
    for z, expected in (
        (-2.0, [0, 1, 0, 1]),
        (-2.0 + 4e-16, [0, 1, 0, 1]),
        (2.0 - 4e-16, [1, 0, 1, 1]),
        (2.0 + 4e-16, [1, 0, 1, 1]),
    ):
        alpha, t = project_box_plane(m, 0.0, 1.0, sigma, z, method=method, return_multiplier=True)
        np.testing.assert_array_equal(alpha, expected)
        np.testing.assert_array_equal(np.clip(m + t * sigma, 0, 1), expected)


def test_nothing_to_decide():
    np.testing.assert_array_equal(project_box_plane([0.5, 7.0], 0.0, 1.0, 0.0, 0.0), [0.5, 1.0])
    assert project_box_plane(np.empty(0), 0.0, 1.0, 1.0, 0.0).shape == (0,)


@pytest.mark.parametrize("z", [-0.1, 2.1])
def test_infeasible_level_names_the_interval(z):
    with pytest.raises(ValueError, match=r"infeasible.*\[0\.0, 2\.0\]"):
        project_box_plane([0.0, 0.0], 0.0, 1.0, 1.0, z)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"m": [np.nan, 0.0]}, "m contains NaN"),
        ({"m": [np.nan, 0.0], "z": 2.0}, "m contains NaN"),
        ({"m": [np.nan, 0.0], "method": "median"}, "m contains NaN"),
        ({"m": [np.nan, 0.0], "method": "sort"}, "m contains NaN"),
        ({"m": [[0.0]]}, "m must"),
        ({"lower": np.nan}, "lower contains NaN"),
        ({"upper": [1.0, np.nan]}, "upper contains NaN"),
        ({"lower": [0.0, 2.0]}, "lower must not exceed upper.*row 1"),
        ({"sigma": [1.0, np.nan]}, "sigma contains NaN"),
        ({"sigma": [1.0, 1.0, 1.0]}, "sigma must"),
        ({"z": np.nan}, "z must"),
        ({"d": 0.0}, "d must"),
        ({"d": [1.0, np.nan]}, "d must"),
        ({"method": "bisect"}, "newton, median, sort"),
    ],
)
def test_invalid_arguments_are_named(changed, named):
    arguments = {"m": [0.0, 0.0], "lower": 0.0, "upper": 1.0, "sigma": 1.0, "z": 1.0} | changed
    with pytest.raises(ValueError, match=named):
        project_box_plane(**arguments)
