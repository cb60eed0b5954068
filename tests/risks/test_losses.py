"""Every risk is its loss as written down naively, and its optimum that of an interior-point method."""

from __future__ import annotations

import numpy as np
import pytest

import pragam

from .risk_zoo import CASES, RISKS

SEEDS = range(30)


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}{', bias' * case[1]}")
def draws(request):
    """(seed, generator, drawn problem) of all seeds; every second one with weights."""
    name, bias = request.param
    rngs = [np.random.default_rng([seed, *map(ord, name)]) for seed in SEEDS]
    return [(seed, rng, RISKS[name](rng, bias, weighted=seed % 2 == 1)) for seed, rng in zip(SEEDS, rngs, strict=True)]


def test_the_objective_is_the_loss(draws):
    for seed, rng, drawn in draws:
        p = drawn.problem
        for _ in range(5):
            w = 10 ** rng.uniform(-1, 1) * rng.standard_normal(p.n_weights)
            b = rng.standard_normal(p.n_biases)
            expected = drawn.objective(w, b)
            assert p.primal(w, b) == pytest.approx(expected, rel=1e-12, abs=1e-13), f"seed {seed}"
            proof = pragam.certify(p, w, bias=b if p.n_biases else None)
            assert proof.primal == pytest.approx(expected, rel=1e-12, abs=1e-13) and proof.rigorous, f"seed {seed}"
            assert drawn.objective(w, p.best_biases(p.scores(w))) <= expected * (1 + 1e-12), f"seed {seed}"


def test_the_optimum_is_that_of_an_interior_point_method(draws):
    for seed, _, drawn in draws:
        best = drawn.optimum()
        assert drawn.objective(best.w, best.biases) == pytest.approx(best.value, rel=1e-6, abs=1e-9), f"seed {seed}"
        result = pragam.solve(drawn.problem, tol=1e-9, max_seconds=20)
        proof = result.certificate
        assert result.converged and proof.rigorous, f"seed {seed}: {result}"
        assert proof.dual <= best.value + 1e-8 * abs(best.value) + 1e-10, f"seed {seed}"
        assert abs(proof.primal - best.value) <= 1e-7 * abs(best.value) + 1e-9, f"seed {seed}"
        value = drawn.objective(result.w, result.biases)
        assert value == pytest.approx(proof.primal, rel=1e-9, abs=1e-12), f"seed {seed}"
