"""Merged ascent: the optimum of the whole, D that never falls, rounds that are counted, and bits of no process."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

import pragam
from block_problems import Sent, box_risks, cut, in_blocks
from pragam.engines import InTurn
from pragam.operators.storage import InMemory
from pragam.solvers import MergedAscent
from pragam.solvers.merged_ascent.merge import dual_at


def data(n=1500, d=400, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.03, rng=rng, format="csr")
    X.data = rng.standard_normal(X.nnz)
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n)


def classes(score):
    return np.where(score > 0.5, 1, -1)


RISKS = box_risks(1e-2, 0.5)
STORES = {"csr": sparse.csr_array, "dense": lambda X: X.toarray(), "single": lambda X: X.astype(np.float32)}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", RISKS)
def test_it_certifies_the_optimum_of_the_whole(name, store, bias):
    X, score = data()
    X = STORES[store](X)
    found = pragam.solve(RISKS[name](in_blocks(X), score, bias=bias), "merged-ascent", tol=1e-6)
    here = RISKS[name](X, score, bias=bias)
    exact = pragam.solve(here, tol=1e-9).certificate
    assert found.converged and found.certificate.rigorous
    assert found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal
    assert pragam.certify(here, found.w, found.alpha).relative_gap <= 1.01e-6


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube", "quantile"])
@pytest.mark.parametrize("bias", [True, False])
def test_at_the_end_the_conditions_of_an_optimum_hold(name, bias):
    """The gap is lam/2 |w - w(alpha)|^2 and, row by row, what its slope says that it lacks: so neither is larger."""
    X, score = data()
    problem = RISKS[name](in_blocks(X), score, bias=bias)
    found = pragam.solve(problem, "merged-ascent", tol=1e-8)
    most = 1.001 * found.certificate.gap + 1e-13
    kappa, lower, upper = problem.g.curvature, problem.Q.lower, problem.Q.upper
    slopes = problem.scores(found.w) + problem.B.matvec(found.certificate.biases) - kappa * found.alpha
    with np.errstate(divide="ignore"):
        best = np.clip(slopes / kappa, lower - found.alpha, upper - found.alpha)  # how far each would still move
    lacks = slopes * best - 0.5 * kappa * best**2
    assert found.converged and 0 <= lacks.sum() <= most
    assert problem.domain.contains(found.alpha)
    away = found.w - problem.w_of_alpha(found.alpha)
    assert 0.5 * problem.lam * float(away @ away) <= most


@pytest.mark.parametrize("groups", [1, 3, 8])
@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube", "quantile"])
@pytest.mark.parametrize("bias", [True, False])
def test_no_merge_lowers_d_and_every_proposal_bounds_the_optimum(name, bias, groups):
    X, score = data(400, 60)
    here, there = RISKS[name](X, score, bias=bias), RISKS[name](in_blocks(X), score, bias=bias)
    exact = pragam.solve(here, tol=1e-9).certificate
    solver = MergedAscent(groups=groups)
    state, best = solver.init(there, np.random.default_rng(0), None, 1e-4), -np.inf
    for _ in range(12):
        state = solver.step(there, state)
        w, alpha = solver.candidate(there, state)
        assert there.domain.contains(alpha)
        assert (alpha >= there.Q.lower).all() and (alpha <= there.Q.upper).all()
        proof = pragam.certify(here, w, alpha)
        assert proof.dual <= exact.primal and exact.dual <= proof.primal
        np.testing.assert_allclose(state.safe.u, there.adjoint(state.safe.alpha), atol=1e-12)
        dual = dual_at(there, state.safe)
        assert dual >= best - 1e-14
        best = dual


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube"])
@pytest.mark.parametrize("bias", [True, False])
def test_a_round_is_one_call_of_the_engine_and_certificates_take_none(name, bias):
    X, score = data()
    B = in_blocks(X)
    problem = RISKS[name](B, score, bias=bias)
    _ = B.row_norms2, B.counts
    before = B.engine.rounds
    found = pragam.solve(problem, "merged-ascent", tol=1e-4)
    assert found.converged and found.n_iter < 40
    assert B.engine.rounds - before == found.n_iter + bias == found.history.passes[-1]


def test_text_takes_at_most_35_rounds_to_a_thousandth():
    """A fixed partition without the other directions stalls there."""
    X, score = data(4000, 3500)
    for groups in (2, 8):
        found = pragam.solve(RISKS["hinge"](in_blocks(X), score, bias=True), MergedAscent(groups), tol=1e-3)
        assert found.converged and found.n_iter <= 35


class Forgetful(InTurn):
    """Nothing that a task kept is there at the next round: each is sent anew, as to another process."""

    def map(self, task, blocks, common, own=None):
        return super().map(task, pickle.loads(pickle.dumps(blocks)), common, own)


@pytest.mark.parametrize("name", ["hinge", "tube"])
def test_a_process_that_has_seen_nothing_finds_the_same_to_the_bit(name):
    X, score = data()
    usual, strange = in_blocks(X), in_blocks(X)
    strange.engine, strange.blocks = Forgetful(), [Sent(B) for B in cut(X, 20)]
    first, second = (pragam.solve(RISKS[name](B, score), "merged-ascent", tol=1e-5) for B in (usual, strange))
    assert first.converged and first.n_iter > 3
    np.testing.assert_array_equal(first.w, second.w)
    np.testing.assert_array_equal(first.alpha, second.alpha)


@pytest.mark.parametrize("bias", [True, False])
def test_a_warm_start_goes_on_from_where_it_is(bias):
    X, score = data()
    problem = RISKS["hinge"](in_blocks(X), score, bias=bias)
    first = pragam.solve(problem, "merged-ascent", tol=1e-3)
    same = pragam.solve(problem, "merged-ascent", tol=1e-3, start=first)
    assert same.converged and same.n_iter == 0
    cold = pragam.solve(problem, "merged-ascent", tol=1e-6)
    warm = pragam.solve(problem, "merged-ascent", tol=1e-6, start=first)
    assert warm.converged and warm.n_iter < cold.n_iter
    near = pragam.solve(problem.at(0.9 * problem.lam), "merged-ascent", tol=1e-3, start=first.alpha)
    assert near.converged


@pytest.mark.parametrize("count", [1, 2, 150])
@pytest.mark.parametrize("standardize", [False, True])
def test_columns_may_be_scaled_and_blocks_few_or_tiny(standardize, count):
    X, score = data(600, 100)
    there = RISKS["hinge"](in_blocks(X, count), score, bias=True, standardize=standardize)
    exact = pragam.solve(RISKS["hinge"](X, score, bias=True, standardize=standardize), tol=1e-9).certificate
    found = pragam.solve(there, "merged-ascent", tol=1e-3)
    assert found.converged and found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal


@pytest.mark.parametrize("bias", [True, False])
def test_few_columns_do_not_let_directions_run_away(bias):
    """More directions than columns: some combinations leave w as it is, and raise D for ever."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 5)) + 0.2
    y = np.where(X @ rng.standard_normal(5) + rng.standard_normal(4000) > 0.5, 1, -1)
    found = pragam.solve(pragam.hinge(in_blocks(X), y, 1e-2, bias=bias), "merged-ascent", tol=1e-3, max_iter=100)
    assert found.converged


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", RISKS)
def test_rows_of_zeros_and_blocks_of_nothing_else(name, bias):
    X, score = data(400, 60)
    X = sparse.csr_array(X)
    X.data[: X.indptr[200]] = 0
    exact = pragam.solve(RISKS[name](X, score, bias=bias), tol=1e-9).certificate
    found = pragam.solve(RISKS[name](in_blocks(X, 8), score, bias=bias), "merged-ascent", tol=1e-5, max_iter=200)
    assert found.converged and found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal


