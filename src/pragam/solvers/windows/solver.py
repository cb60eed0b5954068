r"""Dual coordinate ascent on data in blocks that do not fit into memory, for many columns.

::

    repeat:   sweep over the hard rows in memory, until the others lack more
              read all blocks, dealt anew: sweep once over each, with the w of all in place; keep its hard rows

Coordinate ascent needs a row for an instant, so a block is met where it lies, on a map of its file, and the sweep is
that of :mod:`pragam.solvers.dcd`. What decides are the rows between their bounds: they are swept over again and again,
and most of them fit into a fifth of the memory that all rows take. Text is certified to 1e-3 in five readings so.

A pass may make the products of a certificate: X w at the w with which it begins, and X' of the alpha with which it
ends. J and D at these cost no reading of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.data_rows import Met
from pragam.problem import DataProblem
from pragam.solvers.base import Certified, Cost, Solver, Start, State, Tools, has
from pragam.solvers.dcd.sweep import WorkingSet
from pragam.solvers.windows import biases
from pragam.solvers.windows.cost import windows_cost
from pragam.solvers.windows.dealing import dealt
from pragam.solvers.windows.hard_rows import HardRows
from pragam.solvers.windows.room import kept_share, room_for
from pragam.solvers.windows.schedule import MOST_SWEEPS, Pace
from pragam.solvers.windows.table import Table

_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class WindowsState(State):
    tol: float
    rng: np.random.Generator
    table: Table
    dual: float  # D(alpha), by the gains of the sweeps
    hard: HardRows | None = None
    pace: Pace = field(default_factory=Pace)
    proposed: tuple[Vector, Vector] | None = None  # (w, alpha) whose products the last pass has made
    gap: float = inf  # theirs, relative, as nearly as plain sums say


@dataclass
class _Pass:
    """What a pass has seen so far."""

    wants_products: bool
    left: int  # rows not met yet
    gap: float = 0.0  # the sum of the gaps of the variables, each as it was met
    has_landed: bool = True


@dataclass(frozen=True)
class Windows(Solver[DataProblem, WindowsState]):
    """Sweeps over blocks in random order, and over hard rows between them."""

    memory: float | None = None

    name = "windows"
    needs = ("A.reading", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    def given(self, tools: Tools) -> Windows:
        return self if tools.memory is None else Windows(tools.memory)

    @classmethod
    def misfits(cls, problem: DataProblem) -> list[str]:
        return [] if problem.n_biases <= 1 else [f"keeps one bias at most, and this problem has {problem.n_biases}"]

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return windows_cost(problem, tol, kept_share(problem, self.memory))

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> WindowsState:
        if start is None:
            alpha, w = problem.start(), np.zeros(problem.n_weights)
            if alpha.any() or problem.is_tilted:
                w = problem.w_of_alpha(alpha)
            scores = problem.scores(w)
        else:  # whose products the driver has asked for
            alpha = np.clip(start.alpha, problem.Q.lower, problem.Q.upper)
            w, scores = problem.w_of_alpha(alpha), problem.scores(start.w)
        multipliers = biases.multipliers_from(problem, w, alpha, scores)
        passes = 0.0 if start is None else 2.0
        if multipliers.count:
            passes += min(biases.SAMPLE / max(problem.A.storage.shape[0], 1), 1.0)
        table = Table.of(problem, w, alpha, multipliers)
        return WindowsState(passes, tol, rng, table, problem.dual(alpha))

    def step(self, problem: DataProblem, state: WindowsState) -> WindowsState:
        """Sweeps over the hard rows, and a pass over all."""
        if state.hard is not None and state.hard.rows:
            self._sweep_hard_rows(problem, state)
        self._read(problem, state)
        return state

    def candidate(self, problem: DataProblem, state: WindowsState) -> tuple[Vector, Vector]:
        """What the last pass has made the products of; if it has not, where the sweeps stand."""
        if state.proposed is not None:
            return state.proposed
        alpha = state.table.alpha()
        return biases.weights(state.table, problem.lam), problem.domain.onto_face(alpha)

    def observe(self, problem: DataProblem, state: WindowsState, certified: Certified) -> WindowsState:
        """Two products that were not at hand took two readings."""
        state.passes += 0.0 if state.proposed is not None else 2.0
        return state

    def estimate(self, problem: DataProblem, state: WindowsState) -> float:
        return state.gap if state.proposed is not None else inf

    def progress(self, problem: DataProblem, state: WindowsState) -> float:
        return state.pace.last

    def _sweep_hard_rows(self, problem: DataProblem, state: WindowsState) -> None:
        hard, table = state.hard, state.table
        assert hard is not None
        duals, number = hard.variables()
        work = table.at_hand(hard.raw(), number, duals)
        state.proposed = None
        goal, reach = state.pace.goal(state.tol) * abs(state.dual), inf
        for _ in range(MOST_SWEEPS):
            swept = self._sweep(problem, state, work, reach)
            reach = swept.drift2
            if swept.gap + table.multipliers.excess() <= goal or not work.n_active:
                return

    def _sweep(self, problem: DataProblem, state: WindowsState, work: WorkingSet, reach: float):
        swept = work.sweep(problem.lam, reach, int(state.rng.integers(2**62)))
        state.dual += swept.gain
        state.table.multipliers.ascend()
        return swept

    def _read(self, problem: DataProblem, state: WindowsState) -> None:
        """A pass."""
        A, table = problem.A, state.table
        table.multipliers.refresh(table.w, table.numbers[:, 6])
        w, seen = biases.weights(table, problem.lam), _Pass(state.pace.is_near(state.tol), A.storage.shape[0])
        state.proposed = None
        if state.hard is not None:
            state.hard.clear(A.storage.shape[0], A.storage.stored)
        windows = dealt(state.rng, len(A.storage.ends) - 1)
        A.reading(lambda met: self._visit(problem, state, seen, met), w if seen.wants_products else None, windows)
        state.passes += 1.0
        state.pace.note((seen.gap + table.multipliers.excess()) / max(abs(state.dual), _TINY))
        if seen.wants_products and seen.has_landed:
            self._propose(problem, state, w)

    def _visit(self, problem: DataProblem, state: WindowsState, seen: _Pass, met: Met) -> Vector | None:
        """A sweep over a block; alpha of it if that is to be gathered."""
        table, rows, duals = state.table, met.A.contiguous_rows(), met.duals
        assert isinstance(duals, slice)
        if state.hard is None:
            is_copy = met.A.storage.rows()[1][0] is not met.A.storage.rows()[1][0]
            state.hard = HardRows.like(rows, room_for(problem, self.memory, rows, is_copy))
            state.hard.clear(problem.A.storage.shape[0], problem.A.storage.stored)
        biases.meet(problem, table, met, duals)
        those = np.arange(duals.start, duals.stop)
        number = np.arange(rows.stored) if rows.number is None else rows.number
        swept = self._sweep(problem, state, table.at_hand(rows, number, those), inf)
        seen.gap += swept.gap
        seen.left -= rows.stored
        if not seen.left and seen.wants_products:
            seen.has_landed = biases.land(problem, table, met, duals)
        state.hard.keep(rows, those, table.distances(duals))
        return table.numbers[duals, 6].copy() if seen.wants_products else None

    def _propose(self, problem: DataProblem, state: WindowsState, w: Vector) -> None:
        """The pair whose products are at hand; w of all sweeps is that of alpha, anew."""
        alpha = state.table.alpha()
        state.table.w[:] = problem.w_of_alpha(alpha)
        state.table.multipliers.refresh(state.table.w, alpha)
        primal, state.dual = problem.primal(w), problem.dual(alpha)
        state.gap = (primal - state.dual) / max(abs(primal), abs(state.dual), _TINY)
        state.proposed = w, alpha
