"""What the Newton method remembers, and what follows from it: the risk, the gradient, the dual point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pragam.operators.base import Vector
from pragam.problem import BoxProblem
from pragam.solvers.base import State
from pragam.solvers.newton.active_rows import ActiveRows
from pragam.solvers.newton.system import NewtonSystem
from pragam.views import View


@dataclass
class Point:
    """Where the method stands, and A' alpha there."""

    w: Vector
    bias: float
    adjoint: Vector
    largest: float  # |A' alpha|, the largest since it was last computed afresh


@dataclass
class Stage:
    """The proximal term: its centre and its strength, and how far the steps on it have come."""

    centre: Vector  # of all rows, in the units of beta
    delta: float
    unit: float  # the size of beta that matters, which steps and distances are measured by
    steps: int
    blur: float  # how far outside its box, in units, a row counts in the Hessian
    is_over: bool = False  # centre and delta have changed since the active rows were chosen

    @property
    def tau(self) -> float:
        """tau_i / width_i, the same for all rows."""
        return self.unit / self.delta


@dataclass
class Plane:
    """The equality <sigma, alpha> = z, whose multiplier is the bias."""

    sigma: Vector
    z: float
    steepness: float  # sum of width sigma^2
    mean: Vector  # of the rows, by their weights in the last step


class Entry(NamedTuple):
    """Where the active rows were chosen; s of all rows."""

    w: Vector
    bias: float
    s: Vector


@dataclass
class NewtonState(State):
    packed: View  # the problem that is solved; what has a row each is in its order
    point: Point
    stage: Stage
    plane: Plane | None
    active: ActiveRows
    beta: Vector  # of all rows; the active ones may have moved on
    entry: Entry | None  # None if all rows are active
    checked: Vector | None  # s of all rows at w, if they were just looked at
    system: NewtonSystem


def all_beta(state: NewtonState) -> Vector:
    """beta of all rows as it is now."""
    if state.active.rows is None:
        return state.active.beta
    beta = state.beta.copy()
    beta[state.active.rows] = state.active.beta
    return beta


def all_slopes(problem: BoxProblem, state: NewtonState) -> Vector:
    """s of all rows, from w."""
    s = problem.c + problem.A.matvec(state.point.w)
    if state.plane is not None:
        s -= state.point.bias * state.plane.sigma
    state.passes += 1
    return s


def risk(state: NewtonState) -> float:
    """The risk at w and the current bias, <fixed, s> + sum of width [s]_+, if no other row has to move."""
    active, point = state.active, state.point
    value = active.fixed_linear + float(active.fixed_adjoint @ point.w) + active.sums.hinge
    return value if state.plane is None else value + point.bias * (state.plane.z - active.fixed_plane)


def off_plane(state: NewtonState) -> float:
    """z - <sigma, alpha>, the derivative of Psi by the bias; 0 without a plane."""
    return 0.0 if state.plane is None else state.plane.z - state.active.fixed_plane - state.active.sums.plane


def centred_adjoint(state: NewtonState) -> Vector:
    """A' alpha; with a plane that of the rows a_i - sigma_i mean, in which a common offset does not count.

    They make the same problem: on the plane A' alpha is the same up to z mean, and the bias grows by <mean, w>. Off it,
    lam w + A' alpha is the derivative of Psi by w at a fixed bias of theirs.
    """
    adjoint = state.point.adjoint
    return adjoint if state.plane is None else adjoint + off_plane(state) * state.plane.mean
