r"""The kink inequality: rows whose alpha is strictly inside its box have scores next to their kinks at every optimum.

For a box Q = [l, u] and g = 1/2 sum_j kappa_j alpha_j^2, and with any m_j from 0 to min(alpha_j - l_j, u_j - alpha_j),
the maximum that makes F_j (:mod:`pragam.certificate.sphere`) is at least its values at alpha_j - m_j and alpha_j + m_j:

    F_j(s) >= m_j |s - kappa_j alpha_j| - kappa_j m_j^2 / 2.

The sum of all F_j(s_j*) is at most rho, so for any set of rows

    sum_j m_j |s_j* - kappa_j alpha_j| <= T,   T = rho + sum_j kappa_j m_j^2 / 2.

For the hinge s - kappa alpha = 1 - margin: such rows lie near the margin, at every optimum. The planes of the biases
are not needed, so this bounds b* as well as w*.

*How large m_j.* Without curvature as large as there is room. With it T/sum_j m_j is least at m_j = mu/kappa_j, where
mu^2 = 2 rho / sum_j (1/kappa_j), if there is room for that.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.sphere import Sphere
from pragam.conjugates import Quadratic, Zero
from pragam.numerics.rounding import TINY, gamma, is_subnormal
from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows
from pragam.polytopes import Box
from pragam.problem import AnyProblem, DataProblem


class Kinks(NamedTuple):
    """sum over ``rows`` of ``most`` |s_j* - bent_j| <= ``total``, bent_j = kappa_j alpha_j."""

    rows: NDArray[np.int64]
    most: Vector  # m_j
    bent: Vector
    total: float  # T


def has_kinks(problem: AnyProblem) -> TypeGuard[DataProblem]:
    """Whether the risk is a sum of losses of one score each, on rows of X that are in memory.

    Its set is a box and nothing more: in a part of one, alpha_j + m_j may be outside. And g is what it is above.
    """
    A, has_known_parts = problem.A, type(problem.Q) is Box and type(problem.g) in (Zero, Quadratic)
    return has_known_parts and isinstance(A, DataRows) and not A.storage.in_blocks


def kinks(problem: DataProblem, ball: Sphere, rows: NDArray[np.int64] | None = None) -> Kinks:
    """Those of the dual variables ``rows``, by default of all, that are strictly inside their box."""
    room = _room(problem, ball)
    rows = np.flatnonzero(room > 0) if rows is None else rows[room[rows] > 0]
    kappa = np.broadcast_to(problem.g.curvature, room.shape)[rows]
    most, total = room[rows], ball.rho
    if np.any(kappa):
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            mu = sqrt(2 * ball.rho) / sqrt(max(float(np.sum(1 / kappa[kappa > 0])), TINY))
            most = np.where(kappa > 0, np.minimum(most, mu / np.where(kappa > 0, kappa, 1.0)), most)
            bend = float((kappa * most) @ most)  # most^2 may underflow where kappa is large
            total += (0.5 + gamma(len(rows) + 8)) * bend + 4 * TINY * (len(rows) + float(most.sum()))
    able = (most > TINY) & np.isfinite(most) & ~is_subnormal(np.ascontiguousarray(kappa))
    total = total * (1 + gamma(4)) if isfinite(total) else inf
    return Kinks(rows[able], most[able], (kappa * ball.dual.repaired.point[rows])[able], total)


def _room(problem: DataProblem, ball: Sphere) -> Vector:
    """min(alpha_j - l_j, u_j - alpha_j), rounded down; 0 for rows that the repair moves."""
    Q, (point, moved, _, feasible, distance) = problem.Q, ball.dual.repaired
    if not (feasible and isfinite(ball.rho)) or distance:
        return np.zeros(Q.size)
    room = np.minimum(point - Q.lower, Q.upper - point) * (1 - gamma(4)) - 4 * TINY
    room[moved] = 0.0
    return np.maximum(room, 0.0)
