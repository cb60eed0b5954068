"""The statements that pragam_rate and pragam_b_rate share: one set of problems each."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import lipschitz
from pragam.paper.theory._trace import Iterate, trace
from pragam.problem import Problem
from pragam.solvers import Pragam

STEPS = 120
NESTEROV = "Nesterov 2003; Saha, Zhang and Vishwanathan, section 4.1"
ADAPTIVE = "Nesterov 2007; constant derived in pragam_rate"

Run = tuple[Problem, float, list[Iterate]]


def rate_checks(name: str, problems: list[Problem], steps: int = STEPS) -> Iterator[Check]:
    constants = [(problem, lipschitz(problem)) for problem in problems]
    given = [(problem, L, list(trace(problem, Pragam(lipschitz=L), steps))) for problem, L in constants]
    adapted = [(problem, L, list(trace(problem, Pragam(), steps))) for problem, L in constants]
    yield worst_case(
        f"{name}.given",
        "J(w_k) - D(alpha_k) <= 4 L D_2/((k+1)(k+2)) for every k, with L = sigma_max(A)^2/lam.",
        (pair for run in given for pair in _given(*run)),
        "<=",
        1e-9,
        NESTEROV,
    )
    yield worst_case(
        f"{name}.adapted",
        "With L adapted, J(w_k) - D(alpha_k) <= mu_k D_2 for every k.",
        (pair for run in adapted for pair in _own_bound(*run)),
        "<=",
        1e-9,
        ADAPTIVE,
    )
    yield worst_case(
        f"{name}.adapted_mu",
        "With L adapted, mu_k <= 8 L/(k+2)^2 for every k.",
        (pair for run in adapted for pair in _smoothing(*run)),
        "<=",
        1e-9,
        ADAPTIVE,
    )
    yield worst_case(
        f"{name}.rejections",
        "At most ceil(log2(L/L_0)) trials are rejected in all.",
        (_rejections(*run) for run in adapted),
        "<=",
        0.0,
        ADAPTIVE,
    )


def _given(problem: Problem, L: float, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for it in run:
        yield it.certificate.gap, 4 * L * it.state.radius2 / ((it.t + 1) * (it.t + 2))


def _own_bound(problem: Problem, L: float, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    for it in run:
        yield it.certificate.gap, it.state.bound


def _smoothing(problem: Problem, L: float, run: list[Iterate]) -> Iterator[tuple[float, float]]:
    """Over the accepted iterations k. A rejected trial does not advance k."""
    for it in run:
        yield it.state.mu, 8 * L / (it.state.k + 2) ** 2


def _rejections(problem: Problem, L: float, run: list[Iterate]) -> tuple[float, float]:
    first = float(problem.A.row_norms().max()) ** 2 / problem.lam
    # Each rejection doubles L, and nothing else changes it.
    return round(log2(run[-1].state.lipschitz / first)), ceil(log2(L / first))
