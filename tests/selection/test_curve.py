"""Means, standard errors, ranks and the two rules, against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from pragam.selection.curve import Curve


def test_means_errors_and_ranks_are_those_of_the_definitions():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, (4, 9)) / 4
    curve = Curve(np.arange(1.0, 10), scores)
    for j in range(9):
        mean = sum(scores[:, j]) / 4
        assert curve.mean[j] == pytest.approx(mean)
        assert curve.error[j] == pytest.approx((sum((s - mean) ** 2 for s in scores[:, j]) / (4 * 3)) ** 0.5)
    assert (curve.rank == rankdata(-curve.mean, method="min")).all()


def test_the_best_is_the_first_of_the_highest_and_one_se_the_smallest_c_near_it():
    scores = np.array([[0.5, 0.8, 0.9, 0.9], [0.5, 0.9, 1.0, 1.0]])  # means .5 .85 .95 .95, the last two's error .05
    for grid in ([1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]):
        assert Curve(np.array(grid), scores).chosen("best") == 2
    assert Curve(np.array([1.0, 2.0, 3.0, 4.0]), scores).chosen("one_se") == 2
    assert Curve(np.array([4.0, 3.0, 2.0, 1.0]), scores).chosen("one_se") == 3
    scores[1, 1] += 0.1  # .9 is within one error of .95
    assert Curve(np.array([1.0, 2.0, 3.0, 4.0]), scores).chosen("one_se") == 1


def test_one_fold_has_no_error_and_chooses_the_best():
    curve = Curve(np.array([1.0, 2.0]), np.array([[0.1, 0.2]]))
    assert np.isnan(curve.error).all() and curve.chosen("one_se") == curve.chosen("best") == 1


def test_a_score_that_is_none_is_never_the_best():
    assert Curve(np.array([1.0, 2.0]), np.array([[np.nan, -9.0], [1.0, -9.0]])).chosen("best") == 1
