"""Ascent on flows: the optimum by enumeration, exact flows, and sizes from one token to very many."""

from __future__ import annotations

import os
import signal
import threading
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import sparse

import pragam
import pragam.runtime.threads
from clarabel_qp import solve_qp
from pragam import _kernels, sequences
from pragam.driver.result import Status
from pragam.operators import check_data
from pragam.operators.storage import WALKING
from pragam.solvers.base import Start
from pragam.solvers.flow_ascent import FlowAscent
from pragam.solvers.flow_ascent import token_rows as rows_of_tokens
from pragam.structured import TrellisFlow, chain_hinge

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the twins take too long for this size")


class Drawn:
    """A small random problem, with all labellings that are allowed written out."""

    def __init__(self, seed, forbids=False, digits=1, pairs=0):
        rng = np.random.default_rng([seed, 7])
        n, self.K, d = int(rng.integers(1, 6)), int(rng.integers(2, 4)), int(rng.integers(1, 5))
        self.lengths = rng.integers(1, 5, n)
        N = int(self.lengths.sum())
        self.X = rng.standard_normal((N, d)) * (rng.random((N, d)) < 0.7)
        self.y = rng.integers(0, self.K, N)
        self.lam = float(10 ** rng.uniform(-digits, 0))
        self.cost = rng.integers(1, 4, (self.K, self.K)) * (1.0 - np.eye(self.K))  # whole numbers: ties
        self.weights, self.scale = rng.integers(0, 3, n) * 1.0, rng.integers(0, 3, N) * 1.0
        self.weights[0], self.scale[0] = 1.0, 1.0
        self.allowed = np.ones((self.K, self.K), dtype=bool)
        if forbids:
            self.allowed = rng.random((self.K, self.K)) < 0.5
            for labels in np.split(self.y, np.cumsum(self.lengths)[:-1]):
                self.allowed[labels[:-1], labels[1:]] = True
        stores = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]
        stored, of_pairs = stores[rng.integers(4)](self.X), stores[rng.integers(4)]
        self.E = rng.standard_normal((N - n, pairs))
        self.problem = chain_hinge(
            stored, self.y, self.lengths, self.lam, self.cost, list(range(self.K)),
            transitions=self.allowed if forbids else None, sample_weight=self.weights, token_weight=self.scale,
            edge_features=of_pairs(self.E) if pairs else None,
        )  # fmt: skip

    def features(self, X, E, labels):
        K, d = self.K, X.shape[1]
        nodes, links, ends = np.zeros((K, d)), np.zeros((1 + E.shape[1], K, K)), np.zeros((2, K))
        np.add.at(nodes, labels, X)
        for (one, two), own in zip(pairwise(labels), E, strict=True):
            links[:, one, two] += np.r_[1.0, own]
        ends[0, labels[0]], ends[1, labels[-1]] = 1, 1
        return np.concatenate([nodes.ravel(), links.ravel(), ends.ravel()])

    def optimum(self):
        """min lam/2 |w|^2 + sum_i totals_i xi_i,  xi_i >= loss(y) + <w, Phi(y) - Phi(y_i)> for all y."""
        rows, right, m = [], [], self.problem.n_weights
        begins = np.cumsum(self.lengths) - self.lengths
        for i in np.flatnonzero(self.weights):
            begin, length = begins[i], self.lengths[i]
            part = slice(begin, begin + length)
            own = self.X[part], self.E[begin - i : begin - i + length - 1]
            truth = self.features(*own, self.y[part])
            for labels in product(range(self.K), repeat=int(length)):
                if all(self.allowed[pair] for pair in pairwise(labels)):
                    loss = float(self.scale[part] @ self.cost[self.y[part], list(labels)])
                    rows.append(np.r_[self.features(*own, list(labels)) - truth, -np.eye(len(begins))[i]])
                    right.append(-loss)
        P = np.diag(np.r_[np.full(m, self.lam), np.zeros(len(begins))])
        return solve_qp(P, np.r_[np.zeros(m), self.weights / len(begins)], np.array(rows), np.array(right)).value


