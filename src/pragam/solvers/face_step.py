"""A step of coordinate ascent to the exact maximum of the current face: the rows strictly between their bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.operators.base import RowOperator
from pragam.polytopes import Box
from pragam.problem import Problem
from pragam.solvers.equality import Equality
from pragam.solvers.face import COST_LU, COST_ROUND, COST_SVD, maximise_on_face
from pragam.solvers.working_set import WorkingSet

#: No solve beyond this many free rows: its matrix would be the largest thing in memory.
_LARGEST = 2000


class Climbed(NamedTuple):
    rows: int  # how many rows the face had; 0 if nothing was done
    work: float  # what it cost, see COST_LU


def climb_face(problem: Problem, work: WorkingSet, equality: Equality, credit: float) -> Climbed:
    """Move alpha, w and the multiplier to the maximum of the face, if ``credit`` pays for it.

    More free rows than weights (and bias) are linearly dependent, which makes the solve dear.
    """
    Q, A = problem.Q, problem.A
    assert isinstance(Q, Box) and isinstance(A, RowOperator)
    free = np.flatnonzero((work.alpha > Q.lower) & (work.alpha < Q.upper))
    assembly = free.size**2 * work.entries / Q.size
    regular = free.size <= problem.n_weights + equality.active
    price = COST_ROUND + assembly + (COST_LU if regular else COST_LU + COST_SVD) * free.size**3
    if not 0 < free.size <= _LARGEST or price > credit:
        return Climbed(0, 0.0)
    part = A.take(free)
    slopes = part.matvec(work.w) + problem.c[free]
    sigma = equality.sigma[free] if equality.active else None
    maximum = maximise_on_face(
        part.gram() / problem.lam, slopes if sigma is None else slopes - equality.bias * sigma, work.alpha[free],
        Q.lower[free], Q.upper[free], sigma, equality.residual, budget=credit - assembly,
    )  # fmt: skip
    work.w -= part.rmatvec(maximum.alpha - work.alpha[free]) / problem.lam
    work.alpha[free] = maximum.alpha
    equality.refresh(problem, work.w, work.alpha)
    equality.multiplier += maximum.shift
    return Climbed(free.size, assembly + maximum.work)
