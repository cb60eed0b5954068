"""The whole Newton method in one call: equal to its NumPy twin, and at the optimum when it says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pragam
from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.newton.records import DenseGoal, DenseIterate
from pragam.conjugates import Quadratic
from pragam.operators.planes import Planes
from pragam.polytopes import Box
from pragam.solvers import NewtonDense
from zoo import HINGE, hinge_case

BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


def call(problem, tol=1e-6, exact=1e-13, steps=200, beyond=2.0):
    """The records of a call from nothing."""
    state = NewtonDense().init(problem, np.random.default_rng(0), None, tol)
    return state.scaled, state.iterate, DenseGoal(tol, exact, steps, beyond)


def curved(problem, gamma):
    """The same with a curvature of gamma, in scores, from end to end of each box; infinite: squared, without an end."""
    upper = problem.Q.upper
    if np.isinf(gamma):
        kappa = np.divide(0.5, upper, out=np.zeros_like(upper), where=upper > 0)
        return replace(problem, Q=Box(problem.Q.lower, np.where(upper > 0, np.inf, 0.0)), g=Quadratic(kappa))
    return replace(problem, g=Quadratic(np.divide(gamma, upper, out=np.zeros_like(upper), where=upper > 0)))


def on_three_planes(problem):
    """The same rows, a third of them on each of three planes."""
    group = np.arange(problem.Q.size) % 3
    return replace(problem, B=Planes(problem.B.sigma, group, 3))


def shared(seed):
    """Two and three dual variables a data row, with and without biases."""
    rng = np.random.default_rng(seed)
    X, weight = rng.standard_normal((40, 4)) + 10.0 * rng.standard_normal(4), rng.integers(0, 3, 40)
    target = X @ rng.standard_normal(4) + rng.standard_normal(40)
    yield pragam.epsilon_insensitive(X, target, 0.01, bias=False, sample_weight=weight)
    yield pragam.epsilon_insensitive(X, target, 0.01, sample_weight=weight)
    yield pragam.ordinal_hinge(X, np.digitize(target, np.quantile(target, [0.2, 0.5, 0.8])), 0.01)


def cases(variant, seeds=5):
    for seed in range(seeds):
        for problem in shared(seed):
            yield problem
            yield curved(problem, (0.01, 0.5)[seed % 2])
        for bias in (False, True):
            problem = hinge_case(variant, bias, seed).problem
            yield problem
            yield curved(problem, (0.01, 0.5, np.inf)[seed % 3])
        yield on_three_planes(problem)
        yield curved(on_three_planes(problem), 0.5)


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("variant", HINGE)
def test_the_estimate_is_the_gap(get, variant):
    """Recomputed from the arrays alone, in the problem that the kernel sees."""
    for problem in cases(variant):
        p, at, goal = call(problem)
        steps, read, estimate = get("dense_newton")(p, at, goal)
        n = len(p.c)
        low, high, bend = (p.low, p.high, p.bend) if p.low.size else (np.zeros(n), np.ones(n), np.zeros(n))
        assert 0 < steps <= goal.steps and read >= n
        assert (at.beta >= low).all() and (at.beta <= high).all()
        B = np.where(np.arange(len(p.levels)) == p.group[:, None], p.sigma[:, None], 0.0)
        rows = p.scale[:, None] * p.rows[p.number] if p.number.size else p.rows
        s = p.c + rows @ at.w + B @ at.biases
        end = np.where(s > 0, high, low)
        best = np.clip(np.divide(s, bend, out=end, where=bend > 0), low, high)
        primal = p.constant + 0.5 * p.lam * at.w @ at.w + p.offset @ at.w - p.levels @ at.biases
        primal += p.size @ (best * s - bend * best**2 / 2)
        alpha = p.size * at.beta
        adjoint = p.offset + rows.T @ alpha
        dual = p.constant + p.size @ (p.c * at.beta - bend * at.beta**2 / 2) - adjoint @ adjoint / (2 * p.lam)
        off = np.abs(B.T @ alpha - p.levels) @ (1 + np.abs(at.biases))
        assert (primal - dual + off) / max(abs(primal), 1e-300) == pytest.approx(estimate, abs=1e-12, rel=1e-6)
        assert estimate <= 1e-12


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")
@pytest.mark.parametrize("variant", HINGE)
def test_both_find_the_same_weights_and_after_one_stage_the_same_numbers(variant):
    for problem in cases(variant):
        for steps, tol in ((1, 1e-9), (200, 1e-7)):
            one, other = call(problem, steps=steps), call(problem, steps=steps)
            answers = _kernels.get("dense_newton")(*one), twins.dense_newton(*other)
            w = one[1].w
            assert np.allclose(w, other[1].w, rtol=tol, atol=tol * np.abs(w).max(initial=1e-3))
            if steps == 1:
                assert answers[0][:2] == answers[1][:2]
                for x, y in zip(one[1], other[1], strict=True):
                    assert np.allclose(x, y, atol=tol)


@pytest.mark.parametrize("get", BOTH)
def test_the_way_from_the_tolerance_to_the_optimum_costs_no_more_than_the_way_there(get):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 20))
    y = np.where(X @ rng.standard_normal(20) + 4 * rng.standard_normal(300) > 0, 1, -1)
    problem = pragam.hinge(X, y, lam=1e-3)
    for tol in (1e-2, 1e-4):
        steps_to_tol = get("dense_newton")(*call(problem, tol, exact=tol))[0]
        assert get("dense_newton")(*call(problem, tol))[0] <= 2 * steps_to_tol + 10


@pytest.mark.parametrize("get", BOTH)
def test_without_a_limit_beyond_the_tolerance_the_optimum_is_reached_however_loose_that_is(get):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 10))
    problem = pragam.quantile(X, X @ rng.standard_normal(10) + rng.standard_normal(2000), 1e-3, q=0.3)
    for tol in (0.5, 1e-2, 1e-6):
        state = NewtonDense(exact_products=np.inf, beyond=np.inf).init(problem, np.random.default_rng(0), None, tol)
        assert get("dense_newton")(state.scaled, state.iterate, state.goal)[2] <= 1e-13


@pytest.mark.parametrize("get", BOTH)
def test_where_every_row_has_curvature_a_few_steps_reach_the_optimum(get):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 20))
    y = np.where(X @ rng.standard_normal(20) + 4 * rng.standard_normal(300) > 0, 1, -1)
    for gamma in (1.0, np.inf):
        problem = curved(pragam.hinge(X, y, lam=1e-3), gamma)
        steps, _, estimate = get("dense_newton")(*call(problem, 1e-9))
        assert steps <= 8 and estimate <= 1e-13


@pytest.mark.parametrize("get", BOTH)
def test_numbers_beyond_float64_end_the_call_at_once(get):
    problem, iterate, goal = call(hinge_case("plain", True, 0).problem)
    problem.rows[:] = 1e200  # whose squares overflow
    steps, _, estimate = get("dense_newton")(problem, iterate, goal)
    assert steps <= 1 and not estimate <= 1.0


def test_wrong_shapes_are_refused():
    if not _kernels.compiled:
        pytest.skip("the twin trusts its caller")
    problem, iterate, goal = call(curved(hinge_case("plain", True, 0).problem, 0.5))
    for name in ("c", "size", "low", "high", "bend", "sigma", "offset", "levels"):
        wrong = problem._replace(**{name: np.zeros(len(getattr(problem, name)) + 1)})
        with pytest.raises(ValueError, match="dense_newton"):
            _kernels.get("dense_newton")(wrong, iterate, goal)
    for name in DenseIterate._fields:
        wrong = iterate._replace(**{name: np.zeros(len(getattr(iterate, name)) + 1)})
        with pytest.raises(ValueError, match="dense_newton"):
            _kernels.get("dense_newton")(problem, wrong, goal)
    numbered = problem._replace(number=np.zeros(len(problem.c), np.int64), scale=np.ones(len(problem.c)))
    for wrong in (
        problem._replace(number=numbered.number),
        problem._replace(scale=numbered.scale),
        problem._replace(rows=problem.rows[1:]),
        numbered._replace(number=numbered.number + len(problem.rows)),
        numbered._replace(number=numbered.number - 1),
    ):
        with pytest.raises(ValueError, match="dense_newton"):
            _kernels.get("dense_newton")(wrong, iterate, goal)
    group = np.full_like(problem.group, 2)
    with pytest.raises(ValueError, match="group"):
        _kernels.get("dense_newton")(
            problem._replace(group=group, levels=np.zeros(2)), iterate._replace(biases=np.zeros(2)), goal
        )
