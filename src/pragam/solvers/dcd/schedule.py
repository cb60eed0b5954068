"""When coordinate ascent does more than sweep: momentum, all rows again, a copy of some, an exact solve on a face."""

from __future__ import annotations

from math import inf, log

import numpy as np

from pragam.problem import BoxProblem
from pragam.solvers.dcd import row_copy
from pragam.solvers.dcd.face_step import climb_face, price_of_face
from pragam.solvers.dcd.state import DONE, DcdState, dual_of, leave_copy

#: A tolerance below this is tight: many sweeps over few rows will follow.
TIGHT = 1e-4
#: All rows come back when the passes have grown by this factor since they were last met.
_RECALL = 2.0
#: The same for a tight tolerance. Not with a bias, which the rows that were set aside move as well.
_RECALL_TIGHT = 3.0
#: Momentum begins when fewer than this share of the active rows change their bounds in a sweep.
_MOMENTUM_TURNS = 0.1
#: Momentum ends at this many times the tolerance: it raises D but may raise J too, so the last sweep before a
#: certificate has to be a plain one.
_MOMENTUM_END = 1.5
#: What a step of momentum costs for each column, in entries met by a sweep.
_MOMENTUM_COLUMN = 1.0
#: What it costs in any case, in the same unit.
_MOMENTUM_FIXED = 4e3
#: Where this many sweeps are left, momentum saves more than half of them, so a step may cost as much as a sweep; less
#: where fewer are left.
_MANY = 20.0
#: The sweeps to come must cost this many times as much as a copy, since it saves a part of them only.
_COPY_USE = 4.0
#: The cost of face solves, as a share of that of the sweeps.
FACE_SHARE = 0.25
#: The passes grow by at least this factor from one face solve to the next.
_FACE_GROWTH = 1.2
#: A face is settled if no more than this share of its rows changed their bounds in the sweep before.
_FACE_TURNS = 0.2

_TINY, _EPS = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).eps)


def sweeps_left(state: DcdState) -> float:
    """How many sweeps at the present rate lead to the tolerance; 0 if that is not known."""
    sweeps = state.sweeps
    if sweeps.rate is None:
        return 0.0
    to_go = sweeps.relative_gap / max(state.tol, _EPS)
    return log(max(to_go, 1.0)) / max(-log(max(sweeps.rate, _TINY)), _TINY)


def is_momentum_due(state: DcdState) -> bool:
    """Whether momentum pays in the next sweep."""
    work, sweeps = state.work, state.sweeps
    if sweeps.rate is None or sweeps.last.turns > _MOMENTUM_TURNS * work.n_active or not work.entries:
        return False
    if not _MOMENTUM_END * state.tol < sweeps.relative_gap < inf:
        return False
    met = work.entries * work.n_active / work.size
    cost = (_MOMENTUM_COLUMN * work.w.size + _MOMENTUM_FIXED) / met if met else inf
    return cost * _MANY <= min(sweeps_left(state), _MANY)


def perhaps_recall_rows(problem: BoxProblem, state: DcdState) -> None:
    """All rows come back when the active ones look done or leave a plane alone, or have had more work than everything
    before.

    A few active rows could make the bias oscillate for ever. So with a plane, the k-th time, all rows stay k sweeps.
    """
    sweeps = state.sweeps
    all_active = state.work.n_active == state.whole.size
    growth = _RECALL if state.multipliers.count or state.tol >= TIGHT else _RECALL_TIGHT
    if all_active or not (state.looks_done or _is_plane_left(state) or state.passes > growth * sweeps.full_at + 2):
        return
    if state.is_copy:
        leave_copy(problem, state)
    state.work.recall()
    sweeps.last, sweeps.relative_gap = sweeps.last._replace(gap=inf), inf
    sweeps.hold = sweeps.recalls if state.multipliers.count else 0
    sweeps.recalls += 1


def _is_plane_left(state: DcdState) -> bool:
    """Whether the residual of a plane that no active variable lies on is too much for the tolerance."""
    met = state.work.planes_met()
    if met is None or met.all():
        return False
    return state.multipliers.excess(~met) > DONE * state.tol * state.precision.size


def perhaps_copy_rows(problem: BoxProblem, state: DcdState) -> None:
    """Copy the active rows when sweeps over some rows have cost as much, and those to come will cost much more.

    Not from rows in single precision: sweeps over these are as fast, and few will follow.
    """
    work, copy = state.work, state.copy
    if state.is_copy or work.n_active == work.size or not work.rows.has_values:
        return
    if copy.credit < row_copy.price(work, 0):
        return
    chosen = work.active[: work.n_active].copy()
    rows = row_copy.data_rows(work, chosen)
    entries = rows.entries(work)
    price = row_copy.price(work, entries)
    if copy.credit < price or sweeps_left(state) * entries < _COPY_USE * price or entries > copy.limit:
        return
    survey = row_copy.survey(work, rows)
    if survey.room < 1:
        copy.limit = survey.room * entries
        return
    copy.credit -= price
    state.work, copy.rows = row_copy.compact(work, chosen, survey, problem.lam), chosen
    state.momentum.forget()


def perhaps_climb_face(problem: BoxProblem, state: DcdState) -> None:
    """An exact solve on the current face, if it is needed, small and settled, and the sweeps have paid for it.

    On a wrong face it does not help, and gives a wrong bias. So the sweeps get ever more time between two solves.
    """
    work, sweeps, face = state.work, state.sweeps, state.face
    if sweeps.relative_gap <= state.tol or sweeps.last.turns > _FACE_TURNS * sweeps.last.free:
        return
    if state.passes < _FACE_GROWTH * face.at:
        return
    price = price_of_face(problem, work, state.multipliers, sweeps.last.free)
    to_come = sweeps_left(state) * 4 * sweeps.last.last / work.size * work.entries
    if price > face.credit or (sweeps.rate is not None and price > to_come):
        return
    climbed = climb_face(problem, work, state.multipliers, face.credit)
    if climbed.rows:
        state.passes += climbed.rows / work.size
        state.dual = dual_of(problem, work.w, work.alpha)
        state.momentum.forget()
        face.credit -= climbed.cost
        face.at = state.passes
