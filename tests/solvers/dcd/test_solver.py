"""dcd as a whole: its settings, its estimate, and what is remembered between steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.solvers.dcd import Dcd
from solvers.dcd.problems import text
from zoo import BOXES


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("storage", [sparse.csr_array, lambda X: X.toarray()])
@pytest.mark.parametrize("settings", [{}, {"shrinking": False}, {"momentum": False}, {"face": False}])
def test_every_setting_finds_the_optimum(bias, storage, settings):
    X, y = text(300, 2000, 30, 3)
    problem = pragam.hinge(storage(X), y, lam=1e-3, bias=bias)
    reference = pragam.solve(problem, "newton", tol=1e-11)
    result = pragam.solve(problem, Dcd(**settings), tol=1e-10)
    assert result.converged
    assert result.certificate.primal == pytest.approx(reference.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("bias", [False, True])
def test_the_first_estimate_within_the_tolerance_is_near_the_certified_gap(bias):
    """That is when the driver certifies: mostly once, and hardly ever too late."""
    ratios = []
    for seed in range(5):
        X, y = text(1000, 3000, 30, seed)
        problem = pragam.hinge(X, y, lam=1e-3, bias=bias)
        method = Dcd()
        for tol in (1e-2, 1e-3, 1e-4, 1e-6):
            state = method.init(problem, np.random.default_rng(seed), None, tol)
            while not (estimate := method.estimate(problem, state)) <= tol:
                state = method.step(problem, state)
            ratios.append(estimate / pragam.certify(problem, *method.candidate(problem, state)).relative_gap)
    assert np.min(ratios) > 0.2 and np.max(ratios) < 4 and 0.75 < np.median(ratios) < 1.5


@pytest.mark.parametrize("name", [name for name in BOXES if "bias" not in name])
def test_the_dual_value_is_tracked_and_never_falls(name):
    """Without an equality, D(alpha) rises with every step, and the state knows it."""
    problem = BOXES[name](3).problem
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    last = -np.inf
    for _ in range(60):
        state = method.step(problem, state)
        dual = problem.dual(method.candidate(problem, state)[1])
        assert dual >= last - 1e-13 * abs(dual) and state.dual == pytest.approx(dual, rel=1e-9, abs=1e-14)
        last = dual


@pytest.mark.parametrize("bias", [False, True])
def test_rows_set_aside_wrongly_come_back(bias):
    """From alpha with half of the rows at the wrong bound, and as good as all of them set aside."""
    X, y = text(400, 600, 20, 0)
    problem = pragam.hinge(X, y, lam=1e-3, bias=bias)
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-8)
    for _ in range(5):
        state = method.step(problem, state)
    state.work.n_active = 3  # the rest are forgotten
    gaps = []
    for _ in range(400):
        state = method.step(problem, state)
        gaps.append(pragam.certify(problem, *method.candidate(problem, state)).relative_gap)
        if gaps[-1] <= 1e-8:
            break
    assert gaps[-1] <= 1e-8


def test_equal_seeds_give_equal_answers():
    X, y = text(1000, 2000, 30, 1)
    problem = pragam.hinge(X, y, lam=1e-4)
    first, second, third = (pragam.solve(problem, "dcd", tol=1e-7, random_state=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.w, second.w) and np.array_equal(first.alpha, second.alpha)
    assert not np.array_equal(first.alpha, third.alpha)


@pytest.mark.parametrize("bias", [False, True])
def test_half_lines_for_boxes(bias):
    """Without upper bounds (a hard margin) alpha is finite, and so is the certificate."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 60))
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    problem = pragam.hinge(X, y, lam=1e-2, bias=bias)
    hard = pragam.polytopes.Box(problem.Q.lower, np.full(40, np.inf))
    problem = replace(problem, Q=hard)
    method = Dcd()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    for _ in range(300):
        state = method.step(problem, state)
    _, alpha = method.candidate(problem, state)
    w = problem.w_of_alpha(alpha)
    margins = problem.c + problem.A.matvec(w)
    free = alpha > 0
    sigma = problem.B.sigma
    shift = np.median(margins[free] / sigma[free]) * sigma if bias else 0.0
    assert np.allclose((margins - shift)[free], 0, atol=1e-6) and np.all(margins - shift <= 1e-6)