@compiled
@pytest.mark.parametrize("pairs", [0, 2])
@pytest.mark.parametrize("forbids", [False, True])
def test_the_optimum_is_that_of_all_labellings_written_out(forbids, pairs):
    for seed in range(25):
        drawn = Drawn(seed, forbids, pairs=pairs)
        result = pragam.solve(drawn.problem, "flow-ascent", tol=1e-8, max_iter=2_000)
        optimum = drawn.optimum()
        assert optimum - 1e-7 <= result.certificate.primal <= optimum + 2e-7, (seed, result)
        assert optimum - 2e-7 <= result.certificate.dual <= optimum + 1e-7, (seed, result)
        drawn.problem.Q.point(result.alpha)  # refuses forbidden edges and flows that are not conserved


@compiled
@pytest.mark.parametrize("forbids", [False, True])
def test_auto_goes_on_where_masses_are_too_coarse(forbids):
    for seed in range(25):
        drawn = Drawn(100 + seed, forbids, digits=3)
        result = pragam.solve(drawn.problem, tol=1e-6)
        if result.certificate.primal < 1e-9:  # nothing but the truth is allowed, or costs anything
            continue
        assert result.converged, (seed, result)
        assert result.certificate.primal == pytest.approx(drawn.optimum(), rel=1e-5), (seed, result)


@compiled
def test_auto_goes_on_where_moves_of_masses_hardly_raise_the_dual():
    """A sentence of five words, many features and a tiny lam: masses move on and on."""
    words, tags = ["the", "dog", "sees", "a", "cat"], ["D", "N", "V", "D", "N"]
    X = (
        sequences.Vocabulary.of_occurrences(
            lines := sequences.Template(sequences.default_template(2)).occurrences(
                sequences.ColumnData([words, tags], np.array([5]))
            )
        )
        .vectorise_occurrences(lines)
        .X
    )
    X = sparse.hstack([X, np.ones((5, 1))], format="csr")
    problem = chain_hinge(X, ["B-NP", "I-NP", "O", "B-NP", "I-NP"], [5], 1e-3)
    alone = pragam.solve(problem, "flow-ascent", tol=1e-2)
    assert alone.status is Status.FAILED and "masses of 2^-30 may be too coarse" in alone.reason
    assert pragam.solve(problem, tol=1e-2).converged


def letters(rng, n=40, K=5, d=12, longest=9):
    """Sequences whose labels can be learned in part."""
    lengths = rng.integers(1, longest, n)
    y = rng.integers(0, K, int(lengths.sum()))
    X = (rng.random((len(y), d)) < 0.25) | (rng.standard_normal((K, d)) > 0.8)[y]
    return X.astype(float), y, lengths


