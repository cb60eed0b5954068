r"""PRAGAM's O(1/k^2) rate for the duality gap, without a bias.

Problem:    J(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c>: the binary hinge without bias, dense and
            sparse, the multiclass hinge and maxima of affine functions.
Algorithm:  pragam with L = sigma_max(A)^2 / lam given, and with L adapted.
Guarantee:  With D_2 = max over Q of 1/2 |alpha - centre|^2, for every k,

                L given:     J(w_k) - D(alpha_k) <= 4 L D_2 / ((k+1)(k+2)),
                L adapted:   J(w_k) - D(alpha_k) <= mu_k D_2 <= 8 L D_2 / (k+2)^2,

            and at most ceil(log2(L / L_0)) trials are rejected. Proof of the last bound on mu_k: the step
            takes tau^2 = mu_{k+1} / L_k, so 1/sqrt(mu_{k+1}) - 1/sqrt(mu_k) >= tau / (2 sqrt(mu_{k+1})) =
            1/(2 sqrt(L_k)). L_k doubles only below L, hence L_k <= 2 L. With mu_0 <= 2 L it follows that
            1/sqrt(mu_k) >= (k+2) / (2 sqrt(2 L)).
Source:     Nesterov, Excessive gap technique, 2003; Saha, Zhang and Vishwanathan, Algorithm 1 and the rate in
            section 4.1. L is adapted after Nesterov 2007; its constant is ours.
Tight:      Not known. The worst measured share of the bound is reported.
Corrected:  L has the factor 1/lam, and alpha_{-1} is the prox centre (pragam_prox_centre).
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.paper.theory._check import Check
from pragam.paper.theory._instances import hinges, other_risks
from pragam.paper.theory._rate import rate_checks


def check() -> Iterator[Check]:
    yield from rate_checks("pragam_rate", [*hinges(bias=False), *other_risks()])
