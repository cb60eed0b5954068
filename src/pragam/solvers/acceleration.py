r"""Momentum for coordinate ascent that never lets the dual fall.

After a sweep from (alpha_0, w_0) to (alpha_1, w_1) the function F of :mod:`pragam.solvers.working_set` is maximised
*exactly* over alpha_1 + t_1 p + t_2 h, with p the sweep's step and h the whole step before it, momentum included: two
equations in two unknowns,

    H t = g,    H_uv = <u, -F'' v>,    g_u = <F'(alpha_1), u>      for u, v in {p, h}.

H needs no product with X, since each direction carries its change of w along. Nor does g, and it must not be had from
F itself, whose rounding exceeds what is left to gain near the end: F quadratic makes g_p = F(alpha_1) - F(alpha_0) -
H_pp / 2, the gain that the sweep has summed up, and g_h = <F'(alpha_0), h> - H_ph, which the maximum before has left.

What leaves the box is put back, in alpha and in w; if that costs more than was gained, the step is not made. If many
rows leave it, the face is not settled, and h is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from pragam import _kernels
from pragam.operators.base import Vector
from pragam.solvers.equality import Equality
from pragam.solvers.working_set import ALPHA, DELTA, LOWER, SCALE, UPPER, C, WorkingSet

#: Of the curvature along h, added to it: two steps in nearly one direction would only magnify their noise.
_RIDGE = 0.1
#: The plane is not trusted further than so many times either step.
_LONGEST = 5.0
#: If more than this share of the rows leaves the box, h is forgotten.
_CLIPPED = 0.02


class Point(NamedTuple):
    """(alpha, w, r, moment), or a difference of two."""

    alpha: Vector
    w: Vector
    running: Vector

    def minus(self, other: Point) -> Point:
        return Point(self.alpha - other.alpha, self.w - other.w, self.running - other.running)


@dataclass
class Momentum:
    before: Point | None = None  # where the sweep began: alpha_0
    history: Point | None = None  # h
    slope: float = 0.0  # <F'(alpha_0), h> ...
    multiplier: float = 0.0  # ... with this multiplier of the equality

    def begin(self, work: WorkingSet, equality: Equality) -> None:
        """Remember where the sweep to come begins."""
        self.before = Point(work.alpha.copy(), work.w.copy(), equality.running.copy())

    def forget(self) -> None:
        self.before = self.history = None

    def push(self, work: WorkingSet, lam: float, equality: Equality, gain: float) -> float:
        """The step after a sweep that has gained ``gain``, in place; returns what F has gained by it."""
        assert self.before is not None
        now = Point(work.alpha.copy(), work.w, equality.running)
        p, h = now.minus(self.before), self.history
        H = _hessian(work, lam, equality, p, h)
        g = np.array([gain - H[0, 0] / 2, self.slope - H[0, 1]])
        if h is not None:
            g[1] -= (equality.multiplier - self.multiplier) * h.running[0]
        self.history, self.slope, self.multiplier = p, float(g[0]), equality.multiplier
        t = _maximise(H, g)
        if h is None or not t.any():
            return 0.0
        new = Point(*(x + t[0] * u + t[1] * v for x, u, v in zip(now, p, h, strict=True)))
        left = g - H @ t
        gain, slope = float((g + left) @ t / 2), float(left[0] * (1 + t[0]) + left[1] * t[1])
        out = _clip(work, lam, new)
        if out:
            gain = _value(work, lam, equality, new) - _value(work, lam, equality, now)
        if not gain > 0:
            return 0.0
        self.history, self.slope = new.minus(self.before), slope
        if out:
            self.slope = _slope(work, lam, equality, new, self.history)
        if out > _CLIPPED * work.size:
            self.history = None
        work.table[:, ALPHA] = new.alpha
        work.w[:] = new.w
        equality.running[:] = new.running
        return gain


def _clip(work: WorkingSet, lam: float, at: Point) -> int:
    """Put alpha back into the box, in place, with w and the equality's numbers; returns of how many rows."""
    clipped = np.clip(at.alpha, work.table[:, LOWER], work.table[:, UPPER])
    out = np.flatnonzero(at.alpha != clipped)
    if out.size:
        back = (clipped - at.alpha)[out]
        steps = -back * work.table[out, SCALE] / lam
        _kernels.get("add_rows_" + work.rows.kind)(*work.rows.arrays, work.size, out, steps, at.w)
        if len(work.plane):
            at.running[:] += back @ work.plane[out] * (1.0, -1.0 / lam)
        at.alpha[out] = clipped[out]
    return out.size


def _value(work: WorkingSet, lam: float, equality: Equality, at: Point) -> float:
    """F at a point, but for a constant."""
    linear = float(work.table[:, C] @ at.alpha) - float(work.table[:, DELTA] @ at.alpha**2) / 2
    return linear - _curvature(lam, equality, at, at) / 2 - equality.multiplier * float(at.running[0])


def _slope(work: WorkingSet, lam: float, equality: Equality, at: Point, u: Point) -> float:
    """<F'(at), u>, from the values themselves."""
    along = float((work.table[:, C] - work.table[:, DELTA] * at.alpha) @ u.alpha)
    return along - _curvature(lam, equality, at, u) - equality.multiplier * float(u.running[0])


def _curvature(lam: float, equality: Equality, u: Point, v: Point) -> float:
    """lam <u - r m/lam, v - r m/lam> + rho r r, in the weights of two points or differences."""
    (r, moment), (r2, moment2) = u.running, v.running
    across = equality.rho + equality.centre2 / lam
    return lam * float(u.w @ v.w) - float(r * moment2 + r2 * moment - across * r * r2)


def _hessian(work: WorkingSet, lam: float, equality: Equality, p: Point, h: Point | None) -> Vector:
    """H; zero in what belongs to h if there is none."""
    H = np.zeros((2, 2))
    for (i, u), (j, v) in combinations_with_replacement(enumerate((p, h)), 2):
        if u is not None and v is not None:
            H[i, j] = H[j, i] = _curvature(lam, equality, u, v) + float((work.table[:, DELTA] * u.alpha) @ v.alpha)
    return H


def _maximise(H: Vector, g: Vector) -> Vector:
    """The t of the highest point of the plane, with the ridge, or on the way there; 0 where there is none."""
    ridged = H + np.diag([0.0, _RIDGE * H[1, 1]])
    if not ridged[0, 0] * ridged[1, 1] > ridged[0, 1] ** 2:
        return np.zeros(2)
    t = np.linalg.solve(ridged, g).astype(np.float64, copy=False)
    return t * (_LONGEST / max(float(np.abs(t).max()), _LONGEST))
