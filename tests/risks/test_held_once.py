"""Columns of one number are held once where data come in blocks: the same problem, which says the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from block_problems import box_risks, in_blocks
from pragam.certificate import certify
from pragam.numerics.constant import as_column, is_once, once
from pragam.polytopes import Box, BoxPlane

RISKS = box_risks(1e-2, 0.5)


def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 6))
    return X, X @ rng.standard_normal(6) + rng.standard_normal(500)


def test_only_columns_of_one_number_to_the_bit_are_held_once():
    assert is_once(once(np.ones(3))) and not is_once(once(np.array([1.0, 1.0, 2.0])))
    assert not is_once(once(np.array([0.0, -0.0]))), "zeros of two signs are two numbers"
    assert is_once(once(np.zeros(4, np.int64))) and not is_once(once(np.ones(1)))
    np.testing.assert_array_equal(as_column(once(np.full(5, 2.0))), [2.0])
    with pytest.raises(ValueError, match="read-only"):
        once(np.ones(3))[0] = 2.0


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", RISKS)
def test_a_problem_on_blocks_has_the_numbers_of_that_in_memory(name, bias):
    X, score = data()
    here, there = RISKS[name](X, score, bias=bias), RISKS[name](in_blocks(X, 1), score, bias=bias)
    columns = ((part.c, part.Q.lower, part.Q.upper, part.B.sigma, part.B.group) for part in (here, there))
    for own, held in zip(*columns, strict=True):
        np.testing.assert_array_equal(own, held)
        assert not is_once(own)
    assert is_once(there.Q.lower) or (name == "quantile" and is_once(there.Q.upper))
    rng = np.random.default_rng(1)
    w, alpha = rng.standard_normal(6), here.domain.project(rng.standard_normal(here.Q.size) / here.Q.size)
    own, held = certify(here, w, alpha), certify(there, w, alpha)
    assert held.primal == pytest.approx(own.primal, rel=1e-13) and held.dual == pytest.approx(own.dual, rel=1e-13)


@pytest.mark.parametrize("kappa", [0.0, 0.3])
def test_sets_with_such_ends_answer_to_the_bit(kappa):
    rng = np.random.default_rng(2)
    n = 3000
    lower, upper, sigma = np.zeros(n), np.full(n, 0.7), rng.choice([-1.0, 1.0], n)
    s, slack = rng.standard_normal(n), 1e-9 * rng.random(n)
    pairs = (Box(lower, upper), Box(once(lower), once(upper)))
    planes = (BoxPlane(lower, upper, sigma, 0.4), BoxPlane(once(lower), once(upper), sigma, 0.4))
    for whole, held in (pairs, planes):
        assert is_once(held.lower) and is_once(held.upper)
        assert whole.support(s, kappa) == held.support(s, kappa)
        assert whole.support_bound(s, slack, kappa) == held.support_bound(s, slack, kappa)
        point = whole.project(s)
        np.testing.assert_array_equal(point, held.project(s))
        assert whole.violation(s) == held.violation(s) and whole.violation(point) == held.violation(point)
        np.testing.assert_array_equal(whole.repair(point).point, held.repair(point).point)
        np.testing.assert_array_equal(whole.maximise_linear(s), held.maximise_linear(s))
    assert planes[0].multiplier(s, kappa) == planes[1].multiplier(s, kappa)
    for whole, held in zip(*(plane.multiplier_bounds(s, slack) for plane in planes), strict=True):
        np.testing.assert_array_equal(whole, held)


def test_scores_are_moved_in_place_as_they_are_beside():
    X, score = data()
    for count in (1, 3):
        y = np.digitize(score, [-1, 0, 1][:count])
        B = (pragam.ordinal_hinge(X, y, 1e-2)).B
        rng = np.random.default_rng(3)
        s, slack, b = rng.standard_normal(B.shape[0]), rng.random(B.shape[0]), rng.standard_normal(B.shape[1])
        moved, room = B.add_to(s, slack, b)
        B.add_in_place(s, slack, b)
        np.testing.assert_array_equal(s, moved)
        np.testing.assert_array_equal(slack, room)
