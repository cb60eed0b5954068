"""The lams of a range that are solved, in falling order, and who is next to whom."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pragam.driver.result import Result, Status
from pragam.selection.proven.bounds import Interval

#: The tolerances in turn: the second where the first leaves too much open. Less float64 does not prove as a rule.
TOLERANCES = (1e-9, 1e-13)
#: What more work would not change.
_LEAST = (Status.ROUNDING, Status.STALLED, Status.FAILED)


@dataclass(eq=False)
class Point:
    """A solved lam.

    results, pairs : of each fold; none any more once no cell beside it waits
    total : what the lam is worth, the sum of the computed models as a rule; ``own`` has that of the exact ones
    gap : the largest certified relative gap of the folds
    """

    lam: float
    tol: float
    results: list[Result]
    pairs: list[Any]
    total: float
    own: Interval

    def __post_init__(self) -> None:
        self.gap = max(result.certificate.relative_gap for result in self.results)
        self.is_at_the_limit = self.tol <= TOLERANCES[-1] or all(each.status in _LEAST for each in self.results)


class Points:
    """Sorted by falling lam. ``best`` is that of the least total, of several the largest lam: also one that a smaller
    gap has shown to be lucky."""

    best: Point

    def __init__(self) -> None:
        self._all: list[Point] = []

    def __iter__(self) -> Iterator[Point]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def put(self, point: Point) -> None:
        """One more, or a better one at its lam."""
        if not self._all or _rank(point) < _rank(self.best):
            self.best = point
        k = bisect_left(self._all, -point.lam, key=_place)
        if k < len(self._all) and self._all[k].lam == point.lam:
            self._all[k] = point
        else:
            insort(self._all, point, key=_place)

    def around(self, high: float, low: float) -> tuple[Point, Point] | None:
        """The nearest ones with pairs on either side of a cell; None if it has not two."""
        first, last = bisect_right(self._all, -high, key=_place), bisect_left(self._all, -low, key=_place)
        above = next((point for point in reversed(self._all[:first]) if point.pairs), None)
        below = next((point for point in self._all[last:] if point.pairs), None)
        return None if above is None or below is None else (above, below)

    def forget_all_but(self, cells: Iterable[tuple[float, float]]) -> None:
        """Of points next to which no cell (high, low) waits the numbers are kept alone; of the best one the results."""
        live = [point for point in self._all if point.pairs]
        gaps = {bisect_right(live, -high, key=_place) for high, _ in cells}  # of the point below
        for k, point in enumerate(live):
            if not {k, k + 1} & gaps:
                point.pairs = []
        for point in self._all:
            if not point.pairs and point is not self.best:
                point.results = []


def _place(point: Point) -> float:
    return -point.lam


def _rank(point: Point) -> tuple[float, float, float]:
    return point.total, -point.lam, point.gap
