r"""A first guess from a sample of the rows: where there are many more rows than weights, most of them say the same.

A quarter of the rows is drawn, each class by itself, and the boxes of the sample grow by as much, so that the total
weight of the loss stays. The sample's own first guess comes from a quarter of it, and so on, as long as the smaller
class keeps enough rows to fix d weights.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.problem import BoxProblem

#: One row of this many is drawn.
_ONE_OF = 4
#: A sample has at least this many rows.
_LEAST_ROWS = 500
#: A sample has at least this many rows for each weight.
_ROWS_PER_WEIGHT = 4.0
#: The smaller class has at least this many rows for each weight in the sample.
_SMALLER_CLASS_PER_WEIGHT = 2.5


def sample_rows(problem: BoxProblem, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """The numbers of the rows in the sample, sorted, or None if a sample would not help."""
    A = problem.A
    n, d = A.shape
    positive = A.rows().scale > 0
    strata = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    smaller = min(len(stratum) for stratum in strata) / max(n, 1)
    needed = max(_LEAST_ROWS, _ROWS_PER_WEIGHT * d, _SMALLER_CLASS_PER_WEIGHT * d / smaller if smaller > 0 else 0.0)
    if n < _ONE_OF * needed:
        return None
    return np.sort(np.concatenate([_one_of_each_few(stratum, rng) for stratum in strata]))


def _one_of_each_few(rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """One of each _ONE_OF neighbours: a sample that follows the order of the data."""
    firsts = np.arange(0, len(rows) - _ONE_OF + 1, _ONE_OF)
    return rows[firsts + rng.integers(0, _ONE_OF, len(firsts))]
