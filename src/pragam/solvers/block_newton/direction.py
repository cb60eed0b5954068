r"""The Newton direction of a stage's problem, how far to go along it, and when the stage is solved.

    (lam I + tau sum_j weight_j a_j a_j') dw = -gradient,    with the biases eliminated

The derivative along the direction is found at many steps in one round; where it vanishes is interpolated.
"""

from __future__ import annotations

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import DataProblem
from pragam.solvers.block_newton.state import BlockNewtonState, point_of
from pragam.solvers.block_newton.tasks import Ahead, slopes_ahead
from pragam.solvers.newton.system import back_substitute, cholesky

#: The inner problem is solved when |grad|^2/(2 lam) is below this many times the proximal term.
_INNER = 3.0
#: The steps at which a direction is looked along; the full one comes first.
_STEPS = np.concatenate([[1.0], np.geomspace(1e-3, 8.0, 24)])
#: A full step is taken if the derivative at its end is at most this share of that at its start.
_GOOD = 0.3
#: Where no row of a plane is inside its box, its bias has at least this share of the curvature with all of them inside.
_LEAST_STEEPNESS = 1e-10
_TINY = np.finfo(np.float64).tiny


def newton_direction(state: BlockNewtonState) -> tuple[Vector, Vector]:
    """The Newton direction of w and the biases; these are eliminated, as :mod:`pragam.solvers.newton.system` does."""
    assert state.looked is not None
    looked, stage, lam = state.looked, state.stage, state.form.lam
    least = np.maximum(_LEAST_STEEPNESS * stage.tau * state.steepness, _TINY)
    totals = np.maximum(stage.tau * looked.sums.totals, least)
    state.means = stage.tau * looked.sums.border / totals[:, None]
    matrix = stage.tau * looked.sums.outer
    sizes = matrix.diagonal().copy()
    matrix -= (state.means.T * totals) @ state.means
    dw = -back_substitute(cholesky(matrix, lam, sizes), _gradient(state))
    return dw, looked.off / totals - state.means @ dw


def _gradient(state: BlockNewtonState) -> Vector:
    """That of the stage's problem by w, with the biases eliminated."""
    assert state.looked is not None
    return state.form.lam * state.w + state.looked.adjoint + state.looked.off @ state.means


def search(problem: DataProblem, state: BlockNewtonState, dw: Vector, db: Vector) -> float:
    """A round: the step at which the derivative along the direction vanishes, between two of those looked at."""
    assert state.looked is not None
    lam, looked = state.form.lam, state.looked
    slopes = np.zeros(len(_STEPS))
    ahead = Ahead(state.w, point_of(state), dw, db, _STEPS)
    for part in problem.A.each_block(slopes_ahead, ahead, state.blocks.places):
        slopes += part
    state.passes += 1.0
    slopes += lam * (float(state.w @ dw) + _STEPS * float(dw @ dw)) + float(problem.tilt @ dw)
    slopes -= float(problem.levels @ db)
    at_start = lam * float(state.w @ dw) + float(looked.adjoint @ dw) - float(looked.off @ db)
    if abs(slopes[0]) <= _GOOD * abs(at_start):
        return 1.0
    steps, slopes = np.append(0.0, _STEPS[1:]), np.append(at_start, slopes[1:])
    above = np.flatnonzero(slopes > 0)
    if not above.size:
        return float(steps[-1])
    k = max(int(above[0]), 1)
    return float(steps[k - 1] - slopes[k - 1] * (steps[k] - steps[k - 1]) / (slopes[k] - slopes[k - 1]))


def is_inner_optimal(state: BlockNewtonState) -> bool:
    """Whether the gradient is small against the proximal term."""
    assert state.looked is not None
    looked, stage, lam = state.looked, state.stage, state.form.lam
    gradient = _gradient(state)
    error = float(gradient @ (gradient / (2 * lam)))
    error += 0.5 / stage.tau * float((looked.off**2 / np.maximum(state.steepness, _TINY)).sum())
    away = looked.beta - stage.centre
    return error <= _INNER * 0.5 / stage.tau * float(state.form.boxes.size @ (away * away))
