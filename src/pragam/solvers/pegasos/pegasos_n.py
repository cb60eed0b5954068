r"""Pegasos with all examples in every iteration ("pegasos-n"; Shalev-Shwartz, Singer and Srebro, ICML 2007).

A projected subgradient method with step 1/(lam t):  w <- (1 - 1/t) w - A' v_t / (lam t),  v_t the vertex of Q that
attains R(w), then w is scaled back into a ball that holds w*. The answer is the mean of the iterates.

*The ball.* Every w(alpha) has norm at most sigma_max(A) max|alpha| / lam. If 0 is in Q, then R >= 0 and strong
duality gives lam |w*|^2 = <c, alpha*> - R(w*) <= R(0), the 1/sqrt(lam) of the paper for the hinge. The smaller one.

*The dual point.* Without the ball, w_{t+1} = w(mean of v_1 .. v_t), and the mean of points of Q is in Q. So that mean
is a feasible alpha, and Pegasos is certified like everything else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Solver, Start, State, curved, unbounded
from pragam.solvers.bundle.cuts import cut_at


@dataclass
class PegasosState(State):
    w: Vector
    mean_w: Vector
    alpha: Any  # a dual point
    t: int
    radius: float


@dataclass(frozen=True)
class PegasosN(Solver[AnyProblem, PegasosState]):
    """Pegasos, deterministic: the whole data in every iteration."""

    name = "pegasos-n"

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        return [*curved(problem), *unbounded(problem)]

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> PegasosState:
        if start is None:
            w, alpha, t = np.zeros(problem.n_weights), problem.start(), 0
        else:
            w, alpha, t = start.w, start.alpha, 1  # counts as one iterate, so that the first step keeps half of it
        return PegasosState(2.0, w, w, alpha, t, ball_radius(problem))

    def step(self, problem: AnyProblem, state: PegasosState) -> PegasosState:
        cut = cut_at(problem, state.w)
        t = state.t + 1
        w = (1 - 1 / t) * state.w - cut.a / (problem.lam * t)
        # BLAS's nrm2 does not overflow where w @ w would.
        w *= min(1.0, state.radius / (float(scipy.linalg.norm(w, check_finite=False)) or np.inf))
        return replace(
            state,
            passes=state.passes + 2,
            w=w,
            mean_w=state.mean_w + (w - state.mean_w) / t,
            alpha=problem.Q.combine(np.array([1 - 1 / t, 1 / t]), [state.alpha, cut.alpha]),
            t=t,
        )

    def candidate(self, problem: AnyProblem, state: PegasosState) -> tuple[Vector, Any]:
        return state.mean_w, state.alpha

    def iterate(self, problem: AnyProblem, state: PegasosState) -> Vector:
        return state.w


def ball_radius(problem: AnyProblem) -> float:
    """The radius of a ball around 0 that contains w*."""
    centre = np.zeros(problem.Q.size) if problem.origin is None else problem.origin
    farthest = float(np.sqrt(2 * problem.Q.radius2(centre)))
    radius = problem.A.norm_bound() * farthest / problem.lam
    if problem.domain.contains(centre) and problem.rest.weights is None:
        # R(0) - <c, origin> bounds lam |w*|^2, as R >= <c, origin> everywhere.
        most = problem.risk(np.zeros(problem.n_weights)) - float(problem.c @ centre)
        radius = min(radius, float(np.sqrt(max(most, 0.0) / problem.lam)))
    return radius
