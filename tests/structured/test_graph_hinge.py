"""Graphs as a problem: against all labellings written out, in rational numbers, and against Clarabel."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import pragam
from pragam import _kernels
from pragam._kernels import twins
from pragam.structured import CliqueGraph, Graph, Labellings, chain_hinge, graph_hinge
from pragam.structured.graphs import messages as messages
from pragam.structured.graphs.forest import best_of_forest
from pragam.structured.graphs.label_search import improved, score_of
from pragam.structured.graphs.moments import _consistent_shares
from pragam.structured.graphs.values import highest, relaxed_best
from pragam.structured.graphs.wiring import Wiring

from .graph_cases import Drawn

GRID = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)]


def exact_shares(drawn, alpha):
    """The distributions that labellings with weights describe, or those next to marginals, in Fractions."""
    model = drawn.problem.Q.structure
    if not isinstance(alpha, Labellings):
        return [completed(model, i, alpha) for i in range(model.n)]
    out = []
    for i, block in enumerate(model.single):
        column = [Fraction(float(x)) for x in alpha.weights[:, i if alpha.weights.shape[1] > 1 else 0]]
        shares = [x / sum(column) for x in column]
        p = np.full((block.wiring.n_nodes, model.K), Fraction(0))
        q = np.full((len(block.wiring.edges), model.K, model.K), Fraction(0))
        for share, labels in zip(shares, alpha.labels, strict=True):
            own = labels[block.nodes]
            p[np.arange(len(own)), own] += share
            for c, (u, v) in enumerate(block.wiring.edges):
                q[c, own[u], own[v]] += share
        out.append((p, q))
    return out


def completed(model, i, alpha):
    """Graph i's part of a vector, made consistent in rational numbers: what is scaled down must leave no excess."""
    block = model.single[i]
    found = _consistent_shares(model, block, alpha)
    raw = np.maximum(alpha[: model.wiring.n_nodes * model.K].reshape(-1, model.K)[block.nodes], 0)
    raw = raw / model.totals[i] if model.totals[i] else found.nodes
    p = np.array([[Fraction(float(x)) for x in row] for row in raw])
    p = p / p.sum(axis=1, keepdims=True)
    tables = []
    for c, (u, v) in enumerate(block.wiring.edges):
        S = np.array([[Fraction(float(x)) for x in row] for row in found.tables[c]])
        lack, also = p[u] - S.sum(axis=1), p[v] - S.sum(axis=0)
        assert min(lack) >= 0 and min(also) >= 0 and sum(lack) == sum(also) <= found.rest[c]
        tables.append(S + np.outer(lack, also) / max(sum(lack), Fraction(1, 10**30)))
    return p, tables


@pytest.mark.parametrize("has_cycles", [False, True])
@pytest.mark.parametrize("first", range(0, 24, 6))
def test_certificates_hold_in_rational_arithmetic(first, has_cycles):
    for seed in range(first, first + 6):
        drawn = Drawn(seed, has_cycles)
        rng = np.random.default_rng(seed)
        problem, structure = drawn.problem, drawn.problem.Q.structure
        w = rng.standard_normal(problem.n_weights) * 10.0 ** rng.integers(-2, 2)
        points = [structure.decode(rng.standard_normal(problem.n_weights)) for _ in range(3)]
        alpha = problem.Q.combine(rng.dirichlet(np.ones(3)), points)
        certificate = pragam.certify(problem, w, alpha)
        J, D = drawn.objective(w), drawn.dual(exact_shares(drawn, alpha))
        assert certificate.rigorous and problem.Q.exact == (not has_cycles)
        assert certificate.primal >= J and certificate.dual <= D
        if not has_cycles:  # and hardly more than that
            assert certificate.primal - float(J) <= 1e-12 * (1 + abs(certificate.primal))
        assert float(D) - certificate.dual <= 1e-11 * (1 + abs(certificate.dual))


