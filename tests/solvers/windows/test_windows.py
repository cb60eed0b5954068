"""Windows: the optimum of the whole, few readings that are counted, equal bits, memory that holds, interrupts."""

from __future__ import annotations

import gc
import time
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import pragam
from block_problems import box_risks, cut, in_blocks
from pragam.driver.expectation import vectors_of
from pragam.operators.storage import InMemory
from pragam.solvers import Windows
from pragam.solvers.base import Tools


def data(n=1500, d=400, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.03, rng=rng, format="csr")
    X.data = rng.standard_normal(X.nnz)
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n)


RISKS = box_risks(1e-2, 0.5)


def classes(score):
    return np.where(score > 0.5, 1, -1)


STORES = {"csr": sparse.csr_array, "dense": lambda X: X.toarray(), "single": lambda X: X.astype(np.float32)}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", RISKS)
def test_it_certifies_the_optimum_of_the_whole(name, store, bias):
    X, score = data()
    X = STORES[store](X)
    found = pragam.solve(RISKS[name](in_blocks(X), score, bias=bias), "windows", tol=1e-5)
    here = RISKS[name](X, score, bias=bias)
    exact = pragam.solve(here, tol=1e-9).certificate
    assert found.converged and found.certificate.rigorous
    assert found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal
    assert pragam.certify(here, found.w, found.alpha).relative_gap <= 1.01e-5


@pytest.mark.parametrize("count", [1, 2, 150])
@pytest.mark.parametrize("standardize", [False, True])
def test_columns_may_be_scaled_and_blocks_few_or_tiny(standardize, count):
    X, score = data(600, 100)
    there = RISKS["hinge"](in_blocks(X, count), score, bias=True, standardize=standardize)
    exact = pragam.solve(RISKS["hinge"](X, score, bias=True, standardize=standardize), tol=1e-9).certificate
    found = pragam.solve(there, "windows", tol=1e-3)
    assert found.converged and found.certificate.dual <= exact.primal and exact.dual <= found.certificate.primal


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube"])
@pytest.mark.parametrize("bias", [True, False])
def test_every_step_bounds_the_optimum_from_both_sides(name, bias):
    X, score = data(400, 60)
    here, there = RISKS[name](X, score, bias=bias), RISKS[name](in_blocks(X), score, bias=bias)
    exact = pragam.solve(here, tol=1e-9).certificate
    solver = Windows()
    state = solver.init(there, np.random.default_rng(0), None, 1e-4)
    for _ in range(12):
        before = state.dual
        state = solver.step(there, state)
        w, alpha = solver.candidate(there, state)
        assert there.domain.contains(alpha)
        assert (alpha >= there.Q.lower).all() and (alpha <= there.Q.upper).all()
        proof = pragam.certify(here, w, alpha)
        assert proof.dual <= exact.primal and exact.dual <= proof.primal
        if not bias:
            assert state.dual >= before - 1e-12, "an exact step never lets D fall"


@pytest.mark.parametrize("name", ["hinge", "squared hinge", "tube", "quantile"])
@pytest.mark.parametrize("bias", [True, False])
def test_what_it_proposes_near_the_end_reads_nothing(name, bias):
    X, score = data()
    B = in_blocks(X)
    problem = RISKS[name](B, score, bias=bias)
    _ = B.row_norms2, B.counts
    solver = Windows()
    state = solver.init(problem, np.random.default_rng(0), None, 1e-2)
    for _ in range(10):
        before, state = B.readings, solver.step(problem, state)
        if state.proposed is not None:
            break
    exception = bias and name == "quantile"  # whose rows are repaired elsewhere than in block 0
    assert B.readings == before + 1 + exception
    before = B.readings
    proof = pragam.certify(problem, *solver.candidate(problem, state))
    assert B.readings == before and proof.relative_gap == pytest.approx(state.gap, abs=1e-9)


@pytest.mark.parametrize("bias", [True, False])
def test_readings_are_those_that_the_history_counts(tmp_path, bias):
    X, score = data(3000)
    packed = pragam.pack([(X, classes(score))], tmp_path / "packed", chunk_bytes=2**13)
    problem = pragam.hinge(packed, lam=1e-2, bias=bias)
    found = pragam.solve(problem, "windows", tol=1e-4)
    assert found.converged and packed.n_chunks > 20
    assert packed.readings == pytest.approx(found.history.passes[-1], abs=2 / packed.n_chunks)
    before, passes = packed.readings, found.history.passes[-1]
    cut_short = pragam.solve(problem, "windows", tol=1e-9, max_iter=2)
    assert packed.readings - before == pytest.approx(cut_short.history.passes[-1], abs=2 / packed.n_chunks)
    assert cut_short.certificate.gap < np.inf and passes < 20


@pytest.mark.parametrize("name", ["hinge", "tube"])
def test_equal_seeds_give_equal_bits_whatever_the_threads_do(name):
    X, score = data()

    class Slow(InMemory):
        def load(self, k):
            time.sleep(0.002 * (k % 3 == 0))
            return super().load(k)

    first, again, other = (
        pragam.solve(RISKS[name](kind(cut(X, 20)), score, bias=True), "windows", tol=1e-3, random_state=seed)
        for kind, seed in ((InMemory, 1), (Slow, 1), (InMemory, 2))
    )
    np.testing.assert_array_equal(first.w, again.w)
    np.testing.assert_array_equal(first.alpha, again.alpha)
    assert first.history.passes.tolist() == again.history.passes.tolist()
    assert not np.array_equal(first.w, other.w)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("store", ["csr", "dense"])
