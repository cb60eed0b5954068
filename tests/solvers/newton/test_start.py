"""Where the Newton method begins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import certify
from pragam.solvers.newton import start as start_module
from pragam.solvers.newton.box_form import box_form
from pragam.solvers.newton.start import by_sweeps, in_the_middle
from solvers.newton.problems import HARD, hard_data


@pytest.mark.parametrize("lam", [1e-10, 1e-6, 1e-2, 1e3])
@pytest.mark.parametrize("kind", HARD)
def test_sweeps_may_spoil_the_start_but_not_the_answer(kind, lam, monkeypatch):
    """Where they are of no use, and would not be made, as where they are."""
    monkeypatch.setattr(start_module, "_worth_a_trial", lambda form: True)
    monkeypatch.setattr(start_module, "_PROMISING", np.inf)
    X, y = hard_data(kind)
    problem = pragam.hinge(sparse.csr_array(X), y, lam, bias=False)
    assert by_sweeps(box_form(problem), np.random.default_rng(0)).w.any()
    result = pragam.solve(problem, "newton", tol=1e-9, max_iter=3000)
    assert result.converged, (result.status, result.certificate)


def sparse_problem(hardness, positives=0.1, n=2000, d=200, as_array=False, bias=False):
    """With C R^2 = hardness, each row of 20 entries, of 1 but for a factor."""
    rng = np.random.default_rng(5)
    X = np.sqrt(hardness / 20) * (np.argsort(rng.random((n, d)), axis=1) < 20)
    score = X @ rng.standard_normal(d)
    y = np.where(score > np.quantile(score, 1 - positives), 1, -1)
    return pragam.hinge(X if as_array else sparse.csr_array(X), y, 1 / n, bias=bias)


@pytest.mark.parametrize("hardness", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("positives", [0.02, 0.1, 0.5])
def test_sweeps_leave_weights_that_belong_to_the_dual_point_and_a_smaller_gap(hardness, positives):
    problem = sparse_problem(hardness, positives)
    guess, middle = by_sweeps(box_form(problem), np.random.default_rng(0)), in_the_middle(box_form(problem))
    alpha = problem.Q.lower + (problem.Q.upper - problem.Q.lower) * guess.centre
    assert np.allclose(guess.w, problem.w_of_alpha(alpha), rtol=1e-9, atol=1e-12)
    before = certify(problem, middle.w, problem.Q.upper * middle.centre)
    after = certify(problem, guess.w, alpha)
    assert after.dual > max(before.dual, 0.0)  # 0 is D(0), where the sweeps begin
    assert after.relative_gap < 0.2 < before.relative_gap


@pytest.mark.parametrize(
    "change", [{"hardness": 1e3}, {"hardness": 50.0}, {"n": 1000}, {"as_array": True}, {"bias": True}], ids=str
)
def test_no_sweeps_where_they_do_not_pay(change):
    """But for this one change they do, as the test above shows. C R^2 = 50 fails in the trial."""
    problem = sparse_problem(**{"hardness": 5.0} | change)
    guess = by_sweeps(box_form(problem), np.random.default_rng(0))
    assert not guess.w.any() and np.all(guess.centre == 0.5)
    assert (guess.passes > 0) == (change == {"hardness": 50.0})
