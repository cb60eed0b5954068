"""Bounds of scores for a whole range of lambda, judged in rational arithmetic against rational optima: 0 false."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import pragam
from exact_form import form
from exact_place import exact_place, near, rows_of
from hostile import HOSTILE, hostile
from polytopes.strategies import boxes, exact, exact_dot, vectors
from pragam.certificate.exact.numbers import of_fractions
from pragam.certificate.moving import Moving
from pragam.certificate.moving.near import Near, Share
from pragam.certificate.moving.parabola import largest
from pragam.operators import check_data
from problem_strategies import problems
from risk_zoo import RISKS

BOXED = [name for name in RISKS if not name.startswith(("multi", "ordinal"))]
ONE, ZERO = Fraction(1), Fraction(0)


def pair_of(moving, lam, nearness=0, member=None, noise=0.0):
    """A certified pair at lam, 2^-nearness from the optimum, and the problem there."""
    problem = moving.problem.at(lam)
    w, _ = exact_place(problem)
    v, alpha = near(problem, np.array(w, dtype=float), nearness, member, noise, noise)
    return moving.pair(problem, v, alpha, pragam.certify(problem, v, alpha))


def cells_of(moving, first, last, rng):
    """The whole, a part between two knots, one end, and one knot."""
    inner = sorted(np.exp(rng.uniform(np.log(last.lam), np.log(first.lam), 2)).clip(last.lam, first.lam).tolist())
    low, high = (moving.between(first, last, lam) for lam in inner)
    return [moving.cell(first, last), moving.cell(high, low), moving.cell(last, last), moving.cell(low, low)]


def judged(moving, cell, rng, lams=2):
    """Assert what the cell says of every row, at its ends and at lams between; the number of finite bounds."""
    ends = cell.ends()
    every = np.arange(len(ends))
    finer = cell.finer(every, ends)
    assert (finer[:, 0] >= ends[:, 0]).all() and (finer[:, 1] <= ends[:, 1]).all()
    rows, said = rows_of(moving.held), 0
    inside = np.exp(rng.uniform(np.log(cell.b.lam), np.log(cell.a.lam), lams)).clip(cell.b.lam, cell.a.lam).tolist()
    for lam in {cell.a.lam, cell.b.lam, *inside}:
        w, biases = exact_place(moving.problem.at(lam))
        least, most = biases[0] if biases else (ZERO, ZERO)
        for row, (low, high) in zip(rows, finer.tolist(), strict=True):
            score = exact_dot(row, w)
            assert low == -inf or (least > -inf and Fraction(low) <= score + least)
            assert high == inf or (most < inf and score + most <= Fraction(high))
            said += low > -inf and high < inf
    return said


@settings(max_examples=100, deadline=None)
@given(problems(boxes()), st.sampled_from([0, 50, 20, 10, 5, 3, 1, None]), st.data())
def test_all_that_a_cell_says_is_true_of_rational_optima(posed, nearness, data):
    problem, member, anywhere = posed
    assume(Moving.refusal(problem) is None)
    X = check_data(data.draw(vectors(3 * problem.n_weights)).reshape(3, -1) * 2.0 ** data.draw(st.integers(-3, 3)))
    moving, rng = Moving(problem, X), np.random.default_rng(data.draw(st.integers(0, 99)))
    ratio = data.draw(st.sampled_from([1 - 2.0**-50, 0.999, 0.9, 0.5, 2.0**-10]))
    noise = anywhere if nearness is None else data.draw(vectors(problem.n_weights))
    lams = problem.lam, problem.lam * ratio
    first, last = (pair_of(moving, lam, nearness, member, noise) for lam in lams)
    for cell in cells_of(moving, first, last, rng):
        judged(moving, cell, rng, lams=1)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", BOXED)
def test_every_risk_at_every_gap(name, bias):
    """Weights, duplicated rows, rows of zeros and ties; and something is said."""
    said = 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        problem = RISKS[name](rng, bias, bool(seed % 2)).problem
        d = problem.n_weights
        X = np.vstack([rng.standard_normal((3, d)), np.zeros(d), 100 * rng.standard_normal((2, d)), np.ones(d)])
        moving = Moving(problem, check_data(X))
        for tol, ratio in ((1e-2, 0.5), (1e-6, 0.9), (1e-10, 0.99)):
            pairs = []
            for lam in (problem.lam, problem.lam * ratio):
                result = pragam.solve(problem.at(lam), tol=tol)
                pairs.append(moving.pair(problem.at(lam), result.w, result.alpha, result.certificate))
            for cell in cells_of(moving, *pairs, rng):
                said += judged(moving, cell, rng, lams=1)
    assert said > 150


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_false_bound_on_hostile_data(kind, bias):
    """Also of pairs that no solver made: w far from w(alpha), alpha from anywhere in Q."""
    said = 0
    for seed in range(4):
        X, y, lam, weights = hostile(kind, seed)
        rng = np.random.default_rng(100 + seed)
        store = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array][seed % 4]
        risk = [pragam.hinge, pragam.squared_hinge, pragam.smoothed_hinge][seed % 3 if weights is None else 0]
        problem = risk(store(X), y, lam, bias=bias, sample_weight=weights)
        moving = Moving(problem, check_data(store(X)))
        for tol, ratio in ((1e-2, 0.7), (1e-9, 0.99), (1e-12, 1 - 1e-9)):
            pairs, t = [], float(rng.choice([0.0, 0.0, 1e-3]))
            for at in (problem.at(lam), problem.at(lam * ratio)):
                result = pragam.solve(at, tol=tol, max_seconds=5)
                alpha = at.domain.project((1 - t) * result.alpha + t * at.domain.sample(rng))
                v = result.w * (1 + t * rng.standard_normal(len(result.w)))
                pairs.append(moving.pair(at, v, alpha, pragam.certify(at, v, alpha)))
            for cell in cells_of(moving, *pairs, rng):
                said += judged(moving, cell, rng, lams=1)
    assert said > 50 or kind == "one class"


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e150])
@pytest.mark.parametrize("bias", [True, False])
def test_ends_of_float64(scale, bias):
    """Where squares of rows overflow or vanish, bounds may be infinite, never false."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X, y = scale * rng.standard_normal((6, 2)), np.array([1, -1, 1, -1, 1, -1])
        for lam in (1e-6, 1.0, scale * scale if 1e-140 < scale < 1e140 else scale):
            problem = pragam.hinge(X, y, lam, bias=bias)
            moving, pairs = Moving(problem, check_data(X)), []
            for at in (problem, problem.at(0.9 * lam)):
                result = pragam.solve(at, tol=1e-9, max_seconds=0.3)
                pairs.append(moving.pair(at, result.w, result.alpha, result.certificate))
            for cell in cells_of(moving, *pairs, rng):
                judged(moving, cell, rng, lams=1)


