r"""How many iterations of PRAGAM suffice for a gap of eps.

Problem:    The binary hinge without bias, |x_i| <= R.
Algorithm:  pragam with L = n R^2 / lam >= sigma_max(A)^2 / lam given.
Guarantee:  D_2 = 1/(2n), so L D_2 = R^2 / (2 lam) and the gap is at most 2 R^2 / (lam (k+1)(k+2)), which is
            at most eps from k = ceil(sqrt(2) R / sqrt(lam eps)) onwards.
Source:     Saha, Zhang and Vishwanathan, section 4.1, corrected.
Tight:      D_2 is attained by alpha = 1/n, and sigma_max^2 = n R^2 if all y_i x_i are equal. The count is not
            tight.
Corrected:  The printed count k > R / sqrt(lam eps) lacks the factor sqrt(2). At the next integer above it the
            bound is still larger than eps, by a factor of up to two.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, sqrt

import numpy as np

from pragam.paper.theory._check import Check, worst_case
from pragam.paper.theory._instances import hinges, lipschitz
from pragam.paper.theory._trace import trace
from pragam.problem import Problem
from pragam.risks import hinge
from pragam.solvers import Pragam

REFERENCE = "Saha, Zhang and Vishwanathan, section 4.1 (corrected)"
#: Values of R^2 / (lam eps), for counts from 14 to 141 iterations.
RATIOS = (1e2, 1e3, 1e4)


def check() -> Iterator[Check]:
    problems = [*hinges(bias=False), *_equal_rows()]
    yield worst_case(
        "pragam_iteration_count.corrected",
        "The gap is at most eps after ceil(sqrt(2) R/sqrt(lam eps)) iterations.",
        (pair for problem in problems for pair in _counts(problem)),
        "<=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "pragam_iteration_count.printed",
        "After the printed R/sqrt(lam eps) iterations the bound on the gap is at least eps, in units of eps.",
        ((_bound(floor(sqrt(ratio)) + 1, ratio), 1.0) for ratio in RATIOS),
        ">=",
        0.0,
        REFERENCE,
    )
    yield worst_case(
        "pragam_iteration_count.diameter",
        "D_2 = 1/(2n) for the hinge.",
        ((problem.Q.radius2(), 1 / (2 * problem.Q.size)) for problem in problems),
        "==",
        1e-12,
        REFERENCE,
    )
    yield worst_case(
        "pragam_iteration_count.lipschitz",
        "sigma_max(A)^2/lam <= n R^2/lam, with equality if all y_i x_i are equal.",
        ((lipschitz(problem), _lipschitz_bound(problem)) for problem in problems),
        "<=",
        1e-12,
        REFERENCE,
    )


def _equal_rows() -> Iterator[Problem]:
    """All y_i x_i the same: sigma_max^2 = n R^2."""
    y = np.where(np.arange(30) % 3 == 0, -1.0, 1.0)
    for lam in (1e-1, 1e-3):
        yield hinge(np.outer(y, [0.6, 0.8]), y, lam=lam, bias=False)


def _lipschitz_bound(problem: Problem) -> float:
    return problem.Q.size * float(problem.A.row_norms().max()) ** 2 / problem.lam


def _bound(k: int, ratio: float) -> float:
    """2 R^2 / (lam (k+1)(k+2)) in units of eps."""
    return 2 * ratio / ((k + 1) * (k + 2))


def _counts(problem: Problem) -> Iterator[tuple[float, float]]:
    """(the first k after which the gap stays at most eps, the count proved)."""
    L = _lipschitz_bound(problem)
    counts = [ceil(sqrt(2 * ratio)) for ratio in RATIOS]
    gaps = np.array([it.certificate.gap for it in trace(problem, Pragam(lipschitz=L), max(counts) + 20)])
    R2 = float(problem.A.row_norms().max()) ** 2
    for ratio, count in zip(RATIOS, counts, strict=True):
        above = np.flatnonzero(gaps > R2 / (problem.lam * ratio))
        yield float(above[-1] + 1 if above.size else 0), count
