r"""The dual variables that coordinate ascent sweeps over, with all that a sweep reads and writes of them.

The function that the sweeps maximise over a box is

    <c, alpha> - |A' alpha + tilt|^2 / (2 lam) - 1/2 sum_i own_i alpha_i^2,      w = -(A' alpha + tilt) / lam,

with slopes s_i = c_i + <a_i, w> - own_i alpha_i and curvatures q_i = |a_i|^2 / lam + own_i, plus the terms of the
planes (:mod:`pragam.solvers.dcd.multipliers`). The curvature own_i that belongs to alpha_i alone is kappa_i, that of g,
and more in a copy of some rows (:mod:`pragam.solvers.dcd.row_copy`). Several dual variables may read one row of
the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.coordinate.records import (
    ALPHA,
    CURVATURE,
    LOWER,
    OWN,
    SCALE,
    SLOPE,
    UPPER,
    Batch,
    C,
    Planes,
    Variables,
    Visits,
)
from pragam.numerics.memory import fresh
from pragam.operators.base import Rows, Vector
from pragam.problem import BoxProblem
from pragam.solvers.dcd.multipliers import Multipliers

#: Bytes that a sweep finds again in a cache of any present machine.
_CACHE = 8e6
#: Rows that are met together where the data are larger than that.
_BLOCK = 16
#: The same where the rows were dealt, and each is fetched as a whole.
_BLOCK_DEALT = 8


class Swept(NamedTuple):
    """What a sweep tells of the variables that it met. Of several in one call: the last, but ``gain`` and ``met``."""

    gap: float  # the sum of their gaps, each as it was met
    gain: float  # of the function, by all sweeps of the call
    drift2: float  # the mean of (change of s_i since the visit before)^2 / q_i
    turns: int  # moves from a bound or onto one
    free: int  # variables between their bounds
    before: float  # the gap of the sweep before
    met: int  # variables, in all sweeps of the call
    last: int  # variables, in the last of them


_ONE = Batch()


@dataclass
class WorkingSet:
    """Some dual variables of a problem, or all of them."""

    rows: Rows
    variables: Variables
    planes: Planes
    w: NDArray[Any]  # float64; or float32, for a CSR matrix
    active: NDArray[np.int64]  # its first n_active are the variables to sweep over, in the order of memory
    n_active: int
    order: NDArray[np.int64] | None = None  # all of them in the order of memory; None: that of their numbers

    @property
    def table(self) -> Vector:
        """(n, 8), see :mod:`pragam._kernels.coordinate.records`."""
        return self.variables.table

    @cached_property
    def size(self) -> int:
        return len(self.table)

    @property
    def alpha(self) -> Vector:
        """A view, not contiguous."""
        return self.table[:, ALPHA]

    @cached_property
    def entries(self) -> int:
        """How many entries a sweep over all of them meets."""
        number = self.variables.number
        if number is None:
            return self.rows.entries
        if self.variables.joint:
            number = number[np.append(True, number[1:] != number[:-1])]
        return self.rows.entries_of(number)

    @property
    def is_near(self) -> bool:
        """Whether all that a sweep reads stays in a cache."""
        return 64 * self.size + 12 * self.rows.entries <= _CACHE

    @property
    def block(self) -> int:
        """How many rows that follow one another in memory a sweep meets together.

        The more random the order, the fewer sweeps are needed; but rows that come from memory come faster in blocks,
        and so do those of a pattern, as neighbours are of one length.
        """
        if self.is_near and not self.rows.is_packed:
            return 1
        return _BLOCK if self.order is None else _BLOCK_DEALT

    def planes_met(self) -> NDArray[np.bool_] | None:
        """Which planes the active variables lie on; None: all, as there is one at most."""
        terms, group = self.planes.terms, self.planes.group
        if group is None:
            return None
        active = self.active[: self.n_active]
        met = np.zeros(len(self.planes.multiplier), dtype=bool)
        met[group[active[terms[active, 0] != 0]]] = True
        return met

    def recall(self) -> None:
        """All rows are active again."""
        self.active[:] = np.arange(self.size) if self.order is None else self.order
        self.n_active = self.size

    def meet(self, slopes: Vector, reach: float) -> None:
        """Take these slopes for those of a sweep over all variables: those held far from turning are active no more."""
        table = self.table
        table[:, SLOPE] = slopes
        held = ((self.alpha <= table[:, LOWER]) & (slopes <= 0)) | ((self.alpha >= table[:, UPPER]) & (slopes >= 0))
        stay = ~(held & (slopes**2 > reach * table[:, CURVATURE]))
        self.recall()
        still = self.active[stay[self.active]]
        self.n_active = len(still)
        self.active[: self.n_active] = still

    def read(self, rows: Rows, order: NDArray[np.int64] | None) -> None:
        """Go on with other rows, equal but for rounding, which may be in another order in memory."""
        is_active = np.zeros(self.size, dtype=bool)
        is_active[self.active[: self.n_active]] = True
        self.variables, self.rows = self.variables._replace(number=rows.number), rows
        self.order = order
        self.active[: self.n_active] = np.flatnonzero(is_active) if order is None else order[is_active[order]]

    def sweep(self, lam: float, reach: float, seed: int, batch: Batch = _ONE) -> Swept:
        """One exact step along each active variable in random order, in place; perhaps more sweeps, as ``batch`` says.

        A variable that is held at its bound by a slope s_i with s_i^2 > ``reach`` q_i is active no more.
        """
        visits = Visits(self.active, self.n_active, reach, self.block, seed)
        self.n_active, *told = self.rows.kernel("dcd_sweep")(
            *self.rows.arrays, self.variables, self.planes, lam, self.w, visits, batch
        )
        return Swept(*told)


def whole(problem: BoxProblem, w: Vector, alpha: Vector, q: Vector, multipliers: Multipliers) -> WorkingSet:
    """All dual variables of a problem, on the rows in place."""
    box, n = problem.Q, problem.Q.size
    rows, kappa = problem.A.contiguous_rows(), problem.g.curvature
    table = empty_table(n)
    columns = {
        SCALE: rows.scale, C: problem.c, LOWER: box.lower, UPPER: box.upper,
        CURVATURE: q, OWN: kappa, ALPHA: alpha, SLOPE: np.nan,
    }  # fmt: skip
    for column, values in columns.items():
        table[:, column] = values
    variables = Variables(
        table, rows.number, table[:, OWN].copy() if np.any(kappa) else None, are_joint(problem, rows.number, rows.scale)
    )
    return WorkingSet(rows, variables, multipliers.planes, w, np.arange(n, dtype=np.int64), n)


def are_joint(problem: BoxProblem, number: NDArray[np.int64] | None, scale: Vector) -> bool:
    """Whether the variables of a data row can move together, by an exact step: p u u' plus a diagonal is their block.

    Then a_i + sigma_i m has the direction of the row for all of them, and they share one plane or each has its own.
    Where g is flat the box has to be finite. They are met together where they are neighbours.
    """
    Q, B = problem.Q, problem.B
    if number is None or not scale.all():
        return False
    same = number[1:] == number[:-1]
    ratio = B.sigma / scale
    is_rank_one = np.array_equal(ratio[1:][same], ratio[:-1][same])
    has_own_planes = B.shape[1] <= 1 or len(np.unique(number * B.shape[1] + B.group)) == len(number)
    is_finite = np.isfinite(Q.lower) & np.isfinite(Q.upper) | (np.asarray(problem.g.curvature) > 0)
    return is_rank_one and has_own_planes and bool(is_finite.all())


def empty_table(n: int) -> Vector:
    """A table of n variables: a cache line each."""
    return fresh(8 * n).reshape(n, 8)
