r"""A working set of rows near the margin: for data in blocks that do not fit into memory, with many rows for a column.

::

    (w, b) <- the solution on the first blocks, a random sample of the rows
    repeat:   read all blocks: slopes s = A w + B b + c; keep the rows near s = 0
              (w, b), alpha_W <- the solution on the rows W that were kept; the others stay where they are:
                  rest = A' alpha - A_W' alpha_W,  levels and value likewise

After the sample every alpha_j is where its slope sends it, and only the rows near the margin are in doubt; there are
few of them where few columns decide. Solutions on the sample and on W come from the driver's own loop, with any solver,
and claim nothing: what is proposed is the pair (w, alpha) of the last reading, which has made both of its products,
so that its certificate reads nothing. Two or three readings certify 1e-3 where W is a tenth of the rows.

The risk must be piecewise linear: of a smooth one every row that costs anything moves with w.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows, Met
from pragam.problem import DataProblem
from pragam.solvers.base import Cost, Solver, Start, State, Tools, curved, unbounded
from pragam.solvers.working_set.cost import working_set_cost
from pragam.solvers.working_set.nearest import Kept, slopes_of
from pragam.solvers.working_set.room import rows_within
from pragam.views import on_taken, sampled

#: The solution on a sample need be no better than the sample is like the whole.
_SAMPLE_TOL = 1e-3
#: The solution on the rows kept takes this share of the gap that is allowed.
_SHARE = 0.3


@dataclass
class WorkingSetState(State):
    tol: float
    rng: np.random.Generator
    w: Vector
    biases: Vector
    alpha: Vector
    size: Vector  # of every dual variable, the unit of its distance
    share: float  # of the rows that the memory holds
    kept: tuple[NDArray[np.int64], DataRows] | None = None  # since the last reading
    values: tuple[float, float] = (inf, -inf)  # J and D of the last reading, as nearly as plain sums say


@dataclass(frozen=True)
class WorkingSet(Solver[DataProblem, WorkingSetState]):
    """Solve on the rows near the margin, read all, and again.

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
        return WorkingSet(self.solver, tools)

    @classmethod
    def misfits(cls, problem: DataProblem) -> list[str]:
        return curved(problem) or unbounded(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return working_set_cost(problem, tol, self._share(problem) * problem.A.storage.shape[0])

    def _share(self, problem: DataProblem) -> float:
        memory = None if self.tools is None else self.tools.memory
        return rows_within(memory, problem) / max(problem.A.storage.shape[0], 1)

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> WorkingSetState:
        A = problem.A
        norms2 = A.row_norms() ** 2
        size = np.sqrt(norms2 + problem.B.sigma**2 * float(norms2.mean()))
        size[size == 0] = 1.0
        alpha = problem.start() if start is None else np.clip(start.alpha, problem.Q.lower, problem.Q.upper)
        w = np.zeros(problem.n_weights) if start is None else start.w.copy()
        biases = np.zeros(problem.n_biases) if start is None or start.b is None else start.b.copy()
        state = WorkingSetState(0.0, tol, rng, w, biases, alpha, size, min(self._share(problem), 1.0))
        if start is not None:
            self._read(problem, state, None)
        return state

    def step(self, problem: DataProblem, state: WorkingSetState) -> WorkingSetState:
        """Solve on what is in memory, then read all."""
        alpha = self._from_sample(problem, state) if state.kept is None else self._from_kept(problem, state)
        self._read(problem, state, alpha)
        return state

    def candidate(self, problem: DataProblem, state: WorkingSetState) -> tuple[Vector, Vector]:
        is_feasible = problem.domain.contains(state.alpha)
        return state.w, state.alpha if is_feasible else problem.start()

    def estimate(self, problem: DataProblem, state: WorkingSetState) -> float:
        primal, dual = state.values
        return (primal - dual) / max(abs(primal), abs(dual)) if np.isfinite(primal - dual) else inf

    def _from_sample(self, problem: DataProblem, state: WorkingSetState) -> Vector | None:
        """The weights of the first rows; of alpha they say nothing."""
        A = problem.A
        rows = np.arange(max(1, int(state.share * A.storage.shape[0])))
        duals = rows if A.number is None else np.arange(np.searchsorted(A.number, len(rows)))
        view = sampled(problem, duals)
        state.passes += len(rows) / max(A.storage.shape[0], 1)
        found = self._solved(view.problem, state, max(state.tol, _SAMPLE_TOL), None)
        state.w, state.biases = found.w.copy(), found.biases.copy()
        return None

    def _from_kept(self, problem: DataProblem, state: WorkingSetState) -> Vector:
        """The solution on the rows in memory: new weights, and alpha with the others where they are."""
        assert state.kept is not None
        duals, rows = state.kept
        view = on_taken(problem, duals, rows, state.alpha, problem.A.rmatvec(state.alpha))
        state.kept = None
        found = self._solved(view.problem, state, _SHARE * state.tol, view.restrict(state.alpha))
        state.w, state.biases = found.w.copy(), found.biases.copy()
        alpha = np.clip(view.lift(found.alpha), problem.Q.lower, problem.Q.upper)
        alpha = alpha if problem.domain.contains(alpha) else problem.domain.project(alpha)
        return problem.domain.repair(alpha).point  # what a certificate takes it for, and asks the product of

    def _solved(self, problem: Any, state: WorkingSetState, tol: float, start: Vector | None) -> Any:
        if self.tools is None:
            raise RuntimeError("working-set solves parts of the problem by the driver's loop: call pragam.solve")
        seed = int(state.rng.integers(2**31))
        return self.tools.solve(problem, self.solver, tol=tol, start=start, random_state=seed, screening=False)

    def _read(self, problem: DataProblem, state: WorkingSetState, alpha: Vector | None) -> None:
        """One reading at the weights: the rows to keep, and the products of the next proposal.

        Without an alpha every dual variable is where its slope sends it.
        """
        Q, kept, risk = problem.Q, Kept.of(problem.A.storage, state.share), [0.0]
        shift = problem.B.matvec(state.biases) + problem.c
        new = np.empty(Q.size) if alpha is None else alpha

        def visit(met: Met) -> Vector:
            assert met.scores is not None
            at, s = met.duals, met.scores + shift[met.duals]
            if alpha is None:
                new[at] = np.where(s > 0, Q.upper[at], Q.lower[at])
            risk[0] += float(np.maximum(Q.lower[at] * s, Q.upper[at] * s).sum())
            kept.keep(met, slopes_of(s, state.size[at], new[at], Q.lower[at], Q.upper[at]))
            return new[at]

        problem.A.reading(visit, state.w)
        state.passes += 1.0
        state.alpha, state.kept = new, kept.operator(problem.A)
        primal = problem.constant + 0.5 * problem.lam * float(state.w @ state.w) + risk[0]
        primal += float(problem.tilt @ state.w) - float(problem.levels @ state.biases)
        state.values = primal, problem.dual(new) if problem.domain.contains(new) else -inf
