"""The sequential dual method: its optimum, its steps, and what makes it fast changes nothing."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam import Status
from pragam.operators.storage.base import WALKING
from pragam.solvers.base import Start
from pragam.solvers.sequential_dual import SequentialDual, solver
from solvers.test_label_newton import posed, reference

CASES = [(multilabel, bias) for multilabel in (False, True) for bias in (False, True)]


@pytest.mark.parametrize("multilabel, bias", CASES)
@pytest.mark.parametrize("sizes", [{}, {"K": 2}, {"n": 12, "d": 20}, {"lam": 1e-1}])
def test_the_optimum_is_clarabels(multilabel, bias, sizes):
    for seed in range(4):
        problem = posed(seed, bias, multilabel, **sizes)
        result = pragam.solve(problem, "sequential-dual", tol=1e-8)
        assert result.converged
        assert result.certificate.primal == pytest.approx(reference(problem), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("multilabel, bias", CASES)
def test_every_storage_gives_the_same_bounds(multilabel, bias):
    storages = (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array, lambda X: X.astype(np.float32))
    found = [
        pragam.solve(posed(0, bias, multilabel, K=11, storage=storage), "sequential-dual", tol=1e-8).certificate
        for storage in storages
    ]
    for proof in found[:-1]:
        assert proof.primal == pytest.approx(found[0].primal, rel=1e-7)
    assert found[-1].primal == pytest.approx(found[0].primal, rel=1e-4)  # the same data, rounded


@pytest.mark.parametrize("multilabel, bias", CASES)
@pytest.mark.parametrize("method", [SequentialDual(shrinking=False), SequentialDual(momentum=False)])
def test_what_makes_it_fast_can_be_left_out(multilabel, bias, method):
    problem = posed(4, bias, multilabel, n=200, lam=1e-2)
    plain, full = (pragam.solve(problem, each, tol=1e-6) for each in (method, "sequential-dual"))
    assert plain.converged and full.converged
    assert plain.certificate.dual <= full.certificate.primal and full.certificate.dual <= plain.certificate.primal


@pytest.mark.parametrize("multilabel, bias", CASES)
def test_the_dual_never_falls_without_planes_and_w_follows_alpha(multilabel, bias):
    problem = posed(5, bias, multilabel, n=150)
    method = SequentialDual()
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    duals = [state.dual]
    for _ in range(40):
        state = method.step(problem, state)
        duals.append(problem.dual(state.work.alpha))
        np.testing.assert_allclose(state.work.weights(), problem.w_of_alpha(state.work.alpha), atol=1e-9)
    if not bias:
        assert np.diff(duals).min() >= -1e-12
        assert state.dual == pytest.approx(duals[-1], rel=1e-9)


@pytest.mark.parametrize("multilabel, bias", CASES)
def test_a_candidate_is_a_query_and_lies_on_the_planes(multilabel, bias):
    problem = posed(6, bias, multilabel, n=80)
    method = SequentialDual()
    state = method.init(problem, np.random.default_rng(0), None, 1e-4)
    for _ in range(3):
        state = method.step(problem, state)
        before = state.work.alpha.copy(), state.work.table.copy()
        w, alpha, *biases = method.candidate(problem, state)
        assert problem.domain.violation(alpha) <= 1e-9 and len(biases) == bias
        alpha += 1.0
        w += 1.0
        np.testing.assert_array_equal(state.work.alpha, before[0])
        np.testing.assert_array_equal(state.work.table, before[1])


@pytest.mark.parametrize("multilabel, bias", CASES)
def test_single_precision_is_certified_in_double(multilabel, bias, monkeypatch):
    """Where it is trusted; and where it is not good enough, double precision takes over."""
    monkeypatch.setattr(solver, "_LARGE_TABLE", 1)
    problem = posed(7, bias, multilabel, n=300, lam=1e-1)
    method = SequentialDual()
    assert method.init(problem, np.random.default_rng(0), None, 1e-3).work.is_single
    assert not method.init(problem, np.random.default_rng(0), None, 1e-9).work.is_single
    assert pragam.solve(problem, method, tol=1e-3).converged
    monkeypatch.setattr(solver, "_UPDATES", 0.0)
    assert method.init(problem, np.random.default_rng(0), None, 1e-9).work.is_single
    assert pragam.solve(problem, method, tol=1e-9).converged


@pytest.mark.parametrize("scale, lam", [(1e-38, 1e-80), (1e40, 1e76)])
def test_sizes_that_single_precision_does_not_know_stay_in_double(scale, lam, monkeypatch):
    monkeypatch.setattr(solver, "_LARGE_TABLE", 1)
    rng = np.random.default_rng(0)
    X, y = scale * rng.standard_normal((40, 6)), rng.integers(0, 3, 40)
    problem = pragam.multiclass_hinge(X, y, lam)
    assert not SequentialDual().init(problem, rng, None, 1e-2).work.is_single
    assert pragam.solve(problem, "sequential-dual", tol=1e-2).converged


@pytest.mark.parametrize("multilabel, bias", CASES)
def test_a_warm_start_is_not_lost(multilabel, bias):
    problem = posed(8, bias, multilabel, n=200)
    first = pragam.solve(problem, "sequential-dual", tol=1e-5)
    again = pragam.solve(problem, "sequential-dual", tol=1e-5, start=first)
    assert again.converged and again.n_iter == 0
    other = pragam.solve(problem.at(0.9 * problem.lam), "sequential-dual", tol=1e-5, start=first)
    cold = pragam.solve(problem.at(0.9 * problem.lam), "sequential-dual", tol=1e-5)
    assert other.converged
    # With biases the multipliers have their way to go, from wherever alpha starts.
    assert bias or other.history.passes[-1] <= cold.history.passes[-1]


def test_biases_of_a_start_are_taken():
    problem = posed(9, bias=True)
    best = pragam.solve(problem, "sequential-dual", tol=1e-8)
    state = SequentialDual().init(problem, np.random.default_rng(0), Start(best.w, best.alpha, best.biases), 1e-8)
    np.testing.assert_allclose(state.multipliers.biases, best.biases, atol=1e-10)


@pytest.mark.parametrize("seed", range(30))
def test_biases_neither_oscillate_nor_walk_off_where_examples_are_set_aside(seed):
    """Few distinct rows, two classes, costs far apart: half of these ended as STALLED, by up to a third of J."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((4, 5))[rng.integers(0, 4, 12)]
    y, weights = rng.permutation(np.arange(12) % 2), rng.random(12) * (rng.random(12) < 0.6)
    problem = pragam.multiclass_hinge(X, y, 0.63, cost=[[0, 0], [76, 0]], bias=True, sample_weight=weights)
    assert pragam.solve(problem, "sequential-dual", tol=1e-6, max_iter=400).converged


