"""The kernels of ascent on flows equal their NumPy twins: the same moves, edges and masses, weights to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.flows.records import Rule
from pragam.operators import check_data
from pragam.operators.storage import WithConstant
from pragam.solvers.flow_ascent import FlowAscent
from pragam.solvers.flow_ascent import token_rows as rows_of_tokens
from pragam.structured import chain_hinge

compiled = pytest.mark.skipif(not _kernels.compiled, reason="the extension was not built: nothing to compare")


def drawn(seed, kind):
    """A state at the truth: features that occur once, duplicates, a constant that is not stored, features of pairs,
    costs, weights of zero, forbidden transitions."""
    rng = np.random.default_rng([seed, 12])
    K, lengths = int(rng.integers(2, 12)), rng.integers(1, 7, 12)
    N, d = int(lengths.sum()), 40
    X = np.where(rng.random((N, d)) < 0.15, 1.0, 0.0)
    if kind != "binary":
        X *= rng.standard_normal((N, d))
    y = rng.integers(0, K, N)
    cost = rng.exponential(size=(K, K))
    np.fill_diagonal(cost, 0.0)
    transitions = rng.random((K, K)) < 0.8
    for begin, length in zip(np.cumsum(lengths) - lengths, lengths, strict=True):
        transitions[y[begin : begin + length - 1], y[begin + 1 : begin + length]] = True
    X = sparse.csr_array(X)
    if kind == "duplicates":
        X = sparse.csr_array(
            (np.r_[X.data, X.data[-5:]], np.r_[X.indices, X.indices[-5:]], np.r_[X.indptr[:-1], X.nnz + 5])
        )
        X.resize((N, d))
    elif kind == "dense":
        X = X.toarray().astype(np.float32)
    elif kind == "constant":
        X = WithConstant(check_data(X))
    problem = chain_hinge(
        X, y, lengths, 10.0 ** -(seed % 3), cost, list(range(K)), transitions=transitions,
        sample_weight=rng.integers(0, 3, 12) + (np.arange(12) == 0), token_weight=rng.exponential(size=N),
        edge_features=rng.integers(-1, 2, (N - 12, 3)) * rng.random((N - 12, 3)) if kind == "pairs" else None,
    )  # fmt: skip
    return FlowAscent().init(problem, rng, None, [1e-2, 1e-8][seed % 2])


def both(state, name, *which):
    """Run kernel and twin on copies of the state's arrays; the kernel's copies go on."""
    answers, changed = [], []
    for source in (_kernels.get(name), getattr(twins, name)):
        table = type(state.table.record)(*(part.copy() for part in state.table.record))
        flow = type(state.flow.record)(*(part.copy() for part in state.flow.record))
        answers.append(source(*state.rows.arrays, state.chains, table, flow, *which))
        changed.append((*table, *flow))
    state.table.weights[:] = changed[0][0].reshape(state.table.weights.shape)
    state.table.late[:] = changed[0][1]
    state.flow.record = type(state.flow.record)(*changed[0][2:])
    return answers, changed


def assert_equal(answers, changed):
    """The same moves of the same edges; masses and weights differ by the rounding of curvatures in single precision."""
    assert np.allclose(*answers, rtol=1e-5, atol=1e-7)
    for ours, theirs in zip(*changed, strict=True):
        if ours.dtype.kind == "f":
            assert np.allclose(ours, theirs, rtol=1e-5, atol=1e-5)
        elif ours.dtype == np.uint32 and ours.size == changed[0][5].size:  # the pool
            assert np.array_equal(ours[::2], theirs[::2])
            assert np.allclose(ours[1::2] * 2.0**-30, theirs[1::2] * 2.0**-30, atol=1e-5)
        else:
            assert np.array_equal(ours, theirs)


@compiled
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("kind", ["binary", "reals", "duplicates", "dense", "constant", "pairs"])
def test_sweeps_equal_their_twins(kind, in_place, monkeypatch):
    if in_place:
        monkeypatch.setattr(rows_of_tokens, "_BYTES_A_TOKEN", 0)
        monkeypatch.setattr(rows_of_tokens, "_BYTES", 0)
    moved = 0
    for seed in range(4):
        state = drawn(seed, kind)
        state.table.begin_mean()
        for sweep in range(3):
            rule = Rule(1.0 + 0.3 * (sweep > 0), 1 + 3 * (seed // 2), 1)
            order = np.random.default_rng(sweep).permutation(np.flatnonzero(state.chains.totals))
            answers, changed = both(state, f"flow_sequences_{state.rows.kind}", order, rule, 3.0)
            assert_equal(answers, changed)
            moved += answers[0][3]
            zones = state.find_zones()
            order = np.random.default_rng(sweep).permutation(len(zones) // 3)
            answers, changed = both(state, f"flow_visit_zones_{state.rows.kind}", zones, order, rule, 5.0)
            assert_equal(answers, changed)
            moved += answers[0][3]
            if answers[0][0] < len(order):
                state.flow.enlarge(state.chains)
    assert moved > 100


@compiled
def test_a_full_pool_ends_the_sweep_in_kernel_and_twin():
    state = drawn(1, "binary")
    record = state.flow.record
    state.flow.record = record._replace(pool=record.pool[: 2 * int(record.used[0])].copy())
    order = np.flatnonzero(state.chains.totals)
    for _ in range(3):
        answers, changed = both(state, f"flow_sequences_{state.rows.kind}", order, Rule(1.0, 4, 1), 0.0)
        assert_equal(answers, changed)
    assert answers[0][0] < len(order)


@compiled
@pytest.mark.parametrize("kind", ["binary", "reals", "duplicates", "dense", "constant", "pairs"])
def test_tables_equal_their_twins(kind):
    state = drawn(2, kind)
    state.table.begin_mean()
    order = np.flatnonzero(state.chains.totals)
    both(state, f"flow_sequences_{state.rows.kind}", order, Rule(1.0, 4, 1), 1.0)
    swept = state.table.weights.copy()
    answers, changed = both(state, f"flow_renew_{state.rows.kind}")
    assert_equal(answers, changed)
    assert np.allclose(state.table.weights, swept, rtol=1e-4, atol=1e-5)  # the sweep has kept them up to date
    nodes = [np.empty(state.chains.K * len(state.rows.place)) for _ in range(2)]
    for source, out in zip((_kernels.get("flow_weights"), twins.flow_weights), nodes, strict=True):
        lone = state.rows.lone
        source(state.chains, state.table.record, state.flow.record, 0.3, state.rows.place, lone.at, lone.values, out)
    assert np.allclose(*nodes, rtol=1e-12)
    zones = [np.zeros(300, dtype=np.uint32) for _ in range(2)]
    counts = [
        source(state.chains, state.flow.record, out)
        for source, out in zip((_kernels.get("flow_zones"), twins.flow_zones), zones, strict=True)
    ]
    assert counts[0] == counts[1] > 0 and np.array_equal(*zones)


@compiled
@pytest.mark.parametrize("kind", ["csr", "dense"])
def test_packing_equals_its_twin(kind):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((30, 20)) < 0.1, rng.standard_normal((30, 20)), 0.0)
    raw = (X,) if kind == "dense" else tuple(getattr(sparse.csr_array(X), part) for part in ("data", "indices"))
    raw = raw if kind == "dense" else (*raw, sparse.csr_array(X).indptr.astype(np.int64))
    results = []
    for source in (_kernels.get, lambda name: getattr(twins, name)):
        counts = np.zeros(20, dtype=np.int32)
        ones = source(f"flow_count_{kind}")(*raw, 30, counts)
        place = np.where(counts > 1, np.arange(20, dtype=np.int32), np.int32(-1))
        kept, alone = int(counts[counts > 1].sum()), int((counts == 1).sum())
        out = [np.zeros(31, np.int64), np.zeros(kept, np.int32), np.zeros(kept, np.float32),
               np.zeros(2 * alone, np.uint32), np.zeros(alone, np.float32), np.zeros(30, np.float32),
               np.zeros(30, np.float32)]  # fmt: skip
        source(f"flow_pack_{kind}")(*raw, place, *out)
        results.append([ones, counts, *out])
    for ours, theirs in zip(*results, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-6)
    assert np.allclose(results[0][-2], (X**2).sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("kind", ["binary", "reals", "dense", "constant"])
def test_a_copy_made_in_pieces_is_the_same(kind, monkeypatch):
    whole = drawn(2, kind).rows
    monkeypatch.setattr(rows_of_tokens, "_CHUNK", 7)
    pieces = drawn(2, kind).rows
    assert whole.kind == pieces.kind and whole.constant == pieces.constant
    for ours, theirs in zip((*whole.arrays, whole.lone.at, whole.norms), (*pieces.arrays, pieces.lone.at, pieces.norms),
                            strict=True):  # fmt: skip
        assert np.array_equal(ours, theirs)