@pytest.mark.parametrize("bias", [True, False])
def test_an_interrupt_in_the_middle_of_a_round_leaves_a_state_with_a_candidate(bias):
    X, score = data()

    class Interrupted(InMemory):
        after = 10**9

        def load(self, k):
            self.after -= 1
            if self.after == 0:
                raise KeyboardInterrupt
            return super().load(k)

    exact = pragam.solve(RISKS["hinge"](X, score, bias=bias), tol=1e-9).certificate
    problem = RISKS["hinge"](Interrupted(cut(X, 20)), score, bias=bias)
    _ = problem.A.row_norms(), problem.A.storage.counts
    problem.A.storage.after = 130
    ended = pragam.solve(problem, "merged-ascent", tol=1e-9)
    assert ended.status.name == "INTERRUPTED" and ended.certificate.relative_gap < 1
    assert ended.certificate.dual <= exact.primal and exact.dual <= ended.certificate.primal


def test_what_it_cannot_do_is_refused():
    X, score = data(200, 20)
    with pytest.raises(ValueError, match=r"needs A\.each_block, which ScaledRows does not have"):
        pragam.solve(RISKS["hinge"](X, score), "merged-ascent")
    levels = pragam.ordinal_hinge(in_blocks(X), np.digitize(score, [-1, 0, 1]), 1e-2)
    with pytest.raises(ValueError, match="keeps one bias at most, and this problem has 3"):
        pragam.solve(levels, "merged-ascent")


class Elsewhere(InMemory):
    """Blocks of which no reading is shared, as those of other processes are not."""

    lacks = InMemory.lacks | {"reading"}


def test_auto_takes_it_for_text_elsewhere_and_others_where_they_are_cheaper():
    X, score = data(4000, 3500)
    Z = np.random.default_rng(0).standard_normal((4000, 5))
    for problem, name in (
        (RISKS["hinge"](Elsewhere(cut(X, 20)), score), "merged-ascent"),
        (RISKS["hinge"](in_blocks(X), score), "windows"),
        (RISKS["hinge"](Elsewhere(cut(Z, 20)), Z @ np.arange(5)), "block-newton"),
    ):
        problem.A.storage.engine.latency = 0.015  # of processes
        found = pragam.solve(problem, tol=1e-3)
        assert found.converged and found.solver == f"auto ({name})"