def test_equal_calls_give_equal_bits():
    one, other = (pragam.solve(posed(10, True, n=120), "sequential-dual", tol=1e-6) for _ in range(2))
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(one.alpha, other.alpha)


def test_it_refuses_what_it_cannot_walk_over():
    X, y = np.eye(4), np.array([0, 1, 2, 0])
    with pytest.raises(ValueError, match="for models with a weight vector for each label"):
        pragam.solve(pragam.hinge(X, y > 0, lam=0.1), "sequential-dual")
    problem = pragam.multiclass_hinge(X, y, lam=0.1)
    problem.A.lacks = frozenset({"example_rows"} | WALKING)
    with pytest.raises(ValueError, match="example_rows"):
        pragam.solve(problem, "sequential-dual")


@pytest.mark.parametrize("bias", [False, True])
def test_ctrl_c_leaves_a_certified_pair(bias):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 40)), rng.integers(0, 8, 20_000)
    problem = pragam.multiclass_hinge(X, y, lam=1e-7, bias=bias)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = pragam.solve(problem, "sequential-dual", tol=1e-12)
    timer.join()
    assert result.status is Status.INTERRUPTED
    proof = pragam.certify(problem, result.w, result.alpha, bias=result.biases if bias else None)
    assert proof.primal <= result.certificate.primal * (1 + 1e-12)
    assert proof.dual >= result.certificate.dual - 1e-12 * abs(result.certificate.dual)