def test_memory_is_a_cap_on_what_is_allocated(store, bias):
    rng = np.random.default_rng(0)
    n, d = 2000, 500
    X = rng.standard_normal((n, d))
    X = sparse.csr_array(X) if store == "csr" else X
    y = classes(X @ rng.standard_normal(d) / 10 + rng.standard_normal(n))
    blocks, memory = cut(X, 40), 1_500_000.0
    problem = pragam.hinge(InMemory(blocks), y, 1e-2, bias=bias)
    _ = problem.A.row_norms(), problem.A.storage.counts
    solver = Windows(Tools(pragam.solve, memory))
    gc.collect()
    tracemalloc.start()
    try:
        state = solver.init(problem, np.random.default_rng(0), None, 1e-3)
        for _ in range(3):
            state = solver.step(problem, state)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    vectors = 8.0 * (vectors_of(problem, "windows") * n + 40 * d)
    assert state.hard is not None and sum(array.nbytes for array in state.hard.arrays) <= memory
    assert state.hard.rows > 0.5 * memory / (d * (8 if store == "dense" else 12))
    assert peak <= memory + vectors


def test_less_memory_takes_more_readings_and_too_little_none_of_the_rows():
    X, score = data(4000, 600)
    problem = RISKS["hinge"](in_blocks(X), score, bias=False)
    passes = []
    for memory in (1e7, 1e5, 1.0):
        found = pragam.solve(problem, "windows", tol=1e-3, memory=memory)
        assert found.converged
        passes.append(found.history.passes[-1])
    assert passes[0] < passes[1] <= passes[2]


@pytest.mark.parametrize("bias", [True, False])
def test_a_warm_start_goes_on_from_where_it_is(bias):
    X, score = data()
    B = in_blocks(X)
    problem = RISKS["hinge"](B, score, bias=bias)
    first = pragam.solve(problem, "windows", tol=1e-3)
    same = pragam.solve(problem, "windows", tol=1e-3, start=first)
    assert same.converged and same.n_iter == 0
    _ = B.row_norms2, B.counts
    cold = pragam.solve(problem, "windows", tol=1e-5)
    before = B.readings
    warm = pragam.solve(problem, "windows", tol=1e-5, start=first)
    assert warm.converged and warm.n_iter < cold.n_iter
    assert B.readings - before == pytest.approx(warm.history.passes[-1], abs=2 / B.n_blocks)
    near = pragam.solve(problem.at(0.9 * problem.lam), "windows", tol=1e-3, start=first.alpha)
    assert near.converged


@pytest.mark.parametrize("bias", [True, False])
def test_an_interrupt_in_the_middle_of_a_pass_leaves_a_state_with_a_candidate(bias):
    X, score = data()

    class Interrupted(InMemory):
        after = 10**9

        def load(self, k):
            self.after -= 1
            if self.after == 0:
                raise KeyboardInterrupt
            return super().load(k)

    here = RISKS["hinge"](X, score, bias=bias)
    exact = pragam.solve(here, tol=1e-9).certificate
    problem = RISKS["hinge"](Interrupted(cut(X, 20)), score, bias=bias)
    _ = problem.A.row_norms(), problem.A.storage.counts
    problem.A.storage.after = 47
    solver = Windows()
    state = solver.init(problem, np.random.default_rng(0), None, 1e-3)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(9):
            state = solver.step(problem, state)
    w, alpha = solver.candidate(problem, state)
    assert there_is_a_gap(pragam.certify(here, w, alpha), exact)
    state = solver.step(problem, state)  # it may even go on
    assert there_is_a_gap(pragam.certify(here, *solver.candidate(problem, state)), exact)
    problem.A.storage.after = 47
    ended = pragam.solve(problem, "windows", tol=1e-9)
    assert ended.status.name == "INTERRUPTED" and there_is_a_gap(ended.certificate, exact)


def there_is_a_gap(proof, exact):
    return proof.dual <= exact.primal and exact.dual <= proof.primal and proof.relative_gap < 1


def test_what_it_cannot_do_is_refused():
    X, score = data(200, 20)
    with pytest.raises(ValueError, match=r"needs A\.reading, which ScaledRows does not have"):
        pragam.solve(RISKS["hinge"](X, score), "windows")
    levels = pragam.ordinal_hinge(in_blocks(X), np.digitize(score, [-1, 0, 1]), 1e-2)
    with pytest.raises(ValueError, match="keeps one bias at most, and this problem has 3"):
        pragam.solve(levels, "windows")


@pytest.mark.parametrize("warm", [True, False])
def test_auto_takes_it_for_text_and_the_working_set_for_many_rows(warm):
    X, score = data(4000, 2000)
    Z = np.random.default_rng(0).standard_normal((20_000, 5))
    for problem, name in (
        (RISKS["hinge"](in_blocks(X), score, bias=True), "windows"),
        (RISKS["hinge"](in_blocks(Z), Z @ np.arange(5), bias=True), "working-set"),
    ):
        start = np.full(problem.Q.size, 0.1 / problem.Q.size) if warm else None
        found = pragam.solve(problem, tol=1e-3, start=start)
        assert found.converged and found.solver == f"auto ({name})"
