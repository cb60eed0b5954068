"""Pairs of labels: the projection by an interior-point method, sizes far apart, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from clarabel_qp import pairs_rows, project
from pragam.polytopes import Pairs


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, K = rng.integers(1, 6), rng.integers(2, 9)
    wrong = rng.random((n, K)) < rng.choice([0.2, 0.5, 0.8])
    return rng, Pairs(rng.exponential(size=n) * (rng.random(n) < 0.9), wrong)


@pytest.mark.parametrize("seed", range(60))
def test_the_projection_is_that_of_an_interior_point_method(seed):
    rng, Q = drawn(seed)
    v = (
        10 ** rng.uniform(-1, 1) * rng.standard_normal(Q.size)
        + rng.choice([0.0, 0.0, 1.0]) * np.where(Q.wrong, 5, -5).ravel()
    )
    np.testing.assert_allclose(Q.project(v), project(v, *pairs_rows(Q.totals, Q.wrong)), atol=2e-6)


@pytest.mark.parametrize("offset", [1e3, 1e8, 1e15])
def test_large_scores_that_cancel_lose_only_their_own_digits(offset):
    """v + offset on the wrong labels, - offset on the right ones: the same projection, but for the rounding of v."""
    for seed in range(20):
        rng, Q = drawn(seed)
        sign = np.where(Q.wrong, 1.0, -1.0).ravel()
        shifted = rng.integers(-8, 9, Q.size) / 4 * np.spacing(offset) * 4 + offset * sign
        v = shifted - offset * sign
        Q = Q.take(np.arange(Q.n_blocks), growth=np.spacing(offset))
        assert Q.contains(Q.project(shifted), 1e-14)
        np.testing.assert_allclose(Q.project(shifted), Q.project(v), rtol=0, atol=1e-12 * np.spacing(offset))


def test_the_largest_numbers_are_projected():
    Q = Pairs([1.0], [[True, True, False]])
    np.testing.assert_array_equal(Q.project(np.array([1.7e308, -1.7e308, 1.7e308])), [1.0, 0.0, 1.0])
    np.testing.assert_array_equal(Q.project(np.array([-1.7e308, -1.7e308, -1.7e308])), [0.0, 0.0, 0.0])
    with np.errstate(over="ignore"):
        assert Q.support_bound(np.full(3, 1e308), np.zeros(3), 0.1) == (np.inf, np.inf)


def test_an_example_without_a_pair_has_no_mass():
    Q = Pairs([1.0, 2.0, 3.0], [[True, True], [False, False], [True, False]])
    np.testing.assert_array_equal(Q.totals, [0.0, 0.0, 3.0])
    np.testing.assert_array_equal(Q.project(np.full(6, 9.0)), [0, 0, 0, 0, 3, 3])
    assert Q.violation(np.array([0, 0, 0.3, 0, 0, 0])) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "totals, wrong, message",
    [([1.0], [True, False], "wrong must be a matrix"), ([1.0, 1.0], [[True, False]], "wrong has 1 rows"),
     ([-1.0], [[True, False]], "totals must"), ([1.0], np.zeros((1, 0), bool), "K must")],
)  # fmt: skip
def test_what_is_wrong_is_named(totals, wrong, message):
    with pytest.raises(ValueError, match=message):
        Pairs(totals, wrong)
    with pytest.raises(ValueError, match="v must be finite"):
        Pairs([1.0], [[True, False]]).project(np.array([np.nan, 0.0]))
