r"""Proximal point steps in the dual, each by semismooth Newton in the primal: for any set with a prox and a derivative.

Rockafellar (1976); Li, Sun and Toh, "A highly efficient semismooth Newton augmented Lagrangian method", SIAM J. Optim.
2018. :mod:`labels` has the form for a weight vector a label, whose loops are compiled, and :mod:`any_set` the general
one. The box family has faster code for the same idea (:mod:`pragam.solvers.newton`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import ProxProblem
from pragam.solvers.base import Cost, Solver, Start, unbounded_and_flat
from pragam.solvers.proximal_newton import any_set, label_start, labels
from pragam.solvers.proximal_newton.any_set import ProximalState
from pragam.solvers.proximal_newton.cost import proximal_newton_cost
from pragam.solvers.proximal_newton.labels import LabelState


@dataclass(frozen=True)
class ProximalNewton(Solver[ProxProblem, Any]):
    """Semismooth Newton proximal point method over any set with a prox and a derivative."""

    name = "proximal-newton"
    needs = ("Q.prox", "Q.derivative", "g.prox")

    @classmethod
    def misfits(cls, problem: ProxProblem) -> list[str]:
        return unbounded_and_flat(problem)

    def cost(self, problem: ProxProblem, tol: float) -> Cost:
        return proximal_newton_cost(problem, tol)

    def init(
        self, problem: ProxProblem, rng: np.random.Generator, start: Start | None, tol: float
    ) -> LabelState | ProximalState:
        if labels.has_labels(problem):
            return label_start.init(cast(Any, problem), rng, start, tol)
        return any_set.init(problem, start, tol)

    def step(self, problem: ProxProblem, state: LabelState | ProximalState) -> LabelState | ProximalState:
        if isinstance(state, LabelState):
            labels.step(cast(Any, problem), state)
        else:
            any_set.step(problem, state)
        return state

    def candidate(self, problem: ProxProblem, state: LabelState | ProximalState) -> tuple[Vector, ...]:
        if isinstance(state, LabelState):
            return labels.candidate(cast(Any, problem), state)
        return any_set.candidate(problem, state)

    def estimate(self, problem: ProxProblem, state: LabelState | ProximalState) -> float:
        return state.gap
