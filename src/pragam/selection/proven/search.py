r"""The search for a proof: lams are solved where the proof of the cells between them needs it, and nowhere else.

1. lam_max, lam_max/4, .. lam_min are solved, each from the one before, and every cell between two of them is bounded.
2. A cell that passes (:mod:`.goal`) is done. Of one that does not, the free pair in its middle is asked: if that lam
   alone passes, the cell is halved without a solve. If not, the middle is solved, from the free pair.
3. A solved lam whose own sum does not pass is solved to the second tolerance.

Those cells come first that lack the most, by octaves: so what is proven of the whole range halves again and again, and
a cell that does not pass loosely would have to be split in any case. Of these, cells beside the least errors come
first, as a better model there makes all others easier. What has passed has passed for good.

A cell is *open*, is left, and does not count as proven, when it has shrunk to a relative width of ``_NARROW``; when it
lies between two lams of which neither passes at the limit of float64; or when one of its ends does not, and it has
shrunk to ``_EDGE``. So it is where a score is 0 at every lam of an interval, or several biases are best.

Whatever ends the search (a budget, Ctrl-C, a callback), every lam of the range lies in a cell with bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

from pragam.driver.result import Status
from pragam.selection.proven.bounds import Interval, anything
from pragam.selection.proven.points import Point, Points
from pragam.selection.proven.solving import Solving

#: The first lams are so many times apart.
_STEP = 4.0
#: A cell is open when its ends are this near to each other, as a share.
_NARROW = 1e-10
#: The same, where one of the ends fails for good. Where exactly that begins is not worth a solve for each digit.
_EDGE = 1e-6


@dataclass(eq=False)
class Cell:
    """All lams from ``low`` to ``high``, and between which numbers the sum of every exact model there is."""

    high: float
    low: float
    known: Interval
    beside: tuple[Point, Point] | None = None  # whose pairs have bounded it

    @property
    def middle(self) -> float:
        """In the geometric mean."""
        return self.high**0.5 * self.low**0.5

    def is_within(self, width: float) -> bool:
        """Whether its ends are as near to each other, as a share."""
        return self.high <= self.low * (1 + width) or not self.low < self.middle < self.high


@dataclass(frozen=True)
class RangeProgress:
    """What a callback sees after each solve. A true return value ends the search."""

    lam: float  # that was solved last
    n_points: int
    n_cells: int  # that wait for a proof
    best: float  # the least error so far, a mean over the rows left out
    proven: float  # no lam of the range has an error lower than best by more than this
    seconds: float


class Search:
    """``run`` it once; then ``points`` and ``cells`` (by falling lam) are what it found."""

    def __init__(self, solving: Solving, callback: Callable[[RangeProgress], Any] | None = None) -> None:
        self.solving, self.points, self.cells = solving, Points(), list[Cell]()
        self._goal, self._callback = solving.goal, callback
        self._nothing = anything([fold.measure for fold in solving.folds])
        self._waiting: list[tuple[tuple[int, float, int], Cell]] = []
        self._present: list[Cell] = []  # that is taken out, to be split
        self._number = count()
        self._near: tuple[Any, dict[float, list[Any]]] = None, {}  # the pairs between the last two points

    def run(self, low: float, high: float) -> None:
        """Until everything has passed or is open, or something ends it."""
        self._first(_stops(low, high))
        while self._waiting and not self.solving.is_over():
            cell = heapq.heappop(self._waiting)[1]
            self._present = [cell]
            if not self._is_done(cell):
                self._split(cell)
            self._present = []
            self.points.forget_all_but((each.high, each.low) for _, each in self._waiting)
        self.cells = sorted([*self.cells, *(each for _, each in self._waiting)], key=lambda cell: -cell.high)

    def _first(self, lams: list[float]) -> None:
        """The first lams, and the cells between them; one lam, however little time there is."""
        starts = None
        for lam in lams:
            point = self._solved(lam, starts)
            starts = point.results
            if self.solving.is_over():
                break
        self._goal.fix()
        for point in list(self.points):
            self._settle(point)
        reached = [point.lam for point in self.points]
        for high, low in pairwise(reached):
            self._wait(Cell(high, low, self._nothing))
        if reached[-1] > lams[-1]:  # the end came first
            self.cells.append(Cell(reached[-1], lams[-1], self._nothing))

    # One cell ------------------------------------------------------------------------------------------------------

    def _split(self, cell: Cell) -> None:
        """Its two halves, with or without a solve in the middle."""
        middle = cell.middle
        free = self._knots(cell, middle)
        if not self._goal.passes(self.solving.alone(free, self._goal.is_decided).lower):
            self._settle(self._solved(middle, [knot.start for knot in free]))
        for high, low in ((cell.high, middle), (middle, cell.low)):
            self._wait(Cell(high, low, cell.known))

    def _wait(self, cell: Cell) -> None:
        """A new cell is done, or open, or waits for its turn."""
        if self._is_done(cell):
            return
        assert cell.beside is not None
        failing = [self._fails(*each) for each in zip(cell.beside, (cell.high, cell.low), strict=True)]
        if all(failing) or cell.is_within(_EDGE if any(failing) else _NARROW):
            self.cells.append(cell)
            return
        order = -self._goal.octave(cell.known.lower), min(point.total for point in cell.beside), next(self._number)
        heapq.heappush(self._waiting, (order, cell))

    def _fails(self, point: Point, lam: float) -> bool:
        """Whether a lam fails for good: it is solved as nearly as float64 proves."""
        return point.lam == lam and point.is_at_the_limit and not self._goal.passes(point.own.lower)

    def _is_done(self, cell: Cell) -> bool:
        """Whether it passes, by pairs that are as near as there are."""
        beside = self.points.around(cell.high, cell.low)
        assert beside is not None  # every cell that waits lies between two
        if not self._goal.passes(cell.known.lower) and beside != cell.beside:
            cell.beside = beside
            high, low = self._knots(cell, cell.high), self._knots(cell, cell.low)
            cell.known = self.solving.between(high, low, self._goal.is_decided).within(cell.known)
        if self._goal.passes(cell.known.lower):
            self.cells.append(cell)
            return True
        return False

    def _knots(self, cell: Cell, lam: float) -> list[Any]:
        """The pairs of the folds at a lam between the two points beside a cell; those of the last two are kept."""
        assert cell.beside is not None
        if self._near[0] != cell.beside:
            self._near = cell.beside, {point.lam: point.pairs for point in cell.beside}
        if lam not in self._near[1]:
            folds = zip(self.solving.folds, *(point.pairs for point in cell.beside), strict=True)
            self._near[1][lam] = [fold.moving.between(one, other, fold.lam(lam)) for fold, one, other in folds]
        return self._near[1][lam]

    # One lam -------------------------------------------------------------------------------------------------------

    def _solved(self, lam: float, starts: list[Any] | None) -> Point:
        point = self.solving.at(lam, starts)
        self.points.put(point)
        self._tell(lam)
        return point

    def _settle(self, point: Point) -> None:
        finer = self.solving.settled(point)
        if finer is not point:
            self.points.put(finer)
            self._tell(point.lam)

    def _tell(self, lam: float) -> None:
        if self._callback is None:
            return
        cells = [*self.cells, *self._present, *(each for _, each in self._waiting)]
        lower = min((cell.known.lower for cell in cells), default=self._nothing.lower)
        best, proven = self._goal.least_mean(self._goal.best), self._goal.proven(lower)
        seen = RangeProgress(lam, len(self.points), len(self._waiting), best, proven, self.solving.seconds)
        if self._callback(seen) and self.solving.status is None:
            self.solving.status = Status.STOPPED


def _stops(low: float, high: float) -> list[float]:
    """From ``high`` down to ``low``."""
    lams = [high]
    while lams[-1] / _STEP > low:
        lams.append(lams[-1] / _STEP)
    return [*lams, low]
