"""Momentum after a sweep of coordinate ascent: the specification of ``momentum_push_csr``, ``_dense`` and so on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pragam._kernels.common.rows import Row, csr_rows, dense_rows, pattern_rows
from pragam._kernels.coordinate.ascent_function import Function
from pragam._kernels.coordinate.records import (
    ALPHA,
    CURVATURE,
    LOWER,
    OWN,
    UPPER,
    Ascent,
    Limits,
    Planes,
    Points,
    Variables,
    Vector,
)

__all__ = ["momentum_push_csr", "momentum_push_dense", "momentum_push_pattern", "momentum_push_single"]

Answer = tuple[float, float, bool]


def momentum_push_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _push(csr_rows(data, indices, indptr), *args)


def momentum_push_dense(X: Any, *args: Any) -> Answer:
    return _push(dense_rows(X), *args)


def momentum_push_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _push(pattern_rows(indices, indptr), *args)


def momentum_push_single(indices: Any, data: Any, indptr: Any, *args: Any) -> Answer:
    return _push(csr_rows(data, indices, indptr), *args)


class _Parts(NamedTuple):
    """Views of the parts of a point, or of a difference of two points."""

    alpha: Vector
    w: Vector
    running: Vector


class _Space(NamedTuple):
    """Points of F: arrays of alpha, w and what is running."""

    F: Function
    n: int
    d: int

    def parts(self, at: Vector) -> _Parts:
        n, d = self.n, self.d
        return _Parts(at[:n], at[n : n + d], at[n + d :])

    def curvature(self, u: Vector, v: Vector) -> float:
        """<u, H v> for two differences of points, H = -F''."""
        F, (a, w, running), (a2, w2, running2) = self.F, self.parts(u), self.parts(v)
        inner = F.lam * float(w @ w2) + float((F.variables.table[:, OWN] * a) @ a2)
        if not running.size:
            return inner
        (*r, moment), (*r2, moment2) = running, running2
        total, total2 = sum(r), sum(r2)
        inner -= total * moment2 + total2 * moment - F.planes.centre2 / F.lam * total * total2
        return inner + F.planes.rho * float(np.dot(r, r2))

    def slope(self, i: int, at: Vector, is_difference: bool = False) -> float:
        alpha, w, running = self.parts(at)
        return self.F.slope(i, float(alpha[i]), w, running, is_difference)

    def move(self, i: int, step: float, at: Vector) -> None:
        """Add ``step`` to alpha_i of a point or a difference, and update all its parts."""
        alpha, w, running = self.parts(at)
        alpha[i] += step
        self.F.move(i, step, w, running)


def _push(
    row: Row,
    variables: Variables,
    planes: Planes,
    lam: float,
    w: Vector,
    points: Points,
    ascent: Ascent,
    limits: Limits,
) -> Answer:
    """Move from the end of a sweep to the maximum of F over the plane of two steps, and clip the point to the box.

    ``points.before`` is where the sweep began. The current point is in ``table``, ``w`` and ``running``.
    ``points.history`` is h, the previous whole step, along which F had the derivative ``ascent.slope`` when the sweep
    began. ``ascent.gain`` is the gain of F in the sweep. Afterwards ``points.step`` holds p, the sweep's own step, and
    ``points.history`` the whole step, this push included.

    Returns ``(gain, slope, has_history)``: the gain of F by the push, its derivative along the new history, and whether
    the history is worth keeping. It is not if more than the share ``limits.clipped`` of the variables left the box.
    """
    table, (before, step, history) = variables.table, points
    space = _Space(Function(row, variables, planes, lam), len(table), len(w))
    now = np.concatenate([table[:, ALPHA], w, planes.running])
    p = step[:] = now - before
    h = history.copy() if ascent.has_history else np.zeros_like(history)
    history[:] = p
    H = np.array([[space.curvature(u, v) for v in (p, h)] for u in (p, h)])
    g = np.array([ascent.gain - H[0, 0] / 2, ascent.slope - H[0, 1]])
    ridged = H + np.diag([0.0, limits.ridge * H[1, 1]])
    if not ascent.has_history or not np.linalg.det(ridged) > 0:
        return 0.0, float(g[0]), True
    t = np.linalg.solve(ridged, g)
    t *= limits.longest / max(np.abs(t).max(), limits.longest)
    left = g - H @ t
    gained, along = float((g + left) @ t / 2), float(left[0] * (1 + t[0]) + left[1] * t[1])
    new = now + t[0] * p + t[1] * h
    total = new - before
    inside = np.clip(new[: len(table)], table[:, LOWER], table[:, UPPER])
    out = np.flatnonzero(new[: len(table)] != inside)
    for i in map(int, out):
        s, minus_Hh, e = space.slope(i, new), space.slope(i, total, is_difference=True), inside[i] - new[i]
        gained += e * (s - 0.5 * table[i, CURVATURE] * e)
        along += e * (s + minus_Hh - table[i, CURVATURE] * e)
        space.move(i, e, new)
        space.move(i, e, total)
        new[i] = inside[i]
    if not gained > 0:
        return 0.0, float(g[0]), True
    table[:, ALPHA], w[:], planes.running[:] = space.parts(new)
    history[:] = total
    return gained, along, len(out) <= limits.clipped * len(table)
