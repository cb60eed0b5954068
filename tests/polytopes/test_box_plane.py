"""The box cut by a plane: which bias is returned, what is refused, and a million rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pragam.numerics.rounding import TINY
from pragam.polytopes import Box, BoxPlane, Simplices

from .strategies import boxes, exact, exact_biases, vectors


def test_bias_is_the_midpoint_of_its_interval():
    # Two rows of each class with margins that any b in [-1, 2] separates equally well.
    Q = BoxPlane(np.zeros(2), np.ones(2), np.array([1.0, -1.0]))
    value, b = (
        Q.support(s := np.array([2.0, 1.0])),
        Q.multiplier(s),
    )  # beta = (a, -a): kinks at 2 and -1, slope 0 between them
    assert (value, b) == (pytest.approx(3.0), pytest.approx(0.5))


def test_bias_of_a_half_line_is_just_inside_and_of_all_numbers_zero():
    up = BoxPlane(np.zeros(2), np.ones(2), np.ones(2), 2.0)
    s = np.array([3.0, 5.0])
    assert (up.support(s), up.multiplier(s)) == (pytest.approx(8.0), pytest.approx(3.0, rel=1e-5))
    assert up.multiplier(s) < 3.0
    down = BoxPlane(np.zeros(2), np.ones(2), np.ones(2), 0.0)
    assert (down.support(s), down.multiplier(s)) == (0.0, pytest.approx(5.0, rel=1e-5))
    assert down.multiplier(s) > 5.0
    no_plane = BoxPlane([0.0], [1.0], [0.0])
    assert (no_plane.support(np.array([4.0])), no_plane.multiplier(np.array([4.0]))) == (4.0, 0.0)


def test_slopes_within_rounding_count_as_flat():
    weights = np.array([0.1, 0.2, 0.3])  # 0.1 + 0.2 - 0.3 is not 0 in floating point
    Q = BoxPlane(np.zeros(3), weights, np.array([1.0, 1.0, -1.0]))
    value, b = Q.support(s := np.array([4.0, 4.0, 2.0])), Q.multiplier(s)  # kinks 4, 4, -2
    assert b == pytest.approx(1.0)
    assert value == pytest.approx(0.3 * 6)


def random_set(rng, plane):
    n = int(rng.integers(2, 12))
    lower = -rng.random(n)
    upper, sigma = lower + rng.random(n), rng.choice([-1.0, 0.5, 2.0], n)
    if not plane:
        return Box(lower, upper)
    return BoxPlane(lower, upper, sigma, float(sigma @ (lower + rng.random(n) * (upper - lower))))


@pytest.mark.parametrize("plane", [False, True])
def test_all_rows_in_another_order_are_the_same_set(plane):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Q = random_set(rng, plane)
        order = rng.permutation(Q.size)
        part, alpha = Q.take(order), Q.sample(rng)
        assert type(part) is type(Q) and part.contains(alpha[order])
        assert part.support(alpha[order]) == pytest.approx(Q.support(alpha))


def test_a_sample_of_the_rows_grows_to_the_total():
    part = Box(np.zeros(4), np.arange(1.0, 5.0)).take(np.array([1, 3]), growth=2.0)
    assert part.upper.tolist() == [4.0, 8.0]


@pytest.mark.parametrize("plane", [False, True])
def test_onto_face_is_in_the_set_and_leaves_rows_at_their_bounds_where_it_can(plane):
    kept = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        Q = random_set(rng, plane)
        alpha = np.clip(Q.sample(rng) + 0.01 * rng.standard_normal(Q.size), Q.lower, Q.upper)
        moved = Q.onto_face(alpha)
        assert Q.contains(moved)
        bound = (alpha == Q.lower) | (alpha == Q.upper)
        kept += np.array_equal(moved[bound], alpha[bound])
        if not plane:
            assert moved is alpha
    assert kept >= 40


@pytest.mark.parametrize("z", [-1.1, 3.5])
def test_empty_set_is_refused_with_the_interval(z):
    with pytest.raises(ValueError, match=r"\[-1\.0, 2\.0\]"):
        BoxPlane(np.zeros(3), np.ones(3), np.array([1.0, 1.0, -1.0]), z)


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (lambda: Box([0.0, 2.0], [1.0, 1.0]), "lower"),
        (lambda: Box([0.0, np.nan], [1.0, 1.0]), "lower"),
        (lambda: Box([np.inf], [np.inf]), "lower"),
        (lambda: Box(np.zeros((2, 2)), 1.0), "vectors"),
        (lambda: BoxPlane([0.0], [1.0], [np.nan]), "sigma"),
        (lambda: BoxPlane([0.0], [1.0], [np.inf]), "sigma"),
        (lambda: BoxPlane([0.0], [1.0], [1.0, 2.0, 3.0]), "sigma"),
        (lambda: BoxPlane([0.0], [1.0], [1.0], np.nan), "z must"),
        (lambda: Simplices([-1.0], 2), "totals"),
        (lambda: Simplices([1.0], 0), "K must"),
    ],
)
def test_invalid_sets_are_refused(build, named):
    with pytest.raises(ValueError, match=named):
        build()


def test_a_warm_multiplier_changes_nothing():
    rng = np.random.default_rng(0)
    Q = BoxPlane(np.zeros(1000), rng.random(1000), rng.choice([-1.0, 1.0], 1000))
    v = rng.standard_normal(1000)
    for start in (-100.0, 0.0, 0.3, 1e9):
        np.testing.assert_allclose(Q.project(v, start), Q.project(v), rtol=0, atol=1e-14)


def test_a_million_rows():
    n = 10**6
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.2, 1.0, -1.0)
    s = np.round(rng.standard_normal(n), 3)  # many ties
    Q = BoxPlane(np.zeros(n), np.full(n, 1 / n), y)
    vertex, value = Q.maximise_linear(s), Q.support(s)
    assert Q.contains(vertex)
    assert Q.contains(Q.project(s / n))
    assert np.dot(vertex, s) == pytest.approx(value, rel=1e-13)


@settings(max_examples=150)
@given(boxes(plane=True), st.data())
def test_multiplier_bounds_enclose_the_best_biases_of_all_scores_that_near(drawn, data):
    """In rational arithmetic; and the interval is no wider than the scores at the ends of their room make it."""
    Q, _, s = drawn
    s = s * data.draw(st.sampled_from([1.0, 0.1]))  # one that rounds
    room = (
        data.draw(vectors(Q.size, st.integers(0, 4)))
        * float(np.abs(s).max())
        * data.draw(st.sampled_from([0.25, 0.3, 0.003]))
    )
    signs = data.draw(vectors(Q.size, st.sampled_from([0.0, 1.0, -1.0, 0.5])))
    ends = [float(end[0]) for end in Q.multiplier_bounds(s, room)]
    normal = np.sign(Q.sigma)
    left, right, other = ([x + r * k for x, r, k in zip(*map(exact, (s, room, part)), strict=True)]
                          for part in (-normal, normal, signs))  # fmt: skip
    for scores in (left, right, other, exact(s)):
        low, high = exact_biases(Q, scores)
        assert ends[0] <= low and high <= ends[1]
    noise = (1e-9 * float(np.max(np.abs(s) + room)) + 8 * TINY) / np.abs(Q.sigma[Q.sigma != 0]).min(initial=np.inf)
    assert_near(ends, (exact_biases(Q, left)[0], exact_biases(Q, right)[1]), noise)


def assert_near(ends, expected, noise):
    for end, true in zip(ends, expected, strict=True):
        assert end == true if np.isinf(float(true)) else abs(end - true) <= noise + 4 * TINY


@settings(max_examples=150)
@given(boxes(plane=True))
def test_the_bias_lies_among_the_best_ones(drawn):
    """The midpoint of an interval, inside a half-line, and 0 where all are equally good."""
    Q, _, s = drawn
    low, high = map(float, exact_biases(Q, exact(s)))
    b = Q.multiplier(s)
    if low == -np.inf and high == np.inf:
        assert b == 0
        return
    noise = 1e-13 * float(np.max(np.abs(s))) / np.abs(Q.sigma[Q.sigma != 0]).min(initial=np.inf)
    assert_near(Q._biases(s), (low, high), noise)
    if np.isfinite(low) and np.isfinite(high):
        assert b == pytest.approx(low / 2 + high / 2, rel=1e-13, abs=noise)
    else:
        assert low < b < high


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_multiplier_bounds_of_scores_that_overflowed_say_nothing(bad):
    Q = BoxPlane(np.zeros(2), np.ones(2), np.array([1.0, -1.0]))
    assert Q.multiplier_bounds(np.array([bad, 1.0]), np.full(2, np.inf)) == (-np.inf, np.inf)
    unbounded = BoxPlane(np.zeros(2), np.full(2, np.inf), np.array([1.0, -1.0]))
    assert unbounded.multiplier_bounds(np.ones(2), np.zeros(2)) == (-np.inf, np.inf)
