"""Boxes of K dual variables for each example: those of K binary problems on the same rows."""

from __future__ import annotations

import numpy as np

from pragam._kernels.blocks.records import Shape
from pragam.numerics.vector import Vector
from pragam.polytopes.box import Box


class LabelBox(Box):
    r"""Q = {alpha in R^(n x K) : 0 <= alpha_ik <= totals_i}, with alpha flat, row after row.

    support(s) = sum_i totals_i sum_k [s_ik]_+
    """

    rigorous = True
    block_shape = Shape.BOX

    def __init__(self, totals: Vector, K: int) -> None:
        super().__init__(np.zeros(len(totals) * K), np.repeat(totals, K))
        self.totals, self.K = totals, K

    @property
    def signs(self) -> Vector:
        """Labels have no sides: weights and planes are read with whatever sign the operator gives them."""
        return np.ones(self.size)
