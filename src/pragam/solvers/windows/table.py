"""The dual variables of the whole, of which those at hand are swept over: a block of the data, or the hard rows.

Of every variable alpha is kept, and with a bias its lift. What a sweep reads and writes beside these, the table of
:mod:`pragam.solvers.dcd.sweep`, a cache line a variable, is laid out for those at hand and dropped after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.coordinate.records import ALPHA, CURVATURE, LOWER, OWN, SCALE, SLOPE, UPPER, C, Variables
from pragam.operators.base import RawRows, Rows, Vector
from pragam.problem import DataProblem
from pragam.solvers.dcd.multipliers import Multipliers, centred2
from pragam.solvers.dcd.sweep import WorkingSet, are_joint, empty_table

_TINY = float(np.finfo(np.float64).tiny)

#: The numbers of dual variables: those of a block follow one another.
Duals = slice | NDArray[np.int64]


@dataclass
class Table:
    """Where the sweeps stand: alpha, the weights that follow it, and the bias."""

    problem: DataProblem
    alpha: Vector
    w: Vector
    multipliers: Multipliers
    lift: Vector  # of the rows met so far; NaN before, and empty without a bias
    joint: bool

    @classmethod
    def of(cls, problem: DataProblem, w: Vector, alpha: Vector, multipliers: Multipliers) -> Table:
        """At this point, whose arrays are the table's from now on."""
        lift = np.full(problem.Q.size if multipliers.count else 0, np.nan)
        return cls(problem, alpha, w, multipliers, lift, are_joint(problem, problem.A.number, problem.A.scale))

    def refresh(self) -> None:
        """Recompute the residual and <m, w>, keeping the model's bias."""
        if self.multipliers.count:
            self.multipliers.settle(self.w, self.problem.B.rmatvec(self.alpha) - self.problem.levels)

    @contextmanager
    def at_hand(self, rows: RawRows, number: NDArray[np.int64] | None, duals: Duals) -> Iterator[WorkingSet]:
        """These variables on these rows; each reads the row with its ``number``, or variable i row i. In the end alpha
        is theirs, even if a sweep was broken off: w has moved with it."""
        table, planes = self._laid_out(duals), self.multipliers.planes
        kappa = table[:, OWN].copy() if np.any(self.problem.g.curvature) else None
        if self.multipliers.count:
            planes = planes._replace(terms=np.column_stack((self.problem.B.sigma[duals], self.lift[duals])))
        of_these = Variables(table, number, kappa, self.joint)
        raw, n = Rows(rows.kind, rows.arrays, np.empty(0)), len(table)
        try:
            yield WorkingSet(raw, of_these, planes, self.w, np.arange(n), n)
        finally:
            self.alpha[duals] = table[:, ALPHA]

    def _laid_out(self, duals: Duals) -> Vector:
        """The table of these variables, see :mod:`pragam._kernels.coordinate.records`. No slope is known."""
        A, Q, alpha = self.problem.A, self.problem.Q, self.alpha[duals]
        table, kappa = empty_table(len(alpha)), self.problem.g.curvature
        columns = {
            SCALE: A.scale[duals], C: self.problem.c[duals], LOWER: Q.lower[duals], UPPER: Q.upper[duals],
            CURVATURE: self._curvatures(duals), OWN: _of(kappa, duals), ALPHA: alpha, SLOPE: np.nan,
        }  # fmt: skip
        for column, values in columns.items():
            table[:, column] = values
        return table

    def _curvatures(self, duals: Duals) -> Vector:
        """q of these variables, whose rows have been met."""
        problem, planes = self.problem, self.multipliers.planes
        norms, kappa = problem.A.norms_of(duals), _of(problem.g.curvature, duals)
        if not self.multipliers.count:
            return norms * (norms / problem.lam) + kappa
        sigma = problem.B.sigma[duals]
        length2 = centred2(norms, sigma, self.lift[duals], planes.centre2)
        return length2 / problem.lam + kappa + planes.rho * sigma**2


def _of(kappa: float | Vector, duals: Duals) -> float | Vector:
    """The curvatures of these variables."""
    return kappa[duals] if isinstance(kappa, np.ndarray) and kappa.ndim else kappa


def distances(table: Vector) -> Vector:
    """How far each variable is from moving: 0 between its bounds, |s| / sqrt(q) at one; inf if it never moves."""
    alpha, lower, upper, q = (table[:, column] for column in (ALPHA, LOWER, UPPER, CURVATURE))
    far = np.abs(table[:, SLOPE]) / np.sqrt(np.maximum(q, _TINY))
    far[(lower < alpha) & (alpha < upper)] = 0.0
    far[(lower == upper) | ~(q > 0)] = np.inf
    return far
