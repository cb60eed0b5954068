"""The records that the kernels of coordinate ascent take: each converts to a std::tuple of arrays and numbers.

No array is converted on the way, so a number beside arrays has to be a Python float or int itself.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

Indices = NDArray[np.int64]

#: Columns of the table of the dual variables, one cache line for each: A = diag(scale) X, the offset c, the box, the
#: whole curvature q along the variable, the part of it that belongs to this variable alone, alpha, and the slope after
#: the last visit (NaN where that is too long ago to tell).
SCALE, C, LOWER, UPPER, CURVATURE, OWN, ALPHA, SLOPE = range(8)


class Variables(NamedTuple):
    """Dual variables, with all that a sweep reads and writes of them."""

    table: Vector  # (n, 8), see above
    number: Indices | None = None  # the data row that each variable reads; None: variable i reads row i
    kappa: Vector | None = None  # the curvature of g along each variable; None: g = 0
    joint: bool = False  # whether neighbours that read one row are moved together (see sweep.py)


class Planes(NamedTuple):
    """The planes <sigma, alpha>_k = level_k, r_k = <sigma, alpha>_k - level_k. Empty arrays where there are none."""

    terms: Vector  # (n, 2), sigma and lift = A m of each variable
    group: Indices | None  # the plane of each variable; None: there is one plane at most
    running: Vector  # r_1 .. r_K, then the moment <m, w>
    multiplier: Vector  # b_k; the bias of the model is b_k + <m, w>
    rho: float  # the weight of r_k^2 / 2
    centre2: float  # |m|^2


NO_PLANES = Planes(np.empty((0, 2)), None, np.empty(0), np.empty(0), 0.0, 0.0)


class Visits(NamedTuple):
    """Which variables a sweep meets, and in which order."""

    active: Indices  # its first n_active are met; those that stay are moved to the front
    n_active: int
    reach: float  # a variable that is held at its bound by a slope s with s^2 > reach q leaves
    block: int  # so many neighbours are met together
    seed: int  # of the order


class Batch(NamedTuple):
    """When further sweeps follow in one call: a call for each would cost more than a sweep over few rows."""

    caution2: float = inf  # their reach over drift2
    before: float = inf  # the gap of the sweep before the first
    goal: float = 0.0  # the gap that ends them
    entries: int = 0  # the number of entries met that ends them
    rows: int = 0  # the number of visits that ends them


class Points(NamedTuple):
    """Points and differences of points, each an array of alpha, w and what is running."""

    before: Vector  # where the sweep began
    step: Vector  # p, the sweep's step
    history: Vector  # h, the whole step before it


class Ascent(NamedTuple):
    """What a sweep has gained, and what was known before it."""

    gain: float  # of F, by the sweep
    slope: float  # of F along h, where the sweep began
    has_history: bool  # whether there is an h


class Limits(NamedTuple):
    """How far momentum is trusted."""

    ridge: float  # this share of the curvature along h is added to it
    longest: float  # the two coefficients are at most this large
    clipped: float  # if more than this share of the variables leaves the box, h is not worth keeping


class Single(NamedTuple):
    """Where the copy of all rows in single precision is written, and the place of each of its rows."""

    indices: NDArray[np.uint16] | NDArray[np.uint32]
    data: NDArray[np.float32]
    indptr: Indices


class Compact(NamedTuple):
    """Where the copy of some rows is written."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: Indices
    w: Vector  # of the columns that are kept
    score: Vector  # sums of x_ij w_j over the columns that are left out, of each row
    norm2: Vector  # sums of x_ij^2 over them
