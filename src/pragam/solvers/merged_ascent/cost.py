r"""What merged ascent should cost, in counted work.

    rounds = P min(first sqrt(P), most),

P the passes that coordinate ascent should take in memory (:mod:`pragam.solvers.dcd.cost`). In a round each group looks
at its entries about as often as it has sweeps and products, and vectors of weights go to and fro for each direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.problem import DataProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.hardness import uncentred_hardness
from pragam.solvers.choice.sizes import Sizes
from pragam.solvers.dcd.cost import dcd_cost


@dataclass(frozen=True)
class MergedAscentConstants:
    """Rounds within a factor of 2 of what ``benchmarks/text_on_blocks.py`` counts, from 1e-1 to 1e-4 and C from 0.1 to
    10; the others are of the right order, and fitted to nothing."""

    first: float = 1.1
    most: float = 6.0
    per_entry: float = 1e-9  # of each look at it
    per_dual: float = 2e-7
    per_weight: float = 5e-9  # of each vector of a group
    trial: float = 6.0
    trust: float = 0.7


def merged_ascent_cost(
    problem: DataProblem, tol: float, groups: int, looks: int, by: MergedAscentConstants = MergedAscentConstants()
) -> Cost:
    """The cost with so many groups and looks at the data in a round. It reads nothing, so rows are not centred."""
    n, entries = problem.A.shape[0], max(problem.A.entries, 1)
    sizes = Sizes(n, problem.n_weights, entries, "csr", uncentred_hardness(problem), 0.5)
    passes = dcd_cost(sizes, tol).passes
    rounds = passes * min(by.first * float(np.sqrt(passes)), by.most)
    return Cost(
        passes=rounds,
        steps=rounds,
        per_pass=by.per_entry * looks * entries + by.per_dual * n,
        per_step=by.per_weight * looks * groups * problem.n_weights,
        trial=by.trial,
        trust=by.trust,
    )
