r"""Semismooth Newton for data in blocks: two rounds over the blocks a step, and no state where the blocks are.

The method is that of :mod:`pragam.solvers.newton.solver`, with these rounds, which are
:mod:`~pragam.solvers.block_newton.tasks`:

::

    look           (w, b)   -> X w,  A' alpha,  the Hessian over the rows inside their boxes
    slopes_ahead   (dw, db) -> the derivative along the direction at 25 steps at once, between which t is interpolated

So a line search needs no further round. A stage's end takes one more ``look``, at its new proximal term. Blocks may lie
on the disk or in other processes: what a task needs of earlier stages it replays from a log of their (w, b, tau).

It starts at the solution of a sample, the rows of the last blocks, which stay in memory. They do more: after a round
they take the step that puts all of alpha onto the planes of the biases, so that what is proposed is feasible, and its
product A' alpha is at hand: the certificate reads nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import AnyProblem, DataProblem
from pragam.solvers.base import Cost, Solver, Start, Tools, unbounded_and_flat
from pragam.solvers.block_newton.cost import block_newton_cost
from pragam.solvers.block_newton.direction import is_inner_optimal, newton_direction, search
from pragam.solvers.block_newton.rounds import begin_stage, look_at
from pragam.solvers.block_newton.state import BlockNewtonState, posed_on_blocks
from pragam.solvers.block_newton.tasks import Entry
from pragam.solvers.newton.box_form import box_form
from pragam.solvers.newton.state import Stage, steepness
from pragam.solvers.newton.system import LARGEST_MATRIX
from pragam.solvers.rows_in_memory import rows_within
from pragam.views import sampled

#: The solution on the sample need be no better than the sample is like the whole.
_SAMPLE_TOL = 1e-3
#: The rows of the sample: this share of all, and this many for each column.
_SHARE, _ROWS_PER_COLUMN = 0.05, 20.0
#: The first delta, and what it shrinks by from stage to stage. 0.03 and 0.1 take up to half as many rounds more on
#: covtype and on ten noised copies of it.
_FIRST_DELTA, _SHRINK = 0.04, 0.25
#: A score is off by about sqrt(d / rows of the sample): dual variables whose slopes are beyond this many times that, in
#: units of a usual score, begin at a bound. 1 and 3 take more rounds on the same sets.
_BAND = 2.0
#: After this many steps in one stage the proximal term is made stronger.
_STAGE_STEPS = 40
#: The blur of the Hessian shrinks by this factor with each step of more than a half.
_BLUR_SHRINK = 0.25
_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class BlockNewton(Solver[DataProblem, BlockNewtonState]):
    """Newton's method on blocks, from the solution on some of them.

    Parameters
    ----------
    solver : str
        What solves on the sample.
    """

    solver: str = "auto"
    tools: Tools | None = None

    name = "block-newton"
    needs = ("A.each_block", "A.take", "Q.lower", "Q.upper", "g.curvature")
    serves = "data in blocks, and sums of losses of one score each"

    def given(self, tools: Tools) -> BlockNewton:
        return replace(self, tools=tools)

    @classmethod
    def misfits(cls, problem: AnyProblem) -> list[str]:
        d = problem.n_weights
        large = [] if d <= LARGEST_MATRIX else [f"needs at most {LARGEST_MATRIX:,} columns, and there are {d:,}"]
        return large + unbounded_and_flat(problem)

    def cost(self, problem: DataProblem, tol: float) -> Cost:
        return block_newton_cost(problem, tol, self._sample(problem) / max(problem.A.storage.shape[0], 1))

    def _sample(self, problem: DataProblem) -> float:
        """The rows of the sample, if the memory holds so many."""
        n, d = problem.A.storage.shape
        least = max(_SHARE * n, min(_ROWS_PER_COLUMN * d, n))
        return min(least, rows_within(None if self.tools is None else self.tools.memory, problem, least / max(n, 1)))

    def init(self, problem: DataProblem, rng: np.random.Generator, start: Start | None, tol: float) -> BlockNewtonState:
        form = box_form(problem)
        blocks = posed_on_blocks(problem, form, self._sample(problem))
        size = blocks.duals.stop - blocks.duals.start
        if start is None:
            w, b = self._from_sample(problem, rng, blocks.duals, max(tol, _SAMPLE_TOL))
        else:
            w, b = start.w.copy(), np.zeros(problem.n_biases) if start.b is None else start.b.copy()
            if start.b is None and problem.n_biases:
                b = problem.best_biases(problem.scores(w))
        stage = Stage(np.zeros(0), _FIRST_DELTA)
        stage.begin(form)
        band = _BAND * form.scale * sqrt(max(problem.n_weights, 1) / size)
        stage.blur = 0.0  # about the sample's solution enough rows are inside their boxes
        state = BlockNewtonState(
            0.0 if start is not None else size / max(problem.Q.size, 1),
            tol, form, blocks, band, w, b, stage, (Entry(w.copy(), b.copy(), 0.0),),
            steepness(form, stage.tau), np.zeros((problem.n_biases, problem.n_weights)), problem.start(),
        )  # fmt: skip
        look_at(problem, state)
        return state

    def step(self, problem: DataProblem, state: BlockNewtonState) -> BlockNewtonState:
        if state.stage.is_over:
            begin_stage(problem, state)
        dw, db = newton_direction(state)
        t = search(problem, state, dw, db)
        state.w, state.b = state.w + t * dw, state.b + t * db
        stage = state.stage
        stage.steps += 1
        if t > 0.5:
            stage.blur *= _BLUR_SHRINK
        look_at(problem, state)
        is_optimal = is_inner_optimal(state)
        if is_optimal or stage.steps >= _STAGE_STEPS:
            stage.delta *= _SHRINK if is_optimal else 1 / _SHRINK**2
            stage.is_over = True
        return state

    def candidate(self, problem: DataProblem, state: BlockNewtonState) -> tuple[Vector, Vector]:
        return state.w, state.alpha

    def estimate(self, problem: DataProblem, state: BlockNewtonState) -> float:
        primal, dual = state.values
        return (primal - dual) / max(abs(primal), abs(dual), _TINY) if np.isfinite(primal - dual) else inf

    def _from_sample(
        self, problem: DataProblem, rng: np.random.Generator, place: slice, tol: float
    ) -> tuple[Vector, Vector]:
        """The weights that are right for the rows of the last blocks."""
        if self.tools is None:
            raise RuntimeError("block-newton solves a sample by the driver's loop: call pragam.solve")
        part = sampled(problem, np.arange(place.start, place.stop)).problem
        seed = int(rng.integers(2**31))
        found = self.tools.solve(part, self.solver, tol=tol, random_state=seed, screening=False)
        return found.w.copy(), found.biases.copy()
