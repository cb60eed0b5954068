r"""The exact maximum of a concave quadratic over a face of a box, or of a box cut by planes.

Coordinate ascent and bundle methods both end here: once the variables at a bound are known, the rest of the
problem has no inequalities. With F the free variables, the planes B' alpha = levels, off by the residuals r, and slopes
s = gradient + B biases at the current point, the conditions of a maximum over the face, B' move = -r, are linear:

    [ gram_F    B_F ] [  move  ]   [ s_F ]
    [ B_F'       0  ] [ -shift ] = [ -r  ]

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
    shift: Vector  # change of the planes' multipliers (the biases)
    cost: float  # in the unit of COST_LU


def maximise_on_face(
    gram: Vector,
    slopes: Vector,
    alpha: Vector,
    lower: Vector,
    upper: Vector,
    planes: Vector,
    residuals: Vector,
    budget: float = np.inf,
) -> FaceMaximum:
    """Climb to the maximum over the face of the f free variables, or until it has cost the ``budget``.

    Parameters
    ----------
    gram : (f, f) minus the Hessian, positive semidefinite
    slopes : (f,) gradient plus B times the biases, at the current point
    alpha, lower, upper : (f,) values and bounds, lower < alpha < upper
    planes : (K, f) B', a row for each plane; no rows without one
    residuals : (K,) r, what the planes' equations are off by at the current point
    """
    alpha, slopes, residuals = alpha.copy(), slopes.copy(), residuals.copy()
    free = np.arange(len(alpha))
    shift, spent = np.zeros(len(planes)), 0.0
    while free.size and spent < budget:
        met = np.flatnonzero(planes[:, free].any(axis=1))  # another plane has nothing to say here
        afford_svd = spent + COST_SVD * free.size**3 <= budget
        direction, cost = _direction(
            gram[np.ix_(free, free)], slopes[free], planes[np.ix_(met, free)], residuals[met], afford_svd
        )
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
        for k, change_k in zip(met, change, strict=True):
            slopes += length * change_k * planes[k]
            residuals[k] += length * float(planes[k, free] @ move)
            shift[k] += length * change_k
        if reach >= 1.0 and not is_ray:
            break
        row = free[blocking]
        alpha[row] = lower[row] if move[blocking] < 0 else upper[row]
        free = np.delete(free, blocking)
    return FaceMaximum(alpha, shift, spent)


class Direction(NamedTuple):
    move: Vector
    shift: Vector
    is_ray: bool  # follow it to the end of the box, rather than one unit


def _direction(
    gram: Vector, slopes: Vector, planes: Vector, residuals: Vector, afford_svd: bool
) -> tuple[Direction | None, float]:
    """The Newton step, or a ray where the system has no solution, or None if finding it is too expensive; its cost."""
    f, K = len(slopes), len(planes)
    matrix = np.block([[gram, planes.T], [planes, np.zeros((K, K))]]) if K else gram
    rhs = np.append(slopes, -residuals)
    solution = _solve_lu(matrix, rhs)
    if solution is not None:
        return Direction(solution[:f], -solution[f:], False), COST_LU
    if not (afford_svd and np.isfinite(matrix).all() and np.isfinite(rhs).all()):
        return None, COST_LU
    solution = scipy.linalg.lstsq(matrix, rhs, cond=1e-12, check_finite=False)[0]
    ray = (rhs - matrix @ solution)[:f]
    # What the system cannot reach of its right-hand side is a ray, unless a plane's equation forbids it.
    on_planes = all(abs(plane @ ray) <= 1e-8 * (np.abs(plane) @ np.abs(ray)) for plane in planes)
    if np.abs(ray).max() > 1e-9 * np.abs(rhs).max() and on_planes:
        return Direction(ray, np.zeros(K), True), COST_LU + COST_SVD
    return Direction(solution[:f], -solution[f:], False), COST_LU + COST_SVD


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
