"""A curvature for each dual variable: oracles, bounds and refusals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import pragam
from clarabel_qp import hinge_optimum
from posed import posed
from pragam.conjugates import Quadratic, Zero
from pragam.operators import ScaledRows
from pragam.polytopes import Box, BoxPlane, Simplices


def box(rng, n, plane):
    """Bounds of any signs, some of them equal, some infinite; perhaps cut by a plane that meets it."""
    lower, upper = np.sort(rng.standard_normal((2, n)), axis=0)
    upper[rng.random(n) < 0.2] = np.inf
    equal = rng.random(n) < 0.2
    upper[equal] = lower[equal]
    sigma = rng.choice([1.0, -1.0, 2.0], n)
    inner = np.where(np.isinf(upper), lower + 1, 0.5 * (lower + upper))
    return BoxPlane(lower, upper, sigma, float(sigma @ inner)) if plane else Box(lower, upper)


def curvature(rng, Q):
    """Positive where a row can move, and zero in some that cannot."""
    kappa = 10 ** rng.uniform(-2, 2, Q.size)
    return np.where((Q.lower == Q.upper) & (rng.random(Q.size) < 0.5), 0.0, kappa)


def exact_value(kappa, alpha):
    return sum(Fraction(k) * Fraction(a) ** 2 for k, a in zip(kappa.tolist(), alpha.tolist(), strict=True)) / 2


@pytest.mark.parametrize("plane", [False, True])
def test_prox_meets_the_optimality_conditions(plane):
    """kappa alpha = s - b sigma inside, and the right side of it at a bound."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        Q = box(rng, int(rng.integers(1, 30)), plane)
        kappa, s = curvature(rng, Q), 3 * rng.standard_normal(Q.size)
        g = Quadratic(kappa)
        value, b = g.support(Q, s), Q.multiplier(s, kappa) if plane else 0.0
        alpha = Q.prox(s, np.where(kappa > 0, kappa, 1.0))
        slope = s - (b * Q.sigma if plane else 0.0) - kappa * alpha
        size = 1e-9 * (1 + np.abs(s) + kappa * np.abs(alpha) + abs(b or 0.0))
        moves = Q.lower < Q.upper
        assert Q.contains(alpha, 1e-9), seed
        assert (slope[moves & (alpha > Q.lower)] >= -size[moves & (alpha > Q.lower)]).all(), seed
        assert (slope[moves & (alpha < Q.upper)] <= size[moves & (alpha < Q.upper)]).all(), seed
        assert value == pytest.approx(s @ alpha - g.value(alpha), rel=1e-9, abs=1e-9), seed


def test_values_and_changes_are_bounded():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 20))
        scale = 10.0 ** rng.choice([-320, -160, 0, 100])
        kappa, alpha = 10.0 ** rng.uniform(-300, 100, n), scale * rng.standard_normal(n)
        g = Quadratic(kappa)
        value, error = g.value_bound_at(alpha, alpha)
        assert abs(Fraction(value) - exact_value(kappa, alpha)) <= Fraction(error), seed
        rows = np.flatnonzero(rng.random(n) < 0.5)
        moves = np.abs(scale * rng.standard_normal(len(rows)))
        moved = [Fraction(a) for a in alpha.tolist()]
        for row, move in zip(rows.tolist(), moves.tolist(), strict=True):
            moved[row] += Fraction(move) * (1 if moved[row] >= 0 else -1)
        growth = sum(Fraction(k) * a * a for k, a in zip(kappa.tolist(), moved, strict=True)) / 2
        assert growth - exact_value(kappa, alpha) <= Fraction(g.change_bound(alpha, rows, moves)), seed


@pytest.mark.parametrize("bias", [False, True])
def test_weighted_smoothed_hinges_agree_with_an_interior_point_method(bias):
    """max over 0 <= a <= u of a s - gamma/(2 u) a^2 is u times the smoothed loss of an unweighted example."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 4)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    plain = pragam.hinge(X, y, 0.1, bias=bias)
    equal = replace(plain, g=Quadratic(np.full(30, 0.5 * 30)))
    best = hinge_optimum(X, y, 0.1, np.ones(30), bias, kappa=0.5 * 30)
    result = pragam.solve(equal, tol=1e-7, max_seconds=20)
    assert result.converged and result.certificate.rigorous
    assert result.certificate.primal == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("bias", [False, True])
def test_a_weight_is_as_good_as_a_repetition(bias):
    rng = np.random.default_rng(1)
    X, y, times = rng.standard_normal((15, 3)), np.tile([1.0, -1.0, 1.0], 5), rng.integers(0, 4, 15)
    times[:2] = 1

    def smoothed(X, y, lam, weights):
        plain = pragam.hinge(X, y, lam, bias=bias, sample_weight=weights)
        upper = plain.Q.upper
        kappa = np.divide(0.5, upper, out=np.zeros(len(y)), where=upper > 0)
        return replace(plain, g=Quadratic(kappa))

    weighted = smoothed(X, y, 2.0 / 15, times)
    repeated = smoothed(np.repeat(X, times, axis=0), np.repeat(y, times), 2.0 / times.sum(), None)
    one, other = (pragam.solve(problem, tol=1e-9, max_seconds=20) for problem in (weighted, repeated))
    assert one.certificate.primal * 15 == pytest.approx(other.certificate.primal * times.sum(), rel=1e-8)
    np.testing.assert_allclose(one.w, other.w, atol=1e-4)


def test_no_curvature_is_no_term():
    A = ScaledRows(np.eye(3), np.ones(3))
    for kappa in (0.0, np.zeros(3)):
        assert isinstance(posed(A, np.ones(3), Box(np.zeros(3), np.ones(3)), 1.0, kappa).g, Zero)


@pytest.mark.parametrize(
    "Q, kappa, message",
    [
        (Box(np.zeros(3), np.ones(3)), np.ones(2), "kappa has 2 entries"),
        (Box(np.zeros(3), np.ones(3)), np.ones(1), "kappa has 1 entries"),
        (Box(np.zeros(3), np.ones(3)), np.array([1.0, -1.0, 0.0]), "kappa must be"),
        (Box(np.zeros(3), np.ones(3)), np.array([1.0, np.inf, 0.0]), "kappa must be"),
        (Simplices(np.ones(1), 3), np.array([1.0, 2.0, 3.0]), "one kappa"),
        (BoxPlane(np.zeros(3), np.ones(3), np.ones(3), 1.0), np.array([1.0, 0.0, 3.0]), "row 1 has 0"),
    ],
)
def test_what_does_not_fit_is_refused(Q, kappa, message):
    with pytest.raises(ValueError, match=message):
        posed(ScaledRows(np.eye(3), np.ones(3)), np.ones(3), Q, 1.0, kappa)
