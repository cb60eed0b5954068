r"""BMRM with the full QP (Teo, Vishwanathan, Smola and Le, JMLR 2010; "qp-bmrm" in the paper).

    w_t = argmin J_t(w) = lam/2 |w|^2 + max over j <= t of <a_j, w> + b_j,     a_{t+1} in the subdifferential R(w_t)

Its dual over the weights p of the cuts, max over the simplex of <b, p> - |sum p_j a_j|^2 / (2 lam), is solved to
rounding; w_t = -(1/lam) sum p_j a_j and alpha_t = sum p_j v_j, the cuts' own points of Q, with D(alpha_t) = J_t(w_t).

A cut whose weight has been zero for 50 QPs in a row is forgotten: the lower bound cannot fall by that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.solvers.base import Cost, Solver, Start, State, unbounded_and_flat
from pragam.solvers.bundle.cost import qp_bmrm_cost
from pragam.solvers.bundle.cuts import Cut, cut_at, cut_of
from pragam.solvers.bundle.simplex_qp import maximise_on_simplex

#: A cut is forgotten after this many QPs in a row that gave it no weight.
_IDLE = 50
_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class QpBmrmState(State):
    w: Vector
    alpha: Any  # a dual point
    cuts: list[Cut] = field(default_factory=list)
    gram: Vector = field(default_factory=lambda: np.zeros((0, 0)))  # <a_i, a_j>
    weights: Vector = field(default_factory=lambda: np.zeros(0))
    idle: Vector = field(default_factory=lambda: np.zeros(0))
    least: float = np.inf  # the least J seen, which a cut tells where it touches
    gap: float = np.inf  # of that and the bundle's own lower bound, relative


@dataclass(frozen=True)
class QpBmrm(Solver[AnyProblem, QpBmrmState]):
    """Bundle method with the full QP."""

    name = "qp-bmrm"
    needs = ("Q.combine",)

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
        cut = cut_at(problem, state.w)
        state = _with_cut(state, cut, passes=2.0)
        state.least = min(state.least, _value(problem, state.w, cut))
        b = np.array([cut.b for cut in state.cuts])
        p = maximise_on_simplex(state.gram / problem.lam, b, state.weights)
        state.weights = p
        state.idle = np.where(p > 0, 0, state.idle + 1)
        state.w = _combine(p, [cut.a for cut in state.cuts]) / -problem.lam
        state.alpha = problem.Q.combine(p, [cut.alpha for cut in state.cuts])
        below = problem.constant + float(b @ p) - 0.5 * problem.lam * float(state.w @ state.w)
        state.gap = (state.least - below) / max(abs(state.least), abs(below), _TINY)
        return _without_idle_cuts(state)

    def progress(self, problem: AnyProblem, state: QpBmrmState) -> float:
        """The gap of the bundle."""
        return state.gap

    def candidate(self, problem: AnyProblem, state: QpBmrmState) -> tuple[Vector, Any]:
        return state.w, state.alpha


def _with_cut(state: QpBmrmState, cut: Cut, passes: float) -> QpBmrmState:
    t = len(state.cuts)
    gram = np.empty((t + 1, t + 1))
    gram[:t, :t] = state.gram
    gram[t, :t] = gram[:t, t] = [cut.a @ other.a for other in state.cuts]
    gram[t, t] = cut.a @ cut.a
    weights = np.append(state.weights, 0.0 if t else 1.0)
    return replace(
        state,
        passes=state.passes + passes,
        cuts=[*state.cuts, cut],
        gram=gram,
        weights=weights,
        idle=np.append(state.idle, 0),
    )


def _value(problem: AnyProblem, w: Vector, cut: Cut) -> float:
    """J(w), where the cut touches."""
    return problem.constant + 0.5 * problem.lam * float(w @ w) + float(cut.a @ w) + cut.b


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
