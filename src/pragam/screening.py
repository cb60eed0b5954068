r"""Safe screening: rows whose alpha_i is proved to be at a bound, and the problem that is left without them.

*The sphere.* For w, alpha in Q and the optima w*, alpha*, with v = w(alpha):

    J(w) - J* >= lam/2 |w - w*|^2,         J is lam-strongly convex and w* its minimum,
    J* - D(alpha) >= lam/2 |v - w*|^2,     D is quadratic, |A' h|^2/lam its curvature, and alpha* its maximum over Q.

Their sum is at most the gap, and |w - w*|^2 + |v - w*|^2 = 2 |(w + v)/2 - w*|^2 + |w - v|^2 / 2, hence

    |w* - (w + v)/2| <= r,   r^2 = gap/lam - |w - v|^2/4.

(Gap-safe screening, Ndiaye, Fercoq, Gramfort and Salmon 2017, has the first line alone: twice the r^2 and more.)

*Without a bias* the slope s_i = c_i + <a_i, w*> lies within |a_i| r of its value at the centre. If it is surely
positive then alpha_i* = upper_i, if surely negative alpha_i* = lower_i.

*With a bias*, <sigma, alpha> = z, the slope is s_i - b sigma_i with a b that is a best bias at w*, hence in the
interval of those for all scores within |a_i| r of the centre's (``BoxPlane.bias_bounds``).

*Rounding.* The inequalities above are about real numbers, and so are the bounds of the certificate: primal >= J(w, b)
and dual <= D at the feasible point next to alpha that ``Q.repair`` names. That point is meant by alpha here. v, the
centre, r and the slopes are computed to within known errors (``rmatvec_error``, ``matvec_error``, ``row_bounds``). All
are counted against the proof, so a row is fixed only if that is a theorem for the floats as stored. Where a part of the
problem bounds no rounding, nothing is screened.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from pragam.certificate import Certificate
from pragam.operators.base import RowOperator, Vector
from pragam.optimum import radius, scores_near
from pragam.polytopes import Box, BoxPlane
from pragam.polytopes.base import Polytope
from pragam.problem import Problem
from pragam.rounding import LANES, TINY, gamma, norm

#: Rows looked at for a guess.
_SAMPLE = 256


def can_screen(problem: Problem) -> bool:
    """Whether the proof applies: a piecewise linear risk on a bounded box, perhaps cut by a plane, with rows.

    Both its parts must bound their rounding.
    """
    A, Q = problem.A, problem.Q
    proves = isinstance(Q, Box) and isinstance(A, RowOperator) and A.rigorous and Q.rigorous
    return proves and problem.g.rigorous and not np.any(problem.kappa) and bool(np.isfinite(Q.radius2()))


def proven_bounds(problem: Problem, w: Vector, alpha: Vector, certificate: Certificate) -> Vector:
    """The bound at which alpha_i* is proved to be, for each row; NaN where none is. Two products.

    Parameters
    ----------
    problem : Problem
        One that :func:`can_screen`.
    w, alpha : vectors
        The pair that was certified.
    certificate : Certificate
        ``certify(problem, w, alpha)``.
    """
    Q = problem.Q
    assert isinstance(Q, Box)
    known = np.where(Q.lower == Q.upper, Q.lower, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        centre, r = _sphere(problem, w, alpha, certificate)
        if not isfinite(r):
            return known
        rises, falls = _signs(problem, *scores_near(problem, centre, r))
    known[rises] = Q.upper[rises]
    known[falls] = Q.lower[falls]
    return known


def likely_share(problem: Problem, w: Vector, certificate: Certificate) -> float:
    """A guess, from a few rows, of the share that :func:`proven_bounds` would prove: no proof, and next to no cost.

    The least radius that a gap allows (all of it due to |w - w(alpha)|) is taken, around w; and a best bias is taken to
    move as far as the slope of an average row.
    """
    A, Q, norms = problem.A, problem.Q, problem.A.row_norms()
    assert isinstance(A, RowOperator)
    rows = np.arange(0, Q.size, max(Q.size // _SAMPLE, 1), dtype=np.int64)
    slopes = np.abs(problem.c[rows] + A.take(rows).matvec(w) - _bias(certificate) * _sigma(Q)[rows])
    room = norms[rows] + np.abs(_sigma(Q)[rows]) * float(norms[rows].mean())
    return float(np.mean(slopes > room * np.sqrt(certificate.gap / (2 * problem.lam))))


def _sigma(Q: Polytope) -> Vector:
    return Q.sigma if isinstance(Q, BoxPlane) else np.zeros(Q.size)


def _bias(certificate: Certificate) -> float:
    return float(certificate.biases.sum())  # of one or none


def _sphere(problem: Problem, w: Vector, alpha: Vector, certificate: Certificate) -> tuple[Vector, float]:
    """(centre, radius) of a sphere around w*; the radius is inf where nothing is proved."""
    A, lam = problem.A, problem.lam
    apart = radius(certificate, lam)
    if not isfinite(apart):
        return w, inf
    point, rows, moves, _ = problem.Q.repair(alpha)
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


def _signs(problem: Problem, s: Vector, room: Vector) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows whose slopes are positive, and those whose slopes are negative, for all scores within room of s."""
    Q = problem.Q
    if not isinstance(Q, BoxPlane):
        return s > room, -s > room
    ends = [np.where(Q.sigma == 0, 0.0, b * Q.sigma) for b in Q.bias_bounds(s, room)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    room = room + gamma(4) * (np.abs(s) + np.maximum(np.abs(low), np.abs(high))) + 4 * TINY
    return s - high > room, low - s > room  # both false for a NaN, and for an infinite end: an overflow proves nothing


@dataclass(frozen=True)
class Reduced:
    r"""What is left of a problem when the rows F are fixed: a problem over the other rows R, equal but for a constant.

    ::

        g = A_F' alpha_F,   w' = w + g/lam,   c' = c_R - A_R g/lam,   z' = z - <sigma_F, alpha_F>
        J(w) = J'(w') + k,   D(alpha) = D'(alpha_R) + k,   k = <c_F, alpha_F> - |g|^2/(2 lam)

    The first holds at w*, and wherever the slopes of the rows F have the signs that their bounds ask for (elsewhere J
    is larger); the second everywhere. The rows R are copied.
    """

    problem: Problem
    rows: NDArray[np.int64]  # R
    fixed: Vector  # alpha on F, 0 on R
    shift: Vector  # g / lam
    constant: float  # k

    @classmethod
    def of(cls, problem: Problem, known: Vector) -> Reduced:
        """Fix every row whose value is known (not NaN). At least one row is left: a problem has rows."""
        A, Q, lam = problem.A, problem.Q, problem.lam
        assert isinstance(A, RowOperator) and isinstance(Q, Box)
        rows = np.flatnonzero(np.isnan(known)) if np.isnan(known).any() else np.zeros(1, dtype=np.int64)
        fixed = known.copy()
        fixed[rows] = 0.0
        shift = A.rmatvec(fixed) / lam
        constant = float(problem.c @ fixed) - 0.5 * lam * float(shift @ shift)
        part = A.take(rows)
        left = Problem(part, problem.c[rows] - part.matvec(shift), Q.take(rows, fixed=fixed), lam)
        return cls(left, rows, fixed, shift, constant)

    @property
    def n_fixed(self) -> int:
        """The number of rows that have left."""
        return self.fixed.size - self.rows.size

    @property
    def share(self) -> float:
        """The share of the rows that are left."""
        return self.rows.size / self.fixed.size

    def restrict(self, w: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """(w', alpha_R), moved into the set of the reduced problem."""
        w, alpha = self.part_of(w, alpha)
        return w, self.problem.Q.project(alpha)

    def part_of(self, w: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """(w', alpha_R) as they are: the inverse of :meth:`lift`."""
        return w + self.shift, alpha[self.rows]

    def lift(self, w: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """The pair of the whole problem that belongs to one of the reduced."""
        whole = self.fixed.copy()
        whole[self.rows] = alpha
        return w - self.shift, whole
