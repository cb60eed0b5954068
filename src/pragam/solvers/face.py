r"""The exact maximum of a concave quadratic over a face of a box, or of a box cut by a plane.

Coordinate ascent and bundle methods both end here: once the variables at a bound are known, the rest of the
problem has no inequalities. With F the free variables and slopes s = gradient - bias sigma at the current point,
the conditions of a maximum over the face,  <sigma, move> = -r  for the plane, are linear:

    [ gram_F    sigma_F ] [ move  ]   [ s_F ]
    [ sigma_F'     0    ] [ shift ] = [ -r  ]

A singular system without a solution has a ray along which the function grows for ever: follow it to the box's end.
If a step leaves the box, stop at the first bound, drop the variable that met it from F and solve again: an
active-set method; the function never falls on the way.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import scipy.linalg

from pragam.operators.base import Vector

#: What LU costs on f free variables, times f^3, in the unit in which a sweep of coordinate ascent over N entries costs
#: 4 N. Measured: LAPACK's LU runs at some 16 times the rate of a sweep.
COST_LU = 0.05
#: What a least-squares solution by SVD costs, in the same way. Measured: it runs slower than a sweep.
COST_SVD = 4.0
#: What a round costs however few the variables, in the same unit.
COST_ROUND = 3e5


class FaceMaximum(NamedTuple):
    alpha: Vector  # new values of the face's variables
    shift: float  # change of the plane's multiplier (the bias)
    cost: float  # in the unit of COST_LU


def maximise_on_face(
    gram: Vector,
    slopes: Vector,
    alpha: Vector,
    lower: Vector,
    upper: Vector,
    sigma: Vector | None = None,
    residual: float = 0.0,
    budget: float = np.inf,
) -> FaceMaximum:
    """Climb to the maximum over the face of the f free variables, or until it has cost the ``budget``.

    Parameters
    ----------
    gram : (f, f) minus the Hessian, positive semidefinite
    slopes : (f,) gradient minus bias times sigma, at the current point
    alpha, lower, upper : (f,) values and bounds, lower < alpha < upper
    sigma : (f,) coefficients of the plane, or None without one
    residual : r, what the plane's equation is off by at the current point
    """
    alpha, slopes = alpha.copy(), slopes.copy()
    free = np.arange(len(alpha))
    shift, spent = 0.0, 0.0
    while free.size and spent < budget:
        part = None if sigma is None else sigma[free]
        afford_svd = spent + COST_SVD * free.size**3 <= budget
        direction, cost = _direction(gram[np.ix_(free, free)], slopes[free], part, residual, afford_svd)
        spent += cost * free.size**3 + COST_ROUND
        if direction is None:
            break
        move, change, is_ray = direction
        reach, blocking = _reach(alpha[free], move, lower[free], upper[free])
        length = reach if is_ray else min(reach, 1.0)
        if not np.isfinite(length):
            break
        alpha[free] = np.clip(alpha[free] + length * move, lower[free], upper[free])
        slopes -= gram[:, free] @ (length * move)
        if sigma is not None:
            slopes -= length * change * sigma
            residual += length * float(sigma[free] @ move)
            shift += length * change
        if reach >= 1.0 and not is_ray:
            break
        row = free[blocking]
        alpha[row] = lower[row] if move[blocking] < 0 else upper[row]
        free = np.delete(free, blocking)
    return FaceMaximum(alpha, shift, spent)


class Direction(NamedTuple):
    move: Vector
    shift: float
    is_ray: bool  # follow it to the end of the box, rather than one unit


def _direction(
    gram: Vector, slopes: Vector, sigma: Vector | None, residual: float, afford_svd: bool
) -> tuple[Direction | None, float]:
    """The Newton step, or a ray where the system has no solution, or None if finding it is too expensive; its cost."""
    f = len(slopes)
    if sigma is None:
        matrix, rhs = gram, slopes
    else:
        matrix = np.block([[gram, sigma[:, None]], [sigma[None, :], np.zeros((1, 1))]])
        rhs = np.append(slopes, -residual)
    solution = _solve_lu(matrix, rhs)
    if solution is not None:
        return Direction(solution[:f], float(solution[f:].sum()), False), COST_LU
    if not (afford_svd and np.isfinite(matrix).all() and np.isfinite(rhs).all()):
        return None, COST_LU
    solution = scipy.linalg.lstsq(matrix, rhs, cond=1e-12, check_finite=False)[0]
    ray = (rhs - matrix @ solution)[:f]
    # What the system cannot reach of its right-hand side is a ray, unless the plane's equation forbids it.
    on_plane = sigma is None or abs(sigma @ ray) <= 1e-8 * (np.abs(sigma) @ np.abs(ray))
    if np.abs(ray).max() > 1e-9 * np.abs(rhs).max() and on_plane:
        return Direction(ray, 0.0, True), COST_LU + COST_SVD
    return Direction(solution[:f], float(solution[f:].sum()), False), COST_LU + COST_SVD


def _solve_lu(matrix: Vector, rhs: Vector) -> Vector | None:
    """The solution by LU, or None where the matrix is singular to working accuracy."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)
        solution = scipy.linalg.lu_solve(scipy.linalg.lu_factor(matrix, check_finite=False), rhs, check_finite=False)
        accurate = np.abs(matrix @ solution - rhs).max() <= 1e-9 * np.abs(rhs).max()
    return solution if accurate else None


def _reach(alpha: Vector, move: Vector, lower: Vector, upper: Vector) -> tuple[float, int]:
    """How far along ``move`` the box reaches (in units of it), and the variable that is met first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(move > 0, (upper - alpha) / move, np.where(move < 0, (lower - alpha) / move, np.inf))
    blocking = int(np.argmin(room))
    return float(max(room[blocking], 0.0)), blocking
