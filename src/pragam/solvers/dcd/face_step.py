"""A step of coordinate ascent to the exact maximum of the current face: the rows strictly between their bounds."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from pragam.problem import BoxProblem
from pragam.solvers.dcd.equality import Equality
from pragam.solvers.dcd.sweep import WorkingSet
from pragam.solvers.face import COST_LU, COST_ROUND, COST_SVD, maximise_on_face

#: No solve beyond this many free rows: its matrix would be the largest thing in memory.
_LARGEST = 2000


class Climbed(NamedTuple):
    rows: int  # how many rows the face had; 0 if nothing was done
    cost: float  # in the unit of COST_LU


def price_of_face(problem: BoxProblem, work: WorkingSet, equality: Equality, free: int) -> float:
    """What a solve with this many free rows costs at least; inf if there is none to be made.

    More free rows than weights (and bias) are linearly dependent, which makes the solve expensive.
    """
    if not 0 < free <= _LARGEST:
        return inf
    regular = free <= problem.n_weights + equality.active
    return COST_ROUND + _assembly(work, free) + (COST_LU if regular else COST_LU + COST_SVD) * free**3


def climb_face(problem: BoxProblem, work: WorkingSet, equality: Equality, credit: float) -> Climbed:
    """Move alpha, w and the multiplier to the maximum of the face, if ``credit`` pays for it."""
    Q, A = problem.Q, problem.A
    free = np.flatnonzero((work.alpha > Q.lower) & (work.alpha < Q.upper))
    if price_of_face(problem, work, equality, free.size) > credit:
        return Climbed(0, 0.0)
    part = A.take(free)
    slopes = part.matvec(work.w) + problem.c[free]
    sigma = equality.sigma[free] if equality.active else None
    assembly = _assembly(work, free.size)
    maximum = maximise_on_face(
        part.gram() / problem.lam, slopes if sigma is None else slopes - equality.bias * sigma, work.alpha[free],
        Q.lower[free], Q.upper[free], sigma, equality.residual, budget=credit - assembly,
    )  # fmt: skip
    work.w -= part.rmatvec(maximum.alpha - work.alpha[free]) / problem.lam
    work.alpha[free] = maximum.alpha
    equality.refresh(problem, work.w, work.alpha)
    equality.multiplier += maximum.shift
    return Climbed(free.size, assembly + maximum.cost)


def _assembly(work: WorkingSet, free: int) -> float:
    """What the Gram matrix of this many rows costs."""
    return free**2 * work.entries / work.size
