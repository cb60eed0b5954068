"""The nearest locally consistent tables of a graph: against an interior-point solver, the chain's projection, by their
optimality, and at the edges."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import qr
from scipy.optimize import linprog

from clarabel_qp import solve_qp
from pragam.structured import CliqueGraph, is_tree, project_chain, project_graph

GRID = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (3, 6), (1, 4), (4, 7), (2, 5), (5, 8)]
GRAPHS = {
    "edge": [(0, 1)],
    "chain": [(0, 1), (1, 2), (2, 3), (3, 4)],
    "star": [(0, 1), (2, 0), (0, 3), (3, 4), (5, 3)],
    "triangle": [(0, 1), (1, 2), (0, 2)],
    "grid": GRID,
    "three at a time": [(0, 1, 2), (1, 2, 3), (4, 3, 2)],
    "four triangles": [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)],
    "a cycle of triangles": [(0, 1, 2), (2, 3, 4), (4, 5, 0), (1, 3)],
    "nodes in edges, apart": [(0,), (0, 1), (1, 2, 0), (5,), (5,), (1,)],
}
TREES = {"edge", "chain", "star", "three at a time", "nodes in edges, apart"}


def tables(cliques, n_labels, scale=1.0, seed=0):
    rng, counts = np.random.default_rng(seed), labels_of(cliques, n_labels)
    return [scale * rng.standard_normal([counts[v] for v in clique]) for clique in cliques]


def labels_of(cliques, n_labels):
    return [n_labels] * (1 + max(map(max, cliques))) if isinstance(n_labels, int) else n_labels


def flat(parts):
    return np.concatenate([np.ravel(part) for part in parts])


def constraints(cliques, n_labels):
    """All of them: the masses, and the agreement of any two cliques on what they share. (E, f), with full rank."""
    counts = labels_of(cliques, n_labels)
    zeros = [np.zeros([counts[v] for v in clique]) for clique in cliques]
    rows, right = [], []
    for c in range(len(cliques)):
        rows.append(flat([part + (k == c) for k, part in enumerate(zeros)]))
        right.append(1.0)
    for a, b in combinations(range(len(cliques)), 2):
        shared = [v for v in cliques[a] if v in cliques[b]]
        for labels in product(*(range(counts[v]) for v in shared)) if shared else ():
            row = [part.copy() for part in zeros]
            for c, sign in ((a, 1), (b, -1)):
                row[c][tuple(labels[shared.index(v)] if v in shared else slice(None) for v in cliques[c])] = sign
            rows.append(flat(row))
            right.append(0.0)
    E, f = np.array(rows), np.array(right)
    _, triangle, order = qr(E.T, mode="economic", pivoting=True)
    rank = np.count_nonzero(np.abs(np.diag(triangle)) > 1e-9)
    return E[order[:rank]], f[order[:rank]]


def by_interior_point(m, d, E, f):
    weight = np.concatenate([np.full(part.size, one**2) for part, one in zip(m, d, strict=True)])
    size = len(weight)
    return solve_qp(np.diag(weight), -weight * flat(m), -np.eye(size), np.zeros(size), E, f).x


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("K, scale", [(2, 1.0), (3, 0.2), (3, 5.0)])
def test_both_methods_agree_with_an_interior_point_solver(name, K, scale):
    cliques = GRAPHS[name]
    m = tables(cliques, K, scale, seed=len(name))
    d = np.exp(0.4 * np.random.default_rng(1).standard_normal(len(cliques)))
    newton, alternating = project_graph(m, cliques, K, d), project_graph(m, cliques, K, d, "alternating", tol=1e-10)
    E, f = constraints(cliques, K)
    assert np.abs(flat(newton) - by_interior_point(m, d, E, f)).max() <= 1e-8 * max(1.0, np.abs(flat(m)).max())
    assert np.abs(flat(newton) - flat(alternating)).max() <= 1e-8
    assert np.abs(E @ flat(newton) - f).max() <= 1e-10


def test_nodes_may_have_different_numbers_of_labels():
    cliques, counts = [(0, 1), (2, 1), (2, 0), (3,)], [2, 3, 4, 1]
    m = tables(cliques, counts)
    found = project_graph(m, cliques, counts)
    E, f = constraints(cliques, counts)
    assert np.abs(flat(found) - by_interior_point(m, np.ones(4), E, f)).max() <= 1e-8
    assert [part.shape for part in found] == [(2, 3), (4, 3), (4, 2), (1,)]


@pytest.mark.parametrize("T, K, scale", [(1, 3, 1.0), (4, 1, 1.0), (8, 5, 0.3), (6, 4, 1e4), (10, 26, 1.0)])
def test_a_chain_is_projected_as_project_chain_does(T, K, scale):
    cliques = [(t, t + 1) for t in range(T)]
    m, d = tables(cliques, K, scale), np.linspace(0.5, 2, T)
    assert np.abs(np.array(project_graph(m, cliques, K, d)) - project_chain(np.array(m), d)).max() <= 1e-10 * max(
        1, scale
    )


def random_cliques(rng, is_of_three):
    nodes = int(rng.integers(2, 7))
    sizes = rng.integers(1, min(nodes, 3 if is_of_three else 2) + 1, size=rng.integers(1, 9))
    return [tuple(rng.permutation(nodes)[:size].tolist()) for size in sizes]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1e-3, 1.0, 30.0, 1e4]), st.booleans(), st.booleans())
def test_the_projection_is_feasible_and_meets_the_variational_inequality(seed, scale, is_of_three, is_rounded):
    rng = np.random.default_rng(seed)
    cliques, K = random_cliques(rng, is_of_three), int(rng.integers(1, 4))
    m = tables(cliques, K, scale, seed)
    m = [np.round(part) for part in m] if is_rounded else m  # ties
    alpha = project_graph(m, cliques, K)
    E, f = constraints(cliques, K)
    size = max(1.0, scale)
    assert min(map(np.min, alpha)) >= 0 and np.abs(E @ flat(alpha) - f).max() <= 1e-10 * size
    slope = flat(m) - flat(alpha)
    farthest = -linprog(-slope, A_eq=E, b_eq=f, bounds=(0, None)).fun
    assert farthest - slope @ flat(alpha) <= 1e-8 * size**2
    again = project_graph(alpha, cliques, K)
    assert np.abs(flat(again) - flat(alpha)).max() <= 1e-8 * size


def test_projections_do_not_expand_distances():
    for seed in range(10):
        one, two = tables(GRID, 3, seed=seed), tables(GRID, 3, seed=seed + 50)
        apart = np.linalg.norm(flat(project_graph(one, GRID, 3)) - flat(project_graph(two, GRID, 3)))
        assert apart <= np.linalg.norm(flat(one) - flat(two)) + 1e-10


def test_graphs_apart_are_projected_each_by_itself():
    star = [(a + 9, b + 9) for a, b in GRAPHS["star"]]
    m = tables(GRID + star, 3, seed=5)
    m[-1] *= 1e4
    together = project_graph(m, GRID + star, 3)
    alone = project_graph(m[: len(GRID)], GRID, 3) + project_graph(m[len(GRID) :], star, 3)
    assert np.abs(flat(together) - flat(alone)).max() <= 1e-8
    assert np.abs(flat(together[: len(GRID)]) - flat(alone[: len(GRID)])).max() <= 1e-11  # as accurate as by itself


def test_a_tree_is_told_from_a_cycle():
    for name, cliques in GRAPHS.items():
        assert is_tree(cliques) == CliqueGraph(cliques, 2).is_tree == (name in TREES)
    assert is_tree([(0, 1), (1, 2), (0, 2), (0, 1, 2)])  # the triangle's own clique makes it exact
    assert not is_tree([(0, 1, 2), (2, 3), (3, 0)])


def test_a_triangle_has_a_vertex_that_is_no_labelling():
    cliques = GRAPHS["triangle"]
    apart = np.array([[0.0, 1.0], [1.0, 0.0]])  # any two of the three nodes would differ: no labelling can
    found = project_graph([100 * apart] * 3, cliques, 2)
    assert np.abs(np.array(found) - 0.5 * apart).max() <= 1e-12


def test_forbidden_entries_get_no_mass():
    cliques = GRAPHS["star"]
    m = tables(cliques, 3, seed=3)
    m[3][1, :] = -np.inf  # node 3 cannot have label 1: so neither can the other cliques around it
    alpha = project_graph(m, cliques, 3)
    assert not alpha[2][:, 1].any() and not alpha[4][:, 1].any()
    low = [np.where(np.isfinite(part), part, -1e3) for part in m]
    assert np.abs(flat(alpha) - flat(project_graph(low, cliques, 3))).max() <= 1e-9
    assert np.abs(flat(alpha) - flat(project_graph(m, cliques, 3, method="alternating", tol=1e-10))).max() <= 1e-8


def test_the_potentials_of_one_projection_start_the_next():
    m, u = tables(GRID, 3), np.zeros(CliqueGraph(GRID, 3).n_potentials)
    cold = project_graph(m, GRID, 3, start=u)
    assert np.abs(flat(cold) - flat(project_graph(m, GRID, 3))).max() <= 1e-12 and u.any()
    again = u.copy()
    assert np.abs(flat(project_graph(m, GRID, 3, start=again)) - flat(cold)).max() <= 1e-11
    assert np.abs(again - u).max() <= 1e-6  # no more than rounding to do
    far = np.where(np.arange(len(u)) % 2, 1e100, -1e100)
    assert np.abs(flat(project_graph(m, GRID, 3, start=far)) - flat(cold)).max() <= 1e-10
    assert np.abs(far).max() < 1e3


EDGE = np.zeros((2, 2))
BAD = {
    "m[1] must have the shape (2, 2)": {"m": [EDGE, np.zeros((2, 3))]},
    "m[0], the table of clique (0, 1), contains NaN": {"m": [np.full((2, 2), np.nan), EDGE]},
    "m[1], the table of clique (1, 2), contains NaN or +infinity": {"m": [EDGE, np.full((2, 2), np.inf)]},
    "m[0], the table of clique (0, 1), forbids every entry": {"m": [np.full((2, 2), -np.inf), EDGE]},
    "m forbids every labelling": {"m": [np.array([[0, -np.inf]] * 2), np.array([[-np.inf] * 2, [0, 0]])]},
    "m[0] and the cliques around it cannot be projected in float64": {"m": [1e14 + EDGE, EDGE]},
    "m has 1 tables for 2 cliques": {"m": [EDGE]},
    "m must be a list": {"m": 3.0},
    "cliques[1] = (1, 7) has no node 7": {"cliques": [(0, 1), (1, 7)], "n_labels": [2, 2, 2]},
    "cliques[0] = (1, 1) repeats a node": {"cliques": [(1, 1), (1, 2)]},
    "cliques[1] must hold node numbers": {"cliques": [(0, 1), (1, -2)]},
    "cliques must be a list": {"cliques": 3},
    "cliques is empty": {"cliques": []},
    "n_labels must": {"n_labels": [2, 0, 2]},
    "n_labels must be a whole": {"n_labels": 2.5},
    "weights must hold 2": {"weights": [1.0, 0.0]},
    "start must be a writeable": {"start": np.zeros(3)},
    "method must be one of": {"method": "median"},
    "tol must": {"tol": -1.0},
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_argument_is_named(message):
    arguments = {"m": [EDGE, EDGE], "cliques": [(0, 1), (1, 2)], "n_labels": 2, **BAD[message]}
    with pytest.raises(ValueError) as refused:
        project_graph(**arguments)
    assert message in str(refused.value)
