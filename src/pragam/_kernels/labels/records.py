"""The records that the kernels of labels take: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector


class Blocks(NamedTuple):
    """Examples with K dual variables each: alpha_ik = totals_i beta_ik, beta_i in a simplex or in a set of pairs."""

    base: Vector  # (n K,) the centre of the proximal term, in units of the totals
    totals: Vector  # (n,) 0 for an example that cannot move
    wrong: NDArray[np.uint8]  # (n K,) for pairs: 1 on the wrong labels; empty for simplices
    K: int


class BlockLine(NamedTuple):
    """What else counts along a line, and when a search on it ends."""

    linear: float
    quadratic: float
    tol: float
    evaluations: int


class BlockSums(NamedTuple):
    """Over examples."""

    proximal: float  # totals |beta - base|^2
    risk: float  # totals max over beta of <beta, s>
    linear: float  # totals <beta, c>
    moved: float  # 1 for each example whose beta changed
