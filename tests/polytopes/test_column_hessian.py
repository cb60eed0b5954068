"""The Hessian of the columns' multipliers is what the derivative of the prox does to them."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.polytopes import Pairs, Simplices


def sets(rng, n=20, K=4):
    wrong = rng.random((n, K)) < 0.5
    return Simplices(rng.random(n), K), Pairs(rng.random(n), wrong), Pairs(rng.integers(0, 2, n), wrong)


@pytest.mark.parametrize("size", [0.3, 3.0])
def test_column_hessian(size):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for Q in sets(rng):
            alpha = Q.prox(size * rng.standard_normal(Q.size), 2.0)
            signs = Q.rows(Q.signs)
            columns = [np.where(np.arange(Q.K) == k, signs, 0.0).ravel() for k in range(Q.K)]
            moved = [Q.rows(Q.signs * Q.derivative(alpha, 2.0, t)).sum(axis=0) for t in columns]
            np.testing.assert_allclose(Q.column_hessian(alpha, 2.0), moved, atol=1e-12)
