r"""Projections of rows of K numbers: the specification of ``label_project``.

On a simplex alpha_k = [v_k - theta]_+ with sum total. On pairs p = [v - t]_+ on the wrong labels and q = [v + t]_+ on
the right ones with equal sums, unless these exceed the total: then both are projections on simplices of that total.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["label_project"]

Matrix = NDArray[np.float64]


def label_project(v: Vector, totals: Vector, wrong: NDArray[np.uint8], K: int, out: Vector) -> None:
    """out = the nearest point to each row of v (n, K): of a simplex if ``wrong`` is empty, else of the pairs."""
    rows = v.reshape(len(totals), K)
    if wrong.size:
        out.reshape(rows.shape)[:] = project_pairs(rows, totals, wrong.reshape(rows.shape) != 0)
    else:
        out.reshape(rows.shape)[:] = project_simplices(rows, totals)


def project_simplices(v: Matrix, total: Vector) -> Matrix:
    """theta is the largest of (v_(1) + ... + v_(r) - total) / r over all r, where v_(1) >= v_(2) >= ...

    Entries more than total below the largest one end at 0. After this cut all numbers are of the size of total, so the
    sum is exact up to rounding, however large v is.
    """
    with np.errstate(over="ignore"):
        near = np.maximum(v - v.max(axis=1, keepdims=True), -total[:, None])
    falling = np.sort(near, axis=1)[:, ::-1]
    theta = (np.cumsum(falling, axis=1) - total[:, None]) / np.arange(1, v.shape[1] + 1)
    point: Matrix = np.maximum(near - theta.max(axis=1, keepdims=True), 0.0)
    return point


def project_pairs(v: Matrix, totals: Vector, wrong: NDArray[np.bool_]) -> Matrix:
    """Balanced sides, or full ones: a side's mass is at least half the height, the sum of the two largest entries."""
    sides = wrong, ~wrong
    tops = [np.where(totals > 0, v.max(axis=1, where=side, initial=-np.inf), 0.0) for side in sides]
    with np.errstate(over="ignore"):
        below = [top[:, None] - v for top in tops]
        height = tops[0] + tops[1]
    balanced = _balanced(np.where(wrong, *below), wrong, np.clip(height, 0.0, 2 * totals)[:, None])
    full = (balanced.sum(axis=1, where=wrong) > totals) | (height > 2 * totals) | (totals == 0)
    if full.any():
        total = totals[full, None]
        near = [
            np.where(side[full], np.maximum(-depth[full], -total), -total)
            for side, depth in zip(sides, below, strict=True)
        ]
        balanced[full] = np.where(wrong[full], *(project_simplices(x, total[:, 0]) for x in near))
    return balanced


def _balanced(below: Matrix, wrong: NDArray[np.bool_], height: Matrix) -> Matrix:
    r"""[y - below]_+ on the wrong labels and [height - y - below]_+ on the right ones, with equal sums.

    ``below`` is how far an entry is below the largest of its side: no entry counts that is more than the height below.
    So the rounding is relative to the height, however large v is. In terms of z = below (wrong) or height - below
    (right), wrong entries count where z < y and right ones where z > y: y is the mean of those z. The excess of the
    wrong ones at each z tells between which two y lies.
    """
    z = np.minimum(below, height)
    z = np.where(wrong, z, height - z)
    order = np.argsort(z, axis=1)
    rising, is_wrong = np.take_along_axis(z, order, 1), np.take_along_axis(wrong, order, 1)
    some, others = np.where(is_wrong, rising, 0.0), np.where(is_wrong, 0.0, rising)
    # Of the entries before each one the wrong, of it and those behind it the right.
    number = np.cumsum(is_wrong, axis=1) - is_wrong + np.cumsum(~is_wrong[:, ::-1], axis=1)[:, ::-1]
    sums = np.cumsum(some, axis=1) - some + np.cumsum(others[:, ::-1], axis=1)[:, ::-1]
    excess = number * rising - sums
    excess[:, -1] = np.inf  # beyond the last one there is no right one left
    first = np.argmax(excess >= 0, axis=1)[:, None]
    number, sums = (np.take_along_axis(x, first, 1) for x in (number, sums))
    y = np.divide(sums, number, out=np.take_along_axis(rising, first, 1), where=number > 0)
    balanced: Matrix = np.maximum(np.where(wrong, y - z, z - y), 0.0)
    return balanced
