"""The sum over the folds at all lams of a cell: bounded by few products first, by kinks where that is not enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np

from pragam.numerics.arguments import LARGEST
from pragam.selection.proven.measures import Measure

#: The first rows that kinks are asked for; twice as many each time, as long as the answer is open.
_FIRST = 256


class Interval(NamedTuple):
    """Between which numbers the sum of every exact model is."""

    lower: float
    upper: float

    def within(self, other: Interval) -> Interval:
        """What both say."""
        return Interval(max(self.lower, other.lower), min(self.upper, other.upper))


#: Whether bounds are as near to each other as they have to be.
Enough = Callable[[Interval], bool]


def bounded(measures: Sequence[Measure], cells: Sequence[Any], enough: Enough) -> Interval:
    """The sum over the folds, each with its cell, as closely as it has to be, or as may be."""
    ends = [cell.ends() for cell in cells]
    found = [Interval(*measure.bounds(each)) for measure, each in zip(measures, ends, strict=True)]
    for k in sorted(range(len(cells)), key=lambda k: found[k].lower - found[k].upper):
        rows, step = measures[k].open_rows(ends[k]), _FIRST
        while len(rows) and not enough(_sum(found)):
            now, rows, step = rows[:step], rows[step:], 2 * step
            ends[k][now] = cells[k].finer(now, ends[k][now])
            found[k] = Interval(*measures[k].bounds(ends[k]))
    return _sum(found)


def is_settled(found: Interval) -> bool:
    """Whether all exact models have one sum."""
    return found.lower == found.upper


def anything(measures: Sequence[Measure]) -> Interval:
    """What is known of a lam of which nothing is."""
    open_ends = (np.tile([-np.inf, np.inf], (measure.X.shape[0], 1)) for measure in measures)
    return _sum([Interval(*measure.bounds(each)) for measure, each in zip(measures, open_ends, strict=True)])


def _sum(found: Sequence[Interval]) -> Interval:
    """Over the folds, rounded outward where float64 does not hold the sum."""
    lower, upper = (sum(each[k] for each in found) for k in (0, 1))
    if isfinite(upper):  # and so is all that is summed
        return Interval(-_not_below([-each.lower for each in found]), _not_below([each.upper for each in found]))
    return Interval(min(lower, LARGEST), upper)


def _not_below(terms: list[float]) -> float:
    value = fsum(terms)
    return nextafter(value, inf) if fsum([*terms, -value]) > 0 else value
