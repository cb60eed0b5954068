"""Problems on the same rows that are started together: the same optimum, and a certificate each, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.certificate import Lower, Upper, bounds_together
from pragam.driver import jobs
from pragam.driver.jobs import Settings, solve_problems
from pragam.driver.together import together
from pragam.operators import check_data
from pragam.solvers.sequential_dual import parts, stacked

K = 18  # two groups


def text(seed=0, n=400, d=2000, terms=20):
    """Sparse rows of unit length whose columns depend on the class, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    columns = np.where(rng.random((n, terms)) < 0.4, y[:, None] * 20 + rng.integers(20, size=(n, terms)),
                       rng.integers(d, size=(n, terms)))  # fmt: skip
    X = sparse.csr_array((rng.random(n * terms), (np.repeat(np.arange(n), terms), columns.ravel())), shape=(n, d))
    norms = np.sqrt(X.multiply(X).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / norms) @ X), y


def problems_of(X, y, bias=False, weights=None):
    storage = check_data(X)
    signs = [np.where(y == k, 1, -1) for k in range(K)]
    return [pragam.hinge(storage, sign, 1 / len(y), bias=bias, sample_weight=weights) for sign in signs]


def started(problems, tol=1e-3):
    """The groups, whatever is cheapest for problems so small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "pragam.driver.together.Auto.first", lambda *_: ("dcd", pragam.solvers.Dcd().cost(problems[0], tol))
        )
        return together(problems, tol, None, None, 0)


@pytest.mark.parametrize("bias", [False, True])
def test_the_stacked_problem_is_the_sum(bias):
    X, y = text()
    problems = problems_of(X, y, bias)
    joint, rng = stacked(problems), np.random.default_rng(1)
    w, alpha = rng.standard_normal(joint.n_weights), joint.domain.sample(rng)
    own = parts(K, w, alpha)
    assert joint.primal(w) == pytest.approx(sum(p.primal(pair.w) for p, pair in zip(problems, own, strict=True)))
    assert joint.dual(alpha) == pytest.approx(sum(p.dual(pair.alpha) for p, pair in zip(problems, own, strict=True)))


def test_what_does_not_go_together_is_not_stacked():
    X, y = text()
    one, two = problems_of(X, y)[:2]
    storage = one.A.storage
    sign = np.where(y == 2, 1, -1)
    assert stacked([one, two]) is not None
    assert stacked([one, two.at(0.5)]) is None
    assert stacked([one, pragam.hinge(X, sign, one.lam, bias=False)]) is None  # another storage
    assert stacked([one, pragam.hinge(storage, sign, one.lam, bias=True)]) is None
    assert stacked([one, pragam.hinge(storage, sign, one.lam, bias=False, sample_weight=1.0 + y)]) is None
    assert stacked([pragam.squared_hinge(storage, sign, one.lam, bias=False)] * 2) is None


@pytest.mark.parametrize("dense", [False, True])
def test_bounds_of_several_are_those_of_each_to_the_bit(dense):
    X, y = text()
    problems = problems_of(X.toarray() if dense else X, y, bias=True)
    rng = np.random.default_rng(2)
    weights = [rng.standard_normal(p.n_weights) for p in problems]
    duals = [p.domain.sample(rng) for p in problems]
    for problem, w, alpha, (upper, lower) in zip(
        problems, weights, duals, bounds_together(problems, weights, duals), strict=True
    ):
        assert upper.quick.value == Upper(problem, w).quick.value
        assert lower.quick.value == Lower(problem, alpha).quick.value


@pytest.mark.parametrize(("n", "d", "terms"), [(2900, 90, 90), (3000, 50, 90), (5000, 2100, 53), (5100, 2000, 53)])
def test_products_of_several_are_those_of_each_to_the_bit(n, d, terms):
    """With fewer entries, or fewer a column, than those from which X' alpha is summed in parts, and with more."""
    rng = np.random.default_rng(4)
    columns, ends = rng.integers(0, d, n * terms), np.arange(n + 1) * terms
    storage = check_data(sparse.csr_array((rng.standard_normal(n * terms), columns, ends), shape=(n, d)))
    W, B = rng.standard_normal((3, d)), rng.standard_normal((3, n))
    np.testing.assert_array_equal(storage.matvecs(W), [storage.matvec(w) for w in W])
    np.testing.assert_array_equal(storage.rmatvecs(B), [storage.rmatvec(alpha) for alpha in B])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("weighted", [False, True])
def test_each_is_certified_and_optimal(bias, tol, weighted):
    X, y = text()
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(y)) if weighted else None
    problems = problems_of(X, y, bias, weights)
    groups = started(problems, tol)
    for k, problem in enumerate(problems):
        reached = groups.reached(k)
        assert reached is not None
        result = pragam.solve(problem, "auto", tol=tol, start=reached)
        alone = pragam.solve(problem, "auto", tol=1e-9)
        assert result.converged
        assert result.certificate == pragam.certify(problem, result.w, result.alpha)
        assert result.certificate.primal <= alone.certificate.primal * (1 + 1.01 * tol)
        assert result.certificate.dual <= alone.certificate.primal
        assert (np.diff(result.history.seconds) >= 0).all() and (np.diff(result.history.passes) >= 0).all()


def test_the_answers_do_not_depend_on_the_number_of_threads(monkeypatch):
    X, y = text()
    problems = problems_of(X, y, bias=True)
    monkeypatch.setattr(jobs, "together", lambda problems, tol, *_: started(problems, tol))
    one, two = (solve_problems(problems, Settings(tol=1e-4, n_jobs=n)).results for n in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert np.array_equal(first.w, second.w) and np.array_equal(first.alpha, second.alpha)
        assert first.certificate == second.certificate and first.n_iter == second.n_iter


def test_a_start_that_fails_is_told_and_each_is_solved_alone(monkeypatch):
    problems = problems_of(*text())
    groups = started(problems)

    def fail(*_):
        raise FloatingPointError("what went wrong")

    monkeypatch.setattr("pragam.driver.together.SequentialDual.step", fail)
    with pytest.warns(RuntimeWarning, match=r"9 problems could not be started together \(FloatingPointError: what"):
        assert groups.reached(0) is None
    monkeypatch.setattr(jobs, "together", lambda *_: groups)
    with pytest.warns(RuntimeWarning, match="9 problems"):  # the other group
        solved = solve_problems(problems, Settings(tol=1e-3)).results
    assert all(result.converged for result in solved)
