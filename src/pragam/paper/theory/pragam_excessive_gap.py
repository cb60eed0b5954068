r"""The invariant behind PRAGAM's rate: the excessive gap condition.

Problem:    J(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c>; all risks.
Algorithm:  pragam, with L given and with L adapted, from the default start.
Guarantee:  J_mu(w_k) <= D(alpha_k) at mu = mu_k for every k, where J_mu(w) = lam/2 |w|^2 + max over Q of
            <alpha, A w + c> - mu/2 |alpha - centre|^2. Since J <= J_mu + mu D_2, the gap is at most mu_k D_2.
            The condition is stronger than the rate, because it does not contain D_2.
Source:     Nesterov, Excessive gap technique, 2003; Saha, Zhang and Vishwanathan,
            Algorithm 1.
Tight:      Not known. The smallest margin measured is reported.
Corrected:  It needs alpha_{-1} to be the centre (pragam_prox_centre).
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, lipschitz, other_risks, weighted_hinges
from pragam.paper.theory._smoothed import excessive_gap
from pragam.paper.theory._trace import trace
from pragam.solvers import Pragam

REFERENCE = "Nesterov 2003, excessive gap condition"


def check() -> Iterator[Check]:
    problems = [*hinges(False), *hinges(True), *other_risks(), *weighted_hinges()]
    for part in ("given", "adapted"):
        pairs = []
        for problem in problems:
            solver = Pragam(lipschitz=lipschitz(problem)) if part == "given" else Pragam()
            pairs += [(excessive_gap(problem, iterate), 0.0) for iterate in trace(problem, solver, 80)]
        yield worst_case(
            f"pragam_excessive_gap.{part}",
            f"J_mu(w_k) - D(alpha_k) <= 0 for every k, L {part}, in units of the larger of the two.",
            pairs,
            "<=",
            1e-12,
            REFERENCE,
        )
