"""A step of coordinate ascent to the exact maximum of the current face: the rows strictly between their bounds."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from pragam.problem import BoxProblem
from pragam.solvers.dcd.multipliers import Multipliers
from pragam.solvers.dcd.sweep import WorkingSet
from pragam.solvers.face import COST_LU, COST_ROUND, COST_SVD, maximise_on_face

#: No solve beyond this many free rows: its matrix would be the largest thing in memory.
_LARGEST = 2000


class Climbed(NamedTuple):
    rows: int  # how many rows the face had; 0 if nothing was done
    cost: float  # in the unit of COST_LU


def price_of_face(problem: BoxProblem, work: WorkingSet, multipliers: Multipliers, free: int) -> float:
    """What a solve with this many free rows costs at least; inf if there is none to be made.

    More free rows than weights (and biases) are linearly dependent unless g is curved, which makes the solve expensive.
    """
    if not 0 < free <= _LARGEST:
        return inf
    regular = free <= problem.n_weights + multipliers.count or work.variables.kappa is not None
    return COST_ROUND + _assembly(work, free) + (COST_LU if regular else COST_LU + COST_SVD) * free**3


def climb_face(problem: BoxProblem, work: WorkingSet, multipliers: Multipliers, credit: float) -> Climbed:
    """Move alpha, w and the multipliers to the maximum of the face, if ``credit`` pays for it."""
    Q, A = problem.Q, problem.A
    free = np.flatnonzero((work.alpha > Q.lower) & (work.alpha < Q.upper))
    if price_of_face(problem, work, multipliers, free.size) > credit:
        return Climbed(0, 0.0)
    part = A.take(free)
    gram, slopes = part.gram() / problem.lam, part.matvec(work.w) + problem.c[free]
    if work.variables.kappa is not None:
        gram[np.diag_indices(free.size)] += work.variables.kappa[free]
        slopes -= work.variables.kappa[free] * work.alpha[free]
    planes = multipliers.rows_of_planes(free)
    assembly = _assembly(work, free.size)
    maximum = maximise_on_face(
        gram, slopes + multipliers.biases @ planes, work.alpha[free], Q.lower[free], Q.upper[free], planes,
        multipliers.residuals, budget=credit - assembly,
    )  # fmt: skip
    work.w -= part.rmatvec(maximum.alpha - work.alpha[free]) / problem.lam
    work.alpha[free] = maximum.alpha
    multipliers.refresh(work.w, work.alpha)
    multipliers.planes.multiplier[:] += maximum.shift
    return Climbed(free.size, assembly + maximum.cost)


def _assembly(work: WorkingSet, free: int) -> float:
    """What the Gram matrix of this many rows costs."""
    return free**2 * work.entries / work.size
