r"""The O(1/eps) upper bound on the steps of bundle methods.

Problem:    J(w) = lam/2 |w|^2 + R(w) >= 0 with |subgradient of R| <= G; here the binary hinge, with and
            without bias, and the instance of hadamard_lower_bound.
Algorithm:  qp-bmrm and ls-bmrm from w_0 = 0, where J_0(w_0) = 0 stands for the assumption J >= 0.
Guarantee:  With eps_t = min over t' <= t of J(w_t') - J_t(w_t) and H* = 1,

                eps_t - eps_{t+1} >= eps_t/2 min(1, lam eps_t / (4 G^2 H*))   for t >= 1,

            hence eps_t <= eps after at most log2(lam J(0) / (G^2 H*)) + 8 G^2 H* / (lam eps) - 4 steps,
            rounded up, for eps < min(J(0), 4 G^2 H* / lam). Since b_1 = J(0), also eps_1 <= G^2 / (2 lam).
            From there the same recursion gives at most max(1, 8 G^2 / (lam eps) - 15) steps, for every eps
            and without J >= 0.
Source:     Smola, Vishwanathan and Le 2007, Theorem 4 (Theorem 2 in Saha, Zhang and Vishwanathan). The last
            form is ours.
Tight:      In its order, by hadamard_lower_bound. The constants differ by a factor of 16.
Corrected:  H* = 1, not 1/2, since the second derivative of 1/2 |.|^2 is 1. The printed count is negative for
            some eps >= J(0), where no step is needed. So eps < J(0) is required here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, log2

import numpy as np

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hadamard_problem, hinges, subgradient_bound
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.solvers import LsBmrm, QpBmrm

REFERENCE = "Smola, Vishwanathan and Le 2007, Theorem 4"
STEPS = 150
#: The accuracies asked for, as fractions of min(J(0), 4 G^2 / lam).
FRACTIONS = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02)


def check() -> Iterator[Check]:
    lower_bound = [hadamard_problem(d, lam) for d in (8, 32) for lam in (1e-1, 1e-3)]
    problems = [*hinges(False), *hinges(True), *lower_bound]
    for solver in (QpBmrm(), LsBmrm()):
        runs = [(problem, _gaps(problem, solver)) for problem in problems]
        yield worst_case(
            f"bmrm_upper_bound.progress_{solver.name}",
            f"Each step of {solver.name} lowers eps_t by at least eps_t/2 min(1, lam eps_t/(4 G^2)).",
            (pair for run in runs for pair in _progress(*run)),
            ">=",
            1e-9,
            REFERENCE,
        )
        yield worst_case(
            f"bmrm_upper_bound.steps_{solver.name}",
            f"{solver.name} needs at most log2(lam J(0)/G^2) + 8 G^2/(lam eps) - 4 steps to eps_t <= eps.",
            (pair for run in runs for pair in _printed_count(*run)),
            "<=",
            0.0,
            REFERENCE,
        )
        yield worst_case(
            f"bmrm_upper_bound.steps_from_first_cut_{solver.name}",
            f"{solver.name} needs at most max(1, 8 G^2/(lam eps) - 15) steps, also without J >= 0.",
            (pair for run in runs for pair in _count_from_first_cut(*run)),
            "<=",
            0.0,
            REFERENCE + ", with eps_1 <= G^2/(2 lam)",
        )


def _gaps(problem: Problem, solver: QpBmrm | LsBmrm) -> list[float]:
    """eps_0 = J(0), eps_1, ..., as long as they are above rounding."""
    best, gaps = np.inf, []
    for iterate in trace(problem, solver, STEPS):
        best = min(best, iterate.certificate.primal)
        # Before the first cut there is no model. The assumption J >= 0 takes its place.
        gaps.append(best - (iterate.certificate.dual if iterate.t else 0.0))
        if gaps[-1] <= 1e-6 * gaps[0]:
            break
    return gaps


def _progress(problem: Problem, gaps: list[float]) -> Iterator[tuple[float, float]]:
    quadratic = problem.lam / (4 * subgradient_bound(problem) ** 2)
    for now, then in pairwise(gap for gap in gaps[1:] if gap > 1e-6 * gaps[0]):
        yield now - then, now / 2 * min(1.0, now * quadratic)


def _targets(problem: Problem, gaps: list[float]) -> Iterator[tuple[float, float]]:
    """(eps, the first t with eps_t <= eps). t is inf if the run ended before."""
    largest = min(gaps[0], 4 * subgradient_bound(problem) ** 2 / problem.lam)
    for eps in (fraction * largest for fraction in FRACTIONS):
        yield eps, next((float(t) for t, gap in enumerate(gaps) if gap <= eps), np.inf)


def _printed_count(problem: Problem, gaps: list[float]) -> Iterator[tuple[float, float]]:
    G2 = subgradient_bound(problem) ** 2
    for eps, steps in _targets(problem, gaps):
        bound = ceil(log2(problem.lam * gaps[0] / G2) + 8 * G2 / (problem.lam * eps) - 4)
        if _decided(steps, bound):
            yield steps, bound


def _count_from_first_cut(problem: Problem, gaps: list[float]) -> Iterator[tuple[float, float]]:
    G2 = subgradient_bound(problem) ** 2
    for eps, steps in _targets(problem, gaps):
        bound = ceil(max(1.0, 8 * G2 / (problem.lam * eps) - 15))
        if _decided(steps, bound):
            yield steps, bound


def _decided(steps: float, bound: float) -> bool:
    """A target not reached in STEPS steps contradicts the bound only if the bound promised it by then."""
    return steps < np.inf or bound <= STEPS
