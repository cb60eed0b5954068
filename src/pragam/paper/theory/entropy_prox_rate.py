r"""The O(1/k^2) rate of PRAGAM with the entropy prox on max-margin Markov networks.

Problem:    J(w) = lam/2 |w|^2 + sum_i totals_i max over labellings y of loss_i(y) + <w, Phi_i(y) - Phi_i(y_i)>:
            sequences of several lengths, one node among them.
Algorithm:  pragam-entropy with L = sum_i totals_i r_i^2 / lam given, r_i >= max over y of |Phi_i(y)|, and with L
            adapted. The r_i sum the norms of the rows of A on the worst labelling.
Guarantee:  With D_1 = sum_i totals_i log(number of labellings of i), for every k,

                L given:     J(w_k) - D(alpha_k) <= 4 L D_1 / (k+2)^2,
                L adapted:   J(w_k) - D(alpha_k) <= mu_k D_1 <= 8 L D_1 / (k+2)^2.

            Proof of the constants: a step takes tau^2 = mu_{k+1} / L, so 1/sqrt(mu_{k+1}) - 1/sqrt(mu_k) >=
            1/(2 sqrt(L)), and mu_0 = L gives mu_k <= 4 L / (k+2)^2. If L is adapted, it is at most twice the given
            one. L suffices: for distributions p, q of the labellings of all examples, |A'(p - q)| <= sum_i totals_i
            r_i |p_i - q_i|_1, whose square is at most (sum_i totals_i r_i^2)(sum_i totals_i |p_i - q_i|_1^2) by
            Cauchy's inequality, and |p_i - q_i|_1^2 <= 2 KL(p_i | q_i) by Pinsker's.
Source:     Nesterov, Excessive gap technique, 2005; Zhang, Saha and Vishwanathan, Accelerated training of max-margin
            Markov networks with kernels, 2011. The start mu_0 = L and the adapted L are ours.
Tight:      Not known. The worst measured share of the bound is reported.
Corrected:  Nothing. The next maximiser of J_mu is the Bregman projection of the algorithm, so one forward-backward
            an iteration suffices; the third check measures that they agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._trace import Iterate, trace
from pragam.problem import Problem
from pragam.solvers import PragamEntropy
from pragam.solvers.excessive_gap.pragam import largest_tau
from pragam.structured import chain_hinge

REFERENCE = "Nesterov 2005; Zhang, Saha and Vishwanathan 2011"
STEPS = 40

Run = tuple[Problem, list[Iterate]]


def check() -> Iterator[Check]:
    problems = list(_sequences())
    given = [(problem, list(trace(problem, PragamEntropy("bound"), STEPS))) for problem in problems]
    adapted = [(problem, list(trace(problem, PragamEntropy(), STEPS))) for problem in problems]
    yield worst_case(
        "entropy_prox_rate.given",
        "J(w_k) - D(alpha_k) <= 4 L D_1/(k+2)^2 for every k, with L = sum_i totals_i r_i^2/lam.",
        ((it.certificate.gap, _rate(problem, 4.0, it.t)) for problem, run in given for it in run),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "entropy_prox_rate.adapted",
        "With L adapted, J(w_k) - D(alpha_k) <= mu_k D_1 for every k.",
        ((it.certificate.gap, it.state.bound) for _, run in adapted for it in run),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "entropy_prox_rate.adapted_mu",
        "With L adapted, mu_k D_1 <= 8 L D_1/(k+2)^2 for every k.",
        ((it.state.bound, _rate(problem, 8.0, it.state.k)) for problem, run in adapted for it in run),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "entropy_prox_rate.bregman_projection",
        "The next maximiser of J_mu is the Bregman projection of the present one: they differ by rounding.",
        ((_difference(problem, one, two), 0.0) for problem, run in given for one, two in pairwise(run)),
        "<=",
        1e-9,
        REFERENCE,
    )


def _sequences() -> Iterator[Problem]:
    """Random sequences of three labels, for each lam, with a dual variable for each edge."""
    rng = np.random.default_rng(30)
    lengths = np.array([1, 2, 3, 5, 4, 1, 3])
    X, y = rng.standard_normal((lengths.sum(), 4)), rng.integers(3, size=lengths.sum())
    for lam in (1.0, 1e-2):
        weights = rng.integers(0, 3, len(lengths))
        for problem in (
            chain_hinge(X, y, lengths, lam=lam),
            chain_hinge(X, y, lengths, lam=lam, loss="hamming_sum", sample_weight=weights),
        ):
            yield problem.Q.unfold(problem)


def _rate(problem: Problem, factor: float, k: int) -> float:
    """factor L D_1 / (k+2)^2."""
    L = problem.Q.squared_reach(problem.A.row_norms()) / problem.lam
    return factor * L * problem.Q.entropy_radius() / (k + 2) ** 2


def _difference(problem: Problem, one: Iterate, two: Iterate) -> float:
    """Between a_{k+1} and argmax over Q of tau <v, grad D(beta)> - (1 - tau) mu_k B(v, a_k), relative to Q."""
    old, new = one.state, two.state
    tau = largest_tau(old.mu / old.lipschitz)
    beta = (1 - tau) * old.alpha + tau * old.soft.point
    gradient = problem.A.matvec(problem.w_of_alpha(beta)) + problem.c
    projected, _ = problem.Q.soft_maximise(old.soft.theta + tau * gradient / ((1 - tau) * old.mu))
    return float(np.abs(projected - new.soft.point).max() / problem.Q.totals.max())
