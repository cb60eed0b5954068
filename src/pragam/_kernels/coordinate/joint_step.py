"""The exact step along all variables of one data row at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam._kernels.coordinate.records import Vector

#: After so many halvings an interval is as short as the rounding of its first end.
_HALVINGS = 60


class Block(NamedTuple):
    """-F'' in the variables of one row: diag(d) + p u u'."""

    d: Vector
    u: Vector
    p: float

    def times(self, step: Vector) -> Vector:
        return self.d * step + self.p * float(self.u @ step) * self.u


def joint_maximum(s: Vector, block: Block, alpha: Vector, lower: Vector, upper: Vector) -> Vector:
    """argmax of <s, t> - 1/2 sum d_j t_j^2 - p/2 <u, t>^2 over lower <= alpha + t <= upper.

    At the maximum z = p <u, t>, and t_j is the best step against the slope s_j - u_j z. z - p <u, t(z)> grows with z,
    which bisection finds. Where the best step jumps, the equation says what lies between.
    """
    d, u, p = block

    def best(z: float) -> Vector:
        """alpha + t(z)."""
        slope = s - u * z
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.where(d > 0, slope / d, np.where(slope == 0, 0.0, np.copysign(np.inf, slope)))
        return np.clip(alpha + inside, lower, upper)

    if p == 0:
        return best(0.0)
    high = float(np.abs(s / u).max())
    low = -high
    for _ in range(_HALVINGS):
        z = (low + high) / 2
        low, high = (low, z) if z - p * u @ (best(z) - alpha) >= 0 else (z, high)
    below, above = best(low), best(high)
    miss, jump = low / p - u @ (below - alpha), u @ (above - below)
    return np.clip(below + (miss / jump if jump < 0 else 0.0) * (above - below), lower, upper)
