"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

import numpy as np

from pragam.operators.base import RowOperator
from pragam.polytopes import Box
from pragam.problem import Problem


def hardness(problem: Problem) -> float:
    """C R^2: the mean width of the boxes over lam, times the mean of |a_i|^2. A hinge loss has C = 1/(n lam)."""
    A, Q = problem.A, problem.Q
    assert isinstance(A, RowOperator) and isinstance(Q, Box)
    norms = A.row_norms()
    return float(np.mean(Q.upper - Q.lower)) / problem.lam * float(norms @ norms) / A.shape[0]
