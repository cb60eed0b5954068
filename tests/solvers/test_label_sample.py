"""The sample of examples at whose solution the label form of the proximal Newton method begins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.solvers.proximal_newton import ProximalNewton
from pragam.solvers.proximal_newton.label_sample import drawn_examples


def posed(seed, multilabel=False, bias=False, n=2500, d=6, K=3, storage=np.asarray):
    """Examples of several lengths and weights, two of them far longer than the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.exponential(size=(n, 1))
    X[0], X[1] = 1000.0, -900.0
    scores = X @ rng.standard_normal((d, K)) + 2 * rng.standard_normal((n, K))
    weights = rng.exponential(size=n)
    if multilabel:
        return pragam.multilabel_hinge(storage(X), (scores > 0).astype(int), 1e-3, bias=bias, sample_weight=weights)
    return pragam.multiclass_hinge(storage(X), scores.argmax(axis=1), 1e-3, bias=bias, sample_weight=weights)


@pytest.mark.parametrize("multilabel", [False, True])
def test_the_value_of_a_sample_is_an_unbiased_estimate_of_the_whole(multilabel):
    problem, rng = posed(0, multilabel), np.random.default_rng(1)
    w = rng.standard_normal(problem.n_weights)
    values = [drawn_examples(problem, rng)[0].primal(w) for _ in range(400)]
    error = np.std(values) / np.sqrt(len(values))
    assert error < 0.01 * problem.primal(w)
    assert np.mean(values) == pytest.approx(problem.primal(w), abs=4 * error)


def test_the_longest_examples_are_in_every_sample_with_their_own_weight():
    problem, rng = posed(0), np.random.default_rng(1)
    for _ in range(20):
        part, share = drawn_examples(problem, rng)
        long = part.A.row_norms()[:: part.Q.K] > 1000
        assert np.array_equal(part.Q.totals[long], problem.Q.totals[:2])
        assert 0.1 < share < 0.3


@pytest.mark.parametrize("sizes", [{"n": 1999}, {"d": 70, "n": 2099}])
def test_few_examples_for_a_weight_are_not_sampled(sizes):
    assert drawn_examples(posed(0, **sizes), np.random.default_rng(0))[0] is None


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("multilabel", [False, True])
def test_the_first_stage_begins_near_the_optimum(multilabel, bias, storage):
    """That of the sample's weights; and the solve goes on to the optimum."""
    problem = posed(2, multilabel, bias, storage=storage)
    state = ProximalNewton().init(problem, np.random.default_rng(0), None, 1e-8)
    result = pragam.solve(problem, "proximal-newton", tol=1e-8)
    optimum = result.certificate.primal
    assert result.converged
    assert problem.primal(state.w, state.b) <= optimum + 0.25 * (problem.primal(0 * state.w) - optimum)