@settings(max_examples=100, deadline=None)
@given(problems(boxes()), st.sampled_from([0, 20, 5, 1]), st.data())
def test_the_radius_is_that_of_the_moving_pair_at_least(posed, nearness, data):
    """tau gap - |w - v|^2/4 of the pair that moves, in fractions, at lams of the cell; and not much more is said."""
    problem, member, _ = posed
    assume(Moving.refusal(problem) is None)
    moving = Moving(problem, check_data(np.eye(problem.n_weights)))
    noise = data.draw(vectors(problem.n_weights))
    ratio = data.draw(st.sampled_from([0.999, 0.9, 0.5]))
    pairs = [pair_of(moving, lam, nearness, member, noise) for lam in (problem.lam, problem.lam * ratio)]
    assume(all(pair.lower.repaired.is_exact for pair in pairs))
    rng = np.random.default_rng(0)
    for cell in cells_of(moving, *pairs, rng)[:2]:
        if cell.radius == inf:
            continue
        most = max(
            exact_radius2(problem, *pairs, lam) for lam in (cell.a.lam, cell.b.lam, np.sqrt(cell.a.lam * cell.b.lam))
        )
        assert most <= Fraction(cell.radius) ** 2


def exact_radius2(problem, first, last, lam):
    """tau gap - |w - v|^2/4 at lam, of real numbers."""
    f, one, two, at = form(problem.at(lam)), Fraction(first.lam), Fraction(last.lam), Fraction(lam)
    theta, phi = (1 / at - 1 / one) / (1 / two - 1 / one), (one - at) / (one - two)
    w, b = (mixture(getter(first), getter(last), theta) for getter in (lambda p: p.w, lambda p: p.biases.value))
    alpha = of_fractions(mixture(first.lower.repaired.point, last.lower.repaired.point, phi))
    gap = f.primal(of_fractions(w), of_fractions(b)) - f.dual(alpha)
    apart = [a + u / at for a, u in zip(w, f.image(alpha).fractions(), strict=True)]
    return gap / at - exact_dot(apart, apart) / 4


def mixture(one, two, t):
    return [(1 - t) * a + t * b for a, b in zip(exact(one), exact(two), strict=True)]


@given(*[st.floats(0, 1e3) | st.floats(0, 1e-300)] * 2, st.floats(-1e3, 1e4))
def test_the_largest_value_of_a_parabola(first, last, bend):
    A, B, K = Fraction(first), Fraction(last), Fraction(bend)
    most = Fraction(largest(first, last, bend))
    vertex = (ONE + (B - A) / K) / 2 if abs(B - A) < K else ZERO
    values = [(1 - t) * A + t * B + t * (1 - t) * K for t in (ZERO, ONE, ONE / 2, ONE / 3, vertex)]
    assert max(values) <= most <= max(values) * (1 + Fraction(1e-14)) + Fraction(1e-306)


@given(st.floats(0, 1), vectors(3, st.floats(-1e10, 1e10)), vectors(3, st.floats(-1e10, 1e10)))
def test_mixtures(t, one, two):
    error = np.abs(one) * 1e-10
    mixed = Share(1 - t, t).of(Near(one, error), Near(two, 0 * error))
    T = Fraction(t)
    for value, lost, a, b, e in zip(*(exact(x) for x in (*mixed, one, two, error)), strict=True):
        for end in (a - e, a + e):
            assert abs((1 - T) * end + T * b - value) <= lost
    sizes = np.abs(one), np.abs(two)
    for found, a, b in zip(exact(Share(1 - t, t).least(*sizes)), *(exact(x) for x in sizes), strict=True):
        assert 0 <= found <= (1 - T) * a + T * b
    most = Share(1 - t, t).most(float(one[0]), float(two[0]))
    assert Fraction(most) >= (1 - T) * Fraction(float(one[0])) + T * Fraction(float(two[0]))
