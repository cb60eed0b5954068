r"""The default: the path that should be cheapest, a net under it, and PRAGAM's guarantee under both.

*Choice.* Coordinate ascent (dcd) needs the more sweeps the larger C R^2 is, R^2 the mean of |a_i|^2 and C = 1/(n lam)
(the width of the boxes over lam); Newton needs a number of steps that grows only with its logarithm, each with a d x d
factorisation. Operation counts alone decide (:func:`_dcd_cost`, :func:`_newton_cost`), with constants fitted to the
times of both paths: ``benchmarks/choice.py`` measures what the choice costs. The net bounds the cost of a wrong one.
Small problems go to newton-dense, whose steps cost no Python, unless its arithmetic alone costs more than the others;
if a few of its calls do not do, the other two take over.

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
from pragam.solvers.base import AnySolver, Certified, Solver, Start, State
from pragam.solvers.bundle.qp_bmrm import QpBmrm
from pragam.solvers.dcd import Dcd
from pragam.solvers.hardness import hardness
from pragam.solvers.newton import Newton
from pragam.solvers.newton.dense import NewtonDense
from pragam.solvers.newton.system import LARGEST_MATRIX
from pragam.solvers.pragam import Pragam

#: How much more than the other path's estimate a path may use before it hands over.
_ALLOWANCE = 3.0
#: Passes over the data in an iteration of PRAGAM with adapted L.
_PASSES_OF_PRAGAM = 3.0
#: Passes that the fast paths may make before their limit is computed, which takes a pass.
_FREE = 20.0
#: Data of more bytes than this make a sweep wait for memory.
_CACHE = 32e6
#: Seconds that it takes to compare the costs. What newton-dense solves in less is left to it.
_QUESTION = 1e-3
#: Calls that newton-dense may make. One is enough as a rule (``benchmarks/small_sets.py``).
_DENSE_CALLS = 3


class Cost(NamedTuple):
    """What an algorithm should cost, in seconds on a machine of 2020: in all, a pass, and a step beside that."""

    solver: AnySolver
    total: float
    per_pass: float
    per_step: float


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
    limit: float | None  # passes after which PRAGAM takes over, once it is known
    before: float  # passes of earlier legs
    rng: np.random.Generator
    tol: float


@dataclass(frozen=True)
class Auto(Solver[AutoState]):
    """Newton or coordinate ascent, whichever should be faster, with PRAGAM's worst case."""

    name = "auto"
    may_drop_rows = True

    @classmethod
    def missing(cls, problem: Problem) -> list[str]:
        """Something is missing only if it is for every algorithm; then what PRAGAM needs, which needs least."""
        return Pragam.missing(problem) if Dcd.missing(problem) and QpBmrm.missing(problem) else []

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> AutoState:
        legs, inner = _begin(problem, _plan(problem, tol), rng, start, tol)
        return AutoState(inner.passes, legs, inner, 0.0, None, 0.0, rng, tol)

    def step(self, problem: Problem, state: AutoState) -> AutoState:
        leg = state.legs[0]
        before = state.inner.passes
        state.inner = leg.solver.step(problem, state.inner)
        state.used += leg.per_step + leg.per_pass * (state.inner.passes - before)
        state.passes = state.before + state.inner.passes
        has_pragam = len(state.legs) > 1 and isinstance(state.legs[-1].solver, Pragam)
        if has_pragam and state.limit is None and state.passes > _FREE:
            state.limit = _limit(problem, state.tol)
        if has_pragam and state.limit is not None and state.passes > state.limit:
            _hand_over(problem, state, state.legs[-1:])
        elif state.used >= leg.allowance:
            _hand_over(problem, state, state.legs[1:] or _long_plan(problem, state.tol))
        return state

    def recover(self, problem: Problem, state: AutoState, start: Start) -> AutoState | None:
        """Go on with another algorithm; the one that has failed gets no further turn."""
        legs = _others(problem, state.legs, state.tol)
        if not legs:
            return None
        _change(problem, state, legs, start)
        return state

    def candidate(self, problem: Problem, state: AutoState) -> tuple[Vector, Vector]:
        return state.legs[0].solver.candidate(problem, state.inner)

    def observe(self, problem: Problem, state: AutoState, certified: Certified) -> AutoState:
        """What the current algorithm counts for the certificate is added to the passes after its next step."""
        state.inner = state.legs[0].solver.observe(problem, state.inner, certified)
        return state

    def estimate(self, problem: Problem, state: AutoState) -> float | None:
        return state.legs[0].solver.estimate(problem, state.inner)

    def label(self, state: AutoState) -> str:
        return f"auto ({state.legs[0].solver.name})"


def _hand_over(problem: Problem, state: AutoState, legs: list[Leg]) -> None:
    w, alpha = state.legs[0].solver.candidate(problem, state.inner)
    _change(problem, state, legs, Start(w.copy(), alpha.copy()))


def _change(problem: Problem, state: AutoState, legs: list[Leg], start: Start) -> None:
    """Go on with these turns."""
    legs, inner = _begin(problem, legs, state.rng, start, state.tol)
    state.before, state.used, state.legs, state.inner = state.passes, 0.0, legs, inner
    state.passes += inner.passes


def _begin(
    problem: Problem, legs: list[Leg], rng: np.random.Generator, start: Start | None, tol: float
) -> tuple[list[Leg], Any]:
    """The turns from the first one on that can start, and its state."""
    while True:
        try:
            return legs, legs[0].solver.init(problem, rng, start, tol)
        except Exception:
            legs = _others(problem, legs, tol)
            if not legs:
                raise


