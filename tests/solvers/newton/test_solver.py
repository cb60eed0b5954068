"""The semismooth Newton method as a whole: its stages, its active rows, and hard data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.solvers.newton import Newton, stages
from pragam.solvers.newton.state import all_beta
from solvers.newton.problems import HARD, hard_data


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("n", "d"), [(600, 20), (150, 300)], ids=["cholesky", "woodbury"])
def test_a_common_offset_of_the_data_makes_no_difference_to_a_model_with_a_bias(n, d, kind):
    """Features such as years or temperatures in kelvin: only the best bias changes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.3, 1, -1)
    results = [pragam.solve(pragam.hinge(kind(X + offset), y, 1e-4), "newton", tol=1e-7) for offset in (0, 100, 1e4)]
    assert all(result.converged for result in results)
    plain = results[0]
    for result in results[1:]:
        assert result.n_iter <= 1.5 * plain.n_iter
        assert result.certificate.primal == pytest.approx(plain.certificate.primal, rel=2e-7)


def noisy_problem(bias, n=3000, d=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return pragam.hinge(X, np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1), 1e-5, bias=bias)


@pytest.mark.parametrize("bias", [False, True])
def test_a_working_set_leaves_rows_out_and_the_estimate_right(bias):
    problem, method = noisy_problem(bias), Newton()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    smallest = problem.Q.size
    for _ in range(60):
        if (gap := method.estimate(problem, state)) <= 1e-10:
            break
        if 1e-10 < gap < 1e-3 and not bias:  # with a bias the estimate is at the current one, not at the best
            assert certify(problem, *method.candidate(problem, state)).relative_gap == pytest.approx(gap, rel=1e-3)
        state = method.step(problem, state)
        smallest = min(smallest, len(state.active.s))
    assert certify(problem, *method.candidate(problem, state)).relative_gap <= 1e-9
    assert smallest < 0.1 * problem.Q.size


@pytest.mark.parametrize("bias", [False, True])
def test_rows_that_were_left_out_by_mistake_come_back(bias, monkeypatch):
    """With a band of no width every row outside its box is left out at once, also those that will enter it."""
    monkeypatch.setattr(stages, "BAND", 0.0)
    result = pragam.solve(noisy_problem(bias), "newton", tol=1e-9, max_iter=2000)
    assert result.converged


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2, 1e3])
@pytest.mark.parametrize("kind", HARD)
def test_hard_data_are_certified_to_nine_digits(kind, lam, bias):
    X, y = hard_data(kind)
    result = pragam.solve(pragam.hinge(X, y, lam, bias=bias), "newton", tol=1e-9, max_iter=3000)
    assert result.converged, (result.status, result.certificate)


@pytest.mark.parametrize("bias", [False, True])
def test_in_the_midst_of_a_stage_the_better_dual_point_is_proposed(bias):
    """Of beta as it is, and the centre, where the last stage ended."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 20))
    y = np.where(X @ rng.standard_normal(20) + 2 * rng.standard_normal(400) > 0, 1, -1)
    problem, method, was_worse = pragam.hinge(X, y, 1e-4, bias=bias), Newton(), 0
    state = method.init(problem, rng, None, 1e-9)
    for _ in range(40):
        state = method.step(problem, state)
        proposed = problem.dual(method.candidate(problem, state)[1])
        for beta in (all_beta(state), state.stage.centre)[: 1 + np.isfinite(state.stage.dual)]:
            value = problem.dual(problem.domain.onto_face(state.packed.lift(state.form.alpha(beta))))
            # What it costs to move alpha onto the plane is an estimate.
            assert proposed >= value - (1e-3 * abs(proposed) if bias else 1e-12)
            was_worse += proposed > value + 1e-2 * abs(proposed) and beta is not state.stage.centre
    assert was_worse


@pytest.mark.parametrize("n", [30, 20_000])
@pytest.mark.parametrize("warm", [False, True])
def test_a_model_of_a_bias_alone(n, warm):
    """A matrix without columns: the first delta, so much for each weight, would be 0."""
    y = np.where(np.arange(n) % 3, 1, -1)
    problem = pragam.hinge(np.zeros((n, 0)), y, 1e-3)
    start = problem.domain.project(np.full(n, 0.5 / n) * (y == 1)) if warm else None
    assert pragam.solve(problem, "newton", tol=1e-9, start=start).converged
