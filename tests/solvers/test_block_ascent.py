"""Block ascent and block-coordinate Frank-Wolfe: against Clarabel, feasible at every step, the same for equal seeds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse

import pragam
from clarabel_qp import solve_qp
from pragam import _kernels
from pragam._kernels import twins
from pragam.solvers import Bcfw, BlockAscent
from pragam.structured import Graph, Labellings, chain_hinge, graph_hinge

SOLVERS = {"block-ascent": BlockAscent(), "bcfw": Bcfw(), "averaged": Bcfw(averaging=True)}


def drawn(seed, lam=0.3, stored=np.asarray, **options):
    rng = np.random.default_rng(seed)
    lengths, K = rng.integers(1, 4, 6), 3
    N = int(lengths.sum())
    weights = rng.exponential(size=6)
    weights[1] = 0.0
    X, y = rng.standard_normal((N, 3)), rng.integers(0, K, N)
    return chain_hinge(
        stored(X * (np.abs(X) > 0.3)), y, lengths, lam, labels=list(range(K)), sample_weight=weights, **options
    )


def enumerated(problem, i):
    """The features and losses of all labellings of sequence i."""
    model = problem.Q.structure
    for labels in product(range(model.K), repeat=int(model.lengths[i])):
        dense, y = np.zeros(problem.n_weights), np.array(labels)
        indices, values = model.features_of(i, y)
        dense[indices] = values
        yield dense, model.loss_of(i, y)


def optimum(problem):
    """min J over w and a slack for each sequence, by an interior-point solver."""
    n, d = problem.Q.structure.n, problem.n_weights
    rows, right = [], []
    for i in range(n):
        for psi, loss in enumerated(problem, i):
            rows.append(np.concatenate([psi, -np.eye(n)[i]]))
            right.append(-loss)
    P = np.diag(np.r_[np.full(d, problem.lam), np.zeros(n)])
    return solve_qp(P, np.r_[np.zeros(d), problem.Q.totals], np.array(rows), np.array(right)).value


@pytest.mark.parametrize("seed", range(6))
def test_the_optimum_is_clarabels(seed):
    problem = drawn(seed)
    best = optimum(problem)
    for name, tol in (("block-ascent", 1e-7), ("bcfw", 5e-2)):
        result = pragam.solve(problem, name, tol=tol, max_iter=2000)
        assert result.converged and result.certificate.rigorous and result.solver == name
        assert result.certificate.dual <= best * (1 + 1e-8) and best <= result.certificate.primal * (1 + 1e-8)


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_one_sequence_is_a_part_of_all(stored):
    """The features, losses and best labellings of sequences one by one sum to what the structure says of all."""
    rng = np.random.default_rng(0)
    lengths, K = np.array([3, 1, 4, 2]), 3
    edges = stored(rng.standard_normal((int((lengths - 1).sum()), 2)))
    transitions = np.ones((K, K), dtype=bool)
    transitions[2, 0] = False
    y = np.array([0, 1, 2, 1, 0, 0, 1, 2, 1, 2])
    X = rng.standard_normal((10, 4)) * (rng.random((10, 4)) < 0.6)
    problem = chain_hinge(
        stored(X), y, lengths, 0.1, rng.random((K, K)) * (1 - np.eye(K)), list(range(K)), transitions, edges,
        sample_weight=rng.random(4), token_weight=rng.random(10),
    )  # fmt: skip
    model, w = problem.Q.structure, rng.standard_normal(problem.n_weights)
    one_by_one = [model.decode_one(i, w) for i in range(4)]
    (together,) = model.decode(w).labels
    assert np.array_equal(model.join(one_by_one), together)
    assert all(map(np.array_equal, model.split(together), one_by_one))
    features, loss = np.zeros(problem.n_weights), 0.0
    for i, labels in enumerate(one_by_one):
        indices, values = model.features_of(i, labels)
        assert (np.diff(indices) > 0).all() and values.all()
        features[indices] += model.totals[i] * values
        loss += model.totals[i] * model.loss_of(i, labels)
        assert values @ w[indices] + model.loss_of(i, labels) == pytest.approx(model.values(w)[i], rel=1e-10)
        assert not len(model.features_of(i, model.truth_of(i))[0]) and model.loss_of(i, model.truth_of(i)) == 0
    moments = model.moments(Labellings.of(together))
    assert np.allclose(moments.features, features, atol=1e-12) and moments.loss == pytest.approx(loss)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_step_is_feasible_and_climbs(name):
    problem, method, before = drawn(1, lam=0.1), SOLVERS[name], -np.inf
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    for _ in range(12):
        w, alpha = method.candidate(problem, state)
        certificate = pragam.certify(problem, w, alpha)
        assert certificate.dual >= before - 1e-12 and (alpha.weights >= 0).all()
        assert np.allclose(alpha.weights.sum(axis=0), 1, atol=1e-12)
        if name != "averaged":
            assert np.allclose(w, problem.w_of_alpha(alpha), atol=1e-10)
        before = certificate.dual
        state = method.step(problem, state)


@pytest.mark.parametrize("name", ["block-ascent", "bcfw"])
def test_the_gap_of_the_only_block_is_the_gap(name):
    """With one example there is one w in a sweep, the one before it."""
    rng, method = np.random.default_rng(2), SOLVERS[name]
    problem = chain_hinge(rng.standard_normal((5, 3)), rng.integers(0, 3, 5), [5], lam=0.1)
    state = method.init(problem, rng, None, 1e-6)
    for _ in range(8):
        gap = pragam.certify(problem, *method.candidate(problem, state)).gap
        state = method.step(problem, state)
        assert state.gap == pytest.approx(gap, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("name", SOLVERS)
def test_equal_seeds_give_equal_bits(name):
    one, two, other = (
        pragam.solve(drawn(3, 0.05), SOLVERS[name], tol=0.0, max_iter=5, random_state=seed) for seed in (7, 7, 8)
    )
    assert np.array_equal(one.w, two.w) and np.array_equal(one.alpha.weights, two.alpha.weights)
    assert not np.array_equal(one.w, other.w)


@pytest.mark.parametrize("name", ["block-ascent", "bcfw"])
def test_a_warm_start_goes_on_where_it_was(name):
    problem = drawn(4)
    first = pragam.solve(problem, name, tol=5e-2, max_iter=500)
    again = pragam.solve(problem, name, tol=5e-2, start=first)
    assert again.converged and again.n_iter == 0
    # From points of other kinds it begins with the truth, or with what they mix.
    bundle = pragam.solve(problem, "qp-bmrm", tol=1e-6)
    assert pragam.solve(problem, name, tol=1e-4, start=bundle).n_iter == 0
    marginals = pragam.solve(problem, "pragam-entropy", tol=0.1)
    assert pragam.solve(problem, name, tol=5e-2, start=marginals, max_iter=500).converged


def test_labellings_without_weight_are_forgotten():
    """So a cache holds little more than what has weight, however many labellings were met."""
    rng = np.random.default_rng(0)
    problem = chain_hinge(rng.standard_normal((40, 3)), rng.integers(0, 4, 40), [8] * 5, lam=1e-3)
    method = BlockAscent()
    state = method.init(problem, rng, None, 1e-6)
    met = 0
    for _ in range(45):
        before = [len(cache.losses) for cache in state.caches]
        state = method.step(problem, state)
        met += sum(len(cache.losses) > b for cache, b in zip(state.caches, before, strict=True))
    left = [len(cache.losses) for cache in state.caches]
    assert sum(left) < met and all((cache.idle < 10).all() for cache in state.caches)
    for cache in state.caches:
        assert np.allclose(cache.gram, cache.rows @ cache.rows.T) and len(cache.labellings) == len(cache.weights)


@pytest.mark.parametrize("name", ["block-ascent", "bcfw"])
def test_an_interrupted_sweep_leaves_a_candidate(name, monkeypatch):
    problem, method = drawn(5), SOLVERS[name]
    model = problem.Q.structure
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    calls, decode = iter(range(100)), type(model).decode_one

    def interrupted(self, i, w):
        if next(calls) == 3:
            raise KeyboardInterrupt
        return decode(self, i, w)

    monkeypatch.setattr(type(model), "decode_one", interrupted)
    with pytest.raises(KeyboardInterrupt):
        method.step(problem, state)
    certificate = pragam.certify(problem, *method.candidate(problem, state))
    assert 0 < certificate.dual < certificate.primal


def test_what_they_cannot_solve_is_refused():
    X, y = np.random.default_rng(0).standard_normal((6, 2)), np.array([1, -1, 1, -1, 1, 1])
    for name in ("block-ascent", "bcfw"):
        with pytest.raises(ValueError, match=r"needs Q\.structure"):
            pragam.solve(pragam.hinge(X, y), name)


@pytest.mark.parametrize("seed", range(5))
def test_the_kernel_of_pairwise_steps_is_its_twin(seed):
    rng = np.random.default_rng(seed)
    J, d = int(rng.integers(1, 7)), int(rng.integers(1, 9))
    rows, losses, w = rng.standard_normal((J, d)), rng.random(J), rng.standard_normal(12)
    support = np.sort(rng.permutation(12)[:d])
    p = rng.dirichlet(np.ones(J)) * (rng.random(J) < 0.7)
    p = p / p.sum() if p.sum() > 0 else np.full(J, 1 / J)
    gram, found = rows @ rows.T, []
    for kernel in (_kernels.get("cached_steps"), twins.cached_steps):
        q, v = p.copy(), w.copy()
        gap = kernel(support, rows.reshape(-1), losses, gram.reshape(-1), 0.3, 0.05, 0.1, 4 * J, q, v)
        found.append(np.concatenate([[gap], q, v]))
        assert (q >= 0).all() and q.sum() == pytest.approx(1)
        assert np.allclose(v[support], w[support] - 6 * ((q - p) @ rows)) and gap >= 0
    assert np.abs(found[0] - found[1]).max() <= 1e-11


@pytest.mark.parametrize("solver", ["block-ascent", "bcfw", "auto"])
def test_a_graph_without_edges_beside_one_with_a_cycle(solver):
    rng = np.random.default_rng(0)
    cyclic = Graph(rng.standard_normal((3, 2)), [(0, 1), (1, 2), (0, 2)], [0, 1, 0])
    problem = graph_hinge([cyclic, Graph(rng.standard_normal((1, 2)), np.empty((0, 2), int), [1])], lam=0.1)
    first = pragam.solve(problem, tol=1e-3)
    assert pragam.solve(problem, solver, tol=1e-2, start=first, max_iter=200).converged