def _others(problem: Problem, legs: list[Leg], tol: float) -> list[Leg]:
    """The turns of other algorithms than the current one."""
    if isinstance(legs[0].solver, NewtonDense):
        return _long_plan(problem, tol)
    return [leg for leg in legs if type(leg.solver) is not type(legs[0].solver)]


def _limit(problem: Problem, tol: float) -> float:
    """Passes within which PRAGAM is sure to certify tol, from the bound on L, and J* of the order of J(0)."""
    scale = abs(problem.g.support(problem.Q, problem.c)[0])
    norm = problem.A.norm_bound()
    bound = 4 * (norm * (norm / problem.lam) + float(np.max(problem.kappa))) * problem.Q.radius2()
    eps = tol * scale
    return _PASSES_OF_PRAGAM * float(np.sqrt(bound / eps)) if eps > 0 and np.isfinite(bound) else np.inf


def _plan(problem: Problem, tol: float) -> list[Leg]:
    """The turns, the first one first. After newton-dense the others are planned when they are needed."""
    if NewtonDense.missing(problem):
        return _long_plan(problem, tol)
    seconds = _dense_seconds(*problem.A.shape)
    if seconds <= _QUESTION or seconds <= min(cost.total for cost in _costs(problem, tol)):
        return [Leg(NewtonDense(), 0.0, 1.0, _DENSE_CALLS)]
    return _long_plan(problem, tol)


def _long_plan(problem: Problem, tol: float) -> list[Leg]:
    """The turns without newton-dense. PRAGAM is the last wherever it fits."""
    last = [] if Pragam.missing(problem) else [Leg(Pragam(), 0.0, 0.0, np.inf)]
    if Dcd.missing(problem) or Newton.missing(problem):
        only = [Leg(method(), 0.0, 0.0, np.inf) for method in (Dcd, QpBmrm) if not method.missing(problem)][:1]
        return [*only, *last]
    first, second = sorted(_costs(problem, tol), key=lambda cost: cost.total)
    legs = []
    for turn in range(20):
        own, other = (first, second) if turn % 2 == 0 else (second, first)
        legs.append(Leg(own.solver, own.per_pass, own.per_step, _ALLOWANCE * other.total * 2.0 ** (turn // 2)))
    return [*legs, *last]


@dataclass(frozen=True)
class _Sizes:
    """What the costs depend on."""

    n: int
    d: int
    entries: int  # of X
    squares: float  # mean of (entries of a row)^2
    dense: bool
    hardness: float  # C R^2
    digits: float  # asked for beyond three, in thirds of them: 0 at 1e-3, 1 at 1e-6, 2 at 1e-9

    @classmethod
    def of(cls, problem: Problem, tol: float) -> _Sizes:
        A = problem.A
        assert isinstance(A, RowOperator)
        rows, (n, d) = A.rows(), A.shape
        dense = rows.kind == "dense"
        squares = float(d) ** 2 if dense else float(np.mean(np.diff(rows.arrays[2]).astype(np.float64) ** 2))
        digits = float(np.clip(-np.log10(max(tol, 1e-15)) / 3 - 1, 0.0, 4.0))
        return cls(n, d, max(rows.arrays[0].size, 1), squares, dense, hardness(problem), digits)


def _costs(problem: Problem, tol: float) -> tuple[Cost, Cost]:
    size = _Sizes.of(problem, tol)
    return _dcd_cost(size), _newton_cost(size)


def _dense_seconds(n: int, d: int) -> float:
    """Some 30 steps with two products and a Cholesky factorisation, and Hessians of four times all rows."""
    return 30 * (0.7e-9 * n * d + 0.08e-9 * d**3) + 0.5e-9 * n * d**2


def _dcd_cost(size: _Sizes) -> Cost:
    """Sweeps times what one costs: each row met, each entry, and what does not fit into a cache."""
    large = 64 * size.n + 12 * size.entries > _CACHE
    per_entry = (0.8e-9 if large else 0.4e-9) if size.dense else 2e-9
    sweep = (120e-9 if large else 40e-9) * size.n + per_entry * size.entries
    more, growth = 6 * size.hardness**0.85, 3.0
    if 2 * size.d >= size.n:  # rows have columns of their own, so they soon cease to disturb each other
        more, growth = min(more, 8 * size.hardness**0.3), 1.0
    sweeps = 4 + 2.4 * size.digits + more * (1 + growth * size.digits)
    overhead = 6e-5 * (1 + size.digits)  # momentum and face solves come with accuracy
    return Cost(Dcd(), sweeps * (sweep + overhead), sweep, overhead)


def _newton_cost(size: _Sizes) -> Cost:
    """Readings of the data, the Hessian, and steps with a linear system each."""
    n, d, entries = size.n, size.d, size.entries
    growth = np.log10(1 + size.hardness)
    steps = (5 + 9 * growth) * (1 + size.digits)
    readings = (10 + 10 * growth) * (1 + 0.3 * size.digits)
    hessian = n * size.squares * (6e-11 if size.dense else 1e-9)
    system = d**3 / 60e9 if d <= LARGEST_MATRIX else 120e-9 * min(entries, 4 * d * entries / n)
    cost = readings * (10e-9 * n + 1.5e-9 * entries) + min(hessian, 30e-9 * entries) + steps * (system + 3e-4)
    return Cost(Newton(), cost, 0.0, cost / steps)
