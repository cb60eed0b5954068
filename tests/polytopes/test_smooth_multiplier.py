"""The bounds of the best bias of a smooth loss, by the exact slope in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from pragam.polytopes import BoxPlane


def slope(Q, s, kappa, b):
    """F'(b) = z - sum sigma_i alpha_i, alpha_i = clip((s_i - b sigma_i)/kappa_i)."""
    total = Fraction(Q.z)
    for x, g, low, high, k in zip(s, Q.sigma.tolist(), Q.lower.tolist(), Q.upper.tolist(), kappa, strict=True):
        if low == high:
            alpha = Fraction(low)
        else:
            alpha = max((x - Fraction(b) * Fraction(g)) / Fraction(k), Fraction(low))
            alpha = alpha if high == inf else min(alpha, Fraction(high))
        total -= Fraction(g) * alpha
    return total


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, scale = int(rng.integers(1, 8)), 10.0 ** rng.uniform(-100, 100) if rng.random() < 0.4 else 1.0
    lower = -rng.exponential(size=n) * (rng.random(n) < 0.5)
    upper = np.where(rng.random(n) < 0.3, np.inf, rng.exponential(size=n) * (rng.random(n) < 0.9))
    sigma = rng.choice([1.0, -1.0, 3.0, 0.1, 0.0], n)
    kappa = 10.0 ** rng.uniform(-6, 6, n)
    Q = BoxPlane(lower, upper, sigma, 0.0)
    s = scale * rng.standard_normal(n)
    return rng, Q, s, np.abs(s) * 10.0 ** rng.uniform(-16, 0) * rng.random(n), kappa


def test_every_best_bias_lies_between_the_bounds():
    """At a bound the slope has its sign for all scores that near, hence for the worst of them."""
    bounded = 0
    for seed in range(400):
        rng, Q, s, slack, kappa = drawn(seed)
        (low,), (high,) = Q.multiplier_bounds(s, slack, kappa)
        for signs in [np.sign(Q.sigma), -np.sign(Q.sigma), rng.choice([-1, 0, 1], len(s))]:
            pairs = zip(s.tolist(), slack.tolist(), signs.tolist(), strict=True)
            scores = [Fraction(x) + Fraction(room) * int(sign) for x, room, sign in pairs]
            assert low == -inf or slope(Q, scores, kappa.tolist(), low) < 0, seed
            assert high == inf or slope(Q, scores, kappa.tolist(), high) > 0, seed
        bounded += np.isfinite(low) and np.isfinite(high)
    assert bounded >= 100


def test_without_slack_the_bounds_are_all_but_one_number():
    """Where a row is well inside its box, so that the slope is steep enough for float64."""
    tight = 0
    for seed in range(200):
        _, Q, s, _, kappa = drawn(seed)
        alpha, b = Q.prox(s, kappa), Q.multiplier(s, kappa)
        inside = np.minimum(alpha - Q.lower, Q.upper - alpha) > 1e-3
        if (inside & (Q.sigma != 0)).any():
            (low,), (high,) = Q.multiplier_bounds(s, np.zeros(len(s)), kappa)
            steep = float(np.sum((Q.sigma**2 / kappa)[inside]))
            size = (
                abs(b) + np.abs(s).max() + float(np.sum(np.abs(Q.sigma) * (np.abs(alpha) + np.abs(s) / kappa))) / steep
            )
            assert low <= b <= high and high - low <= 1e-12 * size, seed
            tight += 1
    assert tight >= 50
