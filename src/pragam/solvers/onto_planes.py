r"""A dual point of labels moved onto the planes of the biases, as a method proposes it.

    minimise sum_ik |x_ik - alpha_ik|^2 / (2 alpha_ik)    over x with    B' x = levels,

each block keeping its sum (of pairs the signed one, and each side's where both are full). It moves entries by a share
of themselves alone, so a block at a vertex stays there, and the solution is that of K equations. The nearest point
would move every block at a vertex, where the projection has a kink: in a solve of iris its line searches took 455
projections of all blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pragam.operators.base import Vector
from pragam.operators.needs import HasExampleRows
from pragam.polytopes.pairs import Pairs
from pragam.polytopes.per_example import PerExample
from pragam.problem import Problem

#: What rounding leaves of B' x - levels, in units of the roundings of its terms: as the projection.
_ROUNDINGS = 8.0
#: Both sides of a pair are full at this share of the total.
_FULL = 1 - 1e-13
#: Labels that hardly share an example are not moved against each other: singular values below this share are 0.
_APART = 1e-10
_U, _TINY = 2.0**-53, float(np.finfo(np.float64).tiny)


def onto_planes(problem: Problem[HasExampleRows, PerExample], alpha: Vector, is_rough: bool) -> Vector:
    """alpha on the planes; where no share of its entries will do, the nearest point, or one as good if ``is_rough``."""
    moved = _by_shares(problem, alpha) if isinstance(problem.Q, PerExample) else None
    if moved is not None:
        return moved
    return problem.domain.approach(alpha) if is_rough else problem.domain.project(alpha)


def _by_shares(problem: Problem[HasExampleRows, PerExample], alpha: Vector) -> Vector | None:
    """The minimiser above; None if it has a negative entry, too much on a side, or is off the planes."""
    Q, K = problem.Q, problem.Q.K
    rows, off = alpha.reshape(-1, K), problem.B.rmatvec(alpha) - problem.levels
    groups = list(_groups(Q, rows))
    matrix = np.diag(rows.sum(axis=0))
    for part, mass in groups:
        matrix -= part.T @ (part / mass)
    b = np.linalg.lstsq(matrix, -off, rcond=_APART)[0]
    moves = sum(part * (b - (part @ b)[:, None] / mass) for part, mass in groups)
    moved = alpha + problem.B.sigma * np.ravel(moves)
    rounding = _ROUNDINGS * _U * (rows.sum(axis=0) + np.abs(problem.levels))
    is_there = (np.abs(problem.B.rmatvec(moved) - problem.levels) <= rounding).all()
    return moved if is_there and Q.violation(moved) <= _ROUNDINGS * K * _U else None


def _groups(Q: PerExample, rows: Vector) -> Iterator[tuple[Vector, Vector]]:
    """Entries that keep a sum together, 0 elsewhere, and their sums."""
    if not isinstance(Q, Pairs):
        yield rows, np.maximum(rows.sum(axis=1, keepdims=True), _TINY)
        return
    full = (rows.sum(axis=1, where=Q.wrong) >= _FULL * Q.totals)[:, None]
    for chosen in (~full, full & Q.wrong, full & ~Q.wrong):
        part = np.where(chosen, rows, 0.0)
        yield part, np.maximum(part.sum(axis=1, keepdims=True), _TINY)
