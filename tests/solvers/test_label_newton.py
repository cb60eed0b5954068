"""The proximal Newton method with a weight vector for each label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import optimum, pairs_rows, simplices_rows
from pragam.polytopes import Pairs
from pragam.solvers.base import Start
from pragam.solvers.proximal_newton import ProximalNewton, label_hessian, labels
from pragam.solvers.proximal_newton.labels import LabelState


def posed(seed, bias=False, multilabel=False, n=40, d=5, K=4, lam=1e-2, storage=np.asarray):
    """Random examples, some of them twice, one empty, two of weight 0; any costs."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[1], X[2] = X[0], 0.0
    weights = rng.random(n) + 0.2
    weights[3:5] = 0.0
    if multilabel:
        Y = (X @ rng.standard_normal((d, K)) + rng.standard_normal((n, K)) > 0).astype(int)
        Y[5], Y[6], Y[:K] = 0, 1, np.eye(K, dtype=int)
        return pragam.multilabel_hinge(storage(X), Y, lam, bias=bias, sample_weight=weights)
    y = np.argmax(X @ rng.standard_normal((d, K)) + rng.standard_normal((n, K)), axis=1)
    y[5 : 5 + K] = np.arange(K)
    cost = rng.random((K, K)) * (1 - np.eye(K))
    return pragam.multiclass_hinge(storage(X), y, lam, cost=cost, bias=bias, sample_weight=weights)


