"""The function that coordinate ascent maximises, as sweeps and momentum see it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import Row
from pragam._kernels.coordinate.joint_step import Block
from pragam._kernels.coordinate.records import CURVATURE, OWN, SCALE, Planes, Variables, Vector


class Function(NamedTuple):
    """F, the function that the sweeps maximise over the box, which is quadratic::

        <c, alpha> - 1/2 sum own_i alpha_i^2 - |A' alpha + tilt + R m|^2 / (2 lam) + sum_k (b_k r_k - rho/2 r_k^2)

    with w = -(A' alpha + tilt) / lam, the residuals r_k of the planes and R, their sum. With lift = A m and moment =
    <m, w> its slope along variable i, which lies on plane k, is

        c_i + <a_i, w> - own_i alpha_i - lift_i R/lam + sigma_i (b_k - rho r_k - |m|^2 R/lam + moment).
    """

    row: Row
    variables: Variables
    planes: Planes
    lam: float

    def read(self, i: int) -> tuple[Any, Vector]:
        """The columns and the values of row i of A."""
        table, number = self.variables.table, self.variables.number
        columns, values = self.row(i if number is None else int(number[i]))
        return columns, table[i, SCALE] * values

    def slope(self, i: int, alpha: float, w: Vector, running: Vector, is_difference: bool = False) -> float:
        """F' along variable i at a point, or -H u for a difference u of points."""
        columns, values = self.read(i)
        _, c, _, _, _, own, _, _ = self.variables.table[i]
        s = (0.0 if is_difference else c) + float(values @ w[columns]) - own * alpha
        if len(self.planes.multiplier):
            sigma, lift = self.planes.terms[i]
            k, total, moment = self.plane(i), running[:-1].sum(), running[-1]
            b = 0.0 if is_difference else self.planes.multiplier[k]
            s -= lift * total / self.lam
            s += sigma * (b - self.planes.rho * running[k] - self.planes.centre2 / self.lam * total + moment)
        return s

    def block(self, together: list[int]) -> Block:
        """-F'' in several variables of one row, which are met together if sigma_i / scale_i is the same for all.

        Then a_i + sigma_i m = scale_i v, and the block is p scale scale' + diag(d): rho belongs to p if they are on one
        plane, to d if each is on its own. q_i = scale_i^2 p + d_i.
        """
        table, planes = self.variables.table, self.planes
        scale, d, q = table[together, SCALE], table[together, OWN].copy(), table[together, CURVATURE]
        if planes.group is not None:
            d += planes.rho * planes.terms[together, 0] ** 2
        return Block(d, scale, max(q[0] - d[0], 0.0) / scale[0] ** 2)

    def move(self, i: int, step: float, w: NDArray[Any], running: Vector) -> None:
        """What a step along variable i changes of w and of what is running."""
        columns, values = self.read(i)
        np.add.at(w, columns, -step / self.lam * values)
        if len(self.planes.multiplier):
            sigma, lift = self.planes.terms[i]
            running[self.plane(i)] += step * sigma
            running[-1] -= step * lift / self.lam

    def plane(self, i: int) -> int:
        return 0 if self.planes.group is None else int(self.planes.group[i])
