"""A solver that needs a projection, on a problem whose set has one only when it is unfolded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from pragam.problem import AnyProblem
from pragam.solvers.around import Around
from pragam.solvers.base import Start, State, has
from pragam.structured.expected_features import StructuredProblem


@dataclass
class UnfoldedState(State):
    problem: AnyProblem  # the unfolded one
    inner: Any


def can_unfold(problem: AnyProblem) -> TypeGuard[StructuredProblem[Any]]:
    """Whether the problem is known on another set too."""
    return has(problem, "Q.unfold")


class Unfolded(Around[StructuredProblem[Any]]):
    """``method`` on ``problem.Q.unfold(problem)``, which has the same weights. Its dual points are dual points of the
    problem itself."""

    def _seen(self, problem: StructuredProblem[Any], state: UnfoldedState | None = None) -> AnyProblem:
        return problem.Q.unfold(problem) if state is None else state.problem

    def _inner(self, state: UnfoldedState) -> Any:
        return state.inner

    def _with(self, state: UnfoldedState, inner: Any) -> UnfoldedState:
        return UnfoldedState(inner.passes, state.problem, inner)

    def _restrict(self, problem: StructuredProblem[Any], state: UnfoldedState | None, pair: Start) -> Start:
        return Start(pair.w, problem.Q.structure.unfolded_point(pair.alpha))

    def init(
        self, problem: StructuredProblem[Any], rng: np.random.Generator, start: Start | None, tol: float
    ) -> UnfoldedState:
        unfolded = self._seen(problem)
        begin = None if start is None else self._restrict(problem, None, start)
        inner = self.method.init(unfolded, rng, begin, tol)
        return UnfoldedState(inner.passes, unfolded, inner)
