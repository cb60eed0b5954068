r"""Safe screening: rows whose alpha_i is proved to be at a bound, and the problem that is left without them.

*The sphere.* For w, alpha in Q and the optima w*, alpha*, with v = w(alpha):

    J(w) - J* >= lam/2 |w - w*|^2,         J is lam-strongly convex and w* its minimum,
    J* - D(alpha) >= lam/2 |v - w*|^2,     D is quadratic, |A' h|^2/lam its curvature, and alpha* its maximum over Q.

Their sum is at most the gap, and |w - w*|^2 + |v - w*|^2 = 2 |(w + v)/2 - w*|^2 + |w - v|^2 / 2, hence

    |w* - (w + v)/2| <= r,   r^2 = gap/lam - |w - v|^2/4.

(Gap-safe screening, Ndiaye, Fercoq, Gramfort and Salmon 2017, has the first line alone: twice the r^2 and more.)

*Without a bias* the slope s_i = c_i + <a_i, w*> lies within |a_i| r of its value at the centre. If it is surely
positive then alpha_i* = upper_i, if surely negative alpha_i* = lower_i.

*With a bias*, <sigma, alpha> = z, the slope is s_i - b sigma_i with a b that minimises the support function at s. As a
function of b that is convex and piecewise linear, of slope z - sum of the upper ends of sigma_i alpha_i right of b +
lower ends left of b, "right" meaning that the kink s_i/sigma_i is. No such slope falls when a kink moves left, so the
first zero can only move left then, and the last one only right when a kink moves right. The kinks at w* are within
|a_i| r / |sigma_i| of those at the centre; so with all of them moved left as far as that, the first best b is below
every best b at w*, and with all of them moved right, the last one is above.

*Rounding.* A number computed by sums and products in any order, k roundings deep, errs by less than k eps times the
same sum of absolute values. With k <= 2 (n + d) + 30 everywhere, ``_depth`` = 4 (n + d + 16) eps times the absolute
sums, bounded by Cauchy and Schwarz, is added wherever it works against a proof: twice what is needed, because these
margins are rounded too. So is what alpha is off the plane. Large errors make the test weak, never wrong. (Not covered:
underflow, and repeated entries of a sparse row that cancel each other.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.certificate import Certificate
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.polytopes.base import Polytope
from pragam.problem import Problem

_EPS = np.finfo(np.float64).eps
#: Rows looked at for a guess.
_SAMPLE = 256


def can_screen(problem: Problem) -> bool:
    """Whether the proof applies: a piecewise linear risk on a bounded box, perhaps cut by a plane, with rows."""
    box = isinstance(problem.Q, Box) and isinstance(problem.A, RowOperator)
    return box and problem.kappa == 0 and bool(np.isfinite(problem.Q.radius2()))


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
    inside = bool(((alpha >= Q.lower) & (alpha <= Q.upper)).all())
    if not (inside and np.isfinite(certificate.relative_gap)):
        return known
    with np.errstate(over="ignore", invalid="ignore"):
        centre, radius = _sphere(problem, w, alpha, certificate)
        least, greatest = _slopes(problem, centre, radius)
        known[least > 0] = Q.upper[least > 0]  # false for a NaN: an overflow proves nothing
        known[greatest < 0] = Q.lower[greatest < 0]
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


def _depth(problem: Problem) -> float:
    return 4 * (sum(problem.A.shape) + 16) * float(_EPS)


def _reach(problem: Problem) -> Vector:
    """max |alpha_i| over the box."""
    assert isinstance(problem.Q, Box)
    return np.maximum(np.abs(problem.Q.lower), np.abs(problem.Q.upper))


def _sphere(problem: Problem, w: Vector, alpha: Vector, certificate: Certificate) -> tuple[Vector, float]:
    """(centre, radius) of a sphere around w*, as computed."""
    Q, lam, norms, reach, depth = problem.Q, problem.lam, problem.A.row_norms(), _reach(problem), _depth(problem)
    v = problem.w_of_alpha(alpha)
    length = float(np.linalg.norm(w) + np.linalg.norm(v))
    slopes = np.abs(problem.c) + norms * length  # a bound of |c_i| + sum_j |a_ij w_j|, and for v
    drift = depth * float(reach @ norms) / lam  # the rounding of v
    error = depth * (float(reach @ slopes) + lam * length**2) + lam * drift**2
    if isinstance(Q, BoxPlane):
        # There is a point of Q for which sum |sigma_i| |change of alpha_i| is what alpha is off the plane.
        rows = np.flatnonzero(Q.sigma)
        sigma, bias = np.abs(Q.sigma), abs(_bias(certificate))
        total = float(sigma @ reach) + abs(Q.z)
        off = abs(float(Q.sigma @ alpha) - Q.z) + depth * total
        shift = off * float((norms[rows] / sigma[rows]).max(initial=0.0))
        error += depth * bias * total + off * float((slopes[rows] / sigma[rows]).max(initial=0.0)) + shift**2 / lam
        drift += shift / lam
    apart = max(float(np.linalg.norm(w - v)) - drift, 0.0)
    radius2 = (certificate.gap + error) / lam - apart**2 / 4
    return (w + v) / 2, float(np.sqrt(max(radius2, 0.0))) + drift


def _slopes(problem: Problem, centre: Vector, radius: float) -> tuple[Vector, Vector]:
    """The least and the greatest slope of each row at any optimum in the sphere."""
    Q, norms, depth = problem.Q, problem.A.row_norms(), _depth(problem)
    s = problem.c + problem.A.matvec(centre)
    length = float(np.linalg.norm(centre))
    room = (1 + depth) * radius * norms + depth * (np.abs(problem.c) + norms * length)
    if not isinstance(Q, BoxPlane):
        return s - room, s + room
    first, last = _biases(problem, Q, s, room)
    at_first, at_last = (np.where(Q.sigma == 0, 0.0, b * Q.sigma) for b in (first, last))
    room += depth * np.maximum(np.abs(at_first), np.abs(at_last))
    return s - room - np.maximum(at_first, at_last), s + room - np.minimum(at_first, at_last)


def _biases(problem: Problem, Q: BoxPlane, s: Vector, room: Vector) -> tuple[float, float]:
    """An interval that holds every best bias, for all slopes within ``room`` of s."""
    bias, depth = _kernels.get("box_plane_bias"), _depth(problem)
    # The rounding of the sums over the kinks; above 0, so that an all but empty box leaves every bias.
    slack = depth * (float(np.abs(Q.sigma) @ _reach(problem)) + abs(Q.z)) + float(np.finfo(np.float64).tiny)
    side = np.sign(Q.sigma) * room
    first, _ = bias(s - side, Q.lower, Q.upper, Q.sigma, Q.z + slack)
    _, last = bias(s + side, Q.lower, Q.upper, Q.sigma, Q.z - slack)
    return first - depth * abs(first), last + depth * abs(last)


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
        box: Box = Box(Q.lower[rows], Q.upper[rows])
        if isinstance(Q, BoxPlane) and np.abs(Q.sigma[rows]) @ (box.upper - box.lower) > 0:  # else no row can move
            box = _cut(box, Q.sigma[rows], Q.z - float(Q.sigma @ fixed))
        return cls(Problem(part, problem.c[rows] - part.matvec(shift), box, lam), rows, fixed, shift, constant)

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
        return w + self.shift, self.problem.Q.project(alpha[self.rows])

    def lift(self, w: Vector, alpha: Vector) -> tuple[Vector, Vector]:
        """The pair of the whole problem that belongs to one of the reduced."""
        whole = self.fixed.copy()
        whole[self.rows] = alpha
        return w - self.shift, whole


def _cut(box: Box, sigma: Vector, z: float) -> BoxPlane:
    """The box cut by the plane of level z, which it attains but for rounding: alpha* does."""
    ends = np.sort([sigma * box.lower, sigma * box.upper], axis=0).sum(axis=1)
    return BoxPlane(box.lower, box.upper, sigma, float(np.clip(z, *ends)))
