"""A solver that needs a projection, on a problem whose set has one only when it is unfolded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam.numerics.vector import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Certified, Cost, Solver, Start, State


@dataclass
class UnfoldedState(State):
    problem: AnyProblem  # the unfolded one
    inner: Any


@dataclass(frozen=True)
class Unfolded(Solver[AnyProblem, UnfoldedState]):
    """``method`` on ``problem.Q.unfold(problem)``, which has the same weights. Its dual points are dual points of the
    problem itself."""

    method: AnySolver

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.method.name

    def cost(self, problem: AnyProblem, tol: float) -> Cost:
        return self.method.cost(problem.Q.unfold(problem), tol)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> UnfoldedState:
        unfolded = problem.Q.unfold(problem)
        if start is not None:
            start = Start(start.w, problem.Q.structure.unfolded_point(start.alpha))
        inner = self.method.init(unfolded, rng, start, tol)
        return UnfoldedState(inner.passes, unfolded, inner)

    def step(self, problem: AnyProblem, state: UnfoldedState) -> UnfoldedState:
        inner = self.method.step(state.problem, state.inner)
        return UnfoldedState(inner.passes, state.problem, inner)

    def candidate(self, problem: AnyProblem, state: UnfoldedState) -> tuple[Vector, Any]:
        return self.method.candidate(state.problem, state.inner)

    def iterate(self, problem: AnyProblem, state: UnfoldedState) -> Vector | None:
        return self.method.iterate(state.problem, state.inner)

    def observe(self, problem: AnyProblem, state: UnfoldedState, certified: Certified) -> UnfoldedState:
        seen = problem.Q.structure.unfolded_point
        proposed, best = (Start(pair.w, seen(pair.alpha)) for pair in certified[:2])
        inner = self.method.observe(state.problem, state.inner, Certified(proposed, best, certified.proof))
        return UnfoldedState(inner.passes, state.problem, inner)

    def estimate(self, problem: AnyProblem, state: UnfoldedState) -> float | None:
        return self.method.estimate(state.problem, state.inner)

    def progress(self, problem: AnyProblem, state: UnfoldedState) -> float | None:
        return self.method.progress(state.problem, state.inner)

    def label(self, state: UnfoldedState) -> str:
        return self.method.label(state.inner)
