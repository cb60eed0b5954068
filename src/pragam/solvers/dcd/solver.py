r"""Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), with a certified end.

On a box, D is maximised exactly over one alpha_i after the other, in a fresh random order each sweep:

    alpha_i <- clip(alpha_i + s_i / q_i, lower_i, upper_i),
    s_i = c_i + <a_i, w> - kappa_i alpha_i,   q_i = |a_i|^2 / lam + kappa_i,

with kappa the curvature of g, and w = w(alpha) kept up to date (:mod:`~pragam.solvers.dcd.sweep`,
:mod:`~pragam.solvers.dcd.state`). Unpenalised biases are the planes B' alpha = levels, kept by multipliers
(:mod:`~pragam.solvers.dcd.multipliers`). What makes it fast:

*Shrinking by drift.* A row held at its bound is set aside when its slope is further from turning than slopes have
lately been moving from one visit to the next, s_i^2 / q_i > caution^2 mean_j (change of s_j)^2 / q_j. When the rest
look done, or have had more work than everything before, all rows come back (:mod:`~pragam.solvers.dcd.schedule`).

*A packed copy of binary data* (:func:`pragam.views.packed`), whose rows are in another order.

*A copy of the active rows* of other sparse data (:mod:`~pragam.solvers.dcd.row_copy`), as soon as sweeps over them have
cost as much as making it.

*Single precision*, for a low accuracy: w, where there are many columns (:mod:`~pragam.solvers.dcd.single_precision`),
and a copy of all rows, if they come from memory (:mod:`~pragam.solvers.dcd.single_rows`).

*Several sweeps in one call* of the kernel, where they are so short that the calls would cost more.

*Momentum* (:mod:`~pragam.solvers.dcd.momentum`), once few rows change their bounds.

*An exact solve on the current face* (:mod:`~pragam.solvers.dcd.face_step`), when it is small and the sweeps have paid
for it.

*Joint steps.* The variables that read one row of the data (the two sides of a tube, the thresholds of ordinal data) are
met together, by one product, and moved to the maximum over all of them.

Nothing here decides to stop: the sum of the variables' gaps as the sweep meets them, max over the box of s_i t -
kappa_i/2 t^2 with t the way from alpha_i, only tells the driver when to certify.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from pragam._kernels.coordinate.records import Batch
from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.base import LOSSES_OF_SCORES, ROWS_AND_BOX, Certified, Cost, Seen, Solver, Start
from pragam.solvers.choice.sizes import sizes
from pragam.solvers.dcd import single_precision
from pragam.solvers.dcd.cost import dcd_cost
from pragam.solvers.dcd.multipliers import multipliers_of
from pragam.solvers.dcd.schedule import (
    FACE_SHARE,
    TIGHT,
    is_momentum_due,
    perhaps_climb_face,
    perhaps_copy_rows,
    perhaps_recall_rows,
)  # fmt: skip
from pragam.solvers.dcd.state import DONE, HINDSIGHT, DcdState, all_alpha, averaged, dual_of, passes_of_w, renew, w_of
from pragam.solvers.dcd.sweep import whole
from pragam.views import packed

#: The caution of the shrinking rule.
_CAUTION = 1.0
#: The same for a tight tolerance: many sweeps follow then, in which a row that was set aside wrongly is missing.
_CAUTION_TIGHT = 2.5
#: At this many times the tolerance the next sweep may be the last, and where it began is remembered.
_NEAR = 4.0
#: Entries that a call of the kernel should meet. The call itself takes as long as meeting some thousands.
_BATCH = 20_000
#: Multiplier of a linear congruential generator modulo 2^63 (Knuth's MMIX): one sweep's seed follows from the last.
_MULTIPLIER = 6364136223846793005


@dataclass(frozen=True)
class Dcd(Solver[BoxProblem, DcdState]):
    """Dual coordinate descent with shrinking.

    Parameters
    ----------
    shrinking : bool
        Whether rows may be set aside between full sweeps.
    momentum : bool
        Whether sweeps near the end are followed by a step along the last two.
    face : bool
        Whether to finish on the identified face by an exact solve.
    """

    shrinking: bool = True
    momentum: bool = True
    face: bool = True

    name = "dcd"
    needs = ROWS_AND_BOX
    serves = LOSSES_OF_SCORES
    may_drop_rows = True
    takes_packed_rows = True

    def cost(self, problem: BoxProblem, tol: float) -> Cost:
        return dcd_cost(sizes(problem), tol)

    def progress(self, problem: BoxProblem, state: DcdState) -> float:
        """The gap of the rows that the last sweep met."""
        return state.sweeps.relative_gap

    def init(self, problem: BoxProblem, rng: np.random.Generator, start: Start | None, tol: float) -> DcdState:
        view = packed(problem)
        problem = view.problem
        alpha = problem.start() if start is None else view.restrict(start.alpha.copy())
        seen = None if start is None else start.seen
        if start is not None and seen is not None:
            w = start.w.copy()
            multipliers, q = multipliers_of(problem, w, alpha, view.restrict(seen.scores))
        else:
            w = problem.w_of_alpha(alpha) if alpha.any() or problem.is_tilted else np.zeros(problem.n_weights)
            multipliers, q = multipliers_of(problem, w, alpha)
        work = whole(problem, w, alpha, q, multipliers)
        passes, seed = 4.0 if multipliers.count else 1.0, int(rng.integers(2**63))
        state = DcdState(passes, view, work, work, multipliers, tol, seed, dual_of(problem, w, alpha))
        if seen is not None:
            self._go_on_from(seen, problem, state)
            return state
        if (rounding := single_precision.rounding(problem, work, tol)) is not None:
            precision = state.precision
            precision.single, precision.size = (
                rounding,
                abs(problem.constant + problem.g.support(problem.domain, problem.c)),
            )
            if single_precision.serves(rounding, precision.size, tol):
                single_precision.begin(problem, work)
        return state

    def _go_on_from(self, seen: Seen, problem: BoxProblem, state: DcdState) -> None:
        """Begin with the rows that may still move. Sweeps over so few need no single precision."""
        work, slopes = state.work, state.packed.restrict(seen.scores) - problem.g.curvature * state.work.alpha
        if problem.n_biases:
            slopes += problem.B.matvec(state.multipliers.biases)
        state.sweeps.full_at = seen.passes
        state.sweeps.last = state.sweeps.last._replace(drift2=seen.drift2)
        work.meet(slopes, self._caution2(state.tol) * seen.drift2)

    def _caution2(self, tol: float) -> float:
        return (_CAUTION if tol >= TIGHT else _CAUTION_TIGHT) ** 2 if self.shrinking else inf

    def step(self, problem: BoxProblem, state: DcdState) -> DcdState:
        """Sweeps over the active rows until a tenth of all rows was met or they look done; perhaps a face solve."""
        problem, goal = state.packed.problem, state.passes + 0.1
        while state.passes < goal:
            perhaps_recall_rows(problem, state)
            self._sweep(problem, state)
            if state.looks_done:
                break
            if state.is_single and (state.is_rounded or state.precision.is_doubted):
                renew(problem, state)
            perhaps_copy_rows(problem, state)
        if self.face and not state.is_copy:
            perhaps_climb_face(problem, state)
        return state

    def candidate(self, problem: BoxProblem, state: DcdState) -> tuple[Vector, Vector]:
        problem = state.packed.problem
        alpha = problem.domain.onto_face(all_alpha(state))
        return averaged(state, w_of(problem, state, alpha)), state.packed.lift(alpha)

    def observe(self, problem: BoxProblem, state: DcdState, certified: Certified) -> DcdState:
        """Count what the candidate has cost. If w is rounded, renew it; if it is in single precision, doubt that."""
        if state.is_rounded and not state.is_copy and not state.multipliers.count:
            renew(state.packed.problem, state)
        else:
            state.passes += passes_of_w(state, state.packed.restrict(certified.proposed.alpha))
        state.precision.failures += state.is_single
        return state

    def estimate(self, problem: BoxProblem, state: DcdState) -> float:
        sweeps = state.sweeps
        return sweeps.relative_gap if sweeps.is_plain and (sweeps.is_full or state.looks_done) else inf

    def _sweep(self, problem: BoxProblem, state: DcdState) -> None:
        work, sweeps, n = state.work, state.sweeps, state.whole.size
        all_active = work.n_active == n
        caution2 = self._caution2(state.tol)
        reach = inf if sweeps.hold else caution2 * sweeps.last.drift2
        sweeps.is_plain = not (self.momentum and is_momentum_due(state))
        one = state.multipliers.count > 0 or not sweeps.is_plain
        goal = HINDSIGHT * DONE * state.tol * abs(state.dual)
        batch = Batch(caution2, sweeps.last.gap, goal, 0 if one else _BATCH, n)
        if sweeps.is_plain:
            state.momentum.forget()
        else:
            state.momentum.begin(work)
        is_near = state.is_single and not state.is_copy and sweeps.relative_gap <= _NEAR * state.tol
        state.precision.before = work.w.copy() if is_near else None
        met = work.planes_met()
        swept = work.sweep(problem.lam, reach, state.seed, batch)
        state.seed = (_MULTIPLIER * state.seed + 1) % 2**63
        state.dual += swept.gain
        if not sweeps.is_plain:
            state.dual += state.momentum.push(work, problem.lam, swept.gain)
        sweeps.hold = max(sweeps.hold - 1, 0)
        sweeps.is_full = swept.last == n
        if all_active:
            sweeps.full_at = state.passes + 1
        else:
            state.copy.credit += swept.met / n * state.whole.entries
        state.passes += swept.met / n
        state.face.credit += FACE_SHARE * 4 * swept.met / n * state.whole.entries
        state.multipliers.ascend(met)
        state.note(swept)
