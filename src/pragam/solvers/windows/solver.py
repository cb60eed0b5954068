r"""Dual coordinate ascent on data in blocks that do not fit into memory, for many columns.

::

    repeat:   sweep over the hard rows in memory, until the others lack more
              read all blocks, dealt anew: sweep once over each, with the w of all in place; keep its hard rows

Coordinate ascent needs a row for an instant, so a block is met where it lies, on a map of its file, and the sweep is
that of :mod:`pragam.solvers.dcd`. What decides are the rows between their bounds: they are swept over again and again
in memory. Where a fifth of the rows holds them, text is certified to 1e-3 in five readings.

A pass may make the products of a certificate: X w at the w with which it begins, and X' of the alpha with which it
ends. J and D at these cost no reading of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from pragam._kernels.coordinate.records import ALPHA, SLOPE
from pragam.operators.base import Vector
from pragam.operators.data_rows import Met
from pragam.problem import DataProblem
from pragam.solvers.base import Certified, Cost, Solver, Start, State, Tools, unbounded_and_flat
from pragam.solvers.dcd.sweep import Swept, WorkingSet
from pragam.solvers.windows import biases
from pragam.solvers.windows.cost import windows_cost
from pragam.solvers.windows.dealing import dealt
from pragam.solvers.windows.hard_rows import HardRows
from pragam.solvers.windows.room import kept_share, room_for
from pragam.solvers.windows.schedule import MOST_SWEEPS, Pace
from pragam.solvers.windows.table import Table, distances

_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class WindowsState(State):
    tol: float
    rng: np.random.Generator
    table: Table
    dual: float  # D(alpha), by the gains of the sweeps
    hard: HardRows | None = None  # once a block was seen
    pace: Pace = field(default_factory=Pace)
    proposed: tuple[Vector, Vector] | None = None  # (w, alpha) whose products are at hand: the last pass has made them
    gap: float = inf  # theirs, relative, as nearly as plain sums say


@dataclass
class _Pass:
    """What a pass has seen so far."""

    wants_products: bool
    left: int  # rows not met yet
    gap: float = 0.0  # the sum of the gaps of the variables, each as it was met
    has_landed: bool = True  # whether alpha is on the plane of the bias, if there is one


@dataclass(frozen=True)
class Windows(Solver[DataProblem, WindowsState]):
    """Sweeps over blocks in random order, and over hard rows between them."""

    tools: Tools | None = None

    name = "windows"
    needs = ("A.reading", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    def given(self, tools: Tools) -> Windows:
        return replace(self, tools=tools)

    @property
    def _memory(self) -> float | None:
        return None if self.tools is None else self.tools.memory

    @classmethod
    def misfits(cls, problem: DataProblem) -> list[str]:
        if problem.n_biases > 1:
            return [f"keeps one bias at most, and this problem has {problem.n_biases}"]
        return unbounded_and_flat(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return windows_cost(problem, tol, kept_share(problem, self._memory))

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> WindowsState:
        if start is None:
            alpha = problem.start()
            is_zero = not (alpha.any() or problem.is_tilted)
            w = shown = np.zeros(problem.n_weights) if is_zero else problem.w_of_alpha(alpha)
        else:
            alpha = np.clip(start.alpha, problem.Q.lower, problem.Q.upper)
            w, shown = problem.w_of_alpha(alpha), start.w  # whose products are at hand: they were certified
        multipliers = biases.multipliers_from(problem, w, alpha, problem.scores(shown) if problem.n_biases else None)
        state = WindowsState(0.0, tol, rng, Table.of(problem, w, alpha, multipliers), problem.dual(alpha))
        if multipliers.count:
            state.passes += biases.n_sampled(problem) / max(problem.A.storage.shape[0], 1)
        if start is not None:
            state.passes += 2.0
            state.gap = self._relative(problem.primal(shown) - state.dual, state)
            state.pace.note(state.gap)
            state.proposed = shown.copy(), alpha
        return state

    def step(self, problem: DataProblem, state: WindowsState) -> WindowsState:
        """Sweeps over the hard rows, and a pass over all."""
        if state.hard is not None and state.hard.rows:
            self._sweep_hard_rows(problem, state, state.hard)
        self._read(problem, state)
        return state

    def candidate(self, problem: DataProblem, state: WindowsState) -> tuple[Vector, Vector]:
        """That whose products are at hand; if the last pass has made none, where the sweeps stand."""
        if state.proposed is not None:
            return state.proposed
        return biases.weights(state.table, problem.lam), problem.domain.onto_face(state.table.alpha)

    def observe(self, problem: DataProblem, state: WindowsState, certified: Certified) -> WindowsState:
        """Two products that were not at hand took two readings."""
        state.passes += 0.0 if state.proposed is not None else 2.0
        return state

    def estimate(self, problem: DataProblem, state: WindowsState) -> float:
        return state.gap if state.proposed is not None else inf

    def progress(self, problem: DataProblem, state: WindowsState) -> float:
        """The gap of all rows, as the last pass has met them."""
        return state.pace.last

    def _sweep_hard_rows(self, problem: DataProblem, state: WindowsState, hard: HardRows) -> None:
        duals, number, slopes = hard.variables()
        goal, reach = state.pace.goal(state.tol) * abs(state.dual), inf
        state.proposed = None
        with state.table.at_hand(hard.raw(), number, duals) as work:
            work.table[:, SLOPE] = slopes
            for _ in range(MOST_SWEEPS):
                swept = self._sweep(problem, state, work, reach)
                reach = swept.drift2
                if swept.gap + state.table.multipliers.excess() <= goal or not work.n_active:
                    return

    def _sweep(self, problem: DataProblem, state: WindowsState, work: WorkingSet, reach: float) -> Swept:
        swept = work.sweep(problem.lam, reach, int(state.rng.integers(2**62)))
        state.dual += swept.gain
        state.table.multipliers.ascend()
        return swept

    def _read(self, problem: DataProblem, state: WindowsState) -> None:
        """A pass over all blocks."""
        storage, table = problem.A.storage, state.table
        table.refresh()
        w, seen = biases.weights(table, problem.lam), _Pass(state.pace.is_near(state.tol), storage.shape[0])
        state.proposed = None
        if state.hard is not None:
            state.hard.clear(storage.shape[0], storage.stored)
        windows = dealt(state.rng, len(storage.ends) - 1)  # type: ignore[attr-defined]  # data in blocks have ends
        problem.A.reading(
            lambda met: self._visit(problem, state, seen, met), w if seen.wants_products else None, windows
        )
        state.passes += 1.0
        state.pace.note(self._relative(seen.gap + table.multipliers.excess(), state))
        if seen.wants_products:
            if not seen.has_landed:
                biases.project(problem, table)
                state.passes += 1.0  # for A' alpha
            self._propose(problem, state, w)

    def _visit(self, problem: DataProblem, state: WindowsState, seen: _Pass, met: Met) -> Vector | None:
        """A sweep over a block, whose hard rows are kept; alpha of it if that is to be gathered."""
        table, rows, duals = state.table, met.A.contiguous_rows(), met.duals
        assert isinstance(duals, slice), "blocks are runs of rows"
        if state.hard is None:
            state.hard = HardRows.like(rows, room_for(problem, self._memory, rows))
            state.hard.clear(problem.A.storage.shape[0], problem.A.storage.stored)
        biases.meet(table, met, duals)
        with table.at_hand(rows, rows.number, duals) as work:
            seen.gap += self._sweep(problem, state, work, inf).gap
        seen.left -= rows.stored
        if not seen.left and seen.wants_products:
            seen.has_landed = biases.land(problem, table, met, duals)
            work.table[:, ALPHA] = table.alpha[duals]
        state.hard.keep(rows, np.arange(duals.start, duals.stop), distances(work.table), work.table[:, SLOPE])
        return table.alpha[duals].copy() if seen.wants_products else None

    def _propose(self, problem: DataProblem, state: WindowsState, w: Vector) -> None:
        """The pair whose products are at hand. With them the w of the sweeps is computed anew, too."""
        table, alpha = state.table, state.table.alpha
        table.w[:] = problem.w_of_alpha(alpha)
        table.refresh()
        state.dual = problem.dual(alpha)
        state.gap = self._relative(problem.primal(w) - state.dual, state)
        state.proposed = w, alpha

    @staticmethod
    def _relative(gap: float, state: WindowsState) -> float:
        """The gap over the larger of J and D, where D is that of the state."""
        return gap / max(abs(state.dual + gap), abs(state.dual), _TINY) if gap < inf else inf