def reference(problem):
    """min J by an interior-point method."""
    A = np.array([problem.A.matvec(e) for e in np.eye(problem.n_weights)]).T
    B = np.array([problem.B.matvec(e) for e in np.eye(problem.n_biases)]).reshape(-1, problem.Q.size).T
    Q = problem.Q
    rows = pairs_rows(Q.totals, Q.wrong) if isinstance(Q, Pairs) else simplices_rows(Q.totals, Q.K)
    return optimum(A, problem.c, rows, problem.lam, B=B, levels=problem.levels, tilt=problem.tilt).value


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sizes", [{}, {"K": 2}, {"n": 12, "d": 20}, {"lam": 1e-4}, {"lam": 10.0}])
def test_the_optimum_is_clarabels(multilabel, bias, sizes):
    for seed in range(4):
        problem = posed(seed, bias, multilabel, **sizes)
        result = pragam.solve(problem, "proximal-newton", tol=1e-9, max_iter=300)
        assert result.converged
        assert result.certificate.primal == pytest.approx(reference(problem), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_many_labels_and_every_storage_agree(multilabel, bias):
    def narrow(X):
        return X.astype(np.float32)

    def solved(storage):
        problem = posed(0, bias, multilabel, n=90, K=30, storage=storage)
        return pragam.solve(problem, "proximal-newton", tol=1e-10, max_iter=300)

    one, other = (solved(s) for s in (np.asarray, sparse.csr_array))
    assert one.converged and other.converged
    np.testing.assert_allclose(one.w, other.w, atol=1e-4 * np.abs(one.w).max())
    assert one.certificate.primal == pytest.approx(other.certificate.primal, rel=1e-9)
    dense, compressed = (solved(s) for s in (narrow, lambda X: sparse.csr_array(narrow(X))))
    assert dense.certificate.primal == pytest.approx(compressed.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("bias", [False, True])
def test_weights_are_repetitions(bias):
    rng = np.random.default_rng(0)
    X, y, times = rng.standard_normal((60, 4)), rng.integers(0, 3, 60), rng.integers(1, 4, 60)
    X[np.arange(60), y] += 1.0
    n = int(times.sum())
    weighted = pragam.multiclass_hinge(X, y, 1e-2 * n / 60, sample_weight=times, bias=bias)
    repeated = pragam.multiclass_hinge(np.repeat(X, times, axis=0), np.repeat(y, times), 1e-2, bias=bias)
    one, other = (pragam.solve(p, "proximal-newton", tol=1e-13, max_iter=100) for p in (weighted, repeated))
    np.testing.assert_allclose(one.w, other.w, atol=1e-8)


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_conjugate_gradients_find_the_same(multilabel, bias, monkeypatch):
    problem = posed(1, bias, multilabel)
    by_matrix = pragam.solve(problem, "proximal-newton", tol=1e-8)
    monkeypatch.setattr(label_hessian, "MATRIX", 0)
    by_products = pragam.solve(problem, "proximal-newton", tol=1e-8, max_iter=500)
    assert by_matrix.converged and by_products.converged
    assert by_products.certificate.primal == pytest.approx(by_matrix.certificate.primal, rel=1e-7)


@pytest.mark.parametrize("bias", [False, True])
def test_a_good_start_is_not_lost(bias):
    """From a pair within 1e-4 a few steps reach 1e-8, and no proposal on the way is needed for the first one."""
    problem = posed(2, bias, n=400)
    start = pragam.solve(problem, "proximal-newton", tol=1e-4)
    again = pragam.solve(problem, "proximal-newton", tol=1e-8, start=start)
    cold = pragam.solve(problem, "proximal-newton", tol=1e-8)
    assert again.converged and again.n_iter < cold.n_iter


@pytest.mark.parametrize("multilabel", [False, True])
def test_the_working_set_is_a_part_and_the_estimate_is_the_gap(multilabel):
    problem = posed(3, bias=True, multilabel=multilabel, n=600, lam=1e-3)
    method, rng = ProximalNewton(), np.random.default_rng(0)
    state = method.init(problem, rng, None, 1e-9)
    assert isinstance(state, LabelState)
    sizes = set()
    with np.errstate(all="ignore"):
        for _ in range(60):
            state = method.step(problem, state)
            sizes.add(len(state.work.blocks.totals))
            w, alpha, b = method.candidate(problem, state)
            assert problem.domain.violation(alpha) <= 1e-7
            if np.abs(state.off).sum() < 1e-13:  # on the planes, nothing had to be projected
                gap = problem.primal(w, b) - problem.dual(alpha)
                assert gap == pytest.approx(state.gap * state.value, abs=1e-9 * state.value)
    assert min(sizes) < 300


@pytest.mark.parametrize("multilabel", [False, True])
def test_biases_are_handed_over_and_a_long_search_is_not_made(multilabel, monkeypatch):
    problem = posed(0, bias=True, multilabel=multilabel, n=90)
    first = pragam.solve(problem, "proximal-newton", tol=1e-6)
    start = Start(first.w, first.alpha, first.biases)

    def search(*_):
        raise AssertionError("a linear program")

    monkeypatch.setattr(type(problem), "best_biases", search)
    method, rng = ProximalNewton(), np.random.default_rng(0)
    np.testing.assert_array_equal(method.init(problem, rng, start, 1e-6).b, first.biases)
    np.testing.assert_array_equal(method.init(problem, rng, None, 1e-6).b, 0.0)


@pytest.mark.parametrize("multilabel", [False, True])
def test_who_jumps_from_vertex_to_vertex_joins_the_working_set(multilabel):
    """They are as far from moving as before, yet what the others were told of them has changed."""
    problem = posed(3, bias=True, multilabel=multilabel, n=600, lam=1e-3)
    method = ProximalNewton()
    state = method.init(problem, np.random.default_rng(0), None, 1e-9)
    with np.errstate(all="ignore"):
        while state.near.sum() > 300:
            state = method.step(problem, state)
        before = labels.whole_beta(state)
        state.w = -1e3 * state.w
        labels._look_at_all(problem, state, is_over=False)
    moved = (labels.whole_beta(state) != before).reshape(problem.Q.n_blocks, -1).any(axis=1)
    assert moved.sum() > 300 and state.near[moved].all()
    np.testing.assert_allclose(
        state.adjoint, problem.adjoint(labels.amounts(problem.Q.totals, labels.whole_beta(state), problem.Q.K))
    )


@pytest.mark.parametrize("seed", [8, 29, 31, 35, 39])
def test_separable_classes_with_hardly_any_penalty(seed):
    """lam w is 1e-8, next to roundings of 1e-16 in beta: a stage whose gradient consists of them is solved."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, 20)), rng.integers(0, 3, 30)
    assert pragam.solve(pragam.multiclass_hinge(X, y, 1e-8), "proximal-newton", tol=1e-6, max_iter=300).converged
