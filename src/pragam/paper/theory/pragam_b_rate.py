r"""PRAGAM's O(1/k^2) rate for the duality gap, with an unpenalised bias (PRAGAM-b).

Problem:    J(w) = lam/2 |w|^2 + min over b of (1/n) sum_i [1 - y_i (<x_i, w> + b)]_+, also with weights,
            dense and sparse.
Algorithm:  pragam on Q = box and plane, with L given and with L adapted.
Guarantee:  As in pragam_rate. With L given, the gap is at most 4 L D_2 / ((k+1)(k+2)). With L adapted, it is at
            most mu_k D_2 <= 8 L D_2 / (k+2)^2, and at most ceil(log2(L / L_0)) trials are rejected. D_2 is that
            of the box, which is no smaller than that of Q.
Source:     Nesterov, Excessive gap technique, 2003; Saha, Zhang and Vishwanathan, section 4.1.
Tight:      Not known. The worst measured share of the bound is reported.
Corrected:  L has the factor 1/lam, and alpha_{-1} = 0 is the prox centre.
"""

from __future__ import annotations

from collections.abc import Iterator

from pragam.paper.theory._check import Check
from pragam.paper.theory._instances import hinges, weighted_hinges
from pragam.paper.theory._rate import rate_checks


def check() -> Iterator[Check]:
    yield from rate_checks("pragam_b_rate", [*hinges(bias=True), *weighted_hinges()])
