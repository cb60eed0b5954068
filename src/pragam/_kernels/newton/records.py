"""The records that the kernels of the Newton method take: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector


class Boxes(NamedTuple):
    """Rows in their boxes: alpha_i = anchor_i + size_i beta_i, low_i <= beta_i <= high_i.

    Plain rows have low = 0, high = 1 and bend = 0. These three arrays are then empty, and the loops faster.
    """

    base: Vector  # the centre of the proximal term
    size: Vector  # 0 for a row that cannot move
    low: Vector
    high: Vector
    bend: Vector  # the curvature kappa_i size_i


class Ends(NamedTuple):
    """The bounds of alpha, and the anchor from which beta is measured."""

    anchor: Vector
    lower: Vector
    upper: Vector


class Border(NamedTuple):
    """Row i has the entry sigma_i in the column group_i, and zeros elsewhere. Without a column sigma is 0."""

    sigma: Vector
    group: NDArray[np.int64]


class Line(NamedTuple):
    """What else counts along a line, and when a search on it ends."""

    linear: float
    quadratic: float
    tol: float
    evaluations: int


class Sums(NamedTuple):
    """Over rows."""

    proximal: float  # size (beta - base)^2
    risk: float  # size max over beta of  beta s - bend beta^2 / 2
    linear: float  # size (c beta - bend beta^2 / 2)
    moved: float  # 1 for each row whose alpha changed


class DenseProblem(NamedTuple):
    """A small problem, as ``dense_newton`` sees it. low, high and bend are empty where the rows are plain.

    Dual variable i reads scale_i times row number_i of the matrix; or row i itself, if these two are empty.
    """

    rows: Vector  # (m, d)
    number: NDArray[np.int64]
    scale: Vector
    c: Vector
    size: Vector
    low: Vector
    high: Vector
    bend: Vector
    sigma: Vector
    group: NDArray[np.int64]
    offset: Vector  # of the adjoint
    levels: Vector  # one for each plane
    lam: float
    constant: float


class DenseIterate(NamedTuple):
    """What ``dense_newton`` reads and writes."""

    w: Vector
    biases: Vector
    base: Vector  # the stage's centre, as beta
    beta: Vector
    delta: Vector  # of one entry


class DenseGoal(NamedTuple):
    """When ``dense_newton`` ends."""

    tol: float
    exact: float
    steps: int
    beyond: float  # to the optimum at most this many times the steps that ``tol`` took, and a few more
