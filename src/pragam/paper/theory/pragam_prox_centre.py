r"""PRAGAM may start anywhere if its prox function is centred there, and only then.

Problem:    All risks; for the counterexample J(w) = 1/2 w^2 + |w| in one dimension, Q = [-1, 1], L = 1.
Algorithm:  pragam with L given, alpha_{-1} a random point of Q.
Guarantee:  With d_2 = 1/2 |alpha - alpha_{-1}|^2, the excessive gap condition and the rate hold, where D_2 is
            taken about alpha_{-1}. With d_2 = 1/2 |alpha|^2, as printed, they need not hold. From alpha_{-1} =
            -1 the counterexample has w_0 = 1, alpha_0 = 0 and J(w_0) - D(alpha_0) = 3/2, while the claimed
            bound at k = 0 is 2 L D_2 = 1.
Source:     Nesterov, Excessive gap technique, 2003; Saha, Zhang and Vishwanathan, Algorithm 1, line 1.
Tight:      The counterexample is exact.
Corrected:  "Randomly pick alpha_{-1}" is replaced by alpha_{-1} = centre of the prox function. For the box
            [0, 1/n]^n of the hinge no start violates the bound at k = 0, since no two points of the box are
            farther apart than sqrt(2 D_2). What fails there is the invariant, and with it the proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pragam.operators import ScaledRows, check_data
from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, lipschitz, other_risks, weighted_hinges
from pragam.paper.theory._smoothed import excessive_gap
from pragam.paper.theory._trace import Iterate, trace
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.risks import hinge
from pragam.solvers import Pragam, Start

REFERENCE = "Nesterov 2003; Saha, Zhang and Vishwanathan, Algorithm 1"
STEPS = 60


def check() -> Iterator[Check]:
    problems = [*hinges(False), *hinges(True), *other_risks(), *weighted_hinges()]
    runs = [(lipschitz(problem), problem, _from_random_start(problem)) for problem in problems]
    yield worst_case(
        "pragam_prox_centre.invariant",
        "From any alpha_{-1} that is the prox centre, J_mu(w_k) <= D(alpha_k), in units of the larger one.",
        ((excessive_gap(problem, it), 0.0) for _, problem, run in runs for it in run),
        "<=",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "pragam_prox_centre.rate",
        "From any alpha_{-1} that is the prox centre, the gap is at most 4 L D_2/((k+1)(k+2)), D_2 about it.",
        (_rate(L, it) for L, _, run in runs for it in run),
        "<=",
        1e-9,
        REFERENCE,
    )
    yield from _counterexamples()


def _rate(L: float, it: Iterate) -> tuple[float, float]:
    return it.certificate.gap, 4 * L * it.state.radius2 / ((it.t + 1) * (it.t + 2))


def _from_random_start(problem: Problem) -> list[Iterate]:
    alpha = problem.Q.sample(np.random.default_rng(1))
    start = Start(problem.w_of_alpha(alpha), alpha)
    return list(trace(problem, Pragam(lipschitz=lipschitz(problem)), STEPS, start))


def _counterexamples() -> Iterator[Check]:
    one = np.ones(1)
    line = Problem(ScaledRows(check_data(np.ones((1, 1))), one), np.zeros(1), Box(-one, one), lam=1.0)
    first = _first_iterate_as_printed(line, -one)
    yield Check(
        "pragam_prox_centre.printed_start",
        "As printed, from alpha_{-1} = -1 on J(w) = w^2/2 + |w|, the first gap is 3/2 times the bound.",
        first.certificate.gap,
        1.5 * first.state.bound,
        "==",
        1e-9,
        REFERENCE,
    )
    identical = hinge(np.full((20, 1), 10.0), np.ones(20), lam=1.0, bias=False)
    first = _first_iterate_as_printed(identical, np.full(20, 1 / 20))
    yield Check(
        "pragam_prox_centre.printed_start_hinge",
        "As printed, on a hinge from alpha_{-1} = 1/n, J_mu(w_0) <= D(alpha_0) fails by over half of J_mu.",
        excessive_gap(identical, first),
        0.5,
        ">=",
        0.0,
        REFERENCE,
    )


def _first_iterate_as_printed(problem: Problem, alpha: np.ndarray) -> Iterate:
    """k = 0 of Algorithm 1 from alpha_{-1} = alpha with d_2 = 1/2 |.|^2, whose centre is 0."""
    start = Start(problem.w_of_alpha(alpha), alpha)
    first = next(trace(problem, Pragam(lipschitz=lipschitz(problem)), 0, start))
    origin = np.zeros(problem.Q.size)
    return first._replace(state=replace(first.state, centre=origin, radius2=problem.Q.radius2(origin)))
