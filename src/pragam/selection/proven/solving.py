"""The folds solved at one lam: under one budget, and to the second tolerance where the first leaves too much open."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import hypot
from typing import Any

from pragam.driver.jobs import Settings
from pragam.driver.result import Result, Status
from pragam.runtime.interrupts import Signals
from pragam.selection.proven.bounds import Enough, Interval, bounded, is_settled
from pragam.selection.proven.folds import FoldAtWork
from pragam.selection.proven.goal import Goal
from pragam.selection.proven.points import TOLERANCES, Point

#: What ends a solve before its tolerance, and the search with it.
_CUT = (Status.INTERRUPTED, Status.MAX_SECONDS)


class Solving:
    """``status`` says what has ended the search; None if nothing has.

    With ``is_exact`` a lam is worth what its exact models have at most, and not what the computed one has.
    """

    def __init__(
        self, folds: Sequence[FoldAtWork], goal: Goal, settings: Settings, signals: Signals, is_exact: bool = False
    ) -> None:
        self.folds, self.goal, self.is_exact, self.n_solves = folds, goal, is_exact, 0
        self.status: Status | None = None
        self._settings, self._signals, self._begin = settings, signals, time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self._begin

    @property
    def left(self) -> float | None:
        """The seconds that are left; None without a budget."""
        most = self._settings.max_seconds
        return None if most is None else max(most - self.seconds, 0.0)

    def is_over(self) -> bool:
        """Whether something has ended the search."""
        if self.status is None and self._signals.asked:
            self.status = Status.INTERRUPTED
        if self.status is None and self.left == 0:
            self.status = Status.MAX_SECONDS
        return self.status is not None

    def at(self, lam: float, starts: Sequence[Any] | None, tol: float = TOLERANCES[0]) -> Point:
        """All folds at a lam, from these starts."""
        begins = starts or [None] * len(self.folds)
        results = [
            fold.solve(lam, tol, start, self.left, self._settings)
            for fold, start in zip(self.folds, begins, strict=True)
        ]
        self.n_solves += len(results)
        if any(result.status in _CUT for result in results):
            self.is_over()
            self.status = self.status or Status.MAX_SECONDS
        return self._judged(lam, tol, results)

    def settled(self, point: Point) -> Point:
        """The point, to a smaller gap unless what is known of its own lam is enough."""
        for tol in TOLERANCES:
            if tol < point.tol and not (self._is_enough(point.own) or point.is_at_the_limit or self.is_over()):
                point = self.at(point.lam, point.results, tol)
        return point

    def _is_enough(self, own: Interval) -> bool:
        return self.goal.passes(own.lower) and self._is_known(own)

    def _is_known(self, own: Interval) -> bool:
        """Whether closer bounds could not make this lam the best one."""
        return not self.is_exact or is_settled(own) or own.lower >= self.goal.best

    def _judged(self, lam: float, tol: float, results: list[Result]) -> Point:
        pairs = [fold.pair(lam, result) for fold, result in zip(self.folds, results, strict=True)]
        totals = [fold.total(result) for fold, result in zip(self.folds, results, strict=True)]
        total, length = sum(each for each, _ in totals), hypot(*(each for _, each in totals))
        if not self.is_exact:
            self.goal.note(total, length)
        own = self.alone(pairs, lambda own: self.goal.is_decided(own) and self._is_known(own))
        if self.is_exact:
            self.goal.note(own.upper, length)
        return Point(lam, tol, results, pairs, own.upper if self.is_exact else total, own)

    def alone(self, knots: Sequence[Any], enough: Enough) -> Interval:
        """What a pair of each fold says of its own lam."""
        return self.between(knots, knots, enough)

    def between(self, high: Sequence[Any], low: Sequence[Any], enough: Enough) -> Interval:
        """What two pairs of each fold say of all lams between."""
        cells = [fold.moving.cell(a, b) for fold, a, b in zip(self.folds, high, low, strict=True)]
        return bounded([fold.measure for fold in self.folds], cells, enough)