@pytest.mark.parametrize("has_cycles", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_solutions_are_those_of_an_interior_point_solver(seed, has_cycles):
    drawn = Drawn(seed + 100, has_cycles)
    result = pragam.solve(drawn.problem, "qp-bmrm", tol=1e-3 if has_cycles else 1e-7, max_iter=300)
    best, slack = drawn.relaxed_optimum(), 1e-7
    assert result.certificate.dual <= best + slack and result.certificate.primal >= best - slack
    assert result.certificate.relative_gap <= (1e-2 if has_cycles else 1e-7)


SMALL = {
    "tree": [(0, 1), (2, 1), (2, 3)],
    "cycle": [(0, 1), (2, 1), (0, 2)],
}


@pytest.mark.parametrize("name", SMALL)
def test_pragam_solves_the_unfolded_problem(name):
    rng = np.random.default_rng(3)
    graphs = [Graph(rng.standard_normal((4, 2)), SMALL[name], rng.integers(0, 2, 4)) for _ in range(2)]
    problem = graph_hinge(graphs, lam=1.0, labels=[0, 1])
    result = pragam.solve(problem, "pragam", tol=3e-2, max_iter=300)
    other = pragam.solve(problem, "qp-bmrm", tol=1e-3, max_iter=300)
    assert result.converged and result.certificate.rigorous and result.certificate.exact == (name == "tree")
    assert result.certificate.dual <= other.certificate.primal and other.certificate.dual <= result.certificate.primal
    unfolded = problem.Q.unfold(problem)
    assert unfolded.primal(result.w) == pytest.approx(problem.primal(result.w), rel=1e-9)
    assert unfolded.dual(result.alpha) == pytest.approx(problem.dual(result.alpha), rel=1e-9)
    again = pragam.solve(problem, "pragam", tol=3e-2, max_iter=5, start=other)  # from labellings or marginals
    assert again.certificate.dual >= other.certificate.dual - 1e-12


def test_paths_are_the_chains_of_chain_hinge():
    """But for the weights of the ends of a sequence, which are turned off by features that stand for them."""
    rng = np.random.default_rng(0)
    lengths, K, d = [3, 1, 4], 3, 2
    X, y = rng.standard_normal((8, d)), rng.integers(0, K, 8)
    pairs = rng.standard_normal((5, 2))
    parts, links = np.split(X, np.cumsum(lengths)[:-1]), np.split(pairs, [2, 2])
    graphs = [
        Graph(part, [(t, t + 1) for t in range(len(part) - 1)], own, features)
        for part, own, features in zip(parts, np.split(y, np.cumsum(lengths)[:-1]), links, strict=True)
    ]
    weights = [0.5, 2.0, 1.0]
    graph = graph_hinge(graphs, 0.1, "hamming_sum", range(K), weights)
    chain = chain_hinge(X, y, lengths, 0.1, "hamming_sum", range(K), edge_features=pairs, sample_weight=weights)
    w = rng.standard_normal(graph.n_weights)
    padded = np.append(w, np.zeros(2 * K))
    assert graph.primal(w) == pytest.approx(chain.primal(padded), rel=1e-13)
    labels = rng.integers(0, K, 8)
    found = [p.Q.structure.moments(Labellings.of(labels)) for p in (graph, chain)]
    assert np.allclose(found[0].features, found[1].features[: -2 * K], atol=1e-14)
    assert found[0].loss == pytest.approx(found[1].loss, rel=1e-14)


def linear_program(count, K, edges, nodes, tables):
    graph = CliqueGraph([*((v,) for v in range(count)), *map(tuple, edges)], [K] * count)
    right = np.zeros(graph.n_potentials)
    right[: len(graph.cliques)] = 1.0
    scores = np.concatenate([nodes.ravel(), tables.ravel()])
    return -linprog(-scores, A_eq=sparse.csc_array(graph.constraints.T), b_eq=right, bounds=(0, None)).fun


@pytest.mark.parametrize("seed", range(6))
def test_messages_bound_the_linear_program_tightly(seed):
    rng = np.random.default_rng(seed)
    K, edges = 2 + seed % 3, np.array(GRID)
    nodes, tables = rng.standard_normal((9, K)), [0.3, 3.0][seed % 2] * rng.standard_normal((len(edges), K, K))
    wiring = Wiring(np.array([9]), np.array([len(edges)]), edges)
    best = linear_program(9, K, edges, nodes, tables)
    (bound,), _ = highest(wiring, False, nodes, tables)
    assert best - 1e-9 <= bound <= best + 1e-6 * abs(best)
    found = relaxed_best(wiring, nodes, tables)
    if found.dtype.kind == "i":
        assert score_of(wiring, nodes, tables, found)[0] == pytest.approx(best, rel=1e-9)
        return
    p, q = found[: 9 * K].reshape(9, K), found[9 * K :].reshape(-1, K, K)
    assert (
        np.abs(q.sum(axis=2) - p[edges[:, 0]]).max() <= 1e-14 and np.abs(q.sum(axis=1) - p[edges[:, 1]]).max() <= 1e-14
    )
    assert (p * nodes).sum() + (q * tables).sum() >= best - 1e-3 * abs(best)


def test_any_messages_bound_every_labelling():
    rng = np.random.default_rng(1)
    edges = np.array(GRID)
    nodes, tables = rng.standard_normal((9, 2)), rng.standard_normal((len(edges), 2, 2))
    wiring = Wiring(np.array([9]), np.array([len(edges)]), edges)
    moved, rest = messages.reparametrised(wiring, nodes, tables, rng.standard_normal((len(edges), 2, 2)))
    bound = moved.max(axis=1).sum() + rest.max(axis=(1, 2)).sum()
    for number in range(2**9):
        labels = number >> np.arange(9) & 1
        score = score_of(wiring, nodes, tables, labels)[0]
        assert score <= bound + 1e-12
        assert score_of(wiring, moved, rest, labels)[0] == pytest.approx(score, abs=1e-12)


def test_a_frustrated_triangle_has_a_relaxed_value_above_all_labellings():
    """Three nodes that would all differ, with two labels: a labelling satisfies two edges, the relaxation all three."""
    triangle = np.array([(0, 1), (1, 2), (0, 2)])
    wiring = Wiring(np.array([3]), np.array([3]), triangle)
    tables = np.broadcast_to(1.0 - np.eye(2), (3, 2, 2))
    assert highest(wiring, False, np.zeros((3, 2)), tables)[0][0] == pytest.approx(3.0, abs=1e-9)
    labels = improved(wiring, np.zeros((3, 2)), tables, np.zeros(3, dtype=np.int64))
    assert score_of(wiring, np.zeros((3, 2)), tables, labels)[0] == 2.0


def test_forests_are_decoded_as_enumeration_does():
    for seed in range(20):
        drawn = Drawn(seed, False)
        w = np.random.default_rng(seed).standard_normal(drawn.problem.n_weights)
        values = drawn.problem.Q.structure.values(w)
        for i in range(len(drawn.graphs)):
            (truth, _), *others = drawn.labellings(i)
            scores = [
                float(loss) + sum(float(f - g) * x for f, g, x in zip(one, truth, w, strict=True))
                for one, loss in others
            ]
            assert values[i] == pytest.approx(max(scores), rel=1e-11, abs=1e-11)


def test_a_long_path_and_a_star_are_decoded():
    rng = np.random.default_rng(0)
    for edges in ([(t, t + 1) for t in range(3000)], [(0, t + 1) for t in range(3000)]):
        wiring = Wiring(np.array([3001]), np.array([3000]), np.array(edges))
        nodes, tables = rng.standard_normal((3001, 3)), rng.standard_normal((3000, 3, 3))
        value, labels = best_of_forest(wiring, nodes, tables)
        assert value[0] == pytest.approx(score_of(wiring, nodes, tables, labels)[0], rel=1e-12)
        better = improved(wiring, nodes, tables, labels)
        assert score_of(wiring, nodes, tables, better)[0] <= value[0] + 1e-9


@pytest.mark.parametrize("K", [1, 2, 4])
def test_the_kernel_of_forests_is_its_twin(K):
    rng = np.random.default_rng(K)
    edges = np.array([(1, 0), (1, 2), (3, 1), (5, 4), (8, 7), (6, 8)])
    wiring = Wiring(np.array([4, 2, 4]), np.array([3, 1, 2]), edges)
    nodes, tables, found = rng.standard_normal(10 * K), rng.standard_normal(6 * K * K), []
    for kernel in (_kernels.get("forest_best"), twins.forest_best):
        best, labels = nodes.copy(), np.empty(10, dtype=np.int64)
        kernel(*wiring.rooted, tables, K, best, labels)
        found.append(np.concatenate([best, labels]))
    assert np.abs(found[0] - found[1]).max() <= 1e-13


def test_blocks_change_nothing(monkeypatch):
    from pragam.structured.graphs import structure as graph_model

    rng = np.random.default_rng(0)
    kinds = [[(0, 1)], [(0, 1), (2, 1)], [(0, 1), (1, 2), (2, 0)], [(0, 2), (1, 2), (0, 1)], [], [(2, 0)]]
    graphs = [Graph(rng.standard_normal((3, 2)), edges, rng.integers(0, 2, 3)) for edges in kinds]
    whole = graph_hinge(graphs, 0.1, labels=[0, 1])
    assert len(whole.Q.structure.blocks) == 3  # trees, cycles, trees
    monkeypatch.setattr(graph_model, "_SCORES", 1)
    apart = graph_hinge(graphs, 0.1, labels=[0, 1])
    assert len(apart.Q.structure.blocks) == len(graphs)
    w = np.random.default_rng(0).standard_normal(whole.n_weights)
    assert whole.primal(w) == pytest.approx(apart.primal(w), rel=1e-12)
    one, two = (problem.Q.structure.decode(w) for problem in (whole, apart))
    assert whole.dual(one) == pytest.approx(apart.dual(two), rel=1e-9)


def test_a_dual_point_that_is_none_is_refused():
    drawn = Drawn(5, True)
    structure, w = drawn.problem.Q.structure, np.zeros(drawn.problem.n_weights)
    alpha = structure.truth()
    alpha[0] += 0.1
    with pytest.raises(ValueError, match="alpha is not in Q: its marginals are inconsistent by"):
        pragam.certify(drawn.problem, w, alpha)
    with pytest.raises(ValueError, match="alpha has 3 entries"):
        pragam.certify(drawn.problem, w, np.zeros(3))
    with pytest.raises(ValueError, match="a labelling must be an array of"):
        pragam.certify(drawn.problem, w, Labellings.of(np.zeros(2, dtype=np.int64)))
    with pytest.raises(ValueError, match="labels from 0 to"):
        pragam.certify(drawn.problem, w, Labellings.of(np.full(structure.wiring.n_nodes, 9)))


def test_labellings_serve_graphs_with_cycles_too():
    drawn = Drawn(6, True)
    structure = drawn.problem.Q.structure
    point = Labellings.of(structure.labels)
    moments = structure.moments(point)
    assert not moments.features.any() and moments.loss == 0
    assert np.array_equal(structure.unfolded_point(point), structure.truth())


X2, PAIR = np.zeros((2, 1)), [(0, 1)]
GOOD = Graph(X2, PAIR, [0, 1])
BAD = {
    "graphs must be a list": GOOD,
    "graph 1 must be a pragam.structured.Graph": [GOOD, (X2, PAIR)],
    "graph 1: edge (0, 7) has no such node": [GOOD, Graph(X2, [(0, 1), (0, 7)], [0, 1])],
    "graph 1: edge (-1, 0) has no such node": [GOOD, Graph(X2, [(-1, 0)], [0, 1])],
    "graph 0: edge (1, 1) links a node with itself": [Graph(X2, [(1, 1)], [0, 1])],
    "graph 0: edge (1, 0) occurs twice": [Graph(X2, [(0, 1), (1, 0)], [0, 1])],
    "graph 0: edges must be": [Graph(X2, [0, 1], [0, 1])],
    "graph 1 has no nodes": [GOOD, Graph(np.zeros((0, 1)), [], [])],
    "graph 1 has no labels": [GOOD, Graph(X2, PAIR)],
    "graph 1: y has the shape (3,) for 2 nodes": [GOOD, Graph(X2, PAIR, [0, 1, 0])],
    "graph 1: X contains NaN": [GOOD, Graph(np.full((2, 1), np.nan), PAIR, [0, 1])],
    "graph 1: X has 2 columns": [GOOD, Graph(np.zeros((2, 2)), PAIR, [0, 1])],
    "graph 0: X must have two dimensions": [Graph(np.zeros(2), PAIR, [0, 1])],
    "graph 1: edge_features has 2 rows for 1 edges": [GOOD, Graph(X2, PAIR, [0, 1], np.zeros((2, 1)))],
    "graph 1: edge_features has 1 columns": [GOOD, Graph(X2, PAIR, [0, 1], np.zeros((1, 1)))],
    "graph 1: edge_features contains NaN": [GOOD, Graph(X2, PAIR, [0, 1], [[np.inf]])],
    "y must have at least two labels": [Graph(X2, PAIR, [0, 0])],
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_graph_is_named(message):
    with pytest.raises(ValueError) as refused:
        graph_hinge(BAD[message])
    assert message in str(refused.value)


def test_bad_options_are_named():
    for message, options in {
        "graph 1: y contains the label 'c'": {"labels": ["a", "b"]},
        "loss must be": {"loss": "hinge"},
        "sample_weight must hold 2": {"sample_weight": [1.0]},
        "lam must": {"lam": 0.0},
    }.items():
        with pytest.raises(ValueError) as refused:
            graph_hinge([Graph(X2, PAIR, ["a", "b"]), Graph(X2, PAIR, ["a", "c"])], **options)
        assert message in str(refused.value)


@pytest.mark.parametrize("shares", [np.zeros(7), np.geomspace(1, 0.01, 20)])
@pytest.mark.parametrize("K", [1, 2, 5])
def test_the_kernel_of_messages_is_its_twin(K, shares):
    rng = np.random.default_rng(K)
    edges = np.array([*GRID, (2, 0), (9, 10), (12, 13)])
    wiring = Wiring(np.array([9, 3, 2]), np.array([13, 1, 1]), edges)
    scores = rng.standard_normal(14 * K), rng.standard_normal(len(edges) * K * K)
    found = []
    for kernel in (_kernels.get("graph_messages"), twins.graph_messages):
        nodes, tables, sent = *(part.copy() for part in scores), np.zeros(2 * len(edges) * K)
        levels, labels = np.zeros(14 * K), np.zeros(14, dtype=np.int64)
        kernel(
            np.array([0, 2]), wiring.first_node, *wiring.turns, *wiring.ends, edges.reshape(-1), np.array([0.5, 1, 2]),
            shares, K, nodes, tables, sent, levels, labels,
        )  # fmt: skip
        assert np.array_equal(nodes[9 * K : 12 * K], scores[0][9 * K : 12 * K])  # a graph that is not active
        found.append(np.concatenate([nodes, tables, sent, levels, labels]))
    assert np.abs(found[0] - found[1]).max() <= 1e-11


@pytest.mark.skipif(not _kernels.compiled, reason="the twins have one thread")
def test_threads_do_not_change_the_bits_of_messages():
    rng = np.random.default_rng(0)
    edges, n, K = np.array(GRID), 400, 4
    links = np.concatenate([edges + 9 * g for g in range(n)])
    wiring = Wiring(np.full(n, 9), np.full(n, len(edges)), links)
    scores = rng.standard_normal(9 * n * K), rng.standard_normal(len(links) * K * K)
    found = []
    for threads in (1, 3):
        arrays = [*(part.copy() for part in scores), np.zeros(2 * len(links) * K), np.zeros(9 * n * K)]
        labels = np.zeros(9 * n, dtype=np.int64)
        _kernels.get("graph_messages")(
            np.arange(n), wiring.first_node, *wiring.turns, *wiring.ends, links.reshape(-1), np.ones(n),
            np.geomspace(1, 0.01, 20), K, *arrays, labels, threads,
        )  # fmt: skip
        found.append(np.concatenate([*arrays, labels]))
    assert np.array_equal(*found)


@pytest.mark.parametrize("solver", ["block-ascent", "bcfw", "ls-bmrm"])
@pytest.mark.parametrize("name", SMALL)
def test_other_solvers_are_certified_too(solver, name):
    rng = np.random.default_rng(3)
    graphs = [Graph(rng.standard_normal((4, 2)), SMALL[name], rng.integers(0, 2, 4)) for _ in range(3)]
    problem = graph_hinge(graphs, lam=1.0, labels=[0, 1])
    result = pragam.solve(problem, solver, tol=2e-2, max_iter=400)
    assert result.converged and result.certificate.rigorous
    again = pragam.solve(problem, solver, tol=1e-2, max_iter=400, start=result)
    assert again.certificate.dual >= result.certificate.dual - 1e-12
