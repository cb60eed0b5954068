r"""On a connected set of cliques one normalisation implies the others.

Problem:    The equations of locally consistent tables: sum over y_c of alpha_c(y_c) = 1 for every clique c, and for
            all c, c' that meet and every y of the intersection, sum over y_c ~ y of alpha_c = sum over y_c' ~ y of
            alpha_c'.
Algorithm:  None: the rank of the matrix of these equations.
Guarantee:  The agreements of c and c' add up to equal masses of both. So with one normalisation the rank is that of all
            equations, if the cliques are connected, and without any it is 1 less. With two components one normalisation
            is 1 too few. On a chain of T tables the T normalisations and (T-1) K agreements have the rank (T-1) K + 1:
            each mu_t has a free constant, T - 1 of them in all, and with lambda_1 alone the multipliers are unique.
Source:     Saha, Zhang and Vishwanathan, appendix "Efficient projection onto n dimensional simplex factorized by a
            graphical model", whose dual has a lambda for each clique.
Tight:      Yes, equalities.
Corrected:  A Newton method on the dual needs the free constants pinned: ours keeps one lambda a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._cliques import TREES, TRIANGLE, CliqueSet, chain

REFERENCE = "Saha, Zhang and Vishwanathan, appendix, constraints of the projection"
SQUARE = CliqueSet(((0, 1), (1, 2), (2, 3), (0, 3)))
TWO_PARTS = CliqueSet(((0, 1), (1, 2), (3, 4), (4, 5)))
CHAINS = [(T, K) for T in (1, 2, 4) for K in (2, 3)]


def check() -> Iterator[Check]:
    connected = (*TREES, TRIANGLE, SQUARE)
    yield _equality(
        "one_suffices",
        "On a connected set the rank with one normalisation is that with all.",
        ((_rank(g.normalisations[:1], g.agreements), _rank(g.normalisations, g.agreements)) for g in connected),
    )
    yield _equality(
        "one_is_needed",
        "Without any normalisation the rank is 1 less.",
        ((_rank(g.agreements), _rank(g.normalisations, g.agreements) - 1) for g in connected),
    )
    g = TWO_PARTS
    yield _equality(
        "two_parts",
        "On a set of two components the rank with one normalisation is 1 less than that with all.",
        [(_rank(g.normalisations[:1], g.agreements), _rank(g.normalisations, g.agreements) - 1)],
    )
    yield _equality(
        "chain_constants",
        "On a chain of T tables T - 1 of the equations follow from the others.",
        ((_redundant(chain(T, K), T), T - 1) for T, K in CHAINS),
    )
    yield _equality(
        "chain_pinned",
        "On a chain with one normalisation no equation follows from the others.",
        ((_redundant(chain(T, K), 1), 0) for T, K in CHAINS),
    )


def _rank(*rows: Vector) -> int:
    return int(np.linalg.matrix_rank(np.vstack(rows)))


def _redundant(graph: CliqueSet, normalisations: int) -> int:
    """How many of the equations, with the first few normalisations, follow from the others."""
    rows = np.vstack([graph.normalisations[:normalisations], graph.agreements])
    return len(rows) - _rank(rows)


def _equality(part: str, statement: str, pairs: Iterable[tuple[float, float]]) -> Check:
    return worst_case(f"normalisation_redundancy.{part}", statement, pairs, "==", 0.0, REFERENCE)
