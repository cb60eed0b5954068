"""A solver that is watched: it answers as the one inside does, to the bit, and somebody takes notes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Certified, Cost, Solver, Start


class Watched(Solver[AnyProblem, Any]):
    """Delegates everything to ``method``, whose state is passed through as it is."""

    def __init__(self, method: AnySolver) -> None:
        self.method = method

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.method.name

    def missing(self, problem: AnyProblem) -> list[str]:  # type: ignore[override]
        return self.method.missing(problem)

    def cost(self, problem: AnyProblem, tol: float) -> Cost:
        return self.method.cost(problem, tol)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> Any:
        return self.method.init(problem, rng, start, tol)

    def step(self, problem: AnyProblem, state: Any) -> Any:
        return self.method.step(problem, state)

    def candidate(self, problem: AnyProblem, state: Any) -> tuple[Vector, Vector]:
        return self.method.candidate(problem, state)

    def observe(self, problem: AnyProblem, state: Any, certified: Certified) -> Any:
        return self.method.observe(problem, state, certified)

    def iterate(self, problem: AnyProblem, state: Any) -> Vector | None:
        return self.method.iterate(problem, state)

    def iterations_per_step(self, problem: AnyProblem) -> int:
        return self.method.iterations_per_step(problem)

    def estimate(self, problem: AnyProblem, state: Any) -> float | None:
        return self.method.estimate(problem, state)

    def progress(self, problem: AnyProblem, state: Any) -> float | None:
        return self.method.progress(problem, state)

    def recover(self, problem: AnyProblem, state: Any, start: Start) -> Any | None:
        return self.method.recover(problem, state, start)

    def label(self, state: Any) -> str:
        return self.method.label(state)

    def n_screened(self, state: Any) -> int:
        return self.method.n_screened(state)
