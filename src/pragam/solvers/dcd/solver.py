r"""Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), with a certified end.

On a box, D is maximised exactly over one alpha_i after the other, in a fresh random order each sweep:

    alpha_i <- clip(alpha_i + s_i / q_i, lower_i, upper_i),   s_i = c_i + <a_i, w>,   q_i = |a_i|^2 / lam,

with w = w(alpha) kept up to date (:mod:`pragam.solvers.dcd.sweep`, :mod:`pragam.solvers.dcd.state`). What makes it
fast:

*Shrinking by drift.* A row held at its bound is set aside when its slope is further from turning than slopes have
lately been moving from one visit to the next, s_i^2 / q_i > kappa^2 mean_j (change of s_j)^2 / q_j. When the rest look
done, or have had more work than everything before, all rows come back.

*A packed copy of binary data* (:mod:`pragam.solvers.packed`), whose rows are in another order.

*A copy of the active rows* of other sparse data (:mod:`pragam.solvers.dcd.row_copy`), as soon as sweeps over them have
cost as much as making it.

*w in single precision*, where there are very many columns (:mod:`pragam.solvers.dcd.single_precision`).

*Several sweeps in one call* of the kernel, where they are so short that the calls would cost more.

*Momentum* (:mod:`pragam.solvers.dcd.momentum`), once few rows change their bounds.

*An exact solve on the current face* (:mod:`pragam.solvers.dcd.face_step`), when it is small and the sweeps have paid
for it.

*An unpenalised bias* is the equality <sigma, alpha> = z, kept by a multiplier (:mod:`pragam.solvers.dcd.equality`).

Nothing here decides to stop: the sum of the rows' gaps, (upper_i - alpha_i) [s_i]_+ + (alpha_i - lower_i) [-s_i]_+, as
the sweep meets them, only tells the driver when to certify.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import Problem
from pragam.solvers.base import BOX_OR_PLANE, PIECEWISE_LINEAR, ROWS, Solver, Start
from pragam.solvers.dcd import row_copy as compact
from pragam.solvers.dcd import single_precision as single
from pragam.solvers.dcd.equality import equality_of, onto_plane
from pragam.solvers.dcd.face_step import climb_face, price_of_face
from pragam.solvers.dcd.state import DONE, HINDSIGHT, DcdState, all_alpha, dual_of, leave_copy, renew, w_of
from pragam.solvers.dcd.sweep import Batch, whole
from pragam.solvers.packed import packed

#: kappa of the shrinking rule; larger where many sweeps follow in which a wrong row would be missing.
_KAPPA, _KAPPA_TIGHT = 1.0, 2.5
_TIGHT = 1e-4
#: All rows come back when the work has grown by this since they were last met: later for high accuracy, but not with a
#: bias, which they all move.
_PATIENCE, _PATIENCE_TIGHT = 2.0, 3.0
#: Momentum begins when fewer than this share of the rows change their bounds, and ends at so many times the tolerance:
#: it raises D but may raise J too, so the last sweep before a certificate is a plain one.
_MOMENTUM_TURNS, _MOMENTUM_END = 0.1, 1.5
#: For each column, and at least, a step of momentum costs as much as meeting so many entries. Where this many sweeps
#: are left it saves more than half of them, so it may cost as much as one; less where there are fewer.
_MOMENTUM_COST, _MOMENTUM_FIXED, _MANY = 1.0, 4e3, 20.0
#: The sweeps to come must cost so many times as much as a copy, of which they save a part.
_COPY_USE = 4.0
#: What part of the work face solves may take, as a share of that of the sweeps.
_FACE_SHARE = 0.25
#: How much the work grows from one face solve to the next, and how many rows, as a share of those on the face, may have
#: changed their bounds in the sweep before.
_FACE_GROWTH, _FACE_TURNS = 1.2, 0.2

#: Entries that a call of the kernel is to meet: it takes as long as meeting some thousands.
_BATCH = 20_000

#: Of a linear congruential generator modulo 2^63 (Knuth's MMIX), by which one sweep's seed follows from the last.
_MULTIPLIER = 6364136223846793005

_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Dcd(Solver[DcdState]):
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
    requires = (ROWS, BOX_OR_PLANE, PIECEWISE_LINEAR)

    def init(self, problem: Problem, rng: np.random.Generator, start: Start | None, tol: float) -> DcdState:
        view = packed(problem)
        problem = view.problem
        alpha = problem.Q.project(np.zeros(problem.Q.size)) if start is None else view.pack(start.alpha.copy())
        w = problem.w_of_alpha(alpha) if alpha.any() else np.zeros(problem.n_weights)
        equality, q = equality_of(problem, w, alpha)
        work = whole(problem, w, alpha, q, equality)
        passes, seed = 4.0 if equality.active else 1.0, int(rng.integers(2**63))
        state = DcdState(passes, view, work, work, equality, tol, seed, dual_of(problem, w, alpha))
        if (rounding := single.rounding(problem, work, tol)) is not None:
            state.single_rounding, state.size = rounding, abs(problem.Q.support(problem.c)[0])
            if single.serves(rounding, state.size, tol):
                work.w = w.astype(np.float32)
        return state

    def step(self, problem: Problem, state: DcdState) -> DcdState:
        """Sweeps over the active rows until a tenth of all rows was met or they look done; perhaps a face solve."""
        problem, goal = state.packed.problem, state.passes + 0.1
        while state.passes < goal:
            _recall(problem, state)
            self._sweep(problem, state)
            if state.looks_done:
                break
            if state.is_single and (state.is_rounded or state.was_offered):
                renew(problem, state)
            _perhaps_copy(problem, state)
        if self.face and not state.is_copy:
            _climb(problem, state)
        return state

    def candidate(self, problem: Problem, state: DcdState) -> tuple[Vector, Vector]:
        problem, alpha = state.packed.problem, all_alpha(state)
        if state.equality.active:
            alpha = onto_plane(problem, alpha)
        elif not state.is_copy and state.is_rounded:
            renew(problem, state)
        state.was_offered = state.is_single
        return w_of(problem, state, alpha), state.packed.unpack(alpha)

    def estimate(self, problem: Problem, state: DcdState) -> float:
        return state.relative_gap if state.is_plain and (state.is_full or state.looks_done) else inf

    def _sweep(self, problem: Problem, state: DcdState) -> None:
        work, all_active = state.work, state.work.n_active == state.whole.size
        kappa2 = (_KAPPA if state.tol >= _TIGHT else _KAPPA_TIGHT) ** 2 if self.shrinking else inf
        reach = inf if state.hold else kappa2 * state.swept.drift2
        state.is_plain = not (self.momentum and _settled(state))
        one = state.equality.active or not state.is_plain
        goal = HINDSIGHT * DONE * state.tol * abs(state.dual)
        batch = Batch(kappa2, state.swept.gap, goal, 0 if one else _BATCH, state.whole.size)
        if state.is_plain:
            state.momentum.forget()
        else:
            state.momentum.begin(work, state.equality)
        swept = work.sweep(problem.lam, state.equality, reach, state.seed, batch)
        state.seed = (_MULTIPLIER * state.seed + 1) % 2**63
        state.dual += swept.gain
        if not state.is_plain:
            state.dual += state.momentum.push(work, problem.lam, state.equality, swept.gain)
        state.hold = max(state.hold - 1, 0)
        state.is_full = swept.last == state.whole.size
        if all_active:
            state.full_at = state.passes + 1
        else:
            state.copy_credit += swept.met / state.whole.size * state.whole.entries
        state.passes += swept.met / state.whole.size
        state.face_credit += _FACE_SHARE * 4 * swept.met / state.whole.size * state.whole.entries
        if state.equality.active:
            state.equality.ascend()
        state.note(swept)


def _settled(state: DcdState) -> bool:
    """Whether momentum pays in the next sweep."""
    work = state.work
    if state.rate is None or state.swept.turns > _MOMENTUM_TURNS * work.n_active or not work.entries:
        return False
    if not _MOMENTUM_END * state.tol < state.relative_gap < inf:
        return False
    met = work.entries * work.n_active / work.size
    cost = (_MOMENTUM_COST * work.w.size + _MOMENTUM_FIXED) / met if met else inf
    return cost * _MANY <= min(_sweeps_left(state), _MANY)


def _recall(problem: Problem, state: DcdState) -> None:
    """All rows come back when the active ones look done, or have had more work than everything before.

    A few active rows must not draw the bias to and fro for ever: with a plane, the k-th time all rows stay k sweeps.
    """
    all_active = state.work.n_active == state.whole.size
    patience = _PATIENCE if state.equality.active or state.tol >= _TIGHT else _PATIENCE_TIGHT
    if all_active or not (state.looks_done or state.passes > patience * state.full_at + 2):
        return
    if state.is_copy:
        leave_copy(problem, state)
    state.work.recall()
    state.swept, state.relative_gap = state.swept._replace(gap=inf), inf
    state.hold = state.recalls if state.equality.active else 0
    state.recalls += 1


def _perhaps_copy(problem: Problem, state: DcdState) -> None:
    """Copy the active rows when sweeps over some rows have cost as much, and those to come will cost much more."""
    work = state.work
    if state.is_copy or work.n_active == work.size or work.rows.kind != "csr":
        return
    if state.copy_credit < compact.price(work, 0):
        return
    rows = work.active[: work.n_active].copy()
    entries = compact.entries_of(work, rows)
    price = compact.price(work, entries)
    if state.copy_credit < price or _sweeps_left(state) * entries < _COPY_USE * price or entries > state.copy_limit:
        return
    columns = compact.survey(work, rows)
    if columns.room < 1:
        state.copy_limit = columns.room * entries
        return
    state.copy_credit -= price
    state.work, state.copied = compact.compact(work, rows, columns, problem.lam), rows
    state.momentum.forget()


def _sweeps_left(state: DcdState) -> float:
    """How many sweeps at the present rate lead to the tolerance; 0 if that is not known."""
    if state.rate is None:
        return 0.0
    to_go = state.relative_gap / max(state.tol, _EPS)
    return log(max(to_go, 1.0)) / max(-log(max(state.rate, _TINY)), _TINY)


def _climb(problem: Problem, state: DcdState) -> None:
    """An exact solve on the current face, if it is needed, small and settled, and the sweeps have paid for it.

    On a wrong face it does not help, and gives a wrong bias: the sweeps have ever more time to find their own between
    two.
    """
    if state.relative_gap <= state.tol or state.swept.turns > _FACE_TURNS * state.swept.free:
        return
    if state.passes < _FACE_GROWTH * state.face_at:
        return
    price = price_of_face(problem, state.work, state.equality, state.swept.free)
    to_come = _sweeps_left(state) * 4 * state.swept.last / state.work.size * state.work.entries
    if price > state.face_credit or (state.rate is not None and price > to_come):
        return
    climbed = climb_face(problem, state.work, state.equality, state.face_credit)
    if climbed.rows:
        state.passes += climbed.rows / state.work.size
        state.dual = dual_of(problem, state.work.w, state.work.alpha)
        state.momentum.forget()
        state.face_credit -= climbed.work
        state.face_at = state.passes
