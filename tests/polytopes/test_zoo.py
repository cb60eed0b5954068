"""What holds for the projection and the support function of any convex set, over the whole zoo."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.polytopes import Box, BoxPlane, Polytope

from .zoo import ZOO

SEEDS = range(12)
SCALES = (1e-3, 1.0, 1e3)


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


@pytest.mark.parametrize("seed", SEEDS)
def test_samples_are_members(polytope, seed):
    assert all(polytope.contains(a) for a in samples(polytope, seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_projection_is_feasible_idempotent_and_nearest(polytope, seed):
    v = points(polytope, seed)
    p = polytope.project(v)
    size = 1 + np.abs(v).max(initial=0) + np.abs(p).max(initial=0)
    assert polytope.contains(p)
    np.testing.assert_allclose(polytope.project(p), p, rtol=0, atol=1e-12 * size)
    for a in samples(polytope, seed):  # the variational inequality characterises the projection
        assert np.dot(v - p, a - p) <= 1e-12 * size * (size + np.abs(a).max(initial=0)) * polytope.size


@pytest.mark.parametrize("seed", SEEDS)
def test_projection_is_firmly_nonexpansive(polytope, seed):
    v, w = points(polytope, seed), points(polytope, seed + 7)
    p, q = polytope.project(v), polytope.project(w)
    slack = 1e-12 * (1 + np.abs(v).max(initial=0) + np.abs(w).max(initial=0)) ** 2 * max(polytope.size, 1)
    assert np.dot(p - q, p - q) <= np.dot(p - q, v - w) + slack


@pytest.mark.parametrize("seed", SEEDS)
def test_support_is_attained_by_a_member_and_exceeded_by_none(polytope, seed):
    s = points(polytope, seed)
    value, _ = polytope.support(s)
    if np.isinf(value):
        assert value > 0
        with pytest.raises(ValueError, match="unbounded"):
            polytope.maximise_linear(s)
        return
    vertex = polytope.maximise_linear(s)
    size = np.abs(s) @ np.abs(vertex) + abs(value)
    assert polytope.contains(vertex)
    assert np.dot(vertex, s) == pytest.approx(value, rel=1e-12, abs=1e-12 * size)
    for a in samples(polytope, seed):
        assert np.dot(a, s) <= value + 1e-12 * (size + np.abs(s) @ np.abs(a))


@pytest.mark.parametrize("kappa", [1e-3, 0.7, 1e3])
@pytest.mark.parametrize("seed", SEEDS)
def test_smoothed_support_is_attained_by_the_projection(polytope, seed, kappa):
    s = points(polytope, seed)
    value, multiplier = polytope.support(s, kappa)
    best = polytope.project(s / kappa)
    size = np.abs(s) @ np.abs(best) + kappa * np.dot(best, best) + abs((multiplier or 0) * getattr(polytope, "z", 0))
    assert value == pytest.approx(np.dot(best, s) - kappa / 2 * np.dot(best, best), rel=1e-11, abs=1e-11 * size)
    for a in samples(polytope, seed):
        assert np.dot(a, s) - kappa / 2 * np.dot(a, a) <= value + 1e-11 * (size + np.abs(s) @ np.abs(a))


@pytest.mark.parametrize("seed", SEEDS)
def test_multiplier_certifies(polytope, seed):
    """The dual function at the multiplier, computed row by row, is the support function's value."""
    if not isinstance(polytope, BoxPlane):
        assert polytope.support(points(polytope, seed))[1] is None
        return
    s = points(polytope, seed)
    value, b = polytope.support(s)
    if np.isinf(value):
        return
    r = s - b * polytope.sigma
    with np.errstate(invalid="ignore"):
        terms = np.where(r == 0, 0.0, np.maximum(polytope.lower * r, polytope.upper * r))
    if np.isinf(terms).any():  # a free row at its kink, where r is 0 but for rounding
        terms = np.where(np.isinf(terms) & (np.abs(r) <= 1e-15 * np.abs(s)), 0.0, terms)
    assert terms.sum() + b * polytope.z == pytest.approx(value, rel=1e-12, abs=1e-12 * np.abs(terms).sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_radius_bounds_every_member(polytope, seed):
    centre = points(polytope, seed)
    for c in (None, centre):
        radius2 = polytope.radius2(c)
        for a in samples(polytope, seed):
            assert 0.5 * np.sum((a - (0 if c is None else c)) ** 2) <= radius2 * (1 + 1e-12)


def test_radius_is_attained(polytope):
    """Over a vertex of each of many directions; a box cut by a plane promises only an upper bound."""
    if not np.isfinite(polytope.radius2()) or isinstance(polytope, BoxPlane):
        return
    rng = np.random.default_rng(0)
    centre = rng.standard_normal(polytope.size)
    vertices = [polytope.maximise_linear(rng.standard_normal(polytope.size)) for _ in range(3000)]
    largest = max((0.5 * np.sum((a - centre) ** 2) for a in vertices), default=0.0)
    assert largest == pytest.approx(polytope.radius2(centre), rel=1e-12)


def test_outsiders_and_nan_are_refused(polytope):
    a = polytope.sample(np.random.default_rng(3))
    assert not polytope.contains(np.append(a, 0.0))
    if polytope.size:
        a[0] = np.nan
        assert polytope.violation(a) == np.inf


def test_violation_is_relative():
    for size in (1e-9, 1.0, 1e9):
        box = Box(np.zeros(3), np.full(3, size))
        assert box.violation(np.full(3, size * (1 + 1e-3))) == pytest.approx(1e-3)
        plane = BoxPlane(np.zeros(3), np.full(3, size), np.ones(3), size)
        assert plane.violation(np.full(3, size / 3) + np.array([3e-3, 0, 0]) * size) == pytest.approx(3e-3 / 4)
