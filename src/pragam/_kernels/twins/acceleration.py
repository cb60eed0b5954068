"""Momentum after a sweep of coordinate ascent: the specification of ``momentum_push_csr``, ``_dense``, ``_pattern``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.twins.rows import Row, csr_rows, dense_rows, pattern_rows

__all__ = ["momentum_push_csr", "momentum_push_dense", "momentum_push_pattern"]

Vector = NDArray[np.float64]
Answer = tuple[float, float, bool]


def momentum_push_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _push(csr_rows(data, indices, indptr), *args)


def momentum_push_dense(X: Any, *args: Any) -> Answer:
    return _push(dense_rows(X), *args)


def momentum_push_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _push(pattern_rows(indices, indptr), *args)


class _Function(NamedTuple):
    """F of dcd_sweep, which is quadratic: its slope F' and its curvature H = -F''."""

    row: Row
    table: Vector
    plane: Vector
    lam: float
    bias: float
    rho: float
    centre2: float

    def curvature(self, u: Vector, v: Vector) -> float:
        """<u, H v> for two differences of points."""
        n = len(self.table)
        (r, moment), (r2, moment2) = u[-2:], v[-2:]
        inner = self.lam * float(u[n:-2] @ v[n:-2]) + float((self.table[:, 5] * u[:n]) @ v[:n])
        return inner - float(r * moment2 + r2 * moment - (self.rho + self.centre2 / self.lam) * r * r2)

    def slope(self, i: int, at: Vector, is_difference: bool = False) -> float:
        """F' along row i at a point, or -H u for a difference u."""
        scale, c, _, _, _, delta = self.table[i, :6]
        columns, values = self.row(i)
        s = scale * float(values @ at[len(self.table) :][columns]) - delta * at[i]
        if len(self.plane):
            (sigma, lift), (r, moment) = self.plane[i], at[-2:]
            s -= lift * r / self.lam + sigma * ((self.rho + self.centre2 / self.lam) * r - moment)
            s -= 0.0 if is_difference else sigma * self.bias
        return s if is_difference else c + s

    def move(self, i: int, e: float, at: Vector) -> None:
        """Add e to alpha_i of a point or a difference, and update all its parts."""
        columns, values = self.row(i)
        at[i] += e
        np.add.at(at[len(self.table) :], columns, -e * self.table[i, 0] / self.lam * values)
        if len(self.plane):
            at[-2:] += e * self.plane[i] * (1.0, -1.0 / self.lam)


def _push(
    row: Row,
    table: Vector,
    plane: Vector,
    lam: float,
    w: Vector,
    running: Vector,
    bias: float,
    rho: float,
    centre2: float,
    before: Vector,
    step: Vector,
    history: Vector,
    gain: float,
    slope: float,
    has_history: bool,
    ridge: float,
    longest: float,
    clipped: float,
) -> Answer:
    """Move from the end of a sweep to the maximum of F over the plane of two steps, and clip the point to the box.

    A point, or a difference of two points, is an array of alpha, w, r and moment. ``before`` is where the sweep began.
    The current point is in ``table``, ``w`` and ``running``. ``history`` is h, the previous whole step, along which F
    had the derivative ``slope`` when the sweep began. ``gain`` is the gain of F in the sweep. Afterwards ``step`` holds
    p, the sweep's own step, and ``history`` the whole step, this push included.

    Returns ``(gain, slope, has_history)``: the gain of F by the push, its derivative along the new history, and whether
    the history is worth keeping. It is not if more than the share ``clipped`` of the rows left the box.
    """
    F = _Function(row, table, plane, lam, bias, rho, centre2)
    now = np.concatenate([table[:, 6], w, running])
    p = step[:] = now - before
    h = history.copy() if has_history else np.zeros_like(history)
    history[:] = p
    H = np.array([[F.curvature(u, v) for v in (p, h)] for u in (p, h)])
    g = np.array([gain - H[0, 0] / 2, slope - H[0, 1]])
    ridged = H + np.diag([0.0, ridge * H[1, 1]])
    if not has_history or not np.linalg.det(ridged) > 0:
        return 0.0, float(g[0]), True
    t = np.linalg.solve(ridged, g)
    t *= longest / max(np.abs(t).max(), longest)
    left = g - H @ t
    gained, along = float((g + left) @ t / 2), float(left[0] * (1 + t[0]) + left[1] * t[1])
    new = now + t[0] * p + t[1] * h
    total = new - before
    inside = np.clip(new[: len(table)], table[:, 2], table[:, 3])
    out = np.flatnonzero(new[: len(table)] != inside)
    for i in map(int, out):
        s, minus_Hh, q, e = F.slope(i, new), F.slope(i, total, True), table[i, 4], inside[i] - new[i]
        gained += e * (s - 0.5 * q * e)
        along += e * (s + minus_Hh - q * e)
        F.move(i, e, new)
        F.move(i, e, total)
        new[i] = inside[i]
    if not gained > 0:
        return 0.0, float(g[0]), True
    table[:, 6], w[:], running[:] = new[: len(table)], new[len(table) : -2], new[-2:]
    history[:] = total
    return gained, along, len(out) <= clipped * len(table)
