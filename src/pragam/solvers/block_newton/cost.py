r"""What blocked Newton should cost, in counted work.

    rounds = first digits^digit (C R^2)^hard (n/d)^-surplus,    for losses with a kink; as many for all that have none,

two for each step, and one for each stage. C R^2 counts up to a bound: where it is huge, columns are not scaled, which
is nothing to Newton's steps. A round multiplies the data once or twice, adds up d^2/2 products for each row inside its
box, and looks at each dual variable some twenty times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.problem import DataProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.hardness import uncentred_hardness
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class BlockNewtonConstants:
    """Rounds and what a block takes from the even seeds of ``benchmarks/out_of_core_choice.py``; the others are of the
    right order, and fitted to nothing."""

    first: float = 16.0
    digit: float = 1.1
    hard: float = 0.14
    hardest: float = 1e3  # of the even seeds the hardest problem has a C R^2 of 80
    surplus: float = 0.19
    smooth: float = 8.0  # rounds
    least: float = 3.0
    per_entry: float = 2e-9
    per_dual: float = 6e-8
    per_kept_entry: float = 2e-8  # of the solution on the sample
    per_pair: float = 1e-10  # of entries of a row inside its box
    free: float = 0.1  # the share of such rows


def block_newton_cost(
    problem: DataProblem, tol: float, share: float, by: BlockNewtonConstants = BlockNewtonConstants()
) -> Cost:
    """The cost with such a share of the rows in the sample."""
    n, d = problem.A.storage.shape
    entries = float(problem.A.entries)
    rounds = _rounds(problem, tol, by)
    pairs = by.free * entries * entries / max(n, 1)
    return Cost(
        passes=rounds,
        steps=rounds / 2,
        per_pass=by.per_entry * entries + by.per_dual * problem.A.shape[0] + by.per_pair * pairs,
        per_step=5e-11 * d**3,
        start=by.per_kept_entry * entries * share,
    )


def _rounds(problem: DataProblem, tol: float, by: BlockNewtonConstants) -> float:
    if np.all(problem.g.curvature):
        return by.smooth
    n, d = problem.A.storage.shape
    hard = min(uncentred_hardness(problem), by.hardest)
    rounds = by.first * max(digits(tol), 1.0) ** by.digit * hard**by.hard
    return float(max(rounds * (max(n, 1) / max(d, 1)) ** -by.surplus, by.least))
