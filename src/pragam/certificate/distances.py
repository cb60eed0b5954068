r"""Upper bounds of distances from a point: |x_i - p| of rows, and |a_j - sigma_j p| of dual variables.

    |scale x - sigma p|^2 = scale^2 |x|^2 - 2 scale sigma <x, p> + sigma^2 |p|^2

costs a product with X, and rounds by some 1e-16 of the sizes squared: a distance is too large by at most about 1e-8 of
them. Where squares overflow, scale |x| + sigma |p| bounds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import DataProblem

_ONE = np.ones(1)


def of_rows(X: Storage, p: Vector) -> Vector:
    """At least |x_i - p|, for every row of X; without a product where p = 0."""
    return _distances(X, p, _ONE, _ONE, lambda column: column)


def of_duals(problem: DataProblem, points: Sequence[Vector]) -> Vector:
    """At least |a_j - sigma_j p_k|, for every dual variable j, k its plane."""
    A, B = problem.A, problem.B
    found = np.full(A.shape[0], np.inf)
    for k, p in enumerate(points):
        on = B.group == k  # so are those on no plane, for k = 0, where sigma_j = 0
        found[on] = _distances(A.storage, p, A.scale, B.sigma, A._read)[on]
    return found


def _distances(X: Storage, p: Vector, scale: Vector, sigma: Vector, read: Callable[[Vector], Vector]) -> Vector:
    length, a, b = norm(p), np.abs(scale), np.abs(sigma)
    with np.errstate(over="ignore", invalid="ignore"):
        around = (a * read(X.row_bounds) + b * length) * (1 + gamma(2 * LANES)) + TINY
        if length == 0:
            return around
        size = around * around
        norms2 = (1 + gamma(LANES)) * X.row_norms2
        rounding = gamma(2 * np.asarray(X.counts, dtype=np.float64) + 16) * X.row_sizes**2
        rounding = rounding + TINY * (X.counts + 16.0 * X.shape[1] ** 0.5)
        square = scale**2 * read(norms2) - 2 * (scale * sigma) * read(X.matvec(p)) + (sigma * length) ** 2
        lost = scale**2 * read(rounding) + 2 * (a * b) * read(X.product_error(p))
        lost += gamma(2 * LANES + 32) * size + 16 * TINY * X.shape[1] ** 0.5 * (1 + size)
        near = np.sqrt(np.maximum(square, 0.0) + lost) * (1 + gamma(8))
    bound: Vector = np.fmin(near, around)
    return np.where(np.isnan(bound), np.inf, bound)
