r"""BMRM with a line search ("ls-bmrm"; Smola, Vishwanathan and Le, NIPS 2007), the step behind its O(1/eps) bound.

Instead of the full QP, the bundle's dual is maximised over the segment between the current combination and the new
cut:  alpha <- alpha + eta (v - alpha),  v the vertex of Q that attains R(w),  w = w(alpha).  With u = A' alpha and
z = A' v - u the best step is

    eta = clip( [<c, v - alpha> - <u, z>/lam] / (|z|^2/lam), 0, 1 ).

In the dual this is the Frank-Wolfe method with exact line search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Solver, Start, State, unbounded_and_flat
from pragam.solvers.bundle.cuts import Cut, cut_at, cut_of


@dataclass
class LsBmrmState(State):
    w: Vector
    alpha: Any  # a dual point
    aggregate: Cut | None  # the combination of all cuts so far; None before the first


@dataclass(frozen=True)
class LsBmrm(Solver[AnyProblem, LsBmrmState]):
    """Bundle method with a one-dimensional line search."""

    name = "ls-bmrm"
    needs = ("Q.combine",)

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        return unbounded_and_flat(problem)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> LsBmrmState:
        if start is None:
            return LsBmrmState(0.0, np.zeros(problem.n_weights), problem.start(), None)
        return LsBmrmState(1.0, start.w, start.alpha, cut_of(problem, start.alpha))

    def step(self, problem: AnyProblem, state: LsBmrmState) -> LsBmrmState:
        cut = cut_at(problem, state.w)
        aggregate = cut if state.aggregate is None else _on_segment(problem, state.aggregate, cut)
        return replace(
            state,
            passes=state.passes + 2,
            w=aggregate.a / -problem.lam,
            alpha=aggregate.alpha,
            aggregate=aggregate,
        )

    def candidate(self, problem: AnyProblem, state: LsBmrmState) -> tuple[Vector, Any]:
        return state.w, state.alpha


def _on_segment(problem: AnyProblem, old: Cut, new: Cut) -> Cut:
    """The best point, by D, between two points of Q."""
    z = new.a - old.a
    slope = new.b - old.b - float(old.a @ z) / problem.lam
    curvature = float(z @ z) / problem.lam
    eta = min(max(slope / curvature, 0.0), 1.0) if curvature > 0 else float(slope > 0)
    alpha = problem.Q.combine(np.array([1 - eta, eta]), [old.alpha, new.alpha])
    return Cut(alpha, old.a + eta * z, old.b + eta * (new.b - old.b))
