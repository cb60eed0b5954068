r"""The default: the path that should be cheapest, a net under it, and PRAGAM's guarantee under both.

*Choice.* Coordinate ascent (dcd) needs some 8 + 20 C R^2 sweeps to a relative gap of 1e-3, R^2 the mean of |a_i|^2 and
C = 1/(n lam) (the width of the boxes over lam); Newton needs a number of steps that grows only with its logarithm, each
with a d x d factorisation. Operation counts alone decide. The constants come from prototypes of both paths, so they are
rough here: the net is what bounds the cost of a wrong choice.

*Net.* A path that has used three times the other's estimate hands its (w, alpha) over; then back, with twice the
allowance each time.

*Guarantee.* PRAGAM certifies eps after k iterations with 4 L D_2 / ((k+1)(k+2)) <= eps, whatever the data. When the
fast paths have read the data as often as that bound allows, PRAGAM takes over: in all at most about twice its bound
(:mod:`pragam.theory.auto_guarantee` states it exactly).

Problems that neither path fits (simplices, say) go to qp-bmrm first, and to PRAGAM by the same rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pragam.operators.base import RowOperator, Vector
from pragam.problem import Problem
from pragam.solvers.base import AnySolver, Solver, Start, State
from pragam.solvers.dcd import Dcd
from pragam.solvers.newton import Newton
from pragam.solvers.pragam import Pragam
from pragam.solvers.qp_bmrm import QpBmrm

#: How much more than the other path's estimate a path may use before it hands over.
_PATIENCE = 3.0
#: Passes over the data in an iteration of PRAGAM with adapted L.
_PASSES_OF_PRAGAM = 3.0
#: What one step costs however small the problem.
_OVERHEAD_DCD = 4e-5
_OVERHEAD_NEWTON = 2e-4


class Leg(NamedTuple):
    """One turn of one algorithm: what a pass and an iteration cost (in seconds, roughly), and what it may use."""

    solver: AnySolver
    per_pass: float
    per_step: float
    allowance: float


@dataclass
class AutoState(State):
    legs: list[Leg]  # turns to come, the current one first; the last one never ends
    inner: Any  # state of the current algorithm
    used: float  # by the current leg
    limit: float  # passes after which PRAGAM takes over
    before: float  # passes of earlier legs
    rng: np.random.Generator
    tol: float


@dataclass(frozen=True)
class Auto(Solver[AutoState]):
    """Newton or coordinate ascent, whichever should be faster, with PRAGAM's worst case."""

    name = "auto"

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> AutoState:
        legs = _plan(problem, tol)
        inner = legs[0].solver.init(problem, rng, start, tol)
        return AutoState(inner.passes, legs, inner, 0.0, _limit(problem, tol), 0.0, rng, tol)

    def step(self, problem: Problem, state: AutoState) -> AutoState:
        leg = state.legs[0]
        before = state.inner.passes
        state.inner = leg.solver.step(problem, state.inner)
        state.used += leg.per_step + leg.per_pass * (state.inner.passes - before)
        state.passes = state.before + state.inner.passes
        if state.passes > state.limit and len(state.legs) > 1 and isinstance(state.legs[-1].solver, Pragam):
            _hand_over(problem, state, state.legs[-1:])
        elif state.used > leg.allowance and len(state.legs) > 1:
            _hand_over(problem, state, state.legs[1:])
        return state

    def candidate(self, problem: Problem, state: AutoState) -> tuple[Vector, Vector]:
        return state.legs[0].solver.candidate(problem, state.inner)

    def estimate(self, problem: Problem, state: AutoState) -> float | None:
        return state.legs[0].solver.estimate(problem, state.inner)

    def label(self, state: AutoState) -> str:
        return f"auto ({state.legs[0].solver.name})"


def _hand_over(problem: Problem, state: AutoState, legs: list[Leg]) -> None:
    w, alpha = state.legs[0].solver.candidate(problem, state.inner)
    inner = legs[0].solver.init(problem, state.rng, Start(w.copy(), alpha.copy()), state.tol)
    state.before, state.used, state.legs, state.inner = state.passes, 0.0, legs, inner
    state.passes += inner.passes


def _limit(problem: Problem, tol: float) -> float:
    """Passes within which PRAGAM is sure to certify tol, from the bound on L, and J* of the order of J(0)."""
    scale = abs(problem.Q.support(problem.c, problem.kappa)[0])
    norm = problem.A.norm_bound()
    bound = 4 * (norm * (norm / problem.lam) + problem.kappa) * problem.Q.radius2()
    eps = tol * scale
    return _PASSES_OF_PRAGAM * float(np.sqrt(bound / eps)) if eps > 0 and np.isfinite(bound) else np.inf


def _plan(problem: Problem, tol: float) -> list[Leg]:
    """The turns, the first one first. PRAGAM is the last wherever it fits."""
    last = [] if Pragam.missing(problem) else [Leg(Pragam(), 0.0, 0.0, np.inf)]
    if Dcd.missing(problem) or Newton.missing(problem):
        only = [Leg(method(), 0.0, 0.0, np.inf) for method in (Dcd, QpBmrm) if not method.missing(problem)][:1]
        if not (only or last):
            raise ValueError(f"no solver fits this problem: pragam {'; '.join(Pragam.missing(problem))}")
        return [*only, *last]
    dcd, newton = _estimates(problem, tol)
    first, second = (dcd, newton) if dcd[1] <= newton[1] else (newton, dcd)
    legs = []
    for turn in range(20):
        (solver, _, per_pass, per_step), other = (first, second) if turn % 2 == 0 else (second, first)
        legs.append(Leg(solver, per_pass, per_step, _PATIENCE * other[1] * 2.0 ** (turn // 2)))
    return [*legs, *last]


def _estimates(problem: Problem, tol: float) -> tuple[Any, Any]:
    """(solver, cost, cost of a pass, cost of a step) for both paths, in seconds on a machine of 2020."""
    A = problem.A
    assert isinstance(A, RowOperator)
    n, d = A.shape
    entries = max(A.rows().arrays[0].size, 1)
    average = entries / n
    width = float((problem.Q.upper - problem.Q.lower).mean())  # type: ignore[attr-defined]
    hardness = width / problem.lam * float(np.mean(A.row_norms() ** 2))  # C R^2
    coarse = tol > 1e-4
    sweep = 35e-9 * n + 1.3e-9 * entries
    sweeps = 8 + 20 * hardness if coarse else 30 + 100 * hardness * min(10.0, n / (50 * max(d, 1)))
    dcd_cost = (0.5 if coarse else 0.125) * sweeps * sweep + sweeps * _OVERHEAD_DCD
    steps = (5 + 8 * np.log10(1 + hardness)) * (1.0 if coarse else 2.2)
    hessian = min(0.75e-9 * n * average**2, 2e-9 * d * average**2 + 72e-9 * entries, 120e-9 * entries)
    system = min(d**3 / 120e9 + 1e-5, 120e-9 * min(entries, 4 * d * average))
    newton_cost = 25e-9 * entries + hessian + steps * (system + _OVERHEAD_NEWTON)
    per_step = newton_cost / steps
    return (Dcd(), dcd_cost, sweep, _OVERHEAD_DCD), (Newton(), newton_cost, 0.0, per_step)
