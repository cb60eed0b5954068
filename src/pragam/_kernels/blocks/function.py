r"""The function that block ascent maximises: what its kernels share in their specification.

F(alpha) = <c, alpha> - sum_k |u_k - r_k m|^2 / (2 lam) + <b, r> - rho/2 |r|^2,    u = A' alpha + tilt, w_k = -u_k / lam
s_ik = c_ik + sign_ik (<x_i, w_k> + b_k - rho r_k - <m, w_k> + r_k (<x_i, m> - |m|^2) / lam)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.blocks.records import BlockPlanes, Blocks, Shape
from pragam._kernels.common.rows import Row
from pragam.numerics.vector import Vector


class Function:
    """F over the blocks of these records; points are (alpha, table, running)."""

    def __init__(self, row: Row, blocks: Blocks, planes: BlockPlanes, lam: float) -> None:
        self.row, self.blocks, self.planes, self.lam = row, blocks, planes, lam
        self.n = len(blocks.totals)
        self.K = len(blocks.alpha) // self.n
        self.shape = Shape(blocks.shape)

    def of(self, x: Vector, i: int) -> Vector:
        """The part of example i of a vector with an entry for each dual variable, as a view."""
        return x[i * self.K : (i + 1) * self.K]

    def sign(self, i: int) -> Vector:
        return np.ones(self.K) if self.blocks.sign is None else self.of(self.blocks.sign, i)

    def slopes(self, i: int, table: NDArray[Any], running: Vector, is_difference: bool = False) -> Vector:
        """s_i; of a difference of points, how it changes the slopes: without c and b."""
        columns, values = self.row(i)
        product = (values.astype(table.dtype) @ table[columns])[: self.K].astype(np.float64)
        planes, K = self.planes, len(self.planes.multiplier)
        if K:
            r, moment = running[:K], running[K:]
            product = product - planes.rho * r - moment + r * ((planes.lift[i] - planes.centre2) / self.lam)
            product = product if is_difference else product + planes.multiplier
        return self.sign(i) * product + (0.0 if is_difference else self.of(self.blocks.c, i))

    def move(self, i: int, step: Vector, table: NDArray[Any], running: Vector) -> None:
        """What follows of a step along the variables of example i."""
        columns, values = self.row(i)
        along = self.sign(i) * step
        change = np.zeros(table.shape[1], table.dtype)
        change[: self.K] = -along / self.lam
        for j, x in zip(columns, values.astype(table.dtype), strict=True):  # an index may be repeated
            table[j] += change * x
        if K := len(self.planes.multiplier):
            running[:K] += along
            running[K:] -= along * (self.planes.lift[i] / self.lam)

    def curvature(self, u: tuple[Vector, ...], v: tuple[Vector, ...]) -> float:
        """<u, H v> for two differences of points, H = -F''."""
        inner = self.lam * float(u[1].ravel() @ v[1].ravel())
        K, planes = len(self.planes.multiplier), self.planes
        (r, moment), (r2, moment2) = ((x[2][:K], x[2][K:]) for x in (u, v))
        return inner + float(r @ moment2 + r2 @ moment + (planes.rho + planes.centre2 / self.lam) * (r @ r2))

    def excess(self) -> float:
        """What the residuals of the planes may change of the gap: biases count from their mean."""
        K = len(self.planes.multiplier)
        if not K:
            return 0.0
        biases = self.planes.multiplier - self.planes.running[K:]
        return float((1 + np.abs(biases - biases.mean())) @ np.abs(self.planes.running[:K]))

    def project(self, i: int, target: Vector) -> Vector:
        """The nearest point of block i."""
        total = float(self.blocks.totals[i])
        if self.shape is Shape.SIMPLEX:
            return on_simplex(target, total)
        if self.shape is Shape.PAIRS:
            return on_pairs(target, self.sign(i) > 0, total)
        return np.clip(target, 0.0, total)

    def is_outside(self, i: int, alpha: Vector) -> bool:
        total = float(self.blocks.totals[i])
        if (alpha < 0).any() or (self.shape is Shape.BOX and (alpha > total).any()):
            return True
        return self.shape is Shape.PAIRS and float(alpha[self.sign(i) > 0].sum()) > total * (1 + 1e-14)


def on_simplex(v: Vector, total: float) -> Vector:
    """The nearest point with entries >= 0 that sum to ``total``."""
    if not total > 0:
        return np.zeros(len(v))
    v = v - v.max()
    falling = np.sort(v)[::-1]
    t = (np.cumsum(falling) - total) / np.arange(1, len(v) + 1)
    return np.maximum(v - t[np.flatnonzero(falling > t)[-1]], 0.0)


def on_pairs(v: Vector, wrong: NDArray[np.bool_], total: float) -> Vector:
    """The nearest point p on the wrong, q on the other labels, p, q >= 0, sum p = sum q <= ``total``."""
    if wrong.all() or not wrong.any() or not total > 0:
        return np.zeros(len(v))
    tops = float(v[wrong].max()), float(v[~wrong].max())
    height = sum(tops)
    if not height > 0:
        return np.zeros(len(v))
    z = np.where(wrong, tops[0] - v, height - (tops[1] - v))  # wrong labels count where z < y, right ones where z > y
    ends = np.unique(np.concatenate([z[(z > 0) & (z < height)], [0.0, height]]))
    for low, high in pairwise(ends.tolist()):
        counts = np.where(wrong, z <= low, z >= high)
        y = float(z[counts].mean())
        if y <= high:
            break
    balanced = np.maximum(np.where(wrong, y - z, z - y), 0.0)
    if balanced[wrong].sum() <= total:
        return balanced
    found = np.empty(len(v))
    for side in (wrong, ~wrong):
        found[side] = on_simplex(v[side], total)
    return found
