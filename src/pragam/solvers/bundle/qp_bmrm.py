r"""BMRM with the full QP (Teo, Vishwanathan, Smola and Le, JMLR 2010; "qp-bmrm" in the paper).

    w_t = argmin J_t(w) = lam/2 |w|^2 + max over j <= t of <a_j, w> + b_j,     a_{t+1} in the subdifferential R(w_t)

Its dual over the weights p of the cuts, max over the simplex of <b, p> - |sum p_j a_j|^2 / (2 lam), is solved to
rounding; w_t = -(1/lam) sum p_j a_j and alpha_t = sum p_j v_j, the cuts' own points of Q, with D(alpha_t) = J_t(w_t).

A cut whose weight has been zero for 50 QPs in a row is forgotten: the lower bound cannot fall by that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Cost, Solver, Start, State, unbounded_and_flat
from pragam.solvers.bundle.cost import qp_bmrm_cost
from pragam.solvers.bundle.cuts import Cut, cut_at, cut_of
from pragam.solvers.bundle.simplex_qp import maximise_on_simplex

#: A cut is forgotten after this many QPs in a row that gave it no weight.
_IDLE = 50


@dataclass
class QpBmrmState(State):
    w: Vector
    alpha: Vector
    cuts: list[Cut] = field(default_factory=list)
    gram: Vector = field(default_factory=lambda: np.zeros((0, 0)))  # <a_i, a_j>
    weights: Vector = field(default_factory=lambda: np.zeros(0))
    idle: Vector = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class QpBmrm(Solver[AnyProblem, QpBmrmState]):
    """Bundle method with the full QP."""

    name = "qp-bmrm"

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        return unbounded_and_flat(problem)

    def cost(self, problem: AnyProblem, tol: float) -> Cost:
        return qp_bmrm_cost(problem, tol)

    def init(self, problem: AnyProblem, rng: np.random.Generator, start: Start | None, tol: float) -> QpBmrmState:
        if start is None:
            return QpBmrmState(0.0, np.zeros(problem.n_weights), problem.start())
        state = QpBmrmState(0.0, start.w, start.alpha)
        return _with_cut(state, cut_of(problem, start.alpha), passes=1.0)

    def step(self, problem: AnyProblem, state: QpBmrmState) -> QpBmrmState:
        state = _with_cut(state, cut_at(problem, state.w), passes=2.0)
        b = np.array([cut.b for cut in state.cuts])
        p = maximise_on_simplex(state.gram / problem.lam, b, state.weights)
        state.weights = p
        state.idle = np.where(p > 0, 0, state.idle + 1)
        state.w = _combine(p, [cut.a for cut in state.cuts]) / -problem.lam
        state.alpha = _combine(p, [cut.alpha for cut in state.cuts])
        return _without_idle_cuts(state)

    def candidate(self, problem: AnyProblem, state: QpBmrmState) -> tuple[Vector, Vector]:
        return state.w, state.alpha


def _with_cut(state: QpBmrmState, cut: Cut, passes: float) -> QpBmrmState:
    t = len(state.cuts)
    gram = np.empty((t + 1, t + 1))
    gram[:t, :t] = state.gram
    gram[t, :t] = gram[:t, t] = [cut.a @ other.a for other in state.cuts]
    gram[t, t] = cut.a @ cut.a
    weights = np.append(state.weights, 0.0 if t else 1.0)
    return QpBmrmState(
        state.passes + passes, state.w, state.alpha, [*state.cuts, cut], gram, weights, np.append(state.idle, 0)
    )


def _without_idle_cuts(state: QpBmrmState) -> QpBmrmState:
    keep = np.flatnonzero(state.idle < _IDLE)
    if len(keep) < len(state.cuts):
        state.cuts = [state.cuts[j] for j in keep]
        state.gram, state.weights, state.idle = state.gram[np.ix_(keep, keep)], state.weights[keep], state.idle[keep]
    return state


def _combine(p: Vector, vectors: list[Vector]) -> Vector:
    total = np.zeros_like(vectors[0])
    for weight, vector in zip(p, vectors, strict=True):
        if weight > 0:
            total += weight * vector
    return total
