r"""The projection onto the marginals of a chain is optimal against every labelling.

Problem:    The minimum of 1/2 sum_c d_c^2 |alpha_c - m_c|^2 over the marginals of a chain.
Algorithm:  ``project_chain``, by Newton's method and by the paper's alternation.
Guarantee:  p is the projection if and only if it is a point of the set and sum_c d_c^2 <m_c - p_c, v_c - p_c> <= 0 for
            every labelling v, since the labellings are the vertices. This tests all of the set: the labellings are
            enumerated, not drawn. These are the conditions of Karush, Kuhn and Tucker without their multipliers.
Source:     Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1; Saha, Zhang and Vishwanathan, appendix "Efficient
            projection onto n dimensional simplex factorized by a graphical model".
Tight:      Yes, it characterises the projection.
Corrected:  The weights and signs of the dual (chain_dual_as_printed).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.structured import project_chain
from pragam.theory._check import Check, worst_case
from pragam.theory._cliques import CliqueSet, chain
from pragam.vector import Vector

REFERENCE = "Hiriart-Urruty and Lemarechal 1993, Theorem III.3.1.1"
METHODS = ("newton", "alternating")
SIZES = (1e-2, 1.0, 10.0)


def check() -> Iterator[Check]:
    chains = [chain(T, K) for T, K in ((1, 3), (2, 4), (4, 3), (5, 2))]
    for method in METHODS:
        yield worst_case(
            f"chain_projection_optimality.{method}",
            f"max over labellings v of sum d_c^2 <m_c - p_c, v_c - p_c> <= 0, method {method}, in units of the size of "
            "d^2 m times that of a labelling.",
            ((_excess(graph, m, d, _chain(graph, m, d, method)), 0.0) for graph in chains for m, d in _points(graph)),
            "<=",
            1e-9,
            REFERENCE,
        )


def _points(graph: CliqueSet) -> Iterator[tuple[Vector, Vector]]:
    """Tables near and far, tables with ties, equal and different weights."""
    rng = np.random.default_rng(0)
    for size in SIZES:
        for m in (size * rng.standard_normal(graph.size), size * rng.integers(-1, 2, graph.size)):
            yield m, np.ones(len(graph.cliques))
            yield m, rng.uniform(0.5, 2.0, len(graph.cliques))


def _chain(graph: CliqueSet, m: Vector, d: Vector, method: str) -> Vector:
    return np.ravel(project_chain(m.reshape(-1, graph.K, graph.K), d, method))


def _excess(graph: CliqueSet, m: Vector, d: Vector, p: Vector) -> float:
    """How much the inequality fails at the worst labelling. inf if p is no point of the set."""
    missing = [-p, np.abs(graph.agreements @ p), np.abs(graph.normalisations @ p - 1)]
    if not np.concatenate(missing).max() <= 1e-9 * max(1.0, float(np.abs(m).max())):
        return np.inf
    normal = (d**2 @ graph.normalisations) * (m - p)
    size = max(float(np.linalg.norm((d**2 @ graph.normalisations) * m)), 1.0) * np.sqrt(len(graph.cliques))
    return float((graph.vertices @ normal).max() - normal @ p) / size
