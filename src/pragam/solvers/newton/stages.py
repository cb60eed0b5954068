"""The stages of the proximal-point loop: when one ends, where the next begins, and on which rows it works."""

from __future__ import annotations

import numpy as np

from pragam import _kernels
from pragam._kernels.newton.records import Boxes, Line
from pragam.operators.base import Vector
from pragam.solvers.newton.active_rows import BAND, Selection, active_rows, select, threads_for
from pragam.solvers.newton.state import Entry, NewtonState, all_beta, all_slopes, dual, steepness

#: delta is no smaller than this: below, rounding keeps a stage from ending.
_LEAST_DELTA = 1e-30
#: delta is no larger than this, for the same reason.
_LARGEST_DELTA = 1e6
#: What was updated step by step is computed afresh at the beginning of a stage if delta is no larger than this.
_REBUILD_DELTA = 0.05
#: It is also computed afresh after |A' alpha| has fallen to this share of its largest value: rounding stays.
_REBUILD_DROP = 0.1
#: A line search ends with a step of this size, relative to t.
_LINE_TOL = 1e-3
#: A line search ends after this many evaluations.
_EVALUATIONS = 60
#: A step is not prolonged beyond this: a Newton direction that asks for more consists of rounding.
_LONGEST = 1e6


def end_stage(state: NewtonState, ratio: float) -> None:
    """Change delta; the centre will move to alpha, which stays as it is: the best dual point at hand."""
    stage = state.stage
    stage.delta = float(np.clip(ratio * stage.delta, _LEAST_DELTA, _LARGEST_DELTA))
    stage.is_over = True


def begin_stage(state: NewtonState) -> None:
    """The centre moves to alpha, and the active rows are chosen anew."""
    stage, form = state.stage, state.form
    state.beta = all_beta(state)
    stage.centre, stage.dual = state.beta.copy(), dual(state)
    # On data that can be separated, alpha fills a tiny part of its box, whose size says nothing then.
    largest = max(float(state.beta.max(initial=0.0)), -float(state.beta.min(initial=0.0)))
    stage.unit = min(1.0, 2 * largest) if largest > 0 else 1.0
    stage.begin(form)
    state.elimination.steepness = steepness(form, stage.tau)
    s = state.checked
    if s is None:
        s = state.active.s if state.active.is_all and _is_fresh(state) else all_slopes(state)
    _work_on(state, select(form, s, stage.centre, stage.tau, BAND * stage.unit))
    state.checked = None


def readmit(state: NewtonState) -> bool:
    """Look at all rows; those left out that have to move become active, with the others near their boxes.

    Without them the steps since the active rows were chosen have gone too far. They are cut back by a line search over
    all rows, so that Psi falls whatever was left out.
    """
    active, entry, point, stage, form = state.active, state.entry, state.point, state.stage, state.form
    if active.rows is None or entry is None:
        return False
    state.beta = all_beta(state)
    found = select(form, all_slopes(state), stage.centre, stage.tau, BAND * stage.unit, active.rows)
    wrong = found.beta != state.beta
    wrong[active.rows] = False
    if not wrong.any():
        state.checked = found.s
        return False
    keep = np.flatnonzero(found.near | wrong)
    dw, db, ds = point.w - entry.w, point.biases - entry.biases, found.s - entry.s
    linear = (
        float((form.lam * entry.w + form.problem.tilt) @ dw) + float(form.ends.anchor @ ds) - float(form.levels @ db)
    )
    boxes = form.boxes._replace(base=stage.centre)
    t = line_search(boxes, entry.s, ds, stage.tau, linear, form.lam * float(dw @ dw))
    point.w, point.biases = entry.w + t * dw, entry.biases + t * db
    s = entry.s + t * ds
    _work_on(state, select(form, s, stage.centre, stage.tau, BAND * stage.unit, keep))
    return True


def line_search(boxes: Boxes, s: Vector, ds: Vector, tau: float, linear: float, quadratic: float) -> float:
    """The t that nearly minimises Psi along a direction, of which these are the rows' and the other terms."""
    line = Line(linear, quadratic, _LINE_TOL, _EVALUATIONS)
    return min(_kernels.get("box_line_search")(boxes, s, ds, tau, line, threads_for(s)), _LONGEST)


def _is_fresh(state: NewtonState) -> bool:
    """Whether there is no rounding to speak of in what was updated step by step."""
    point = state.point
    return state.stage.delta > _REBUILD_DELTA and float(np.linalg.norm(point.adjoint)) > _REBUILD_DROP * point.largest


def _work_on(state: NewtonState, found: Selection) -> None:
    """Go on with other active rows, at the same w."""
    point, old, form = state.point, state.active, state.form
    new = active_rows(form, found, state.stage.centre, state.stage.tau)
    if old.is_all and new.is_all and _is_fresh(state):
        change = new.boxes.size * (new.beta - old.beta)
        point.adjoint += new.A.rmatvec(change)
        state.passes += np.count_nonzero(change) / len(change)
    else:
        point.adjoint = new.fixed_adjoint + new.A.rmatvec(new.share)
        point.largest = 0.0
        state.passes += 1
    state.system.exchange_rows(form.A, old.rows, new.rows, new.A)
    # The active rows may go on to change found.s, unless they have their own copy of it.
    state.entry = None if new.is_all else Entry(point.w.copy(), point.biases.copy(), found.s)
    state.active, state.beta = new, found.beta
