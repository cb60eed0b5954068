r"""What pairwise dual ascent over cached labellings should cost.

    sweeps = (sweeps_per_digit + C R^2 / hard) log10(1/tol),

a pass over the examples each, and the time of Python at each visit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam.solvers.base import Cost
from pragam.solvers.block_ascent.examples import ExamplesProblem
from pragam.solvers.choice.hardness import structured_hardness
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class BlockAscentConstants:
    """29 sweeps to 1e-2 on OCR words, 15 to 1e-3 on six classes, 9 to 93 to 1e-2 on trees; seconds a visit with its
    support visits are those on trees of 10 to 60 nodes and 3 to 8 labels (``benchmarks/graphs.py --choice``)."""

    sweeps_per_digit: float = 10.0
    hard: float = 300.0  # C R^2 for each further sweep
    per_visit: float = 1.25e-4
    per_entry: float = 1e-8
    trust: float = 0.5


def block_ascent_cost(problem: ExamplesProblem, tol: float, by: BlockAscentConstants = BlockAscentConstants()) -> Cost:
    """The cost for this problem and tolerance."""
    hardness = structured_hardness(problem)
    further = hardness / by.hard if np.isfinite(hardness) else 0.0
    sweeps = (by.sweeps_per_digit + further) * max(digits(tol), 1.0)
    per_step = by.per_visit * problem.Q.structure.n
    return Cost(sweeps, sweeps, per_pass=by.per_entry * problem.A.entries, per_step=per_step, trust=by.trust)
