r"""The merge: the best point among all that the steps of a round can be put together to, by exact arithmetic of D.

With directions p_j of the groups, each a part of alpha, and A' p_j at hand,

    D(alpha + sum_j t_j p_j) = D(alpha) + <s, t> - 1/2 t' K t,
    s_j = <c - kappa alpha, p_j> - <u, A' p_j> / lam,     K_ij = <A' p_i, A' p_j> / lam + <p_i, kappa p_j>,

where u = A' alpha + tilt. The step of a group gets a coefficient between 0 and 1, so alpha stays in its box. Those of
other directions are bounded too: where columns are few, some of them can go on for ever. What leaves its box is put
back, and D at that point is known only when the next round has multiplied it by the rows. If it has fallen, that round
goes on from the best point between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pragam.operators.base import Vector
from pragam.problem import DataProblem
from pragam.solvers.merged_ascent.small_qp import maximise_over_box

#: Coefficients of earlier steps are at most this large, as in :mod:`pragam.solvers.dcd.momentum`.
_LONGEST = 5.0


@dataclass(frozen=True)
class Point:
    """A feasible dual point, and u = A' alpha + tilt."""

    alpha: Vector
    u: Vector

    def towards(self, other: Point, share: float) -> Point:
        """A point between them."""
        if share == 1.0:
            return other
        return Point(self.alpha + share * (other.alpha - self.alpha), self.u + share * (other.u - self.u))


@dataclass(frozen=True)
class Steps:
    """The directions of one group."""

    at: slice  # of the dual variables
    table: Vector  # a row for each, see :mod:`pragam.solvers.merged_ascent.directions`
    shifts: Vector  # A' of each


@dataclass(frozen=True)
class Merged:
    """Where a merge leads."""

    alpha: Vector  # perhaps outside the box, and off the plane as far as the step is put back
    u: Vector
    b: Vector


def dual_at(problem: DataProblem, point: Point) -> float:
    """D."""
    flat = float(problem.c @ point.alpha) - problem.g.value(point.alpha)
    return problem.constant + flat - 0.5 * float(point.u @ point.u) / problem.lam


def best_between(problem: DataProblem, safe: Point, tried: Point) -> float:
    """The share of the way from a point to another at which D is largest; 1 if it is larger at the other one."""
    if dual_at(problem, tried) >= dual_at(problem, safe):
        return 1.0
    p, q, kappa = tried.alpha - safe.alpha, tried.u - safe.u, problem.g.curvature
    slope = float((problem.c - kappa * safe.alpha) @ p) - float(safe.u @ q) / problem.lam
    bend = float(q @ q) / problem.lam + float((kappa * p) @ p)
    return min(max(slope / bend, 0.0), 1.0) if bend > 0 else 0.0


def merged(
    problem: DataProblem, point: Point, groups: Sequence[Steps], share: float, b: Vector, trust: float
) -> Merged:
    """The best point on the plane, where the first direction of each group gets at most this share.

    ``trust`` is the share of their bounds that the other directions may use.
    """
    rows, sigma = len(groups[0].table), problem.B.sigma
    kappa, shifts = np.broadcast_to(problem.g.curvature, problem.Q.size), np.concatenate([g.shifts for g in groups])
    K, s = shifts @ shifts.T / problem.lam, shifts @ point.u / -problem.lam
    N = np.zeros((problem.n_biases, len(s)))
    for k, group in enumerate(groups):
        own, at = slice(k * rows, (k + 1) * rows), group.at
        K[own, own] += (group.table * kappa[at]) @ group.table.T
        s[own] += group.table @ (problem.c[at] - kappa[at] * point.alpha[at])
        if problem.n_biases:
            N[0, own] = group.table @ sigma[at]
    reach = np.array([_reach(problem, group, j) for group in groups for j in range(rows)])
    reach[np.arange(len(s)) % rows < rows - 1] = _LONGEST
    reach *= trust
    low, high = -reach, reach
    low[::rows], high[::rows] = 0.0, share
    t, b = maximise_over_box(K, s, (low, high), N, b)
    alpha = point.alpha.copy()
    for k, group in enumerate(groups):
        alpha[group.at] += t[k * rows : (k + 1) * rows] @ group.table
    return Merged(alpha, point.u + t @ shifts, b)


def _reach(problem: DataProblem, group: Steps, j: int) -> float:
    """The coefficient with which a direction leads some variable through its whole box; 0 if it leads nowhere."""
    p, width = np.abs(group.table[j]), (problem.Q.upper - problem.Q.lower)[group.at]
    moves = p > 0
    return float((width[moves] / p[moves]).min()) if moves.any() else 0.0
