"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.solvers.choice.hardness import box_sizes, hardness


@pytest.mark.parametrize("offset", [0.0, 10.0, 1e4])
def test_hardness_does_not_see_an_offset_where_there_is_a_bias(offset):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 7)), rng.choice([-1, 1], 400)
    weight = rng.random(400)
    shifted = [pragam.hinge(X + offset, y, 1e-3, bias=bias, sample_weight=weight) for bias in (True, False)]
    centred = pragam.hinge(X - X.mean(0), y, 1e-3, bias=False, sample_weight=weight)
    assert hardness(shifted[0]) == pytest.approx(hardness(centred), rel=1e-6)
    assert offset < 1 or hardness(shifted[1]) > 10 * hardness(centred)


def test_a_box_without_an_end_has_the_size_that_the_curvature_leaves():
    """2 weight/n for the squared hinge, whose alpha is 2 weight/n [1 - y f(x)]_+; the width where that is less."""
    rng = np.random.default_rng(1)
    X, y, weight = rng.standard_normal((30, 3)), rng.choice([-1, 1], 30), rng.integers(0, 3, 30) * 0.7
    squared = pragam.squared_hinge(X, y, 1e-2, sample_weight=weight)
    assert box_sizes(squared) == pytest.approx(2 * weight / 30)
    assert hardness(squared) == pytest.approx(2 * hardness(pragam.hinge(X, y, 1e-2, sample_weight=weight)))
    for gamma in (0.5, 2.0):
        smoothed = pragam.smoothed_hinge(X, y, 1e-2, gamma=gamma, sample_weight=weight)
        assert box_sizes(smoothed) == pytest.approx(min(1.0, 1 / gamma) * weight / 30)
