r"""What a working set should cost, in counted work.

    readings = 1 + log10(1/tol) / 3,    each with two solves on the rows in memory after it

A reading multiplies the data twice, and looks at each dual variable some thirty times. Few rows for a column say little
of the others: on w8a, a9a and rows of one or two binary columns the gap stays where it is with 15 to 30 of them, where
blocked Newton needs ten to a hundred readings. So below 50 the method is left to those who ask for it.
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
    rows_per_column: float = 50.0  # in memory, below which a sample says too little
    most_steps: float = 30.0  # ordinary problems need up to 15 to 1e-6


def working_set_cost(
    problem: DataProblem, tol: float, rows: float, by: WorkingSetConstants = WorkingSetConstants()
) -> Cost:
    """The cost with so many rows in memory; unknown where they are too few for the columns."""
    n, d = problem.A.storage.shape
    if rows < by.rows_per_column * d:
        return UNKNOWN
    readings = by.first + by.per_digit * digits(tol)
    entries = float(problem.A.entries)
    return Cost(
        passes=readings,
        steps=readings,
        per_pass=by.per_entry * entries + by.per_dual * problem.A.shape[0],
        per_step=by.per_kept_entry * entries * min(rows / max(n, 1), 1.0),
        most_steps=by.most_steps,
    )
