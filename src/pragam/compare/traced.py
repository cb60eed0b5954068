"""A solver that is asked after each step what it would answer now. This takes time, so nobody looks at the clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pragam.compare.judge import Judge
from pragam.problem import AnyProblem
from pragam.solvers.around import Around
from pragam.solvers.base import AnySolver, Certified, Start


class Point(NamedTuple):
    """One kept step."""

    iteration: float
    primal: float  # J(w_t)
    iterate: float  # J of the raw iterate; NaN where w_t is the iterate
    gap: float  # the relative gap certified so far; NaN before the first
    accuracy: float  # of the best w among the kept steps so far
    support: float  # dual variables that are not zero
    chunk_f1: float  # as the accuracy; NaN of data without chunks


class Traced(Around[AnyProblem]):
    """Notes a :class:`Point` after each of the ``steps``. All it asks are queries, so the run stays what it was."""

    def __init__(self, method: AnySolver, judge: Judge, steps: Iterable[int]) -> None:
        super().__init__(method)
        self.points: list[Point] = []
        self._judge, self._steps = judge, frozenset(steps)
        self._step = 0
        self._best, self._accuracy, self._chunk_f1, self._gap = np.inf, np.nan, np.nan, np.nan

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> Any:
        state = self.method.init(problem, rng, start, tol)
        self._note(problem, state)
        return state

    def step(self, problem: AnyProblem, state: Any) -> Any:
        state = self.method.step(problem, state)
        self._step += 1
        self._note(problem, state)
        return state

    def observe(self, problem: AnyProblem, state: Any, certified: Certified) -> Any:
        """The last point gets the gap that was just certified, and so does every later one."""
        self._gap = certified.proof.relative_gap
        if self.points and self._step in self._steps:
            self.points[-1] = self.points[-1]._replace(gap=self._gap)
        return self.method.observe(problem, state, certified)

    def _note(self, problem: AnyProblem, state: Any) -> None:
        if self._step not in self._steps:
            return
        w, alpha, *_ = self.method.candidate(problem, state)
        primal, iterate = self._judge.primal(w), self.method.iterate(problem, state)
        if primal < self._best:
            self._best, self._accuracy, self._chunk_f1 = primal, self._judge.accuracy(w), self._judge.chunk_f1(w)
        raw = np.nan if iterate is None else self._judge.primal(iterate)
        number = self._step * self.method.iterations_per_step(problem)
        worth = self._accuracy, support(alpha), self._chunk_f1
        self.points.append(Point(float(number), primal, raw, self._gap, *worth))


def support(alpha: Any) -> float:
    """How many dual variables are not zero; NaN of a dual point that is no vector."""
    return float(np.count_nonzero(alpha)) if isinstance(alpha, np.ndarray) else np.nan
