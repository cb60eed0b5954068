"""The records that the kernels of block ascent take: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

#: The rows of a table of weights are padded to a multiple of this.
LANES = 8


class Shape(IntEnum):
    """What the K dual variables of an example lie in."""

    SIMPLEX = 0  # alpha >= 0, sum = total
    PAIRS = 1  # p, q >= 0, sum p = sum q <= total, p where the sign is +1 and q where it is -1
    BOX = 2  # 0 <= alpha <= total


class Blocks(NamedTuple):
    """The dual variables of all examples, with all that a sweep reads and writes of them."""

    shape: int  # a Shape
    alpha: Vector  # (n K,), in place
    c: Vector  # (n K,)
    totals: Vector  # (n,)
    q: Vector  # (n,) the curvature along each dual variable of an example: |x_i|^2 / lam, and rho
    sign: Vector | None  # (n K,) +1 and -1, with which (i, k) reads w_k and plane k; None: +1
    margin: Vector  # (n,) how firmly a block was held after its last visit; NaN if that is too long ago; in place


class BlockPlanes(NamedTuple):
    """The planes sum_i sign_ik alpha_ik = level_k, one a label, r_k = what they are off by. Empty without biases."""

    multiplier: Vector  # (K,) b_k; the bias of the model is b_k - <m, w_k>
    running: Vector  # (2 K,) r_1 .. r_K, then the moments <m, w_k>; in place
    lift: Vector  # (n,) <x_i, m>
    rho: float  # the weight of r_k^2 / 2
    centre2: float  # |m|^2


NO_PLANES = BlockPlanes(np.empty(0), np.empty(0), np.empty(0), 0.0, 0.0)


def padded(K: int) -> int:
    """The width of a table of the weights of K labels."""
    return -(-K // LANES) * LANES


Table = NDArray[Any]  # (d, padded(K)), float64 or float32
