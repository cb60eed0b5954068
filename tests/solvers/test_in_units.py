"""Weights at the ends of float64: J, D, lam and alpha scale with them, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam import Status
from pragam.solvers.in_units import InUnits, in_units

RNG = np.random.default_rng(4)
X = RNG.standard_normal((12, 3))
Y = np.where(X @ [1.0, -1.0, 0.5] + 0.5 * RNG.standard_normal(12) > 0, 1, -1)
SETS = RNG.random((12, 4)) < [0.3, 0.5, 0.6, 0.4]
RISKS = {
    "hinge": lambda lam, weights: pragam.hinge(X, Y, lam, sample_weight=weights),
    "squared_hinge": lambda lam, weights: pragam.squared_hinge(X, Y, lam, sample_weight=weights),
    "smoothed_hinge": lambda lam, weights: pragam.smoothed_hinge(X, Y, lam, sample_weight=weights),
    "epsilon_insensitive": lambda lam, weights: pragam.epsilon_insensitive(X, X[:, 0] + Y, lam, sample_weight=weights),
    "quantile": lambda lam, weights: pragam.quantile(X, X[:, 0] + Y, lam, 0.3, sample_weight=weights),
    "ordinal_hinge": lambda lam, weights: pragam.ordinal_hinge(X, np.arange(12) % 3, lam, sample_weight=weights),
    "multiclass_hinge": lambda lam, weights: pragam.multiclass_hinge(
        X, np.arange(12) % 3, lam, bias=True, sample_weight=weights
    ),
    "multilabel_hinge": lambda lam, weights: pragam.multilabel_hinge(X, SETS, lam, bias=True, sample_weight=weights),
}


@pytest.mark.parametrize("risk", RISKS)
def test_a_unit_of_the_weights_changes_no_bit_of_w(risk):
    """weights and lam times 2^k: the same w and biases, alpha and both bounds times 2^k, for every solver."""
    weights = RNG.integers(1, 4, 12).astype(float)
    small, large = (RISKS[risk](0.05 * 2.0**k, weights * 2.0**k) for k in (-600, 600))
    for solver in pragam.solvers.fitting(small):
        one, other = (pragam.solve(problem, solver, tol=1e-3, max_iter=40) for problem in (small, large))
        assert one.status is other.status and one.status is not Status.FAILED, (solver, one.reason, other.reason)
        np.testing.assert_array_equal(one.w, other.w)
        np.testing.assert_array_equal(one.alpha * 2.0**600, other.alpha / 2.0**600)
        assert one.certificate.relative_gap == pytest.approx(other.certificate.relative_gap, rel=1e-6)


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("scale", [1e-290, 1e-200, 1e200, 1e290])
def test_extreme_weights_are_no_harder_than_others(risk, scale):
    weights = RNG.random(12) + 0.1
    lam = 0.05 * scale if scale < 1 else 0.05 * scale / 1e5
    result = pragam.solve(RISKS[risk](lam, scale * weights), tol=1e-6)
    assert result.converged, (result, result.reason)


def test_ordinary_weights_are_left_alone():
    method = pragam.solvers.by_name("dcd")
    for scale in (1e-50, 1.0, 1e50):
        assert in_units(method, RISKS["hinge"](1.0, np.full(12, scale))) is method
    assert isinstance(in_units(method, RISKS["hinge"](1.0, np.full(12, 1e100))), InUnits)
    graphs = pragam.max_affine(X, np.ones(3), 1e-3)
    assert in_units(method, graphs) is method


def test_warm_starts_are_screened_in_units():
    """Rows that leave the problem leave the scaled one: both ways lead to the same optimum."""
    X = np.random.default_rng(0).standard_normal((300, 3))
    problem = pragam.hinge(X, np.sign(X @ [1.0, -2.0, 0.5]), 1e200, sample_weight=np.full(300, 1e200))
    before = pragam.solve(problem.at(1.05e197), tol=1e-8)
    results = [
        pragam.solve(problem.at(1e197), "dcd", tol=1e-10, start=before, screening=screening)
        for screening in (True, False)
    ]
    assert all(result.converged for result in results) and [result.n_screened > 0 for result in results] == [
        True,
        False,
    ]
