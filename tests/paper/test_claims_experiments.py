"""The questions that need runs of their own: the judges on given counts, and the runs themselves."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.driver.solve import solve
from pragam.paper.claims.experiments import lambda_dependence, row_correlation, thresholded_alpha
from pragam.paper.claims.experiments.counting import growth, iterations_to
from pragam.paper.claims.experiments.thresholded_alpha import Accuracies
from pragam.risks import hinge
from pragam.solvers import LsBmrm, Pragam

SIZES = [1 / lam for lam in lambda_dependence.LAMS]


@pytest.mark.parametrize(
    ("power", "expected"), [(1.0, "confirmed"), (0.55, "undecided"), (0.5, "refuted"), (0.2, "refuted")]
)
def test_lambda_dependence_is_judged_by_the_powers(power, expected):
    counts = {"pragam": [size**0.5 for size in SIZES], "ls-bmrm": [size**power for size in SIZES]}
    verdict = lambda_dependence.judged("ls-bmrm", counts, "made")
    assert verdict.answer == expected
    assert f"lam^-{power:.2f}" in verdict.numbers


def test_lambda_dependence_is_undecided_if_a_count_is_not_known():
    counts = {"pragam": [size**0.5 for size in SIZES], "ls-bmrm": [*SIZES[:-1], np.inf]}
    assert lambda_dependence.judged("ls-bmrm", counts, "made").answer == "undecided"


def test_row_correlation_is_judged_by_ranks():
    sigma2 = [1 + (row_correlation.N - 1) * rho for rho in row_correlation.RHOS]
    assert row_correlation.of_constant(sigma2).answer == "confirmed"
    assert row_correlation.of_constant([2 * value for value in sigma2]).answer == "refuted"
    rising, falling = [value**0.5 for value in sigma2], [100 / value for value in sigma2]
    assert row_correlation.of_counts("given", sigma2, {1.0: rising, 0.1: rising}).answer == "confirmed"
    assert row_correlation.of_counts("given", sigma2, {1.0: rising, 0.1: falling}).answer == "refuted"
    assert row_correlation.of_counts("given", sigma2, {1.0: [*rising[:-1], np.inf]}).answer == "undecided"


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_rows_have_the_stated_correlation(rho):
    problem = row_correlation.equicorrelated(rho, 0.1)
    rows = np.stack([problem.A.matvec(e) for e in np.eye(problem.n_weights)], axis=1)
    expected = np.full((row_correlation.N, row_correlation.N), rho)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(rows @ rows.T, expected, atol=1e-12)


def accuracies(dual, thresholded):
    """Of iterates 0 .. 19 that arrive at these iterations."""
    t = np.arange(20)
    shares = np.full(20, 0.5)
    return Accuracies(t * 0.0, np.where(t < dual, 0.5, 0.9), np.where(t < thresholded, 0.5, 0.9), shares, shares)


@pytest.mark.parametrize(
    ("dual", "thresholded", "expected"),
    [(10, 5, "confirmed"), (5, 10, "refuted"), (5, 5, "refuted"), (5, 30, "refuted"), (30, 40, "undecided")],
)
def test_thresholded_alpha_is_judged_by_arrival(dual, thresholded, expected):
    assert thresholded_alpha.judged(accuracies(dual, thresholded), 0.8, "made").answer == expected


def two_classes(n=120, d=6):
    rng = np.random.default_rng(3)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return rng.standard_normal((n, d)) + y[:, None], y


def test_thresholded_alpha_measures_what_it_says():
    X, y = two_classes()
    problem = hinge(X[:80], y[:80], lam=1e-2, bias=False)
    found = thresholded_alpha.measured(problem, X[80:], y[80:], 30)
    assert all(column.shape == (31,) for column in found)
    assert (found.thresholded_support <= found.support).all()
    verdict = thresholded_alpha.verdict(X[:80], y[:80], X[80:], y[80:], 1e-2, "made", steps=30)
    assert verdict.data == "made" and verdict.answer in ("confirmed", "refuted", "undecided")


def test_iterations_to_is_the_first_iterate_within_eps():
    X, y = two_classes()
    problem = hinge(X, y, lam=1e-2, bias=False)
    best = solve(problem, tol=1e-9).certificate.dual
    state = LsBmrm().init(problem, np.random.default_rng(0), None, 0.0)
    count = 0
    while problem.primal(LsBmrm().candidate(problem, state)[0]) - best > 1e-2:
        state, count = LsBmrm().step(problem, state), count + 1
    assert count > 2
    assert iterations_to(problem, LsBmrm(), 1e-2, 1000) == count
    assert iterations_to(problem, LsBmrm(), 1e-2, count - 1) == np.inf


def test_growth_is_the_power():
    assert growth([1.0, 2.0, 4.0], [3.0, 12.0, 48.0]) == pytest.approx((2.0, 1.0))
    assert np.isnan(growth([1.0, 2.0], [0.0, np.inf]).slope)


def test_experiments_are_deterministic_and_run(monkeypatch):
    """On fewer values of lambda, for speed; the answers are not asserted."""
    monkeypatch.setattr(lambda_dependence, "LAMS", (2.0**-2, 2.0**-4, 2.0**-6))
    first = lambda_dependence.verdicts()
    assert first == lambda_dependence.verdicts(*lambda_dependence._made(), "made, 200 x 20")
    assert len(first) == 3 and all(verdict.numbers.endswith(".") for verdict in first)
    monkeypatch.setattr(row_correlation, "LAMS", (1e-1,))
    assert len(row_correlation.verdicts()) == 3
    assert Pragam().name in first[0].numbers
