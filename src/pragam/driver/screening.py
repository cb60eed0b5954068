r"""Safe screening: rows whose alpha_i is proved to be at a bound, and the problem that is left without them.

*The sphere.* For w, alpha in Q and the optima w*, alpha*, with v = w(alpha):

    J(w) - J* >= lam/2 |w - w*|^2,         J is lam-strongly convex and w* its minimum,
    J* - D(alpha) >= lam/2 |v - w*|^2,     D is quadratic, |A' h|^2/lam its curvature, and alpha* its maximum over Q.

Their sum is at most the gap, and |w - w*|^2 + |v - w*|^2 = 2 |(w + v)/2 - w*|^2 + |w - v|^2 / 2, hence

    |w* - (w + v)/2| <= r,   r^2 = gap/lam - |w - v|^2/4.

(Gap-safe screening, Ndiaye, Fercoq, Gramfort and Salmon 2017, has the first line alone: twice the r^2 and more.)

*Without a bias* the slope s_i = c_i + <a_i, w*> lies within |a_i| r of its value at the centre. If it is surely
positive then alpha_i* = upper_i, if surely negative alpha_i* = lower_i.

*With biases* the slope is s_i + sigma_i b_k, k the row's plane, with b best biases at w*, hence in the intervals of
those for all scores within |a_i| r of the centre's (``domain.multiplier_bounds``).

*Rounding.* The inequalities above are about real numbers, and so are the bounds of the certificate: primal >= J(w, b)
and dual <= D at the feasible point next to alpha that ``domain.repair`` names. That point is meant by alpha here. v,
the centre, r and the slopes are computed to within known errors (``rmatvec_error``, ``matvec_error``, ``row_bounds``).
All are counted against the proof, so a row is fixed only if that is a theorem for the floats as stored. Where a part of
the problem bounds no rounding, nothing is screened.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.certificate.optimum import radius, scores_near
from pragam.numerics.rounding import LANES, TINY, gamma, norm
from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BoxProblem
from pragam.solvers.base import has_rows_and_box
from pragam.views import View, on_rows

#: Rows looked at for a guess.
_SAMPLE = 256


def can_screen(problem: AnyProblem) -> TypeGuard[BoxProblem]:
    """Whether the proof applies: a piecewise linear risk on a bounded box, perhaps cut by planes, with rows.

    All its parts must bound their rounding.
    """
    if not has_rows_and_box(problem):
        return False
    proves = all(part.rigorous for part in (problem.A, problem.B, problem.Q, problem.g))
    return proves and not np.any(problem.g.curvature) and problem.Q.is_bounded


def proven_bounds(problem: BoxProblem, w: Vector, alpha: Vector, certificate: Certificate) -> Vector:
    """The bound at which alpha_i* is proved to be, for each row; NaN where none is. Two products.

    Parameters
    ----------
    problem : BoxProblem
        One that :func:`can_screen`.
    w, alpha : vectors
        The pair that was certified.
    certificate : Certificate
        ``certify(problem, w, alpha)``.
    """
    Q = problem.Q
    known = np.where(Q.lower == Q.upper, Q.lower, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        centre, r = _sphere(problem, w, alpha, certificate)
        if not isfinite(r):
            return known
        rises, falls = _signs(problem, *scores_near(problem, centre, r))
    known[rises] = Q.upper[rises]
    known[falls] = Q.lower[falls]
    return known


def likely_share(problem: BoxProblem, w: Vector, certificate: Certificate) -> float:
    """A guess, from a few rows, of the share that :func:`proven_bounds` would prove: no proof, and next to no cost.

    The least radius that a gap allows (all of it due to |w - w(alpha)|) is taken, around w; and a best bias is taken to
    move as far as the slope of an average row.
    """
    A, B, norms = problem.A, problem.B, problem.A.row_norms()
    rows = np.arange(0, problem.Q.size, max(problem.Q.size // _SAMPLE, 1), dtype=np.int64)
    slopes = np.abs(problem.c[rows] + A.take(rows).matvec(w) + B.take(rows).matvec(certificate.biases))
    room = norms[rows] + np.abs(B.sigma[rows]) * float(norms[rows].mean())
    return float(np.mean(slopes > room * np.sqrt(certificate.gap / (2 * problem.lam))))


def _sphere(problem: BoxProblem, w: Vector, alpha: Vector, certificate: Certificate) -> tuple[Vector, float]:
    """(centre, radius) of a sphere around w*; the radius is inf where nothing is proved."""
    A, lam = problem.A, problem.lam
    apart = radius(certificate, lam)
    if not isfinite(apart):
        return w, inf
    point, rows, moves, *_ = problem.domain.repair(alpha)
    v = problem.w_of_alpha(point)
    lost = sqrt(len(w)) * TINY  # the norm of what flushes to zero in one operation on vectors
    error = A.rmatvec_error(point) + 1.01 * float(A.row_bounds(rows) @ moves)
    drift = 1.01 * (error / lam + gamma(2) * norm(v) + lost)  # of v
    centre = 0.5 * w + 0.5 * v
    shift = 0.5 * drift + gamma(4) * (norm(w) + norm(v)) + 4 * lost  # of the centre
    half = apart / sqrt(2.0) * (1 + gamma(4)) + TINY  # sqrt(gap / lam)
    between = 0.5 * (norm(w - v) * (1 - gamma(2 * LANES)) - drift - 2 * lost)  # at most |w - v|/2
    share = min(max(between / half * (1 - gamma(4)), 0.0), 1.0)
    r = half * sqrt((1 - share) * (1 + share))
    return centre, (r + shift) * (1 + gamma(16))


def _signs(problem: BoxProblem, s: Vector, room: Vector) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows whose slopes are positive, and those whose slopes are negative, for all scores within room of s."""
    if problem.cut is None:
        return s > room, -s > room
    sigma, group = problem.B.sigma, problem.B.group
    ends = [np.where(sigma == 0, 0.0, b[group] * sigma) for b in problem.cut.multiplier_bounds(s, room)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    room = room + gamma(4) * (np.abs(s) + np.maximum(np.abs(low), np.abs(high))) + 4 * TINY
    # Both false for a NaN, and for an infinite end: an overflow proves nothing.
    return s + low > room, -(s + high) > room


def without(problem: BoxProblem, known: Vector, alpha: Vector) -> View:
    """The problem on the rows whose value is not known (NaN); the others are fixed. One row is always left to move."""
    rows = np.flatnonzero(np.isnan(known)) if np.isnan(known).any() else np.zeros(1, dtype=np.int64)
    return on_rows(problem, rows, np.where(np.isnan(known), alpha, known))
