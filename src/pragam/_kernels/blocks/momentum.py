"""Momentum after a sweep of block ascent: the specification of ``block_momentum_csr`` and ``block_momentum_dense``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam._kernels.blocks.function import Function
from pragam._kernels.blocks.records import BlockPlanes, Blocks, Table
from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam._kernels.coordinate.records import Ascent, Limits, Points
from pragam.numerics.vector import Vector

__all__ = ["block_momentum_csr", "block_momentum_dense"]

Answer = tuple[float, float, bool]


def block_momentum_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _push(csr_rows(data, indices, indptr), *args)


def block_momentum_dense(X: Any, *args: Any) -> Answer:
    return _push(dense_rows(X), *args)


def _push(
    row: Row,
    blocks: Blocks,
    planes: BlockPlanes,
    lam: float,
    table: Table,
    points: Points,
    ascent: Ascent,
    limits: Limits,
) -> Answer:
    """As ``momentum_push``: from the end of a sweep to the maximum of F over the plane of two steps, then every block
    back into its set. A point is an array of alpha, the table and what is running. Returns ``(gain, slope,
    has_history)``."""
    F, (before, step, history) = Function(row, blocks, planes, lam), points

    def parts(x: Vector) -> tuple[Vector, Table, Vector]:
        a, t = blocks.alpha.size, table.size
        return x[:a], x[a : a + t].reshape(table.shape), x[a + t :]

    now = np.concatenate([blocks.alpha, table.ravel(), planes.running])
    p = step[:] = now - before
    h = history.copy() if ascent.has_history else np.zeros_like(history)
    history[:] = p
    H = np.array([[F.curvature(parts(u), parts(v)) for v in (p, h)] for u in (p, h)])
    g = np.array([ascent.gain - H[0, 0] / 2, ascent.slope - H[0, 1]])
    ridged = H + np.diag([0.0, limits.ridge * H[1, 1]])
    if not ascent.has_history or not np.linalg.det(ridged) > 0:
        return 0.0, float(g[0]), True
    t = np.linalg.solve(ridged, g)
    t *= limits.longest / max(np.abs(t).max(), limits.longest)
    left = g - H @ t
    gained, along = float((g + left) @ t / 2), float(left[0] * (1 + t[0]) + left[1] * t[1])
    new = now + t[0] * p + t[1] * h
    total, out = new - before, 0
    (alpha, weights, running), (alpha_h, weights_h, running_h) = parts(new), parts(total)
    for i in range(F.n):
        if not F.is_outside(i, F.of(alpha, i)):
            continue
        s, change = F.slopes(i, weights, running), F.slopes(i, weights_h, running_h, is_difference=True)
        e = F.project(i, F.of(alpha, i)) - F.of(alpha, i)
        q, out = float(blocks.q[i]), out + 1
        gained += float(e @ (s - 0.5 * q * e))
        along += float(e @ (s + change - q * e))
        for a, w, r in ((alpha, weights, running), (alpha_h, weights_h, running_h)):
            F.of(a, i)[:] += e
            F.move(i, e, w, r)
    if not gained > 0:
        return 0.0, float(g[0]), True
    blocks.alpha[:], table[:], planes.running[:] = alpha, weights, running
    history[:] = total
    return gained, along, out <= limits.clipped * F.n
