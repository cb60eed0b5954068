r"""A working set of rows, of which some stand for others: for data in blocks with many more rows than columns.

::

    (w, b) <- the solution on the first blocks, a random sample of the rows
    repeat:   read all blocks at (w, b): slopes s = A w + B b + c, alpha where its slopes send it, u = A' alpha;
              keep the rows that may matter to a move, each of which stands for p_j rows (influence, kept)
              (w, b) <- argmin lam/2 |w|^2 + <u - sum of p_j alpha_j a_j, w> + sum of p_j h_j(s_j(w, b))
              alpha  <- the solution with p = 1: the rows kept move, the others stay where they are

The first problem has the slope of J at the weights that were read, and about its curvature: a Newton step on a sample
of rows that is dense where curvature is (Shamir, Srebro and Zhang, "Communication-efficient distributed optimization
using an approximate Newton-type method", 2014, on one machine and with rows drawn by their influence). So its error
falls by a large factor with each reading, until no row but those near their kinks is in doubt; all of these are in
memory then, and the second problem closes the gap. Both are solved by the driver's own loop and claim nothing. What
is proposed is (w, alpha): the products of both are at hand, X w from the reading and X' alpha from u and the rows in
memory, so certificates read nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.data_rows import HeldRows, Met
from pragam.operators.storage import ColumnMap
from pragam.problem import DataProblem
from pragam.solvers.base import Cost, Solver, Start, State, Tools, unbounded_and_flat
from pragam.solvers.rows_in_memory import FEWEST, rows_within, shares_of, too_small
from pragam.solvers.working_set.cost import working_set_cost
from pragam.solvers.working_set.influence import influence_of, reach_of, scales_of, sizes_of
from pragam.solvers.working_set.kept import Kept
from pragam.views import on_taken, sampled

#: The solution on a sample need be no better than the sample is like the whole.
_SAMPLE_TOL = 1e-3
#: Solutions on the rows kept take this share of the gap that is allowed.
_SHARE = 0.3
#: The share of the places that any row may have: with a fifth the last digits take long where few rows are held.
_SPREAD = 1 / 3
#: Variables that move by less than this share of their box have not moved.
_STILL = 1e-9


@dataclass
class WorkingSetState(State):
    tol: float
    rng: np.random.Generator
    w: Vector  # of the next reading
    biases: Vector
    room: float  # rows that the memory holds
    alpha: Vector
    size: Vector  # of every dual variable, the unit of its distance
    scales: ColumnMap | None = None
    read_at: tuple[Vector, Vector] | None = None  # (w, b) of the last reading
    is_feasible: bool = True  # whether alpha is
    reach: float = inf  # how far slopes have moved in the last move, in units of their sizes
    best: tuple[float, Vector, Vector] | None = None  # the lowest J of a reading, and where
    values: tuple[float, float] = field(default=(inf, -inf))  # J and D, as nearly as plain sums say


@dataclass(frozen=True)
class WorkingSet(Solver[DataProblem, WorkingSetState]):
    """Read all, solve on the rows that matter, and again.

    Parameters
    ----------
    solver : str
        What solves on the sample and on the rows that are kept.
    """

    solver: str = "auto"
    tools: Tools | None = None

    name = "working-set"
    needs = ("A.reading", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    def given(self, tools: Tools) -> WorkingSet:
        return replace(self, tools=tools)

    @classmethod
    def misfits(cls, problem: DataProblem) -> list[str]:
        return unbounded_and_flat(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return working_set_cost(problem, tol, self._room(problem))

    def _room(self, problem: DataProblem) -> float:
        return rows_within(None if self.tools is None else self.tools.memory, problem)

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> WorkingSetState:
        room, needed = self._room(problem), min(FEWEST * problem.n_weights, problem.A.storage.shape[0])
        if self.tools is not None and self.tools.memory is not None and room < needed:
            raise ValueError(too_small(self.tools.memory, room, problem))
        alpha = problem.start() if start is None else start.alpha
        w = np.zeros(problem.n_weights) if start is None else start.w.copy()
        biases = np.zeros(problem.n_biases) if start is None or start.b is None else start.b.copy()
        state = WorkingSetState(0.0, tol, rng, w, biases, room, alpha, np.empty(problem.Q.size))
        if start is not None:
            state.read_at = w, biases
        return state

    def step(self, problem: DataProblem, state: WorkingSetState) -> WorkingSetState:
        """Read all, and solve on what has come into memory."""
        if state.scales is None:
            self._sample(problem, state)
        self._solve(problem, state, *self._read(problem, state))
        return state

    def candidate(self, problem: DataProblem, state: WorkingSetState) -> tuple[Vector, Vector]:
        w = state.w if state.read_at is None else state.read_at[0]
        return w, state.alpha if state.is_feasible else problem.start()

    def estimate(self, problem: DataProblem, state: WorkingSetState) -> float:
        primal, dual = state.values
        return (primal - dual) / max(abs(primal), abs(dual)) if np.isfinite(primal - dual) else inf

    def _sample(self, problem: DataProblem, state: WorkingSetState) -> None:
        """The weights of the first rows, unless some are given, and how large the columns are."""
        A = problem.A
        n = A.storage.shape[0]
        rows = np.arange(max(1, min(int(state.room), n)))
        duals = rows if A.number is None else np.arange(np.searchsorted(A.number, len(rows)))
        view = sampled(problem, duals)
        state.passes += len(rows) / max(n, 1)
        state.scales = scales_of(view.problem.A.storage)
        if state.read_at is None:
            self._step_to(state, self._solved(view.problem, state, max(state.tol, _SAMPLE_TOL), None))

    def _read(self, problem: DataProblem, state: WorkingSetState) -> tuple[HeldRows, Vector]:
        """One reading at the weights: alpha where its slopes send it; rows in memory, and how many each stands for."""
        Q, w, is_first = problem.Q, state.w, state.reach == inf
        kept = Kept(problem.A, state.room, shares_of(problem), _SPREAD, float(state.rng.random()))
        kappa = problem.g.curvature
        alpha, risk = np.empty(Q.size), [0.0]

        def visit(met: Met) -> Vector:
            assert met.scores is not None and state.scales is not None
            at = met.duals
            s = met.scores + (problem.B.take(_numbers(at)).matvec(state.biases) + problem.c[at])
            bend, lower, upper = (
                kappa[at] if isinstance(kappa, np.ndarray) and kappa.ndim else kappa,
                Q.lower[at],
                Q.upper[at],
            )
            if is_first:
                state.size[at] = sizes_of(met.A, state.scales, problem.B.sigma[at])
            alpha[at] = own = _sent(s, lower, upper, bend)
            risk[0] += float(s @ own) - 0.5 * float((bend * own) @ own)
            kept.keep(met, influence_of(s, state.size[at], lower, upper, bend, state.reach))
            return own

        rows = problem.A.reading(visit, w, room=kept.space)
        assert rows is not None
        state.passes += 1.0
        primal = problem.constant + 0.5 * problem.lam * float(w @ w) + risk[0] + float(problem.tilt @ w)
        state.values = primal - float(problem.levels @ state.biases), -inf
        if state.best is None or state.values[0] < state.best[0]:
            state.best = state.values[0], w, state.biases
        state.read_at, state.alpha = (w, state.biases), alpha
        return rows, kept.weights(rows)

    def _solve(self, problem: DataProblem, state: WorkingSetState, held: HeldRows, stands_for: Vector) -> None:
        """New weights from rows that stand for others, and alpha of those that stand for themselves."""
        duals, rows = held.duals, held.A
        adjoint, tol = problem.A.rmatvec(state.alpha), _SHARE * state.tol
        view = on_taken(problem, duals, rows, state.alpha, adjoint, stands_for)
        found = self._solved(view.problem, state, tol, None)
        self._step_to(state, found)  # half-way only from where J was lowest, if this reading was of a worse place
        if state.best is not None and state.values[0] > state.best[0] * (1 + state.tol):
            state.w, state.biases = (state.w + state.best[1]) / 2, (state.biases + state.best[2]) / 2
        assert state.scales is not None and state.read_at is not None
        state.reach = reach_of(state.w - state.read_at[0], state.biases - state.read_at[1], state.scales)
        before, own = state.alpha[duals], found.alpha / stands_for
        room = problem.Q.upper[duals] - problem.Q.lower[duals]
        is_far = np.abs(own - before) > _STILL * np.where(np.isfinite(room), room, np.abs(own))
        has_moved = is_far & (stands_for > 1.0)
        own = np.clip(
            np.where(is_far | (stands_for == 1.0), own, before), problem.Q.lower[duals], problem.Q.upper[duals]
        )
        if has_moved.any():
            view = on_taken(problem, duals, rows, state.alpha, adjoint)
            own = self._solved(view.problem, state, tol, own).alpha
        state.alpha[duals] = np.clip(own, problem.Q.lower[duals], problem.Q.upper[duals])
        state.is_feasible = problem.domain.contains(state.alpha)
        if state.is_feasible:
            state.alpha = problem.domain.repair(state.alpha).point  # what a certificate takes it for
            state.values = state.values[0], problem.dual(state.alpha)

    def _step_to(self, state: WorkingSetState, found: Any) -> None:
        state.w, state.biases = found.w.copy(), found.biases.copy()

    def _solved(self, problem: Any, state: WorkingSetState, tol: float, start: Vector | None) -> Any:
        if self.tools is None:
            raise RuntimeError("working-set solves parts of the problem by the driver's loop: call pragam.solve")
        seed = int(state.rng.integers(2**31))
        return self.tools.solve(problem, self.solver, tol=tol, start=start, random_state=seed, screening=False)


def _numbers(duals: NDArray[np.int64] | slice) -> NDArray[np.int64]:
    return np.arange(duals.start, duals.stop) if isinstance(duals, slice) else duals


def _sent(s: Vector, lower: Vector, upper: Vector, kappa: Any) -> Vector:
    """Where their slopes send dual variables: argmax over the box of s alpha - kappa/2 alpha^2."""
    if not np.any(kappa):
        return np.where(s > 0, upper, lower)
    flat = np.where(s > 0, upper, lower) if not np.all(kappa) else 0.0
    return np.where(kappa > 0, np.clip(s / np.where(kappa > 0, kappa, 1.0), lower, upper), flat)
