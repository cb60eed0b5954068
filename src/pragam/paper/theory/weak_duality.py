r"""Every D(alpha) is below every J(w), and the best of both meet.

Problem:    J(w) = lam/2 |w|^2 + max over Q of <alpha, A w + c> - kappa/2 |alpha|^2, all risks, kappa = 0 and
            kappa > 0.
Algorithm:  None: random w of all sizes, random alpha in Q. For the equality, the default solver.
Guarantee:  J(w) >= D(alpha) for every w and every alpha in Q, and min J = max D.
Source:     Saha, Zhang and Vishwanathan, eq. 12 and 19 (Borwein and Lewis, Theorem 3.3.5).
Tight:      Yes: equality at the optimum.
Corrected:  Nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pragam.conjugates import Quadratic
from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, other_risks, weighted_hinges
from pragam.problem import Problem

REFERENCE = "Saha, Zhang and Vishwanathan, eq. 12 and 19"


def check() -> Iterator[Check]:
    problems = [*hinges(False), *hinges(True), *other_risks(), *weighted_hinges()]
    smoothed = [replace(problem, g=Quadratic(kappa)) for problem in problems for kappa in (1e-2, 10.0)]
    yield worst_case(
        "weak_duality.weak",
        "J(w) - D(alpha) >= 0 for all w and all alpha in Q, in units of the larger of the two.",
        (pair for problem in problems + smoothed for pair in _random_gaps(problem)),
        ">=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "weak_duality.strong",
        "The minimum of J equals the maximum of D.",
        (_optimal_values(problem) for problem in problems),
        "==",
        1e-9,
        REFERENCE,
    )


def _random_gaps(problem: Problem) -> Iterator[tuple[float, float]]:
    rng = np.random.default_rng(0)
    for size in 10.0 ** np.arange(-3, 4):
        alpha = problem.domain.sample(rng)
        # Besides random w also w(alpha), where the gap is smallest.
        for w in (size * rng.standard_normal(problem.n_weights), problem.w_of_alpha(alpha)):
            J, D = problem.primal(w), problem.dual(alpha)
            yield (J - D) / max(abs(J), abs(D)), 0.0


def _optimal_values(problem: Problem) -> tuple[float, float]:
    certificate = solve(problem, tol=1e-10).certificate
    return certificate.primal, certificate.dual
