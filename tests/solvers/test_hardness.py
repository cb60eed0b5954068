"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.solvers.hardness import hardness


@pytest.mark.parametrize("offset", [0.0, 10.0, 1e4])
def test_hardness_does_not_see_an_offset_where_there_is_a_bias(offset):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 7)), rng.choice([-1, 1], 400)
    weight = rng.random(400)
    shifted = [pragam.hinge(X + offset, y, 1e-3, bias=bias, sample_weight=weight) for bias in (True, False)]
    centred = pragam.hinge(X - X.mean(0), y, 1e-3, bias=False, sample_weight=weight)
    assert hardness(shifted[0]) == pytest.approx(hardness(centred), rel=1e-6)
    assert offset < 1 or hardness(shifted[1]) > 10 * hardness(centred)
