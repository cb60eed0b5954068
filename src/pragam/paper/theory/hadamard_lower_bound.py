r"""The lower bound on bundle methods, on an instance where it is true.

Problem:    J(w) = lam/2 |w|^2 + max over i of <a_i, w> + 1/(2 lam d), with a_i the columns of H_d / sqrt(d),
            H_d the Hadamard matrix of Sylvester. J >= 0 = J(w*) at w* = -(1/(lam d)) sum_i a_i.
Algorithm:  qp-bmrm from w_0 = 0; for the inequality also ls-bmrm.
Guarantee:  Exactly, for every 1 <= t < d:

                eps_t   = 1/(2 lam t)                   if w_0 counts among the iterates, as eps_t is defined,
                eps_t   = 1/(lam t)                     if it does not,
                delta_t = 1/(2 lam t) + 1/(2 lam d)     over t' = 1 .. t, as the proof counts,
                delta_t = 1/(2 lam d)                   if w_0 counts,

            and eps_d = delta_d = 0. So for every eps < 1/(2 lam d) all d steps are needed, which is
            Omega(1/(lam eps)). Every method whose w_t is a combination of t columns has eps_t >= 1/(2 lam t).
Source:     Saha, Zhang and Vishwanathan, Theorems 3 and 4, corrected.
Tight:      Yes, equalities.
Corrected:  The printed matrix has rank d/2, and BMRM ends on it in two steps (hadamard_as_printed). The
            columns of H_d / sqrt(d) are orthonormal, and the constant 1/(2 lam d) makes J >= 0. The range is
            t < d, not t < d/2. The bound on delta_t is 1/(2 lam d) once w_0 counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import hadamard

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst, worst_case
from pragam.paper.theory._instances import hadamard_problem
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.solvers import LsBmrm, QpBmrm

EPS = "Saha, Zhang and Vishwanathan, Theorem 3 (corrected)"
DELTA = "Saha, Zhang and Vishwanathan, Theorem 4 (corrected)"
INSTANCES = [(d, lam) for d in (8, 32, 64) for lam in (0.1, 1e-3)]


def check() -> Iterator[Check]:
    runs = [(d, lam, _gaps(hadamard_problem(d, lam), QpBmrm(), d)) for d, lam in INSTANCES]
    inner = [(d, lam, t, gaps[:, t]) for d, lam, gaps in runs for t in range(1, d)]
    yield _equality(
        "eps",
        "On the corrected instance eps_t = 1/(2 lam t) for 1 <= t < d, w_0 counted.",
        EPS,
        [(gap[0], 1 / (2 * lam * t)) for d, lam, t, gap in inner],
    )
    yield _equality(
        "eps_without_w0",
        "On the corrected instance eps_t = 1/(lam t) for 1 <= t < d, w_0 not counted.",
        EPS,
        [(gap[1], 1 / (lam * t)) for d, lam, t, gap in inner],
    )
    yield _equality(
        "delta",
        "On the corrected instance delta_t = 1/(2 lam d) for 1 <= t < d, w_0 counted.",
        DELTA,
        [(gap[2], 1 / (2 * lam * d)) for d, lam, t, gap in inner],
    )
    yield _equality(
        "delta_without_w0",
        "On the corrected instance delta_t = 1/(2 lam t) + 1/(2 lam d) for 1 <= t < d, w_0 not counted.",
        DELTA,
        [(gap[3], 1 / (2 * lam * t) + 1 / (2 * lam * d)) for d, lam, t, gap in inner],
    )
    yield _equality(
        "exact_at_d",
        "On the corrected instance eps_d = delta_d = 0, in units of J(0) = 1/(2 lam d).",
        EPS,
        [(gap * 2 * lam * d, 0.0) for d, lam, gaps in runs for gap in gaps[:, d]],
    )
    yield _equality(
        "optimum",
        "J(w*) = 0 at w* = -(1/(lam d)) sum of all columns, in units of J(0).",
        DELTA,
        [(_value_at_optimum(d, lam) * 2 * lam * d, 0.0) for d, lam in INSTANCES],
    )
    yield worst_case(
        "hadamard_lower_bound.eps_ls_bmrm",
        "On the corrected instance ls-bmrm has eps_t >= 1/(2 lam t) for t < d.",
        _line_search_pairs(),
        ">=",
        1e-9,
        EPS,
    )


def _gaps(problem: Problem, solver: QpBmrm | LsBmrm, steps: int) -> Vector:
    """Rows eps_t, eps_t without w_0, delta_t, delta_t without w_0; columns t = 0 .. steps. J(w*) is 0."""
    certificates = [iterate.certificate for iterate in trace(problem, solver, steps)]
    primal = np.array([c.primal for c in certificates])
    dual = np.array([c.dual for c in certificates])
    best = np.minimum.accumulate(primal)
    later = np.minimum.accumulate(np.append(np.inf, primal[1:]))
    return np.stack([best - dual, later - dual, best, later])


def _line_search_pairs() -> Iterator[tuple[float, float]]:
    for d, lam in INSTANCES:
        gaps = _gaps(hadamard_problem(d, lam), LsBmrm(), d - 1)
        yield from ((gaps[0, t], 1 / (2 * lam * t)) for t in range(1, d))


def _value_at_optimum(d: int, lam: float) -> float:
    return hadamard_problem(d, lam).primal(-(hadamard(d) / np.sqrt(d)).sum(axis=1) / (lam * d))


def _equality(part: str, statement: str, reference: str, pairs: list[tuple[float, float]]) -> Check:
    measured, bound = worst(pairs, "==")
    return Check(f"hadamard_lower_bound.{part}", statement, measured, bound, "==", 1e-9, reference)
