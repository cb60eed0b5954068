r"""PRAGAM's O(1/k^2) rate on max-margin Markov networks.

Problem:    J(w) = lam/2 |w|^2 + (1/n) sum_i max over y of loss_i(y) + <w, Phi_i(y) - Phi_i(y_i)> on chains, with a dual
            variable for each edge (y_t, y_{t+1}): Q is a product of marginals, A maps weights to the scores of edges.
Algorithm:  pragam with L = sigma_max(A)^2 / lam given, and with L adapted: a projection onto marginals for each prox.
Guarantee:  As in pragam_rate, with D_2 = max over Q of 1/2 |alpha - centre|^2, which the farthest labelling attains:

                L given:     J(w_k) - D(alpha_k) <= 4 L D_2 / ((k+1)(k+2)),
                L adapted:   J(w_k) - D(alpha_k) <= mu_k D_2 <= 8 L D_2 / (k+2)^2.

            A column of A has as many ones as there are edges with that transition, so L grows with their number.
Source:     Saha, Zhang and Vishwanathan, section 4.1 and appendix "Margin scaled maximum margin Markov network".
Tight:      Not known. The worst measured share of the bound is reported.
Corrected:  L has the factor 1/lam, and alpha_{-1} is the prox centre (pragam_prox_centre).
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import lipschitz
from pragam.paper.theory._rate import NESTEROV, rate_checks
from pragam.paper.theory._sequences import Sequences, small_sequences
from pragam.solvers import Pragam

LAMS = (1e-1, 1e-3)
STEPS = 40


def check() -> Iterator[Check]:
    cases = list(zip(list(small_sequences())[2:], LAMS, strict=True))
    yield from rate_checks("m3n_pragam_rate", [own.edge_problem(lam) for own, lam in cases], STEPS)
    yield worst_case(
        "m3n_pragam_rate.solve",
        "Every gap that solve certifies with L given is at most 4 L D_2/((k+1)(k+2)) after k iterations.",
        (pair for case in cases for pair in _certified(*case)),
        "<=",
        1e-9,
        NESTEROV,
    )


def _certified(own: Sequences, lam: float) -> Iterator[tuple[float, float]]:
    edges = own.edge_problem(lam)
    L = lipschitz(edges)
    history = solve(own.problem(lam), Pragam(lipschitz=L), tol=0.0, max_iter=STEPS).history
    for k, gap in zip(history.iteration[1:].tolist(), history.gap[1:].tolist(), strict=True):
        yield gap, 4 * L * edges.Q.radius2(edges.start()) / ((k + 1) * (k + 2))
