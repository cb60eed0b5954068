r"""A first guess from a sample of the rows: where there are many more rows than weights, most of them say the same.

A quarter of the data rows is drawn, with all of the dual variables that read them. Each class is sampled by itself,
where a row's class is the number of its dual variables with a positive sign: those of margins are the two classes or
the ordered labels, and targets are one class. The sample's own first guess comes from a quarter of it, and so on, as
long as enough rows are left to fix d weights, also outside the largest class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import RowOperator

#: One row of this many is drawn.
_ONE_OF = 4
#: A sample has at least this many rows.
_LEAST_ROWS = 500
#: A sample has at least this many rows for each weight.
_ROWS_PER_WEIGHT = 4.0
#: A sample has at least this many rows for each weight outside the largest class.
_OTHERS_PER_WEIGHT = 2.5


def sample_rows(A: RowOperator, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """The numbers of the dual variables in the sample, sorted, or None if a sample would not help."""
    rows, d = A.rows(), A.shape[1]
    if rows.number is None:
        return _sample((rows.scale > 0).astype(np.int64), d, rng)
    n = int(rows.number.max(initial=-1)) + 1
    drawn = _sample(np.bincount(rows.number[rows.scale > 0], minlength=n), d, rng)
    if drawn is None:
        return None
    is_drawn = np.zeros(n, dtype=np.bool_)
    is_drawn[drawn] = True
    return np.flatnonzero(is_drawn[rows.number])


def _sample(classes: NDArray[np.int64], d: int, rng: np.random.Generator) -> NDArray[np.int64] | None:
    """Data rows of every class."""
    strata = [np.flatnonzero(classes == label) for label in np.flatnonzero(np.bincount(classes))[::-1]]
    n = len(classes)
    others = n - max((len(stratum) for stratum in strata), default=0)
    if n < _ONE_OF * _needed(n, d, others):
        return None
    is_drawn = np.zeros(n, dtype=np.bool_)
    for stratum in strata:
        is_drawn[stratum[_one_of_each(_ONE_OF, len(stratum), rng)]] = True
    return np.flatnonzero(is_drawn)


def drawn_rows(
    n: int, d: int, is_positive: NDArray[np.bool_] | None, one_of: int, rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """One of up to ``one_of`` neighbours among n rows, perhaps of two classes, or None if a sample would not help."""
    positive = 0 if is_positive is None else int(np.count_nonzero(is_positive))
    few = min(one_of, int(n / _needed(n, d, min(positive, n - positive))))
    return None if few < _ONE_OF else _one_of_each(few, n, rng)


def _needed(n: int, d: int, others: int) -> float:
    """How many rows a sample needs for d weights, if so many of all n are outside the largest class."""
    return max(_LEAST_ROWS, _ROWS_PER_WEIGHT * d, _OTHERS_PER_WEIGHT * d * n / others if others > 0 else 0.0)


def _one_of_each(few: int, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One of each few neighbours: a sample that follows the order of the data."""
    firsts = np.arange(0, n - few + 1, few)
    return firsts + rng.integers(0, few, len(firsts))
