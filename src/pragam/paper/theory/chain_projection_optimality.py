r"""The projection onto the marginals of a chain or a tree is optimal against every labelling.

Problem:    The minimum of 1/2 sum_c d_c^2 |alpha_c - m_c|^2 over the marginals of a chain, or of a tree of
            cliques.
Algorithm:  ``project_chain`` and ``project_graph``, by Newton's method and by the paper's alternation.
Guarantee:  p is the projection if and only if it is a point of the set and sum_c d_c^2 <m_c - p_c, v_c - p_c> <= 0 for
            every labelling v, since the labellings are the vertices. This tests all of the set: the labellings are
            enumerated, not drawn. These are the conditions of Karush, Kuhn and Tucker without their multipliers.
Source:     Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1; Saha, Zhang and Vishwanathan, appendix "Efficient
            projection onto n dimensional simplex factorized by a graphical model".
Tight:      Yes, it characterises the projection.
Corrected:  The weights and signs of the dual (chain_dual_as_printed, graph_gradient_as_printed).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._cliques import TREES, CliqueSet, chain
from pragam.structured import project_chain, project_graph

REFERENCE = "Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1"
METHODS = ("newton", "alternating")
SIZES = (1e-2, 3.0)


def check() -> Iterator[Check]:
    chains = [chain(T, K) for T, K in ((1, 3), (2, 4), (4, 3), (5, 2))]
    for part, graphs, project in (("chain", chains, _on_chain), ("tree", TREES[2:], _on_tree)):
        for method in METHODS:
            yield worst_case(
                f"chain_projection_optimality.{part}_{method}",
                f"On a {part}, max over labellings v of sum d_c^2 <m_c - p_c, v_c - p_c> <= 0, method {method}, in "
                "units of the size of d^2 m times that of a labelling.",
                ((_excess(g, m, d, project(g, m, d, method)), 0.0) for g in graphs for m, d in _points(g)),
                "<=",
                1e-9,
                REFERENCE,
            )


def _points(graph: CliqueSet) -> Iterator[tuple[Vector, Vector]]:
    """Tables near and far, tables with ties, equal and different weights."""
    rng = np.random.default_rng(0)
    for size in SIZES:
        for drawn in (rng.standard_normal(graph.size), rng.integers(-1, 2, graph.size)):
            m = np.asarray(size * drawn, dtype=np.float64)
            yield m, np.ones(len(graph.cliques))
            yield m, rng.uniform(0.5, 2.0, len(graph.cliques))


def _on_chain(graph: CliqueSet, m: Vector, d: Vector, method: str) -> Vector:
    return np.ravel(project_chain(m.reshape(-1, graph.K, graph.K), d, method))


def _on_tree(graph: CliqueSet, m: Vector, d: Vector, method: str) -> Vector:
    parts = zip(np.split(m, graph.first[1:-1]), graph.cliques, strict=True)
    tables = [own.reshape((graph.K,) * len(clique)) for own, clique in parts]
    found = project_graph(tables, graph.cliques, graph.K, d, method)
    return np.concatenate([np.ravel(table) for table in found])


def _excess(graph: CliqueSet, m: Vector, d: Vector, p: Vector) -> float:
    """How much the inequality fails at the worst labelling. inf if p is no point of the set."""
    missing = [-p, np.abs(graph.agreements @ p), np.abs(graph.normalisations @ p - 1)]
    if not np.concatenate(missing).max() <= 1e-9 * max(1.0, float(np.abs(m).max())):
        return np.inf
    normal = (d**2 @ graph.normalisations) * (m - p)
    size = max(float(np.linalg.norm((d**2 @ graph.normalisations) * m)), 1.0) * np.sqrt(len(graph.cliques))
    return float((graph.vertices @ normal).max() - normal @ p) / size
