r"""Locally consistent tables are mixtures of labellings on trees, and not on a triangle.

Problem:    The set M of tables alpha_c >= 0 of cliques c, of mass 1, whose marginals agree where cliques meet,
            against the convex hull of all labellings.
Algorithm:  Linear programs over M (HiGHS), and all labellings by enumeration.
Guarantee:  On a tree, and on any set of cliques with a junction tree, both sets are equal: the maximum of every linear
            function over M is attained at a labelling, and every point of M is a mixture of labellings. On the triangle
            with two labels let every edge have the masses 1/2 on (0, 1) and (1, 0). This is a point of M. It has the
            score 3 where an edge with two labels scores 1, and no labelling has more than 2.
Source:     Wainwright and Jordan, Graphical models, exponential families, and variational inference, 2008, Proposition
            4.1 and example 4.1; Saha, Zhang and Vishwanathan, appendix, "if the graphical model is tree structured".
Tight:      Yes, equalities.
Corrected:  What is certified on a loopy graph is the relaxed problem, and the certificate says so (``exact``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._cliques import TREES, TRIANGLE, CliqueSet

REFERENCE = "Wainwright and Jordan 2008, Proposition 4.1"
COUNTEREXAMPLE = "Wainwright and Jordan 2008, example 4.1"
#: Table entries (0, 1) and (1, 0) of every edge of the triangle.
DIFFERENT = np.tile([0.0, 1.0, 1.0, 0.0], 3)


def check() -> Iterator[Check]:
    yield worst_case(
        "local_consistency.tree_maximum",
        "On trees the maximum of a linear function over locally consistent tables is that over labellings.",
        ((_highest(graph, s), (graph.vertices @ s).max()) for graph in TREES for s in _scores(graph)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "local_consistency.tree_mixture",
        "On trees every locally consistent point is a mixture of labellings; what the best mixture lacks, summed.",
        ((_lack(graph, _inner_point(graph, seed)), 0.0) for seed, graph in enumerate(TREES)),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield _equality(
        "triangle_local", "On the triangle a locally consistent point scores 3.", _highest(TRIANGLE, DIFFERENT), 3
    )
    yield _equality(
        "triangle_labelling",
        "On the triangle no labelling scores more than 2.",
        float((TRIANGLE.vertices @ DIFFERENT).max()),
        2,
    )
    yield _equality(
        "triangle_mixture",
        "The half-half point of the triangle is no mixture: the nearest one differs by 2, summed over its entries.",
        _lack(TRIANGLE, DIFFERENT / 2),
        2,
    )


def _equality(part: str, statement: str, measured: float, bound: float) -> Check:
    return Check(f"local_consistency.{part}", statement, measured, float(bound), "==", 1e-9, COUNTEREXAMPLE)


def _scores(graph: CliqueSet) -> Iterator[Vector]:
    rng = np.random.default_rng(0)
    for _ in range(4):
        yield rng.standard_normal(graph.size)


def _highest(graph: CliqueSet, s: Vector) -> float:
    return float(s @ _best(graph, s))


def _best(graph: CliqueSet, s: Vector) -> Vector:
    """A locally consistent point with the highest score."""
    E, N = graph.agreements, graph.normalisations
    right = np.concatenate([np.zeros(len(E)), np.ones(len(N))])
    found = linprog(-s, A_eq=np.vstack([E, N]), b_eq=right, bounds=(0, None), method="highs")
    if found.status:
        raise ArithmeticError(found.message)
    return np.asarray(found.x)


def _inner_point(graph: CliqueSet, seed: int) -> Vector:
    """A locally consistent point with no zero entries: the mean of the uniform one and of three that maximise."""
    rng = np.random.default_rng(seed)
    uniform = (1.0 / np.diff(graph.first)) @ graph.normalisations
    corners = [_best(graph, rng.standard_normal(graph.size)) for _ in range(3)]
    return np.mean([uniform, *corners], axis=0)


def _lack(graph: CliqueSet, alpha: Vector) -> float:
    """The least sum of \\|alpha - mixture of labellings\\|, by a linear program over the shares of the labellings."""
    V = graph.vertices.T
    size, count = V.shape
    objective = np.concatenate([np.zeros(count), np.ones(2 * size)])
    equations = np.block([[V, np.eye(size), -np.eye(size)], [np.ones((1, count)), np.zeros((1, 2 * size))]])
    found = linprog(objective, A_eq=equations, b_eq=np.append(alpha, 1.0), bounds=(0, None), method="highs")
    if found.fun is None:
        raise ArithmeticError(found.message)
    return float(found.fun)
