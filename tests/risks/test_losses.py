"""Every risk is its loss as written down naively."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from risk_zoo import CASES, RISKS, SLOW


def draw(case, n_seeds):
    """(seed, generator, drawn problem) of some seeds; every second one with weights."""
    name, bias = case
    rngs = [np.random.default_rng([seed, *map(ord, name)]) for seed in range(n_seeds)]
    return [(seed, rng, RISKS[name](rng, bias, weighted=seed % 2 == 1)) for seed, rng in enumerate(rngs)]


def title(case):
    return f"{case[0]}{', bias' * case[1]}"


@pytest.fixture(params=CASES, ids=title)
def draws(request):
    return draw(request.param, 5 if request.param in SLOW else 30)


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


def test_a_solution_is_worth_what_its_certificate_says(draws):
    """The naive loss at w and the biases; that they are optimal is tested over the zoo."""
    for seed, _, drawn in draws[:8]:
        result = pragam.solve(drawn.problem, tol=1e-6, max_seconds=20)
        assert result.converged and result.certificate.rigorous, f"seed {seed}: {result}"
        value = drawn.objective(result.w, result.biases)
        assert value == pytest.approx(result.certificate.primal, rel=1e-12, abs=1e-13), f"seed {seed}"
        assert value >= drawn.optimum().value - 1e-9, f"seed {seed}"


@pytest.mark.parametrize("case", SLOW, ids=title)
def test_a_bias_for_each_label_is_that_of_an_interior_point_method(case):
    """The zoo, over which all solvers are tested, has the others."""
    for seed, _, drawn in draw(case, 6):
        best = drawn.optimum()
        result = pragam.solve(drawn.problem, tol=1e-9, max_seconds=60)
        assert result.converged and result.certificate.rigorous, f"seed {seed}: {result}"
        assert abs(result.certificate.primal - best.value) <= 1e-7 * abs(best.value) + 1e-10, f"seed {seed}"
