r"""Gaussian-process sequence labelling has a Fenchel dual: the entropy of chains, less a norm of what is not explained.

Problem:    J(B, U) = lam/2 [tr(B'GB) + tau |U|^2] + (1/n) sum_i [log Z_i(F, T) - F(y_i) - T(y_i)], F = GB, T = tau U.
Algorithm:  None: random weights and distributions. For the optimum, L-BFGS in the inner product of the kernel.
Guarantee:  J(B, U) >= D(P, E) = (1/n) sum_i H_i - [tr((Y-P)'G(Y-P)) + tau |C-E|^2] / (2 lam n^2) for the marginals P, E
            and entropies H_i of any distributions over labellings; J - D = |grad J|^2 / (2 lam), in the kernel's norm,
            at the marginals of forward-backward; min J = max D. The entropy of a chain is that of its edges less that
            of its inner nodes.
Source:     Altun, Hofmann and Smola, ICML 2004; Saha, Zhang and Vishwanathan, appendix, eq. (GP sequence labelling).
Tight:      Yes: equality at the optimum.
Corrected:  alpha' K alpha needs the factor 1/2 of a prior with covariance K; an edge kernel alone counts inner nodes
            twice, so nodes and transitions are apart here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np

from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.problem import Problem
from pragam.structured.gp import GibbsPoint, GramScores, TablePoint, gp_sequences

REFERENCE = "Altun, Hofmann and Smola, ICML 2004; Saha, Zhang and Vishwanathan, appendix on sequence labelling"


def check() -> Iterator[Check]:
    problems = [_instance(seed) for seed in range(6)]
    yield worst_case(
        "gp_duality.weak",
        "J - D >= 0 for all weights and all distributions, in units of the larger of the two.",
        (pair for seed, problem in enumerate(problems) for pair in _random_gaps(problem, seed)),
        ">=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "gp_duality.gradient",
        "At the marginals of forward-backward the gap is |grad J|^2 / (2 lam).",
        (_gap_and_gradient(problem, seed) for seed, problem in enumerate(problems)),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "gp_duality.strong",
        "The minimum of J equals the maximum of D.",
        (_optimal_values(problem) for problem in problems),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "gp_duality.entropy",
        "The entropy of a chain is that of its edges less that of its inner nodes.",
        (_entropies(seed) for seed in range(6)),
        "==",
        1e-12,
        REFERENCE,
    )


def _instance(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    lengths, K = np.array([1, 3, 4, 2]), 3
    X = rng.standard_normal((int(lengths.sum()), 2))
    G = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    return gp_sequences(GramScores(G, K, 0.3), rng.integers(0, K, len(X)), lengths, 10.0 ** -(seed % 3))


def _random_gaps(problem: Problem, seed: int) -> Iterator[tuple[float, float]]:
    rng, Q = np.random.default_rng(seed), problem.Q
    for size in 10.0 ** np.arange(-2, 3):
        tables = rng.exponential(size=(Q.n_tokens, Q.K, Q.K)), rng.exponential(size=(Q.n, Q.K))
        for point in (Q.posterior(size * rng.standard_normal(Q.size)), TablePoint(*tables, Q.lengths)):
            # Besides random weights also those of the dual point, where the gap is smallest.
            for w in (size * rng.standard_normal(problem.n_weights), problem.w_of_alpha(point)):
                J, D = problem.primal(w), problem.dual(point)
                yield (J - D) / max(abs(J), abs(D)), 0.0


def _gap_and_gradient(problem: Problem, seed: int) -> tuple[float, float]:
    w = np.random.default_rng(seed).standard_normal(problem.n_weights)
    point = problem.maximise(problem.scores(w))
    gradient = problem.lam * w + problem.adjoint(point)
    square = problem.A.inner(gradient, gradient)
    return problem.primal(w) - problem.dual(point), square / (2 * problem.lam)


def _optimal_values(problem: Problem) -> tuple[float, float]:
    certificate = solve(problem, "rkhs-lbfgs", tol=5e-10).certificate
    return certificate.primal, certificate.dual


def _entropies(seed: int) -> tuple[float, float]:
    """Of a chain as forward-backward has it, and summed over all labellings."""
    rng = np.random.default_rng(seed)
    F, T = rng.standard_normal((4, 3)), rng.standard_normal((3, 3))
    scores = [
        sum(F[t, k] for t, k in enumerate(y)) + sum(T[a, b] for a, b in pairwise(y))
        for y in product(range(3), repeat=4)
    ]
    p = np.exp(scores - np.logaddexp.reduce(scores))
    return GibbsPoint(F, T, np.array([4])).moments.entropy, -float(p @ np.log(p))
