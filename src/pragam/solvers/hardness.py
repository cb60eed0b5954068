"""How hard a problem is for coordinate ascent."""

from __future__ import annotations

import numpy as np

from pragam.problem import BoxProblem

#: Rounding in a difference of squares, relative to them: a smaller one is not to be trusted.
_CANCELLATION = 1e-12


def hardness(problem: BoxProblem) -> float:
    """C R^2: the mean width of the boxes over lam, times the mean of |a_i|^2. A hinge loss has C = 1/(n lam).

    With a bias the rows are those of the centred data, a_i - sigma_i m, whose squares are least in sum: |A|^2 - |A'
    sigma|^2 / |sigma|^2.
    """
    A, Q, sigma = problem.A, problem.Q, problem.B.sigma
    norms = A.row_norms()
    squares = float(norms @ norms)
    if sigma.any():
        moment = A.rmatvec(sigma)
        squares = max(squares - float(moment @ moment) / float(sigma @ sigma), _CANCELLATION * squares)
    return float(np.mean(Q.upper - Q.lower)) / problem.lam * squares / A.shape[0]
