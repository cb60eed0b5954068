r"""Safe screening: blocks whose alpha_i is proved to be at a vertex, and the problem that is left without them.

*The sphere.* For w, alpha in Q and the optima w*, alpha*, with v = w(alpha):

    J(w) - J* >= lam/2 |w - w*|^2,         J is lam-strongly convex and w* its minimum,
    J* - D(alpha) >= lam/2 |v - w*|^2,     D is quadratic, |A' h|^2/lam its curvature, and alpha* its maximum over Q.

Their sum is at most the gap, and |w - w*|^2 + |v - w*|^2 = 2 |(w + v)/2 - w*|^2 + |w - v|^2 / 2, hence

    |w* - (w + v)/2| <= r,   r^2 = gap/lam - |w - v|^2/4.

(Gap-safe screening, Ndiaye, Fercoq, Gramfort and Salmon 2017, has the first line alone: twice the r^2 and more.)

*Blocks.* alpha_i* maximises <alpha_i, s_i> over the block Q_i, a side of a box or the dual variables of an example,
at the scores s = A w* + c. These lie within |a_i| r of their values at the centre, all of the block together. Where
the same vertex is the only maximiser for all of them (``Q.settled``), alpha_i* is that vertex: the bound that the sign
of a slope asks for; all mass on the label that surely wins; no mass on an example that surely has no loss.

*With biases* the scores are s_j + sigma_j b_k, k the plane of dual variable j, with b best biases at w*, hence in the
intervals of those for all scores that near (``domain.multiplier_bounds``). A model with a bias for each of several
labels has no such intervals, as the same number may be added to all: it is not screened.

*Rounding.* The inequalities above are about real numbers, and so are the bounds of the certificate: primal >= J(w, b)
and dual <= D at the feasible point next to alpha that ``domain.repair`` names. That point is meant by alpha here. v,
the centre, r and the scores are computed to within known errors (``rmatvec_error``, ``matvec_error``, ``row_bounds``).
All are counted against the proof, so a block is fixed only if that is a theorem for the floats as stored. Where a part
of the problem bounds no rounding, nothing is screened.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Any, TypeGuard

import numpy as np

from pragam.certificate import Certificate
from pragam.certificate.optimum import radius, scores_near
from pragam.numerics.rounding import LANES, TINY, U, gamma, is_zero, norm
from pragam.operators.base import Vector
from pragam.problem import AnyProblem, BlockProblem
from pragam.solvers.base import has
from pragam.views import View, on_blocks

#: Blocks looked at for a guess.
_SAMPLE = 256
#: What the parts have to be able to do.
_NEEDS = ("A.take", "A.width", "Q.take", "Q.settled", "g.curvature")


def can_screen(problem: AnyProblem) -> TypeGuard[BlockProblem]:
    """Whether the proof applies: a piecewise linear risk on bounded blocks that each have rows of their own, without
    biases or with such as have intervals.

    All its parts must bound their rounding.
    """
    if not all(has(problem, name) for name in _NEEDS):
        return False
    A, Q, cut = problem.A, problem.Q, problem.cut
    fits = A.width == Q.width and (cut is None or cut.bounds_multipliers)  # type: ignore[attr-defined]  # as needed
    proves = all(part.rigorous for part in (A, problem.B, Q, problem.g))
    return fits and proves and not np.any(problem.g.curvature) and Q.is_bounded


def proven_vertices(problem: BlockProblem, w: Vector, alpha: Vector, certificate: Certificate) -> Vector:
    """The vertex of Q_i at which block i of alpha* is proved to be, for each; NaN where none is. Two products.

    Parameters
    ----------
    problem : BlockProblem
        One that :func:`can_screen`.
    w, alpha : vectors
        The pair that was certified.
    certificate : Certificate
        ``certify(problem, w, alpha)``.
    """
    Q = problem.Q
    with np.errstate(over="ignore", invalid="ignore"):
        centre, r = _sphere(problem, w, alpha, certificate)
        if not isfinite(r):
            return Q.settled(np.full(Q.size, -inf), np.full(Q.size, inf), np.full(Q.n_blocks, inf))
        s, slack = scores_near(problem, centre, 0.0)
        reach = (r * problem.A.row_bounds(Q.starts[:-1]) + TINY) * (1 + gamma(8))
        low, high = _shifts(problem, s, (slack + np.repeat(reach, Q.width)) * (1 + gamma(2)))
        room = slack + gamma(4) * (np.abs(s) + slack + np.maximum(np.abs(low), np.abs(high))) + 4 * TINY
        return Q.settled((s + low) - room, (s + high) + room, reach)


def likely_share(problem: BlockProblem, w: Vector, certificate: Certificate) -> float:
    """A guess, from a few blocks, of the share that :func:`proven_vertices` would prove: no proof, and next to no cost.

    The least radius that a gap allows (all of it due to |w - w(alpha)|) is taken, around w; and a best bias is taken to
    move as far as the score of an average row.
    """
    A, B, Q, norms = problem.A, problem.B, problem.Q, problem.A.row_norms()
    blocks = np.arange(0, Q.n_blocks, max(Q.n_blocks // _SAMPLE, 1), dtype=np.int64)
    places = Q.variables(blocks)
    s = problem.c[places] + A.take(blocks).matvec(w) + B.take(places).matvec(certificate.biases)
    r = sqrt(certificate.gap / (2 * problem.lam))
    shift = r * np.abs(B.sigma[places]) * float(norms[places].mean())
    return float(np.mean(~np.isnan(Q.take(blocks).settled(s - shift, s + shift, r * norms[Q.starts[blocks]]))))


def _sphere(problem: BlockProblem, w: Vector, alpha: Vector, certificate: Certificate) -> tuple[Vector, float]:
    """(centre, radius) of a sphere around w*; the radius is inf where nothing is proved."""
    apart = radius(certificate, problem.lam)
    if not isfinite(apart):
        return w, inf
    v, drift = _primal_of(problem, alpha)
    lost = sqrt(len(w)) * TINY  # the norm of what flushes to zero in one operation on vectors
    centre = 0.5 * w + 0.5 * v
    shift = 0.5 * drift + gamma(4) * (norm(w) + norm(v)) + 4 * lost  # of the centre
    half = apart / sqrt(2.0) * (1 + gamma(4)) + TINY  # sqrt(gap / lam)
    between = 0.5 * (norm(w - v) * (1 - gamma(2 * LANES)) - drift - 2 * lost)  # at most |w - v|/2
    share = min(max(between / half * (1 - gamma(4)), 0.0), 1.0)
    r = half * sqrt((1 - share) * (1 + share))
    return centre, (r + shift) * (1 + gamma(16))


def _primal_of(problem: BlockProblem, alpha: Vector) -> tuple[Vector, float]:
    """w(alpha) at the feasible point next to alpha, and how far from it in norm it may be; inf if there is no point."""
    A, origin, fixed = problem.A, problem.origin, problem.rest.weights
    point, rows, moves, feasible, distance = problem.domain.repair(alpha)
    moved = point if origin is None else point - origin
    u = A.rmatvec(moved)
    error = A.rmatvec_error(moved) + 1.01 * float(A.row_bounds(rows) @ moves)
    if distance:
        error += 1.01 * A.norm_bound() * distance
    if origin is not None:  # the difference of the two was rounded
        some = np.flatnonzero(~is_zero(moved))
        error += 1.01 * U * float(A.row_bounds(some) @ np.abs(moved[some]))
    if fixed is not None:
        u = u + fixed
        error += gamma(2) * norm(u)
    v = u / -problem.lam
    lost = sqrt(len(v)) * TINY
    drift = 1.01 * ((error + lost) / problem.lam + gamma(2) * norm(v) + lost)
    return v, drift if feasible else inf


def _shifts(problem: BlockProblem, s: Vector, room: Vector) -> tuple[Vector, Vector] | tuple[float, float]:
    """What all best biases add to the scores: the least and the greatest, for all scores within room of s."""
    if problem.cut is None:
        return 0.0, 0.0
    sigma, group = problem.B.sigma, problem.B.group
    ends = [np.where(sigma == 0, 0.0, b[group] * sigma) for b in problem.cut.multiplier_bounds(s, room)]
    return np.minimum(*ends), np.maximum(*ends)


def without(problem: BlockProblem, known: Vector, alpha: Vector) -> View[Any, Any]:
    """The problem on the blocks whose vertex is not known (NaN); the others are fixed. One is always left to move."""
    Q, unknown = problem.Q, np.isnan(known)
    blocks = np.flatnonzero(unknown[Q.starts[:-1]]) if unknown.any() else np.zeros(1, dtype=np.int64)
    return on_blocks(problem, blocks, np.where(unknown, alpha, known))
