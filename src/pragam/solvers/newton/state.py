"""What the Newton method remembers, and what follows from it: the risk, the gradient, the dual point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.operators.planes import Planes
from pragam.solvers.base import State
from pragam.solvers.newton.active_rows import ActiveRows
from pragam.solvers.newton.box_form import BoxForm
from pragam.solvers.newton.system import NewtonSystem
from pragam.views import View

#: The share of the least curvature that a proximal term has where there is no need of one.
_NEGLIGIBLE = 1e-6
#: A row counts in the Hessian up to this many units outside its box, at the beginning of a stage with a proximal term.
_FIRST_BLUR = 1.0
_TINY = float(np.finfo(np.float64).tiny)


@dataclass
class Point:
    """Where the method stands, and A' alpha + tilt there."""

    w: Vector
    biases: Vector
    adjoint: Vector
    largest: float  # its norm, the largest since it was last computed afresh


@dataclass
class Stage:
    """The proximal term: its centre and its strength, and how far the steps on it have come."""

    centre: Vector  # of all rows, in the units of beta
    delta: float  # in the size of the scores
    unit: float = 1.0  # the size of beta that matters, which steps and distances are measured by
    tau: float = 1.0  # tau_i / size_i, the same for all rows
    blur: float = 0.0  # how far outside its box, in units, a row counts in the Hessian
    steps: int = 0
    is_over: bool = False  # delta has changed since the active rows were chosen
    dual: float = -np.inf  # D at the centre, roughly, where an earlier stage ended

    def begin(self, form: BoxForm) -> None:
        """Set what follows from delta and the unit."""
        self.tau, self.blur = self.unit / (self.delta * form.scale), _FIRST_BLUR
        self.steps, self.is_over = 0, False
        if form.is_smooth(self.delta):
            self.tau, self.blur = max(self.tau, 1 / (_NEGLIGIBLE * form.least_bend)), 0.0


@dataclass
class Elimination:
    """The biases in the last step: the means of the rows by their weights, (K, d), that eliminate them."""

    means: Vector
    steepness: Vector  # the curvature along each bias, over tau, with all rows inside their boxes
    is_loose: bool = False  # no active row holds some bias, and rows are left out


class Entry(NamedTuple):
    """Where the active rows were chosen; s of all rows."""

    w: Vector
    biases: Vector
    s: Vector


@dataclass
class NewtonState(State):
    packed: View  # the problem that is solved; what has a row each is in its order
    form: BoxForm  # of that problem
    point: Point
    stage: Stage
    elimination: Elimination
    active: ActiveRows
    beta: Vector  # of all rows; the active ones may have moved on
    entry: Entry | None  # None if all rows are active
    checked: Vector | None  # s of all rows at w, if they were just looked at
    system: NewtonSystem


def steepness(form: BoxForm, tau: float) -> Vector:
    """sum_i size_i / (1 + tau bend_i) sigma_i^2 of each plane."""
    size, bend = form.boxes.size, form.boxes.bend
    if form.levels.size == 0:
        return np.zeros(0)
    return form.B.rmatvec((size / (1 + tau * bend) if bend.size else size) * form.B.sigma)


def all_beta(state: NewtonState) -> Vector:
    """beta of all rows as it is now."""
    if state.active.rows is None:
        return state.active.beta
    beta = state.beta.copy()
    beta[state.active.rows] = state.active.beta
    return beta


def all_slopes(state: NewtonState) -> Vector:
    """s of all rows, from w."""
    form, point = state.form, state.point
    state.passes += 1
    return with_biases(form.c + form.A.matvec(point.w), form.B, point.biases)


def with_biases(s: Vector, B: Planes, biases: Vector) -> Vector:
    """s + B b, in place, without a pass over the rows if there is no plane."""
    if biases.size:
        s += B.matvec(biases)
    return s


def risk(state: NewtonState) -> float:
    """J without lam/2 |w|^2, at w and the current biases, if no other row has to move."""
    active, point = state.active, state.point
    value = active.fixed_linear + float(active.fixed_adjoint @ point.w) + active.sums.risk
    return value - along_levels(state, point.biases)


def primal(state: NewtonState) -> float:
    """J at w and the current biases, if no other row has to move."""
    w = state.point.w
    return 0.5 * state.form.lam * float(w @ w) + risk(state)


def dual(state: NewtonState) -> float:
    """D at alpha, less what it would cost to move alpha onto the planes."""
    active, adjoint = state.active, centred_adjoint(state)
    square = float(adjoint @ (adjoint / state.form.lam))
    return active.fixed_linear + active.sums.linear - 0.5 * square - cost_of_planes(state)


def best_beta(state: NewtonState) -> Vector:
    """Where D is higher: beta as it is now, or the centre. In the midst of a stage D is lower than at its start."""
    return state.stage.centre if state.stage.dual > dual(state) else all_beta(state)


def along_levels(state: NewtonState, biases: Vector) -> float:
    """<levels - B' fixed, b>: what the biases cost beside the active rows."""
    return float(biases @ (state.form.levels - state.active.fixed_totals)) if biases.size else 0.0


def off_planes(state: NewtonState) -> Vector:
    """levels - B' alpha, minus the derivative of Psi by the biases."""
    return state.form.levels - state.active.fixed_totals - state.active.totals


def centred_adjoint(state: NewtonState) -> Vector:
    """A' alpha + tilt; with planes that of the rows a_i - sigma_i mean, in which a common offset does not count.

    They make the same problem: on the planes A' alpha is the same up to a sum of levels times means, and the biases
    shrink by <mean, w>. Off them, lam w + A' alpha is the derivative of Psi by w at fixed biases of theirs.
    """
    adjoint = state.point.adjoint
    return adjoint + off_planes(state) @ state.elimination.means if state.form.levels.size else adjoint


def cost_of_planes(state: NewtonState) -> float:
    """What it costs D, roughly, to move alpha onto the planes: |b| and a score of the usual size for each unit.

    The biases are those of the same model on the centred rows.
    """
    if state.form.levels.size == 0:
        return 0.0
    biases = state.point.biases + state.elimination.means @ state.point.w
    return float((state.form.scale + np.abs(biases)) @ np.abs(off_planes(state)))


def error_of_planes(state: NewtonState) -> float:
    """How far alpha is from the planes: the least proximal term of a way onto them, if no bound were in it."""
    if state.form.levels.size == 0:
        return 0.0
    squares = off_planes(state) ** 2 / np.maximum(state.elimination.steepness, _TINY)
    return 0.5 / state.stage.tau * float(squares.sum())
