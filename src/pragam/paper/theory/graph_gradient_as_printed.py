r"""A counterexample: the gradient of the projection's dual on a general graph as the paper prints it.

Problem:    The dual of the projection of m onto locally consistent tables alpha_c of cliques c. With one mu for each
            unordered pair c < c' that meets, entering the two cliques with opposite signs, and
            s_c(y_c) = lambda_c + xi_c(y_c) + sum_c' +-mu_{cc'}(y_{c n c'}) it is the minimum over xi >= 0 of

                D = 1/2 sum_c d_c^-2 |s_c|^2 + <m_c, s_c> - lambda_c,      alpha_c = m_c + s_c / d_c^2.

Algorithm:  None: D is quadratic, so central differences give its gradient but for rounding.
Guarantee:  dD/dxi_c = d_c^-2 s_c + m_c = alpha_c, where the paper prints -d_c^-2 s_c + m_c;
            dD/dmu(y) = sum over y_c ~ y of alpha_c - sum over y_c' ~ y of alpha_c'; the paper prints the first sum.
            And dD/dxi = 0 is no equation to be solved: sum over y_c of dD/dxi_c = 1 + dD/dlambda_c, so where
            dD/dlambda = 0 it cannot vanish. It is complementarity: xi >= 0, alpha >= 0, xi alpha = 0.
Source:     Saha, Zhang and Vishwanathan, appendix "Efficient projection onto n dimensional simplex factorized by a
            graphical model", the gradients before Algorithm 3, disproved as printed.
Tight:      Yes, equalities.
Corrected:  As stated above; pragam.structured.project_graph uses these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pragam.numerics.vector import Vector
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._cliques import TREES, TRIANGLE, CliqueSet
from pragam.paper.theory._quadratic import slopes

PRINTED = "Saha, Zhang and Vishwanathan, appendix, gradients before Algorithm 3 (as printed)"
CORRECTED = "Saha, Zhang and Vishwanathan, appendix, gradients before Algorithm 3 (corrected)"


class Instance(NamedTuple):
    """A point of the dual on a graph, with the gradient that differences measure."""

    graph: CliqueSet
    m: Vector
    s: Vector  # of all tables, flat
    alpha: Vector
    by_lam: Vector
    by_xi: Vector
    by_mu: Vector


def check() -> Iterator[Check]:
    instances = [_instance(graph, seed) for seed, graph in enumerate((*TREES[1:], TRIANGLE))]
    for part, statement, pairs, reference in (
        ("xi", "dD/dxi_c = alpha_c.", ((at.by_xi, at.alpha) for at in instances), CORRECTED),
        (
            "xi_printed",
            "The printed dD/dxi_c, -s_c/d_c^2 + m_c, is less than the derivative by 2 s_c/d_c^2.",
            ((at.by_xi - (2 * at.m - at.alpha), 2 * (at.alpha - at.m)) for at in instances),
            PRINTED,
        ),
        (
            "mu",
            "dD/dmu(y) is the sum of alpha_c less that of alpha_c'.",
            _sides(instances, is_printed=False),
            CORRECTED,
        ),
        (
            "mu_printed",
            "The printed dD/dmu(y) is more than the derivative by the sum of alpha_c'.",
            _sides(instances, is_printed=True),
            PRINTED,
        ),
        (
            "complementarity",
            "sum over y_c of dD/dxi_c is 1 + dD/dlambda_c, so the two cannot vanish together.",
            ((at.graph.normalisations @ at.by_xi, 1 + at.by_lam) for at in instances),
            CORRECTED,
        ),
    ):
        yield worst_case(f"graph_gradient_as_printed.{part}", statement, _entries(pairs), "==", 1e-9, reference)


def _instance(graph: CliqueSet, seed: int) -> Instance:
    """Random tables, weights and multipliers."""
    rng = np.random.default_rng(seed)
    N, E, m = graph.normalisations, graph.agreements, rng.standard_normal(graph.size)
    give = rng.uniform(0.5, 2.0, len(graph.cliques)) ** -2.0 @ N
    lam, xi, mu = rng.standard_normal(len(N)), rng.random(graph.size), rng.standard_normal(len(E))

    def dual(lam: Vector, xi: Vector, mu: Vector) -> float:
        s = lam @ N + xi + mu @ E
        return float(0.5 * give @ s**2 + m @ s - lam.sum())

    s = lam @ N + xi + mu @ E
    return Instance(
        graph,
        m,
        s,
        m + give * s,
        slopes(lambda at: dual(at, xi, mu), lam),
        slopes(lambda at: dual(lam, at, mu), xi),
        slopes(lambda at: dual(lam, xi, at), mu),
    )


def _sides(instances: list[Instance], is_printed: bool) -> Iterator[tuple[Vector, Vector]]:
    for at in instances:
        one, other = at.graph.one_sided @ at.alpha, at.graph.other_sided @ at.alpha
        yield (one - at.by_mu, other) if is_printed else (at.by_mu, one - other)


def _entries(pairs: Iterator[tuple[Vector, Vector]]) -> Iterator[tuple[float, float]]:
    for measured, bound in pairs:
        yield from zip(measured.tolist(), bound.tolist(), strict=True)
