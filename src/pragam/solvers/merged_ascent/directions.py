r"""The directions in which a round may move the dual variables of a group. Each is a row of a table.

::

    0               alpha' - alpha                       the step of the sweeps, which lead from alpha to alpha'
    1 .. earlier    alpha_j - alpha_{j+1}                whole steps of earlier rounds, alpha_0 = alpha
    last            scale                                what the rows have in common: A' scale = -(sum of rows)

All but the first are those of the rows whose alpha' is between its bounds: others would leave their boxes. The last one
is what coordinate ascent hardly sees, an offset that all rows share; and with a bias it is the way back to the plane.

The task that has the rows multiplies the directions by them; whoever merges knows the directions themselves. Both find
them here, from the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pragam.operators.base import Vector


def directions(points: Sequence[Vector], after: Vector, box: tuple[Vector, Vector], scale: Vector) -> Vector:
    """The table for the last points, the latest first, and alpha' after the sweeps."""
    free = (box[0] < after) & (after < box[1])
    table = np.zeros((len(points) + 1, len(after)))
    table[0] = after - points[0]
    for j in range(1, len(points)):
        np.subtract(points[j - 1], points[j], out=table[j], where=free)
    table[-1, free] = scale[free]
    return table
