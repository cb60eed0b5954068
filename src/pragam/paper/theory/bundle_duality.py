r"""The bundle's model and its adjoint agree, and eps_t bounds the true error.

Problem:    J(w) = lam/2 |w|^2 + R(w); all risks.
Algorithm:  qp-bmrm, whose model is J_t(w) = lam/2 |w|^2 + max over its cuts of <a_j, w> + b_j.
Guarantee:  J_t(w_t) = D(alpha_t), where alpha_t in Q combines the cuts' vertices. J_t(w_t) never falls. And
            eps_t = min J(w_t') - J_t(w_t) is at least delta_t = min J(w_t') - J(w*).
Source:     Saha, Zhang and Vishwanathan, eq. 10-12 and the text between Theorems 3 and 4 (there from Teo,
            Vishwanathan, Smola and Le 2010).
Tight:      The first is an equality, and eps_t = delta_t at the end.
Corrected:  Nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pragam.driver.solve import solve
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, other_risks
from pragam.paper.theory._trace import Iterate, trace
from pragam.problem import Problem
from pragam.solvers import QpBmrm

REFERENCE = "Saha, Zhang and Vishwanathan, eq. 10-12"


def check() -> Iterator[Check]:
    problems = [*hinges(False, (1e-2,)), *hinges(True, (1e-2,)), *other_risks()]
    runs = [(problem, list(trace(problem, QpBmrm(), 30))) for problem in problems]
    yield worst_case(
        "bundle_duality.adjoint",
        "The bundle's minimum J_t(w_t) equals D(alpha_t).",
        ((_model(problem, it), it.certificate.dual) for problem, run in runs for it in run[1:]),
        "==",
        1e-9,
        REFERENCE,
    )
    yield worst_case(
        "bundle_duality.monotone",
        "J_t(w_t) never falls from one step to the next, in units of J(0).",
        (pair for run in runs for pair in _rise(*run)),
        ">=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "bundle_duality.eps_at_least_delta",
        "eps_t >= delta_t, that is J(w*) >= J_t(w_t), in units of J(0).",
        (pair for run in runs for pair in _below_optimum(*run)),
        ">=",
        1e-12,
        "Saha, Zhang and Vishwanathan, after Theorem 3",
    )


def _model(problem: Problem, iterate: Iterate) -> float:
    w = iterate.w
    return 0.5 * problem.lam * float(w @ w) + max(float(cut.a @ w) + cut.b for cut in iterate.state.cuts)


def _rise(problem: Problem, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for now, then in pairwise(run[1:]):
        yield (then.certificate.dual - now.certificate.dual) / run[0].certificate.primal, 0.0


def _below_optimum(problem: Problem, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    # A primal value is never below J(w*). Solved to 1e-10, it is not far above either.
    optimum = solve(problem, tol=1e-10).certificate.primal
    for iterate in run[1:]:
        yield (optimum - iterate.certificate.dual) / run[0].certificate.primal, 0.0
