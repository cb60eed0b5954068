"""What holds for the projection and the support function of any convex set, over the whole zoo."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.polytopes import Box, BoxPlane, Polytope

from .zoo import ZOO

SEEDS = range(12)
SCALES = (1e-3, 1.0, 1e3)
PLANES = [name for name, Q in ZOO.items() if isinstance(Q, BoxPlane)]
BOUNDED = [name for name, Q in ZOO.items() if np.isfinite(Q.radius2())]


@pytest.fixture(params=ZOO, ids=str)
def polytope(request: pytest.FixtureRequest) -> Polytope:
    return ZOO[request.param]


def points(polytope: Polytope, seed: int) -> np.ndarray:
    """Vectors of many scales, ties included, that need not lie in the set."""
    rng = np.random.default_rng(seed)
    v = SCALES[seed % 3] * rng.standard_normal(polytope.size)
    return np.round(v) if seed % 2 else v


def samples(polytope: Polytope, seed: int, number: int = 20) -> list[np.ndarray]:
    rng = np.random.default_rng([seed, 1])
    return [polytope.sample(rng) for _ in range(number)]


def test_samples_are_members(polytope):
    for seed in SEEDS:
        assert all(polytope.contains(a) for a in samples(polytope, seed)), f"seed {seed}"


def test_projection_is_feasible_idempotent_and_nearest(polytope):
    for seed in SEEDS:
        v = points(polytope, seed)
        p = polytope.project(v)
        size = 1 + np.abs(v).max(initial=0) + np.abs(p).max(initial=0)
        assert polytope.contains(p), f"seed {seed}"
        np.testing.assert_allclose(polytope.project(p), p, rtol=0, atol=1e-12 * size, err_msg=f"seed {seed}")
        for a in samples(polytope, seed):  # the variational inequality characterises the projection
            slack = 1e-12 * size * (size + np.abs(a).max(initial=0)) * polytope.size
            assert np.dot(v - p, a - p) <= slack, f"seed {seed}"


def test_projection_is_firmly_nonexpansive(polytope):
    for seed in SEEDS:
        v, w = points(polytope, seed), points(polytope, seed + 7)
        p, q = polytope.project(v), polytope.project(w)
        slack = 1e-12 * (1 + np.abs(v).max(initial=0) + np.abs(w).max(initial=0)) ** 2 * max(polytope.size, 1)
        assert np.dot(p - q, p - q) <= np.dot(p - q, v - w) + slack, f"seed {seed}"


def test_support_is_attained_by_a_member_and_exceeded_by_none(polytope):
    """Where it is infinite, no member attains it: a bounded set has no such direction."""
    for seed in SEEDS:
        s = points(polytope, seed)
        value = polytope.support(s)
        if np.isinf(value):
            assert value > 0 and not np.isfinite(polytope.radius2()), f"seed {seed}"
            with pytest.raises(ValueError, match="unbounded"):
                polytope.maximise_linear(s)
            continue
        vertex = polytope.maximise_linear(s)
        size = np.abs(s) @ np.abs(vertex) + abs(value)
        assert polytope.contains(vertex), f"seed {seed}"
        assert np.dot(vertex, s) == pytest.approx(value, rel=1e-12, abs=1e-12 * size), f"seed {seed}"
        for a in samples(polytope, seed):
            assert np.dot(a, s) <= value + 1e-12 * (size + np.abs(s) @ np.abs(a)), f"seed {seed}"


@pytest.mark.parametrize("kappa", [1e-3, 0.7, 1e3])
def test_smoothed_support_is_attained_by_the_projection(polytope, kappa):
    for seed in SEEDS:
        s = points(polytope, seed)
        value = polytope.support(s, kappa)
        best = polytope.project(s / kappa)
        level = abs(polytope.multiplier(s, kappa) * polytope.z) if hasattr(polytope, "z") else 0.0
        size = np.abs(s) @ np.abs(best) + kappa * np.dot(best, best) + level
        attained = np.dot(best, s) - kappa / 2 * np.dot(best, best)
        assert value == pytest.approx(attained, rel=1e-11, abs=1e-11 * size), f"seed {seed}"
        for a in samples(polytope, seed):
            slack = 1e-11 * (size + np.abs(s) @ np.abs(a))
            assert np.dot(a, s) - kappa / 2 * np.dot(a, a) <= value + slack, f"seed {seed}"


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("kappa", [0.0, 0.7])
def test_multiplier_certifies(name, kappa):
    """The dual function at the multiplier, computed row by row, is the support function's value.

    Few directions have a finite value over a hyperplane, so its normal is among them.
    """
    Q, n_finite = ZOO[name], 0
    for seed in (*SEEDS, None):
        s = 2.5 * Q.sigma if seed is None else points(Q, seed)
        value, b = Q.support(s, kappa), Q.multiplier(s, kappa)
        if np.isinf(value):
            continue
        n_finite += 1
        r = s - b * Q.sigma
        # A free row sits at its kink, where r is 0 but for rounding.
        r = np.where(np.isinf(Q.upper - Q.lower) & (np.abs(r) <= 1e-15 * np.abs(s)), 0.0, r)
        if kappa:
            best = np.clip(r / kappa, Q.lower, Q.upper)
        else:
            best = np.where(r > 0, Q.upper, np.where(r < 0, Q.lower, 0.0))
        terms = best * r - kappa / 2 * best**2
        size = np.abs(terms).sum() + abs(b * Q.z)
        assert terms.sum() + b * Q.z == pytest.approx(value, rel=1e-12, abs=1e-12 * size), f"seed {seed}"
    assert n_finite == len(SEEDS) + 1 if name in BOUNDED or kappa else n_finite > 0


@pytest.mark.parametrize("name", BOUNDED)
def test_radius_bounds_every_member(name):
    for seed in SEEDS:
        centre = points(ZOO[name], seed)
        for c in (None, centre):
            radius2 = ZOO[name].radius2(c)
            for a in samples(ZOO[name], seed):
                assert 0.5 * np.sum((a - (0 if c is None else c)) ** 2) <= radius2 * (1 + 1e-12), f"seed {seed}"


@pytest.mark.parametrize("name", [name for name in BOUNDED if name not in PLANES])
def test_radius_is_attained(name):
    """At a vertex of one of many directions; a box cut by a plane promises only an upper bound."""
    rng, Q = np.random.default_rng(0), ZOO[name]
    for centre in (rng.standard_normal(Q.size), None):
        origin = np.zeros(Q.size) if centre is None else centre
        vertices = [Q.maximise_linear(rng.standard_normal(Q.size)) for _ in range(1500)] + [Q.maximise_linear(-origin)]
        largest = max(0.5 * np.sum((a - origin) ** 2) for a in vertices)
        assert largest == pytest.approx(Q.radius2(centre), rel=1e-12)


@pytest.mark.parametrize("name", [name for name in ZOO if name not in BOUNDED])
def test_an_unbounded_set_has_no_radius(name):
    assert ZOO[name].radius2() == ZOO[name].radius2(np.ones(ZOO[name].size)) == np.inf


def test_outsiders_and_nan_are_refused(polytope):
    a = polytope.sample(np.random.default_rng(3))
    assert polytope.contains(a) and not polytope.contains(np.append(a, 0.0))
    if polytope.size:
        a[0] = np.nan
        assert polytope.violation(a) == np.inf and not polytope.contains(a)


def test_violation_is_relative():
    for size in (1e-9, 1.0, 1e9):
        box = Box(np.zeros(3), np.full(3, size))
        assert box.violation(np.full(3, size * (1 + 1e-3))) == pytest.approx(1e-3)
        assert box.violation(np.full(3, -size * 1e-3)) == pytest.approx(1e-3)
        plane = BoxPlane(np.zeros(3), np.full(3, size), np.ones(3), size)
        assert plane.violation(np.full(3, size / 3) + np.array([3e-3, 0, 0]) * size) == pytest.approx(3e-3 / 4)


def test_a_plane_of_rows_without_width_does_not_magnify_what_is_outside():
    """The rows on the plane are all held at 0, so its size is 0; the box has a size of its own."""
    Q = BoxPlane([0.0, 0.0], [1.0, 0.0], [0.0, 1.0])
    assert Q.violation(np.array([0.5, 1e-12])) == 1e-12
    np.testing.assert_array_equal(Q.repair(np.array([0.5, 1e-12])).point, [0.5, 0.0])
