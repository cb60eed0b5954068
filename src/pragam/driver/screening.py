r"""Safe screening: blocks whose alpha_i is proved to be at a vertex, and the problem that is left without them.

*The sphere.* w* lies within r of a centre c, the mean of w and w(alpha) (:mod:`pragam.certificate.sphere`).

*Blocks.* alpha_i* maximises <alpha_i, s_i> over the block Q_i, a side of a box or the dual variables of an example,
at the scores s = A w* + c. These lie within |a_i| r of their values at the centre, all of the block together. Where
the same vertex is the only maximiser for all of them (``Q.settled``), alpha_i* is that vertex: the bound that the sign
of a slope asks for; all mass on the label that surely wins; no mass on an example that surely has no loss.

*With biases* the scores are s_j + sigma_j b_k, k the plane of dual variable j, with b best biases at w*, hence in the
intervals of those for all scores that near (``domain.multiplier_bounds``). Or, where the rows are those of X, b_k* is
known from an anchor p_k, the mean of the rows whose alpha is inside its box (:mod:`pragam.certificate.anchors`): the
scores then lie within |a_j - sigma_j p_k| r of their values, however far the rows are from 0. What either proves is
proven. A model with a bias for each of several labels has neither, as the same number may be added to all: it is not
screened.

*Rounding.* The sphere and the anchors hold as real numbers. The scores are computed to within known errors
(``matvec_error``, ``row_bounds``), which are counted against the proof, so a block is fixed only if that is a theorem
for the floats as stored. Where a part of the problem bounds no rounding, nothing is screened.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, sqrt
from typing import Any, TypeGuard

import numpy as np

from pragam.certificate import Certificate
from pragam.certificate.anchors import mean_anchors
from pragam.certificate.distances import of_duals
from pragam.certificate.kinks import has_kinks
from pragam.certificate.optimum import scores_near
from pragam.certificate.sphere import Sphere, sphere
from pragam.numerics.rounding import TINY, gamma
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
    """The vertex of Q_i at which block i of alpha* is proved to be, for each; NaN where none is.

    Two products, and two more for each bias if there are anchors.

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
        ball = sphere(problem, w, alpha, certificate)
        r = ball.radius
        if not isfinite(r):
            return Q.settled(np.full(Q.size, -inf), np.full(Q.size, inf), np.full(Q.n_blocks, inf))
        s, slack = scores_near(problem, ball.centre, 0.0)
        reach = (r * problem.A.row_bounds(Q.starts[:-1]) + TINY) * (1 + gamma(8))
        low, high = _shifts(problem, s, (slack + np.repeat(reach, Q.width)) * (1 + gamma(2)))
        known = _settled(Q, s, slack, (low, high), reach)
        return known if not problem.n_biases else np.where(np.isnan(known), _by_anchors(problem, ball, s, slack), known)


def _by_anchors(problem: AnyProblem, ball: Sphere, s: Vector, slack: Vector) -> Vector:
    """What the anchors of the biases prove; NaN where they prove nothing."""
    found = mean_anchors(problem, ball) if has_kinks(problem) else []
    if not has_kinks(problem) or not any(isfinite(each.high - each.low) for each in found):
        return np.full(len(s), np.nan)
    reach = (ball.radius * of_duals(problem, [each.point for each in found]) + TINY) * (1 + gamma(8))
    low, high = (np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    return _settled(problem.Q, s, slack, _ordered(problem, (low, high)), reach)


def _settled(Q: Any, s: Vector, slack: Vector, shifts: tuple[Vector | float, Vector | float], reach: Vector) -> Vector:
    """The vertices of the blocks whose scores are s, to within slack and the reach of their block, and a shift."""
    low, high = shifts
    room = slack + gamma(4) * (np.abs(s) + slack + np.maximum(np.abs(low), np.abs(high))) + 4 * TINY
    known: Vector = Q.settled((s + low) - room, (s + high) + room, reach)
    return known


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


def _shifts(problem: BlockProblem, s: Vector, room: Vector) -> tuple[Vector | float, Vector | float]:
    """What all best biases add to the scores: the least and the greatest, for all scores within room of s."""
    if problem.cut is None:
        return 0.0, 0.0
    return _ordered(problem, problem.cut.multiplier_bounds(s, room))


def _ordered(problem: AnyProblem, biases: Sequence[Vector]) -> tuple[Vector, Vector]:
    """What biases between two ends add to the scores: the least and the greatest."""
    sigma, group = problem.B.sigma, problem.B.group
    ends = [np.where(sigma == 0, 0.0, b[group] * sigma) for b in biases]
    return np.minimum(*ends), np.maximum(*ends)


def without(problem: BlockProblem, known: Vector, alpha: Vector) -> View[Any, Any]:
    """The problem on the blocks whose vertex is not known (NaN); the others are fixed. One is always left to move."""
    Q, unknown = problem.Q, np.isnan(known)
    blocks = np.flatnonzero(unknown[Q.starts[:-1]]) if unknown.any() else np.zeros(1, dtype=np.int64)
    return on_blocks(problem, blocks, np.where(unknown, alpha, known))
