r"""The rows that coordinate ascent sweeps over, with all that a sweep reads and writes of them.

The function that the sweeps maximise over a box is

    <c, alpha> - |A' alpha|^2 / (2 lam) - 1/2 sum_i own_i alpha_i^2,      w = -A' alpha / lam,

with slopes s_i = c_i + <a_i, w> - own_i alpha_i and curvatures q_i = |a_i|^2 / lam + own_i, plus the terms of an
equality (:mod:`pragam.solvers.dcd.equality`). A row has a curvature of its own, own_i > 0, only in a copy of some rows
(:mod:`pragam.solvers.dcd.row_copy`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.operators.base import RowOperator, Rows, Vector
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.solvers.dcd.equality import Equality

#: Bytes that a sweep finds again in a cache of any present machine.
_CACHE = 8e6
#: Rows that are met together where the data are larger than that.
_BLOCK = 16


class Swept(NamedTuple):
    """What a sweep tells of the rows that it met. Of several in one call it is the last, but ``gain`` and ``met``."""

    gap: float  # the sum of the rows' gaps, each as it was met
    gain: float  # of the function, by all sweeps of the call
    drift2: float  # the mean of (change of s_i since the visit before)^2 / q_i
    turns: int  # moves from a bound or onto one
    free: int  # rows between their bounds
    before: float  # the gap of the sweep before
    met: int  # rows, in all sweeps of the call
    last: int  # rows, in the last of them


class Batch(NamedTuple):
    """When further sweeps follow in one call: a call for each would cost more than a sweep over few rows."""

    caution2: float = inf  # their reach over drift2
    before: float = inf  # the gap of the sweep before the first
    goal: float = 0.0  # the gap that ends them
    entries: int = 0  # the number of entries met that ends them
    rows: int = 0  # the number of rows met that ends them


_ONE = Batch()

#: Columns of the table that a sweep reads and writes, one cache line for each row.
SCALE, C, LOWER, UPPER, CURVATURE, OWN, ALPHA, SLOPE = range(8)


@dataclass
class WorkingSet:
    """Some rows of a problem, or all of them."""

    rows: Rows
    table: Vector  # (n, 8); slope is that after the last visit, NaN where that is too long ago to tell
    plane: Vector  # (n, 2), sigma and lift of the equality; no rows without one
    w: NDArray[Any]  # float64; or float32, for a CSR matrix
    active: NDArray[np.int64]  # its first n_active are the rows to sweep over, in the order of memory
    n_active: int

    @cached_property
    def size(self) -> int:
        return len(self.table)

    @property
    def alpha(self) -> Vector:
        """A view, not contiguous."""
        return self.table[:, ALPHA]

    @cached_property
    def entries(self) -> int:
        return self.rows.arrays[0].size

    @property
    def block(self) -> int:
        """How many rows that follow one another in memory a sweep meets together.

        The more random the order, the fewer sweeps are needed; but rows that come from memory come faster in blocks,
        and so do those of a pattern, as neighbours are of one length.
        """
        is_near = self.rows.kind != "pattern" and 64 * self.size + 12 * self.entries <= _CACHE
        return 1 if is_near else _BLOCK

    def recall(self) -> None:
        """All rows are active again."""
        self.active[:] = np.arange(self.size)
        self.n_active = self.size

    def sweep(self, lam: float, equality: Equality, reach: float, seed: int, batch: Batch = _ONE) -> Swept:
        """One exact step along each active row in random order, in place; perhaps more sweeps, as ``batch`` says.

        A row that is held at its bound by a slope s_i with s_i^2 > ``reach`` q_i is active no more.
        """
        self.n_active, *told = _kernels.get("dcd_sweep_" + self.rows.kind)(
            *self.rows.arrays, self.table, self.plane, lam, self.active, self.n_active, reach, self.w,
            *equality.kernel_arguments(), self.block, seed, *batch,
        )  # fmt: skip
        return Swept(*told)


def whole(problem: Problem, w: Vector, alpha: Vector, q: Vector, equality: Equality) -> WorkingSet:
    """All rows of a problem, in place."""
    box, n = problem.Q, problem.Q.size
    assert isinstance(box, Box) and isinstance(problem.A, RowOperator)
    rows = problem.A.contiguous_rows()
    table = aligned(n)
    columns: tuple[Vector | float, ...] = (rows.scale, problem.c, box.lower, box.upper, q, 0.0, alpha, np.nan)
    for column, values in enumerate(columns):
        table[:, column] = values
    plane = np.column_stack((equality.sigma, equality.lift))
    return WorkingSet(rows, table, plane, w, np.arange(n, dtype=np.int64), n)


def aligned(n: int) -> Vector:
    """An (n, 8) array whose rows do not straddle cache lines of 64 bytes."""
    memory = np.empty(8 * n + 7)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + 8 * n].reshape(n, 8)
