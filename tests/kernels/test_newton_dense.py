"""The whole Newton method in one call: equal to its NumPy twin, and at the optimum when it says so."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam import _kernels
from pragam._kernels import twins
from pragam.solvers import NewtonDense
from zoo import HINGE, hinge_case

BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


def arguments(problem, tol=1e-6, exact=1e-13, steps=200):
    """Of a call from nothing; the arrays that it changes are at 8 (w), 10 (beta) and 11 (place)."""
    state = NewtonDense().init(problem, np.random.default_rng(0), None, tol)
    return [*state.scaled, *state.iterate, tol, exact, steps]


@pytest.mark.parametrize("get", BOTH)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("variant", HINGE)
def test_the_estimate_is_the_gap(get, variant, bias):
    """Recomputed from the arrays alone, in the problem that the kernel sees."""
    for seed in range(5):
        rows, c, width, sigma, offset, lam, level, constant, w, _, beta, place, *rest = call = arguments(
            hinge_case(variant, bias, seed).problem
        )
        steps, read, estimate = get("dense_newton")(*call)
        assert 0 < steps <= rest[-1] and read >= len(c)
        assert (beta >= 0).all() and (beta <= 1).all()
        primal = constant + 0.5 * lam * w @ w + offset @ w + place[0] * level
        primal += width @ np.maximum(c + rows @ w - place[0] * sigma, 0.0)
        alpha = width * beta
        adjoint = offset + rows.T @ alpha
        dual = constant + c @ alpha - adjoint @ adjoint / (2 * lam)
        off = abs(sigma @ alpha - level) * (1 + abs(place[0]))
        assert (primal - dual + off) / max(abs(primal), 1e-300) == pytest.approx(estimate, abs=1e-12, rel=1e-6)
        assert estimate <= 1e-12


@pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("variant", HINGE)
def test_both_find_the_same_weights_and_after_one_stage_the_same_numbers(variant, bias):
    for seed in range(5):
        problem = hinge_case(variant, bias, seed).problem
        for steps, tol in ((1, 1e-9), (200, 1e-7)):
            one, other = arguments(problem, steps=steps), arguments(problem, steps=steps)
            answers = _kernels.get("dense_newton")(*one), twins.dense_newton(*other)
            assert np.allclose(one[8], other[8], rtol=tol, atol=tol * np.abs(one[8]).max(initial=1e-3))
            if steps == 1:
                assert answers[0][:2] == answers[1][:2]
                assert np.allclose(one[10], other[10], atol=tol) and np.allclose(one[11], other[11], atol=tol)


@pytest.mark.parametrize("get", BOTH)
def test_the_way_from_the_tolerance_to_the_optimum_costs_no_more_than_the_way_there(get):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 20))
    y = np.where(X @ rng.standard_normal(20) + 4 * rng.standard_normal(300) > 0, 1, -1)
    problem = pragam.hinge(X, y, lam=1e-3)
    for tol in (1e-2, 1e-4):
        steps_to_tol = get("dense_newton")(*arguments(problem, tol, exact=tol))[0]
        assert get("dense_newton")(*arguments(problem, tol))[0] <= 2 * steps_to_tol + 10


@pytest.mark.parametrize("get", BOTH)
def test_numbers_beyond_float64_end_the_call_at_once(get):
    call = arguments(hinge_case("plain", True, 0).problem)
    call[0][:] = 1e200  # whose squares overflow
    steps, _, estimate = get("dense_newton")(*call)
    assert steps <= 1 and not estimate <= 1.0


def test_wrong_shapes_are_refused():
    if not _kernels.compiled:
        pytest.skip("the twin trusts its caller")
    for k in (1, 2, 3, 4, 8, 9, 10, 11):
        call = arguments(hinge_case("plain", True, 0).problem)
        call[k] = np.zeros(len(call[k]) + 1)
        with pytest.raises(ValueError, match="dense_newton"):
            _kernels.get("dense_newton")(*call)
