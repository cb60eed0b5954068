"""PRAGAM with the entropy prox: its Gibbs distributions by enumeration, its guarantee at every step, its optimum."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import pragam
from pragam.operators import Counting
from pragam.solvers import PragamEntropy
from pragam.structured import ChainMarginals, chain_hinge
from pragam.structured.chains.layout import ChainLayout
from pragam.structured.inference.forward_backward import soft_marginals

LIPSCHITZ = ["adaptive", "bound"]


def drawn(seed, lam=0.3, **options):
    rng = np.random.default_rng(seed)
    lengths, K = rng.integers(1, 5, 6), 3
    N = int(lengths.sum())
    weights = rng.exponential(size=6)
    weights[1] = 0.0
    X, y = rng.standard_normal((N, 4)), rng.integers(0, K, N)
    return chain_hinge(X, y, lengths, lam, labels=list(range(K)), sample_weight=weights, **options)


def unfolded(seed, lam=0.3, **options):
    """With a dual variable for each edge."""
    problem = drawn(seed, lam, **options)
    return problem.Q.unfold(problem)


def states(problem, method, steps):
    state = method.init(problem, np.random.default_rng(0), None, 1e-6)
    for _ in range(steps):
        yield state
        state = method.step(problem, state)


def enumerated(layout, s, i):
    """The labellings of sequence i as indicators over all entries, and their scores."""
    first, length = layout.first_token[i], layout.lengths[i]
    for labels in product(range(layout.K), repeat=int(length)):
        all_labels = np.zeros(layout.n_tokens, dtype=np.int64)
        all_labels[first : first + length] = labels
        own = layout.per_entry((np.arange(layout.n) == i).astype(float)) * layout.indicator(all_labels)
        yield own, float(s[own > 0].sum())


@pytest.mark.parametrize("scale", [0.0, 1.0, 50.0])
def test_soft_marginals_are_those_of_the_gibbs_distribution(scale):
    layout = ChainLayout(np.array([3, 1, 4, 2, 3]), 3)
    s = scale * np.random.default_rng(0).standard_normal(layout.size)
    alpha, log_partition = soft_marginals(layout, s)
    expected = np.zeros(layout.size)
    for i in range(layout.n):
        vertices, scores = zip(*enumerated(layout, s, i), strict=True)
        top = max(scores)
        p = np.exp(np.array(scores) - top)
        assert log_partition[i] == pytest.approx(top + np.log(p.sum()), rel=1e-13, abs=1e-13)
        expected += (p / p.sum()) @ np.array(vertices)
    assert np.abs(alpha - expected).max() <= 1e-12


@pytest.mark.parametrize("scale", [1e-300, 1e3, 1e8, 1e300])
def test_scores_of_any_size_give_marginals(scale):
    layout = ChainLayout(np.array([6, 1, 2]), 4)
    s = scale * np.random.default_rng(1).standard_normal(layout.size)
    alpha, log_partition = soft_marginals(layout, s)
    assert ChainMarginals(np.ones(3), layout).violation(alpha) <= 1e-13
    best = layout.best_labels(s)[1]
    assert (log_partition >= best - 1e-9 * np.abs(best)).all() and np.isfinite(log_partition).all()


def test_forbidden_edges_have_no_mass():
    layout = ChainLayout(np.array([3, 1]), 2)
    s = np.zeros(layout.size)
    layout.tables(s)[1] = [[-np.inf, -np.inf], [0.0, -np.inf]]
    layout.singles(s)[0] = [-np.inf, 1.0]
    alpha, log_partition = soft_marginals(layout, s)
    assert np.allclose(layout.tables(alpha), [[[0, 0.5], [0, 0.5]], [[0, 0], [1, 0]]])
    assert np.allclose(layout.singles(alpha), [[0, 1]]) and np.allclose(log_partition, [np.log(2), 1])


def test_soft_maximise_attains_the_maximum_over_q():
    Q = unfolded(0).Q
    rng = np.random.default_rng(0)
    s = rng.standard_normal(Q.size)
    alpha, value = Q.soft_maximise(s)
    assert Q.contains(alpha)
    # Any point of Q is that of a Gibbs distribution theta; its d is <alpha, theta> less the maximum at theta.
    for _ in range(50):
        theta = s + rng.standard_normal(Q.size) * 10.0 ** rng.uniform(-3, 1)
        other, top = Q.soft_maximise(theta)
        distance = other @ theta - top
        assert -1e-12 <= distance <= Q.entropy_radius() * (1 + 1e-12)
        assert other @ s - distance <= value + 1e-12


@pytest.mark.parametrize("lipschitz", LIPSCHITZ)
@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_below_the_guarantee_at_every_step(seed, lipschitz):
    problem = unfolded(seed, lam=10.0 ** (-seed))
    for state in states(problem, PragamEntropy(lipschitz), 60):
        certificate = pragam.certify(problem, state.w, state.alpha)
        assert certificate.rigorous
        assert certificate.gap <= state.bound + 1e-12 * abs(certificate.primal), state.k


@pytest.mark.parametrize("seed", range(4))
def test_mu_falls_as_stated(seed):
    problem = unfolded(seed)
    for state in states(problem, PragamEntropy("bound"), 60):
        assert state.mu <= 4 * state.lipschitz_bound / (state.k + 2) ** 2 * (1 + 1e-12)
    lipschitz = [state.lipschitz for state in states(problem, PragamEntropy(), 60)]
    assert all(one <= two <= 2 * one for one, two in pairwise(lipschitz))
    assert lipschitz[-1] <= 2 * state.lipschitz_bound


@pytest.mark.parametrize("seed", range(4))
def test_l_bounds_what_the_step_needs(seed):
    """|A'(u - v)|^2 / lam <= 2 L B(u, v) for Gibbs distributions u, v near and far."""
    problem, rng = unfolded(seed), np.random.default_rng(seed)
    L = problem.Q.squared_reach(problem.A.row_norms()) / problem.lam
    for _ in range(40):
        old = rng.standard_normal(problem.Q.size) * 10.0 ** rng.uniform(-1, 2)
        new = old + rng.standard_normal(problem.Q.size) * 10.0 ** rng.uniform(-2, 2)
        (u, top), (v, below) = problem.Q.soft_maximise(new), problem.Q.soft_maximise(old)
        divergence = (new - old) @ u - top + below
        assert np.sum(problem.A.rmatvec(u - v) ** 2) / problem.lam <= 2 * L * divergence + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_the_bundle_method(seed):
    problem = drawn(seed)
    result = pragam.solve(problem, "pragam-entropy", tol=1e-3, max_iter=5000)
    best = pragam.solve(problem, "qp-bmrm", tol=1e-9)
    assert result.converged and result.solver == "pragam-entropy"
    assert result.certificate.dual <= best.certificate.primal and best.certificate.dual <= result.certificate.primal


def test_an_iteration_is_one_product_with_a_and_one_with_its_adjoint():
    plain = unfolded(1)
    A = Counting(plain.A)
    problem = pragam.Problem(A, plain.c, plain.Q, plain.lam, origin=plain.origin)
    problem.tilt  # noqa: B018  # computed once, before
    before = (0, 0, 0.0)
    for k, state in enumerate(states(problem, PragamEntropy(), 20)):
        now = A.matvecs, A.rmatvecs, state.passes
        if k:
            assert [one - two for one, two in zip(now, before, strict=True)] == [1, 1, 2.0]
        before = now


def test_what_it_cannot_solve_is_refused():
    X, y = np.random.default_rng(0).standard_normal((6, 2)), np.array([1, -1, 1, -1, 1, 1])
    with pytest.raises(ValueError, match=r"needs Q\.soft_maximise"):
        pragam.solve(pragam.hinge(X, y), "pragam-entropy")
    for bad in (-1.0, np.nan, np.inf, "fast"):
        with pytest.raises(ValueError, match="Lipschitz"):
            PragamEntropy(bad)
