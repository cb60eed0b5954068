r"""A counterexample: the lower-bound instance as the paper prints it.

Problem:    J(w) = lam/2 |w|^2 + max over i of <a_i, w>, a_i the columns of [[H, -H], [-H, H]] / sqrt(d), H =
            H_{d/2}.
Algorithm:  qp-bmrm from w_0 = 0.
Guarantee:  Column i + d/2 is minus column i, so the matrix has rank d/2 and is not orthonormal. The first cut
            is some a, the second -a, and lam/2 |w|^2 + |<a, w>| has its minimum at 0, as J has:

                eps_1 = 1/(2 lam)  with w_0 counted, 2/lam without;      eps_2 = 0 either way.

            So the claim "eps_t >= 1/(2 lam t) for t < d/2" is false at t = 2 for every d > 4.
Source:     Saha, Zhang and Vishwanathan, Theorem 3, disproved as printed.
Tight:      Yes, equalities.
Corrected:  In hadamard_lower_bound.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import hadamard

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, worst
from pragam.paper.theory._trace import trace
from pragam.risks import max_affine
from pragam.solvers import QpBmrm

REFERENCE = "Saha, Zhang and Vishwanathan, Theorem 3 (as printed)"
DIMENSIONS = (8, 16, 64)
LAMS = (0.1, 1e-3)


def check() -> Iterator[Check]:
    ranks = [(float(np.linalg.matrix_rank(_matrix(d))), d / 2) for d in DIMENSIONS]
    yield _equality("rank", "The printed matrix has rank d/2.", ranks)
    runs = [(lam, *_values(d, lam)) for d in DIMENSIONS for lam in LAMS]
    yield _equality(
        "eps_1",
        "On the printed instance eps_1 = 1/(2 lam), w_0 counted.",
        [(min(J[0], J[1]) - D[1], 1 / (2 * lam)) for lam, J, D in runs],
    )
    yield _equality(
        "eps_1_without_w0",
        "On the printed instance eps_1 = 2/lam, w_0 not counted.",
        [(J[1] - D[1], 2 / lam) for lam, J, D in runs],
    )
    yield _equality(
        "eps_2",
        "On the printed instance BMRM is exact after two steps: eps_2 = 0, in units of 1/lam.",
        [((J[2] - D[2]) * lam, 0.0) for lam, J, D in runs],
    )


def _matrix(d: int) -> Vector:
    H = hadamard(d // 2)
    return np.block([[H, -H], [-H, H]]) / np.sqrt(d)


def _values(d: int, lam: float) -> tuple[list[float], list[float]]:
    """J(w_t) and J_t(w_t) = D(alpha_t) for t = 0, 1, 2."""
    problem = max_affine(_matrix(d), np.zeros(d), lam)
    certificates = [iterate.certificate for iterate in trace(problem, QpBmrm(), 2)]
    return [c.primal for c in certificates], [c.dual for c in certificates]


def _equality(part: str, statement: str, pairs: list[tuple[float, float]]) -> Check:
    measured, bound = worst(pairs, "==")
    return Check(f"hadamard_as_printed.{part}", statement, measured, bound, "==", 1e-9, REFERENCE)
