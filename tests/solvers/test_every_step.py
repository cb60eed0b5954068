"""What must hold after every step of every solver on every problem: the driver's loop done by hand."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import pragam
from pragam.solvers import Start, choose
from zoo import PAIRS, ZOO

STEPS = 25


def run(problem, solver, start=None, seed=0):
    """The candidates of the first steps."""
    method = choose(solver, problem)
    state = method.init(problem, np.random.default_rng(seed), start, 1e-6)
    for step in range(STEPS):
        w, alpha = method.candidate(problem, state)
        yield step, w.copy(), alpha.copy(), state
        state = method.step(problem, state)


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_alpha_is_in_q_and_the_gap_covers_the_suboptimality(solver, name):
    case = ZOO[name](2)
    slack = 1e-10 + 1e-9 * abs(case.optimum)
    for step, w, alpha, _ in run(case.problem, solver):
        certificate = pragam.certify(case.problem, w, alpha)  # raises outside Q, and if D > J
        assert certificate.dual <= case.optimum + slack, step
        assert certificate.primal >= case.optimum - slack, step
        assert certificate.gap >= certificate.primal - case.optimum - slack, step


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_a_start_is_certified_too_and_not_changed_and_passes_never_fall(solver, name):
    """First from a dual point with its own weights, then from weights that have nothing to do with it."""
    case = ZOO[name](5)
    rng = np.random.default_rng(1)
    for w in (None, rng.standard_normal(case.problem.n_weights), rng.standard_normal(case.problem.n_weights)):
        alpha = case.problem.domain.sample(rng)
        start = Start(case.problem.w_of_alpha(alpha) if w is None else w, alpha)
        copy = Start(start.w.copy(), start.alpha.copy())
        passes = []
        for step, w, alpha, state in run(case.problem, solver, start):
            certificate = pragam.certify(case.problem, w, alpha)
            assert certificate.dual <= case.optimum + 1e-9 * (1 + abs(case.optimum)), step
            passes.append(state.passes)
        assert np.all(np.diff(passes) >= 0) and passes[-1] > passes[0]
        assert np.array_equal(start.w, copy.w) and np.array_equal(start.alpha, copy.alpha)


def contents(part):
    """All that a state holds, as a flat list of copies."""
    if isinstance(part, np.ndarray):
        return [part.copy()]
    if is_dataclass(part) and not isinstance(part, pragam.Problem):
        return [item for f in fields(part) for item in contents(getattr(part, f.name))]
    if isinstance(part, (tuple, list)):
        return [item for element in part for item in contents(element)]
    return [part] if isinstance(part, (int, float)) else []


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_candidate_and_estimate_are_queries(solver, name):
    """They leave the state as it is, so asking twice gives the same answer."""
    problem = ZOO[name](3).problem
    method = choose(solver, problem)
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    for _ in range(8):
        before = contents(state)
        first = [x.copy() for x in method.candidate(problem, state)]
        method.estimate(problem, state)
        after = contents(state)
        assert len(before) == len(after)
        assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(before, after, strict=True))
        assert all(np.array_equal(x, y) for x, y in zip(first, method.candidate(problem, state), strict=True))
        state = method.step(problem, state)
