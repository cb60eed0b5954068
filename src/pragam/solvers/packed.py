"""The same problem on a packed copy of the data, where every sparse row has one value throughout (binary features).

The copy takes 2 bytes an entry, where X takes 8 to 16, and its rows are sorted by length: products with it are faster
(``benchmarks/kernels.py``). The dual variables are those of the problem in another order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import RowOperator, Vector
from pragam.operators.pattern import PatternRows
from pragam.polytopes import Box
from pragam.problem import Problem


class Packed(NamedTuple):
    """A problem and where its rows come from."""

    problem: Problem
    order: NDArray[np.int64] | None  # their numbers in the original; None: the same

    def pack(self, alpha: Vector) -> Vector:
        """From the order of the original."""
        return alpha if self.order is None else alpha[self.order]

    def unpack(self, alpha: Vector) -> Vector:
        """To the order of the original."""
        if self.order is None:
            return alpha
        out = np.empty_like(alpha)
        out[self.order] = alpha
        return out


def packed(problem: Problem) -> Packed:
    """The problem on packed rows if that can be, else itself."""
    A, Q = problem.A, problem.Q
    assert isinstance(A, RowOperator) and isinstance(Q, Box)
    found = PatternRows.by_length(A)
    if found is None:
        return Packed(problem, None)
    rows, order = found
    kappa = problem.kappa[order] if isinstance(problem.kappa, np.ndarray) else problem.kappa
    return Packed(Problem(rows, problem.c[order], Q.take(order), problem.lam, kappa), order)
