r"""Momentum for block ascent that never lets the dual fall.

After a sweep the function F that the sweeps maximise is maximised *exactly* over alpha + t_1 p + t_2 h, with p the
sweep's step and h the whole step before it: the formulas are those of :mod:`pragam.solvers.dcd.momentum`. Blocks that
leave their sets are projected back, each with the exact change of F. If that costs more than was gained, no step is
made. If many blocks leave, the face is not settled, and h is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log

import numpy as np

from pragam._kernels.coordinate.records import Ascent, Limits, Points
from pragam.operators.base import Vector
from pragam.solvers.sequential_dual.working_set import Swept, WorkingSet

#: This share of the curvature along h is added to it: two steps in nearly one direction would magnify their noise.
_RIDGE = 0.1
#: The two coefficients are at most this large: further away the plane of the two steps is not trusted.
_LONGEST = 5.0
#: If more than this share of the blocks leaves its set, h is forgotten.
_CLIPPED = 0.1
#: Momentum begins when fewer than this share of the active blocks change their faces in a sweep. With 0.1 here and 0.02
#: above, vehicle, digits, dna, emotions and scene take 5 to 40 % more passes to 1e-2 and 1e-3, letter the same.
_TURNS = 0.3
#: Momentum ends at this many times the tolerance: it raises D but may raise J too, so the last sweep before a
#: certificate has to be a plain one.
_END = 1.5
#: What a step of momentum costs for each entry of the table, in products of an entry and a label that a sweep makes.
_TABLE = 1.0
#: What it costs in any case, in the same unit.
_FIXED = 1e4
#: Where this many sweeps are left, momentum saves more than half of them, so a step may cost as much as a sweep; less
#: where fewer are left.
_MANY = 20.0

_LIMITS = Limits(_RIDGE, _LONGEST, _CLIPPED)
_TINY = float(np.finfo(np.float64).tiny)


def _nothing() -> Vector:
    return np.empty(0)


@dataclass
class Momentum:
    """Points and steps are arrays of alpha, the table and what is running of the planes, one after the other. They are
    used again and again: new memory for each sweep would cost more than the step itself."""

    before: Vector = field(default_factory=_nothing)  # where the sweep began
    step: Vector = field(default_factory=_nothing)  # p
    history: Vector = field(default_factory=_nothing)  # h
    has_history: bool = False  # whether there is an h
    slope: float = 0.0  # <F', h> where the sweep began
    multiplier: Vector = field(default_factory=_nothing)  # of the planes, when that slope was computed

    def begin(self, work: WorkingSet) -> None:
        """Remember where the sweep to come begins."""
        parts = work.alpha, work.table.reshape(-1), work.planes.running
        size = sum(part.size for part in parts)
        if self.before.size != size:
            self.before, self.step, self.history = np.empty(size), np.empty(size), np.empty(size)
            self.has_history = False
        np.concatenate(parts, out=self.before)

    def forget(self) -> None:
        self.has_history = False

    def push(self, work: WorkingSet, lam: float, gain: float) -> float:
        """The step after a sweep that has gained ``gain``, in place; returns what F has gained by it."""
        slope, planes = self.slope, work.planes
        K = len(planes.multiplier)
        if self.has_history and K:
            residuals = self.history[work.alpha.size + work.table.size :][:K]
            slope += float((planes.multiplier - self.multiplier) @ residuals)
        self.multiplier = planes.multiplier.copy()
        gained, self.slope, self.has_history = work.rows.kernel("block_momentum")(
            *work.rows.arrays, work.blocks, planes, lam, work.table, Points(self.before, self.step, self.history),
            Ascent(gain, slope, self.has_history), _LIMITS,
        )  # fmt: skip
        return float(gained)


def is_momentum_due(work: WorkingSet, last: Swept, rate: float | None, gap: float, tol: float) -> bool:
    """Whether momentum pays in the next sweep, after one that has left this relative gap, at this rate."""
    if work.is_single or rate is None or last.turns > _TURNS * work.n_active:
        return False
    if not _END * tol < gap < inf:
        return False
    met = work.rows.entries * work.rows.K * work.n_active / work.size
    cost = (_TABLE * work.table.size + _FIXED) / met if met else inf
    left = log(max(gap / max(tol, _TINY), 1.0)) / max(-log(max(rate, _TINY)), _TINY)
    return cost * _MANY <= min(left, _MANY)
