r"""What windows should cost, in counted work.

    readings = first + per_digit log10(1/tol) (share / kept)^power,      kept the share of the rows in memory,

each with sweeps over the rows kept after it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.problem import DataProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class WindowsConstants:
    """From ``benchmarks/out_of_core_text.py``."""

    first: float = 2.0
    per_digit: float = 1.0


def windows_cost(problem: DataProblem, tol: float, kept: float, by: WindowsConstants = WindowsConstants()) -> Cost:
    readings = by.first + by.per_digit * digits(tol)
    return Cost(passes=readings, steps=readings, per_pass=4e-9 * problem.A.entries)
