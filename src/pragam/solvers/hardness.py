"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

import numpy as np

from pragam.operators.base import RowOperator
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem

#: Rounding in a difference of squares, relative to them: a smaller one is not to be trusted.
_CANCELLATION = 1e-12


def hardness(problem: Problem) -> float:
    """C R^2: the mean width of the boxes over lam, times the mean of |a_i|^2. A hinge loss has C = 1/(n lam).

    With a bias the rows are those of the centred data, a_i - sigma_i m, whose squares are least in sum: |A|^2 - |A'
    sigma|^2 / |sigma|^2.
    """
    A, Q = problem.A, problem.Q
    assert isinstance(A, RowOperator) and isinstance(Q, Box)
    norms = A.row_norms()
    squares = float(norms @ norms)
    if isinstance(Q, BoxPlane) and Q.sigma.any():
        moment = A.rmatvec(Q.sigma)
        squares = max(squares - float(moment @ moment) / float(Q.sigma @ Q.sigma), _CANCELLATION * squares)
    return float(np.mean(Q.upper - Q.lower)) / problem.lam * squares / A.shape[0]
