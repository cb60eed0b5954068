"""Projections that start from the multipliers of an earlier one: right, pure, shorter, and used by PRAGAM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pragam.solvers import Pragam
from pragam.structured import ChainLayout, ChainMarginals, chain_hinge


@pytest.fixture
def marginals():
    totals = np.array([0.5, 0.0, 0.3, 0.2, 1.0])  # the second sequence takes no part
    return ChainMarginals(totals, ChainLayout(np.array([4, 3, 1, 1, 6]), 5))


def scores(marginals, seed):
    return np.random.default_rng(seed).standard_normal(marginals.size)


def test_a_prox_from_a_start_is_the_prox(marginals):
    s = scores(marginals, 0)
    cold, start = marginals.prox_from(s, 2.0, None)
    assert np.array_equal(cold, marginals.prox(s, 2.0))
    near, kappa = s + 1e-2 * scores(marginals, 1), 1.1
    warm, following = marginals.prox_from(near, kappa, start)
    assert np.abs(warm - marginals.prox(near, kappa)).max() <= 1e-11
    assert following.shape == start.shape and not np.array_equal(following, start)


def test_equal_calls_are_equal_to_the_bit_and_leave_the_start_alone(marginals):
    start = marginals.prox_from(scores(marginals, 0), 1.0, None)[1]
    before, s = start.copy(), scores(marginals, 1)
    one, two = (marginals.prox_from(s, 0.7, start) for _ in range(2))
    assert np.array_equal(start, before)
    assert np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])


def test_single_nodes_alone_keep_nothing():
    nodes = ChainMarginals([0.5, 0.5], ChainLayout(np.array([1, 1]), 3))
    alpha, start = nodes.prox_from(np.arange(6.0), 1.0, None)
    assert start is None and np.allclose(alpha, [0.0, 0.0, 0.5, 0.0, 0.0, 0.5])


def test_pragam_carries_the_potentials_and_is_still_a_pure_step():
    rng = np.random.default_rng(0)
    problem = chain_hinge(rng.standard_normal((30, 4)), rng.integers(0, 3, 30), [5] * 6, lam=0.1, labels=range(3))
    unfolded = problem.Q.unfold(problem)
    solver = Pragam()
    state = solver.init(unfolded, rng, None, 1e-2)
    for _ in range(5):
        state = solver.step(unfolded, state)
    kept = [part.copy() for part in state.warm]
    one, two = solver.step(unfolded, state), solver.step(unfolded, state)
    assert np.array_equal(one.alpha, two.alpha) and np.array_equal(one.w, two.w)
    assert all(np.array_equal(part, own) for part, own in zip(state.warm, kept, strict=True))
    cold = solver.step(unfolded, replace(state, warm=(None, None)))
    assert np.abs(cold.alpha - one.alpha).max() <= 1e-10
