r"""Momentum for coordinate ascent that never lets the dual fall.

After a sweep from (alpha_0, w_0) to (alpha_1, w_1) the function F of :mod:`pragam.solvers.dcd.sweep` is maximised
*exactly* over alpha_1 + t_1 p + t_2 h, with p the sweep's step and h the whole step before it, momentum included: two
equations in two unknowns,

    H t = g,    H_uv = <u, -F'' v>,    g_u = <F'(alpha_1), u>      for u, v in {p, h}.

H needs no product with X, since each direction carries its change of w along. Nor does g. Differences of F itself would
be too coarse: near the end their rounding exceeds what is left to gain. As F is quadratic,

    g_p = F(alpha_1) - F(alpha_0) - H_pp / 2,    g_h = <F'(alpha_0), h> - H_ph,

where the difference is the gain that the sweep has summed up, and <F'(alpha_0), h> what the maximum before has left.

What leaves the box is put back, row by row: each such move of alpha_i changes F and its derivative along h by what the
slope of row i and its curvature say. If that costs more than was gained, the step is not made. If many rows leave the
box, the face is not settled, and h is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pragam._kernels.coordinate.records import Ascent, Limits, Points
from pragam.numerics.memory import fresh
from pragam.operators.base import Vector
from pragam.solvers.dcd.sweep import WorkingSet

#: This share of the curvature along h is added to it: two steps in nearly one direction would magnify their noise.
_RIDGE = 0.1
#: The two coefficients are at most this large: further away the plane of the two steps is not trusted.
_LONGEST = 5.0
#: If more than this share of the rows leaves the box, h is forgotten.
_CLIPPED = 0.02

_LIMITS = Limits(_RIDGE, _LONGEST, _CLIPPED)


def _nothing() -> Vector:
    return np.empty(0)


@dataclass
class Momentum:
    """Points and steps are arrays of alpha, w and what is running of the planes, one after the other. They are used
    again and again: new memory for each sweep would cost more than the step itself."""

    before: Vector = field(default_factory=_nothing)  # where the sweep began: alpha_0
    step: Vector = field(default_factory=_nothing)  # p
    history: Vector = field(default_factory=_nothing)  # h
    has_history: bool = False  # whether there is an h
    slope: float = 0.0  # <F'(alpha_0), h>
    multiplier: Vector = field(default_factory=_nothing)  # of the planes, when that slope was computed

    def begin(self, work: WorkingSet) -> None:
        """Remember where the sweep to come begins."""
        n, d = work.size, work.w.size
        size = n + d + len(work.planes.running)
        if self.before.size != size:
            self.before, self.step, self.history = fresh(3 * size).reshape(3, size)
            self.has_history = False
        self.before[:n] = work.alpha
        self.before[n : n + d] = work.w
        self.before[n + d :] = work.planes.running

    def forget(self) -> None:
        self.has_history = False

    def push(self, work: WorkingSet, lam: float, gain: float) -> float:
        """The step after a sweep that has gained ``gain``, in place; returns what F has gained by it."""
        slope, planes = self.slope, work.planes
        if self.has_history and planes.multiplier.size:
            residuals = self.history[work.size + work.w.size : -1]
            slope += float((planes.multiplier - self.multiplier) @ residuals)
        self.multiplier = planes.multiplier.copy()
        w = work.w.astype(np.float64, copy=False)
        gained, self.slope, self.has_history = work.rows.kernel("momentum_push")(
            *work.rows.arrays, work.variables, planes, lam, w, Points(self.before, self.step, self.history),
            Ascent(gain, slope, self.has_history), _LIMITS,
        )  # fmt: skip
        if w is not work.w:
            work.w[:] = w
        return float(gained)
