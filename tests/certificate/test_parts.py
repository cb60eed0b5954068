"""Large problems of several labels are certified in parts: the same bounds, in little memory."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import pragam
from exact_judge import exact_dual, exact_primal
from peaks import peak_memory
from polytopes.strategies import pairs, simplices
from pragam.certificate.lower import Lower
from pragam.certificate.parts import parts_of
from pragam.certificate.upper import Upper
from pragam.operators import LabelRows
from pragam.polytopes import per_example
from pragam.risks import arguments
from problem_strategies import problems

RISKS = ("multiclass", "multilabel")


def posed(kind, n, K, d, bias=False, seed=0):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    own = sparse.csr_array((np.full(n, 2.0), (np.arange(n), y % d)), shape=(n, d))
    X = own + sparse.random_array((n, d), density=min(1.0, 8 / d), rng=rng, format="csr")
    if kind == "multiclass":
        return pragam.multiclass_hinge(X, y, 1.0 / n, bias=bias, sample_weight=rng.integers(0, 3, n) + 0.5)
    Y = rng.random((n, K)) < 2 / K
    Y[np.arange(n), y] = True
    return pragam.multilabel_hinge(X, Y.astype(np.uint8), 1.0 / n, bias=bias)


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of two examples or so."""
    monkeypatch.setattr(per_example, "AT_ONCE", 8)


def bounds(problem, w, alpha, b):
    upper, lower = Upper(problem, w, b), Lower(problem, alpha)
    return [upper.quick, upper.sharp], [lower.quick, lower.running, lower.sharp]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", RISKS)
def test_bounds_in_parts_are_those_of_the_whole(kind, bias, monkeypatch):
    """They differ by rounding, which both count: each is within the two slacks of the other."""
    problem = posed(kind, 50, 5, 7, bias)
    rng = np.random.default_rng(1)
    for _ in range(5):
        w, alpha, b = rng.standard_normal(problem.n_weights), problem.domain.sample(rng), rng.standard_normal(5)
        b = b if bias else None
        whole = bounds(problem, w, alpha, b)
        with monkeypatch.context() as patch:
            patch.setattr(per_example, "AT_ONCE", 8)
            assert len(list(parts_of(problem))) == 50
            parted = bounds(problem, w, alpha, b)
        for one, other in zip(whole[0] + whole[1], parted[0] + parted[1], strict=True):
            assert abs(one.value - other.value) <= 2 * (one.slack + other.slack)
            assert other.slack <= 10 * one.slack + 1e-14 * other.size
            assert one.size <= other.size * (1 + 1e-9)


@settings(max_examples=100)
@given(
    problems(st.one_of(simplices(), pairs())).filter(lambda drawn: isinstance(drawn.problem.A, LabelRows)),
    st.integers(0, 4),
)
def test_bounds_in_parts_are_true_in_rational_numbers(drawn, at_once):
    """J and D of tiny problems at any scale, smooth ones too, each example or two a part of its own."""
    problem, member, w = drawn
    before, per_example.AT_ONCE = per_example.AT_ONCE, at_once
    try:
        uppers, lowers = bounds(problem, w, member, None)
        proof = pragam.certify(problem, w, member)
    finally:
        per_example.AT_ONCE = before
    J, D = exact_primal(problem, w), exact_dual(problem, member)
    assert all(bound.value == np.inf or Fraction(bound.value) >= J for bound in uppers)
    assert all(bound.value == -np.inf or Fraction(bound.value) <= D for bound in lowers)
    assert proof.primal >= proof.dual


@pytest.mark.parametrize("kind", RISKS)
def test_a_repair_in_runs_is_that_of_the_whole(kind, monkeypatch):
    Q = posed(kind, 40, 4, 3).Q
    rng = np.random.default_rng(2)
    for alpha in (Q.sample(rng) * (1 + 1e-9 * rng.standard_normal(Q.size)), Q.maximise_linear(rng.random(Q.size))):
        whole = Q.repair(alpha)
        with monkeypatch.context() as patch:
            patch.setattr(per_example, "AT_ONCE", 16)
            parted = Q.repair(alpha)
        for one, other in zip(whole, parted, strict=True):
            np.testing.assert_array_equal(one, other)
    assert parted.point is alpha  # a vertex is its own repair: no memory for it


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", RISKS)
def test_a_solve_in_parts_finds_the_same_optimum(kind, bias, small_parts):
    problem = posed(kind, 60, 4, 5, bias)
    result = pragam.solve(problem, tol=1e-8)
    assert result.converged and result.certificate == pragam.certify(
        problem, result.w, result.alpha, result.biases if bias else None
    )
    per_example.AT_ONCE = 2**20
    whole = pragam.certify(problem, result.w, result.alpha, result.biases if bias else None)
    assert whole.primal == pytest.approx(result.certificate.primal, rel=1e-12)
    assert whole.relative_gap <= 1.01e-8


def most(work):
    """The most memory that is held while ``work`` runs, in float64, beside what was held before."""
    with peak_memory() as peak:
        kept = work()
    return peak.bytes / 8, kept


@pytest.mark.parametrize("kind", RISKS)
def test_a_certificate_holds_one_array_of_all_dual_variables(kind, monkeypatch):
    """A repaired alpha. All else has the size of a part or of the weights, however many examples there are."""
    monkeypatch.setattr(per_example, "AT_ONCE", 2**13)
    n, K, d = 1000, 250, 250
    problem = posed(kind, n, K, d)
    result = pragam.solve(problem, "sequential-dual", tol=1e-1)
    assert problem.truth.size + problem.tilt.size < n * K  # which the problem keeps
    some = np.count_nonzero(result.alpha)  # each with a place and a bound in the repair
    assert most(lambda: Upper(problem, result.w).quick)[0] <= 0.25 * n * K + 3 * K * d
    assert most(lambda: Lower(problem, result.alpha).quick)[0] <= 1.2 * n * K + 6 * some + 3 * K * d


@pytest.mark.parametrize("kind, arrays", [("multiclass", 9), ("multilabel", 10)])
def test_a_solve_holds_few_arrays_of_all_dual_variables(kind, arrays, monkeypatch):
    """Beside the problem: alpha, the best one and its repair, a second such pair, three of momentum."""
    monkeypatch.setattr(per_example, "AT_ONCE", 2**13)
    n, K, d = 1000, 250, 250
    problem = posed(kind, n, K, d)
    peak, result = most(lambda: pragam.solve(problem, "sequential-dual", tol=1e-2))
    assert result.converged and peak <= arrays * n * K + 16 * K * d


def test_more_dual_variables_than_memory_holds_are_refused_before_any_is_made(monkeypatch):
    X, y = np.ones((10, 1)), np.arange(10)
    monkeypatch.setattr(arguments, "MOST_DUAL_VARIABLES", 99)
    for pose in (lambda: pragam.multiclass_hinge(X, y), lambda: pragam.multilabel_hinge(X, np.eye(10, dtype=int))):
        with pytest.raises(
            ValueError, match=r"10 rows and 10 labels make 100 dual variables.*one label after the other"
        ):
            pose()
    monkeypatch.setattr(arguments, "MOST_DUAL_VARIABLES", 100)
    pragam.multiclass_hinge(X, y)
    monkeypatch.undo()

    def refused():
        with pytest.raises(ValueError, match="268435456"):
            pragam.multiclass_hinge(np.ones((2**15, 1)), range(2**15))

    assert most(refused)[0] < 2**22
