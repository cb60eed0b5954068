r"""What a working set should cost, in counted work.

    readings = (1 + log10(1/tol) / 3) max(1, 50 columns / rows in memory),    each with two solves on these rows

A reading multiplies the data twice, and looks at each dual variable some thirty times. Few rows for a column say little
of the others, so that more readings are needed, and below ten the method is left to those who ask for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.problem import DataProblem
from pragam.solvers.base import UNKNOWN, Cost
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class WorkingSetConstants:
    """From ``benchmarks/out_of_core.py``."""

    first: float = 1.0
    per_digit: float = 1 / 3
    per_entry: float = 2.5e-9
    per_dual: float = 6e-8
    per_kept_entry: float = 2e-8  # of a solve in memory
    rows_per_column: float = 10.0  # in memory, below which a sample says too little,
    enough: float = 50.0  # and from which on it says all
    most_steps: float = 12.0


def working_set_cost(
    problem: DataProblem, tol: float, rows: float, by: WorkingSetConstants = WorkingSetConstants()
) -> Cost:
    """The cost with so many rows in memory; unknown where they are too few for the columns."""
    n, d = problem.A.storage.shape
    if rows < by.rows_per_column * d:
        return UNKNOWN
    readings = (by.first + by.per_digit * digits(tol)) * max(1.0, by.enough * d / max(rows, 1.0))
    entries = float(problem.A.entries)
    return Cost(
        passes=readings,
        steps=readings,
        per_pass=by.per_entry * entries + by.per_dual * problem.A.shape[0],
        per_step=by.per_kept_entry * entries * min(rows / max(n, 1), 1.0),
        most_steps=by.most_steps,
    )
