"""All dual variables in one table, of which those at hand are swept over: a block of the data, or the hard rows.

The table is that of :mod:`pragam.solvers.dcd.sweep`, a cache line a variable. It stays where it is, so alpha is
whole at any moment, and what is at hand only says which data row each variable reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.coordinate.records import ALPHA, CURVATURE, LOWER, OWN, SCALE, SLOPE, UPPER, C, Variables
from pragam.operators.base import RawRows, Rows, Vector
from pragam.problem import DataProblem
from pragam.solvers.dcd.multipliers import Multipliers
from pragam.solvers.dcd.sweep import WorkingSet, are_joint, empty_table

_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class Table:
    """The dual variables of the whole problem, the weights that follow them, and the bias."""

    variables: Variables
    w: Vector
    multipliers: Multipliers

    @classmethod
    def of(cls, problem: DataProblem, w: Vector, alpha: Vector, multipliers: Multipliers) -> Table:
        """At this point. With a bias the curvatures are found when a row is first met."""
        A, Q, n = problem.A, problem.Q, problem.Q.size
        norms, kappa = A.row_norms(), problem.g.curvature
        table = empty_table(n)
        columns = {
            SCALE: A.scale, C: problem.c, LOWER: Q.lower, UPPER: Q.upper, OWN: kappa, ALPHA: alpha, SLOPE: np.nan,
            CURVATURE: np.nan if multipliers.count else norms * (norms / problem.lam) + kappa,
        }  # fmt: skip
        for column, values in columns.items():
            table[:, column] = values
        kappas = table[:, OWN].copy() if np.any(kappa) else None
        joint = are_joint(problem, A.number, A.scale)
        return cls(Variables(table, np.zeros(n, np.int64), kappas, joint), w, multipliers)

    @property
    def numbers(self) -> Vector:
        """(n, 8), see :mod:`pragam._kernels.coordinate.records`."""
        return self.variables.table

    @property
    def alpha(self) -> Vector:
        """A copy."""
        return self.numbers[:, ALPHA].copy()

    def at_hand(self, rows: RawRows, number: NDArray[np.int64], duals: NDArray[np.int64]) -> WorkingSet:
        """These variables on these rows; each reads the row with its ``number``."""
        of_all = self.variables.number
        assert of_all is not None
        of_all[duals] = number
        raw = Rows(rows.kind, rows.arrays, np.empty(0))
        return WorkingSet(raw, self.variables, self.multipliers.planes, self.w, duals, len(duals))

    def distances(self, duals: slice) -> Vector:
        """How far each variable is from moving: 0 between its bounds, |s| / sqrt(q) at one; inf if it never moves."""
        table = self.numbers[duals]
        alpha, lower, upper, q = (table[:, column] for column in (ALPHA, LOWER, UPPER, CURVATURE))
        far = np.abs(table[:, SLOPE]) / np.sqrt(np.maximum(q, _TINY))
        far[(lower < alpha) & (alpha < upper)] = 0.0
        far[(lower == upper) | ~(q > 0)] = np.inf
        return far
