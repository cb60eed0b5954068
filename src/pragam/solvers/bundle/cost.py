r"""What the bundle method with the full QP should cost.

    steps = first + 10^p,   p = base + digit log10(1/tol) + hard log10(1 + H),   H = sqrt(2 D / n) / lam mean |a_i|^2,

D the largest |alpha|^2 / 2 in Q, or, where Q is unbounded, of c / kappa: on boxes of one width H is C R^2. A step
makes two products with the data. A structured problem has the H of coordinate ascent, at most

    (1 + log10(1/tol) / 2) sqrt(max(1, H / easy))        steps for each weight,

and an entry takes longer there, since labellings are searched for. 9 to 81 steps were needed for 1e-4 with 14 to 42
weights of easy problems, 174 to 637 for 1e-2 on trees with 69 weights and H from 150 to 1,200
(``benchmarks/graphs.py --choice``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.polytopes.per_example import PerExample
from pragam.problem import AnyProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.hardness import has_structure, structured_hardness
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class QpBmrmConstants:
    """Least squares on logarithms, set by ``python benchmarks/choice.py --fit`` on its even seeds, which prints this
    record anew."""

    first: float = 3.0
    base: float = 1.26
    digit: float = 0.147
    hard: float = 0.372
    #: H where Q states no radius, as with a user's oracle: 67 to 441 steps were needed there; this gives 200 to 400.
    unknown: float = 100.0
    easy: float = 100.0
    per_step: float = 0.00391
    per_entry: float = 1e-9
    per_searched: float = 4e-9  # entry of a structured problem
    per_dual: float = 5e-8  # of the loops of a step over sets of several labels for each example
    per_bias_search: float = 5e-6  # for each dual variable, where that is a linear program
    #: Its gap falls in jumps, about as fast in the end as in the middle (``benchmarks/other_risks.py``).
    trust: float = 0.5


def qp_bmrm_cost(problem: AnyProblem, tol: float, by: QpBmrmConstants = QpBmrmConstants()) -> Cost:
    """The cost for this problem and tolerance."""
    hardness = structured_hardness(problem) if has_structure(problem) else _hardness(problem)
    hardness = hardness if np.isfinite(hardness) else by.unknown
    steps = by.first + 10 ** (by.base + by.digit * digits(tol) + by.hard * float(np.log10(1 + hardness)))
    per_entry = by.per_entry
    if has_structure(problem):
        most = (1 + 0.5 * digits(tol)) * float(np.sqrt(max(1.0, hardness / by.easy)))
        steps, per_entry = min(steps, by.first + problem.n_weights * most), by.per_searched
    per_step = by.per_step
    if isinstance(problem.Q, PerExample):
        per_step += by.per_dual * problem.Q.size
    if problem.cut is not None and problem.cut.is_search_long:
        per_step += by.per_bias_search * problem.Q.size
    return Cost(
        passes=2 * steps, steps=steps, per_pass=per_entry * problem.A.entries, per_step=per_step, trust=by.trust
    )


def _hardness(problem: AnyProblem) -> float:
    n = max(problem.A.shape[0], 1)
    radius2, norms = problem.Q.radius2(), problem.A.row_norms()
    if not np.isfinite(radius2):
        radius2 = 0.5 * float(np.sum((problem.c / problem.g.curvature) ** 2))
    return float(np.sqrt(2 * radius2 / n)) / problem.lam * float(norms @ norms) / n
