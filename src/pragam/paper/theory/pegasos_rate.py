r"""The O(log T / T) rate of Pegasos for the mean of its iterates.

Problem:    J(w) = lam/2 |w|^2 + R(w), all risks. J is lam-strongly convex.
Algorithm:  pegasos-n: w_1 = 0; w_{t+1} = projection of w_t - (lam w_t + g_t) / (lam t) on a ball of radius r
            that holds w*, with g_t a subgradient of R at w_t. Its answer after T steps is the mean of w_2 ..
            w_{T+1}.
Guarantee:  J(mean) - J(w*) <= G^2 (1 + ln(T + 1)) / (2 lam T) with G = lam r + max |g| >= |lam w_t + g_t|.
            Proof: the theorem bounds the sum of J(w_t) - J(w*) over w_1 .. w_{T+1} by G^2 (1 + ln(T + 1)) /
            (2 lam). The term of w_1 is not negative, so the sum of the other T terms is no larger. By
            convexity, J of the mean is at most the mean of J.
Source:     Shalev-Shwartz, Singer and Srebro 2007, Theorem 1 and its Lemma 1.
Tight:      No.
Corrected:  Nothing in the theorem. It averages w_1 .. w_T, with (1 + ln T) / T. Our solver returns another
            mean, which does not contain w_1, and the form above is for that mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, other_risks, subgradient_bound, weighted_hinges
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.solvers import PegasosN

REFERENCE = "Shalev-Shwartz, Singer and Srebro 2007, Theorem 1"
STEPS = 200


def check() -> Iterator[Check]:
    problems = [*hinges(False), *hinges(True), *other_risks(), *weighted_hinges()]
    yield worst_case(
        "pegasos_rate.mean",
        "After T steps the mean iterate has J - J(w*) <= G^2 (1 + ln(T + 1))/(2 lam T).",
        (pair for problem in problems for pair in _pairs(problem)),
        "<=",
        1e-9,
        REFERENCE,
    )


def _pairs(problem: Problem) -> Iterator[tuple[float, float]]:
    # A certified dual value is below J(w*), so what is measured is no smaller than the error.
    optimum = solve(problem, tol=1e-10).certificate.dual
    longest = subgradient_bound(problem)
    for iterate in trace(problem, PegasosN(), STEPS):
        T, G = iterate.t, problem.lam * iterate.state.radius + longest
        if T > 0:
            yield iterate.certificate.primal - optimum, G**2 * (1 + log(T + 1)) / (2 * problem.lam * T)
