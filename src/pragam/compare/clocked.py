"""A solver on the clock: when each of its steps was done. Nothing else is noted, so it is as fast as unwatched."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from pragam.problem import AnyProblem
from pragam.solvers.around import Around
from pragam.solvers.base import AnySolver, Certified, Start


class Clocked(Around[AnyProblem]):
    """``times[t]`` is the time after step t and, if the driver certified it, after its certificate; t = 0: the start.

    Certificates count as the solver's time: a step without its proof would be half an answer.
    """

    def __init__(self, method: AnySolver) -> None:
        super().__init__(method)
        self.times: list[float] = []

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> Any:
        state = self.method.init(problem, rng, start, tol)
        self.times.append(perf_counter())
        return state

    def step(self, problem: AnyProblem, state: Any) -> Any:
        state = self.method.step(problem, state)
        self.times.append(perf_counter())
        return state

    def observe(self, problem: AnyProblem, state: Any, certified: Certified) -> Any:
        state = self.method.observe(problem, state, certified)
        self.times[-1] = perf_counter()
        return state