@compiled
@pytest.mark.parametrize("kind", ["packed", "in place"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_every_storage_gives_the_same_optimum(store, kind, monkeypatch):
    if kind == "in place":
        monkeypatch.setattr(rows_of_tokens, "_BYTES_A_TOKEN", 0)
        monkeypatch.setattr(rows_of_tokens, "_BYTES", 0)
    X, y, lengths = letters(np.random.default_rng(3))
    reference = pragam.solve(chain_hinge(X, y, lengths, 0.02), "flow-ascent", tol=1e-4).certificate
    result = pragam.solve(chain_hinge(store(X.astype(np.float32)), y, lengths, 0.02), "flow-ascent", tol=1e-4)
    assert result.certificate.relative_gap <= 1e-4
    assert result.certificate.primal >= reference.dual and result.certificate.dual <= reference.primal


@compiled
def test_features_listed_twice_in_a_row_count_twice():
    X, y, lengths = letters(np.random.default_rng(5))
    once = sparse.csr_array(X)
    twice = sparse.csr_array(
        (np.repeat(once.data, 2) * np.tile([0.25, 0.75], once.nnz), np.repeat(once.indices, 2), 2 * once.indptr)
    )
    found = [pragam.solve(chain_hinge(one, y, lengths, 0.05), "flow-ascent", tol=1e-4) for one in (once, twice)]
    assert all(result.status is Status.CONVERGED for result in found)
    assert found[1].certificate.primal >= found[0].certificate.dual
    assert found[1].certificate.dual <= found[0].certificate.primal


@compiled
def test_the_gap_met_is_the_certified_one():
    """One sequence, longer than what decoding keeps at a time: the sweep meets J - D of where it begins."""
    rng, K = np.random.default_rng(1), 1000
    X, y = rng.standard_normal((2200, 3)), rng.integers(0, K, 2200)
    problem, solver = chain_hinge(X, y, [2200], 1e-1, labels=list(range(K))), FlowAscent()
    state = solver.init(problem, rng, None, 1e-2)
    for _ in range(2):
        while not state.round.is_new:
            state = solver.step(problem, state)
        before = pragam.certify(problem, *solver.candidate(problem, state))
        state = solver.step(problem, state)
        met = state.gap.raw if state.round.is_new else state.round.gap
        assert met == pytest.approx(before.gap, rel=1e-3)
    after = pragam.certify(problem, *solver.candidate(problem, state))
    assert after.dual == pytest.approx(state.dual, rel=1e-4) and after.dual > before.dual


@compiled
def test_crowded_positions_get_more_room():
    """Features that tell nothing and many labels: the flow of a token spreads over many edges."""
    rng, K = np.random.default_rng(2), 60
    y, lengths = rng.integers(0, K, 240), np.full(60, 4)
    result = pragam.solve(chain_hinge(np.ones((240, 1)), y, lengths, 0.02, "hamming_sum"), "flow-ascent", tol=1e-4)
    assert result.status is Status.CONVERGED
    assert np.diff(result.alpha.first).max() > 24


@compiled
def test_equal_seeds_and_any_number_of_threads_give_equal_bits(monkeypatch):
    monkeypatch.setattr(pragam.runtime.threads, "_FEW", 0)  # so that small blocks are shared too
    X, y, lengths = letters(np.random.default_rng(8), n=200)
    results = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("PRAGAM_NUM_THREADS", threads)
        results.append(pragam.solve(chain_hinge(X, y, lengths, 0.01), "flow-ascent", tol=1e-3, random_state=4))
    for other in results[1:]:
        assert np.array_equal(results[0].w, other.w) and np.array_equal(results[0].alpha.mass, other.alpha.mass)
        assert results[0].history.passes[-1] == other.history.passes[-1]


@compiled
def test_a_flow_is_a_warm_start():
    X, y, lengths = letters(np.random.default_rng(9), n=100)
    cold = pragam.solve(chain_hinge(X, y, lengths, 0.02), "flow-ascent", tol=1e-4)
    start = Start(cold.w, cold.alpha)
    warm = pragam.solve(chain_hinge(X, y, lengths, 0.019), "flow-ascent", tol=1e-3, start=start)
    anew = pragam.solve(chain_hinge(X, y, lengths, 0.019), "flow-ascent", tol=1e-3)
    assert warm.status is Status.CONVERGED and warm.history.passes[-1] < anew.history.passes[-1]


@compiled
def test_ctrl_c_leaves_a_certified_flow():
    X, y, lengths = letters(np.random.default_rng(4), n=3000, K=8, longest=20)
    problem = chain_hinge(X, y, lengths, 1e-4)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = pragam.solve(problem, "flow-ascent", tol=1e-12)
    timer.join()
    assert result.status is Status.INTERRUPTED
    problem.Q.point(result.alpha)
    assert result.certificate.dual > 0 and isinstance(result.alpha, TrellisFlow)


def test_a_few_rounds_certify_a_rough_gap():
    """Also by the twins."""
    X, y, lengths = letters(np.random.default_rng(7), n=6, K=3, longest=5)
    assert pragam.solve(chain_hinge(X, y, lengths, 0.5), "flow-ascent", tol=0.05).status is Status.CONVERGED


def test_what_does_not_fit_is_refused_before_the_start():
    X, y, lengths = letters(np.random.default_rng(6))
    storage = check_data(X)
    storage.lacks = WALKING
    with pytest.raises(ValueError, match="needs rows of X"):
        pragam.solve(chain_hinge(storage, y, lengths), "flow-ascent")
    with pytest.raises(ValueError, match=r"needs Q\.trellis"):
        pragam.solve(pragam.hinge(X, y > 1, lam=0.1), "flow-ascent")
