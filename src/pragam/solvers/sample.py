r"""A first guess from a sample of the rows: where there are many more rows than weights, most of them say the same.

Of n rows a sixteenth (or a quarter) is drawn, each class by itself, and the boxes of the sample grow by as much, so
that the total weight of the loss stays. Not worth it where the smaller class would keep too few rows to fix d weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import RowOperator
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem

_SHARES = (1 / 16, 1 / 4)
_LEAST_ROWS = 500
_ROWS_PER_WEIGHT = 4.0
_SMALLER_CLASS_PER_WEIGHT = 2.5


def sample_rows(problem: Problem, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """The numbers of the rows in the sample, sorted, or None if a sample would not help."""
    A = problem.A
    assert isinstance(A, RowOperator)
    n, d = A.shape
    positive = A.rows().scale > 0
    smaller = min(positive.mean(), 1 - positive.mean())
    needed = max(_LEAST_ROWS, _ROWS_PER_WEIGHT * d, _SMALLER_CLASS_PER_WEIGHT * d / smaller if smaller > 0 else 0.0)
    share = next((share for share in _SHARES if share * n >= needed), None)
    if share is None:
        return None
    strata = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    return np.sort(np.concatenate([rng.choice(s, int(np.ceil(share * len(s))), replace=False) for s in strata]))


def sampled_problem(problem: Problem, rows: NDArray[np.int64]) -> Problem:
    """The problem on these rows alone, their boxes scaled to the total weight of all."""
    A, Q = problem.A, problem.Q
    assert isinstance(A, RowOperator) and isinstance(Q, Box)
    growth = Q.size / len(rows)
    lower, upper = growth * Q.lower[rows], growth * Q.upper[rows]
    part = BoxPlane(lower, upper, Q.sigma[rows], Q.z) if isinstance(Q, BoxPlane) else Box(lower, upper)
    return Problem(A.take(rows), problem.c[rows], part, problem.lam)
