r"""A problem on a box as the Newton methods see it: every dual variable in units of its own.

    alpha_i = anchor_i + size_i beta_i,     low_i <= beta_i <= high_i

The anchor is a finite bound. The size is the width of the box, or what a score of the usual size can move alpha_i by,
``scale`` / kappa_i, if that is less. So the side of a box may be infinite where alpha_i has curvature. The row's part of J
is then, with c' = c - kappa anchor, s' = A w + B b + c' and bend = kappa size,

    max over alpha_i of  alpha_i s_i - kappa_i alpha_i^2/2
        = anchor_i s_i - kappa_i anchor_i^2/2 + size_i max over beta_i of  beta_i s'_i - bend_i beta_i^2/2.

Plain rows, those of piecewise linear losses, have low = 0, high = 1 and bend = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.records import Boxes, Ends
from pragam.operators.base import RowOperator, Vector
from pragam.polytopes import Box, BoxPlane
from pragam.problem import Problem
from pragam.solvers.base import Requirement

_NONE = np.zeros(0)


class Border:
    """The operator of the biases: (B b)_j = sigma_j b_k, k = group_j."""

    def __init__(self, sigma: Vector, group: NDArray[np.int64], count: int) -> None:
        self.sigma, self.group, self.shape = sigma, group, (len(sigma), count)

    def matvec(self, b: Vector) -> Vector:
        if self.shape[1] <= 1:
            return self.sigma * b.sum()
        return self.sigma * b[self.group]

    def rmatvec(self, alpha: Vector) -> Vector:
        if self.shape[1] <= 1:
            return np.full(self.shape[1], self.sigma @ alpha)
        return np.bincount(self.group, self.sigma * alpha, minlength=self.shape[1])

    def absolute(self) -> Border:
        """With |sigma|."""
        return Border(np.abs(self.sigma), self.group, self.shape[1])

    def take(self, rows: NDArray[np.int64]) -> Border:
        return Border(self.sigma[rows], self.group[rows], self.shape[1])


@dataclass(frozen=True)
class BoxForm:
    """A problem, and its dual variables in units of their own."""

    problem: Problem
    A: RowOperator
    B: Border
    levels: Vector
    c: Vector  # c'
    ends: Ends
    boxes: Boxes  # with an empty base
    scale: float  # the size of a score, as a rule
    least_bend: float  # of all rows that can move; 0 where a row has none

    @property
    def lam(self) -> float:
        return self.problem.lam

    @property
    def shape(self) -> tuple[int, int]:
        return self.A.shape

    def alpha(self, beta: Vector) -> Vector:
        """The dual variables, exactly in their boxes."""
        return np.clip(self.ends.anchor + self.boxes.size * beta, self.ends.lower, self.ends.upper)

    def beta(self, alpha: Vector) -> Vector:
        """Where alpha is in its boxes."""
        size = self.boxes.size
        return self.clip(np.divide(alpha - self.ends.anchor, size, out=np.zeros(len(size)), where=size > 0))

    def clip(self, beta: Vector) -> Vector:
        low, high = (self.boxes.low, self.boxes.high) if self.boxes.low.size else (0.0, 1.0)
        return np.clip(beta, low, high)

    def linear(self, alpha: Vector) -> float:
        """The part of D without A: <c, alpha> - g(alpha)."""
        return float(self.problem.c @ alpha) - self.problem.g.value(alpha)

    def best_biases(self, s: Vector) -> Vector:
        """The best for the scores A w + c."""
        if self.B.shape[1] == 0:
            return np.zeros(0)
        bias = self.problem.g.best_bias(self.problem.Q, s)
        return np.array([0.0 if np.isnan(bias) else bias])


def _is_held(problem: Problem) -> bool:
    Q = problem.Q
    if not isinstance(Q, Box):
        return False
    return bool(np.all(np.isfinite(Q.upper - Q.lower) | (np.asarray(problem.g.curvature) > 0)))


HELD = Requirement(
    _is_held,
    "bounds, or a curvature kappa > 0, for every dual variable",
    lambda p: f"this {type(p.Q).__name__} has an infinite side without curvature",
)


def box_form(problem: Problem) -> BoxForm:
    """The form of this problem."""
    A, Q, c = problem.A, problem.Q, problem.c
    assert isinstance(A, RowOperator) and isinstance(Q, Box)
    n = Q.size
    group = np.zeros(n, dtype=np.int64)
    if isinstance(Q, BoxPlane):
        B, levels = Border(-Q.sigma, group, 1), np.array([-Q.z])
    else:
        B, levels = Border(np.zeros(n), group, 0), np.zeros(0)
    width = Q.upper - Q.lower
    kappa = problem.g.curvature
    if not np.any(kappa):
        boxes = Boxes(_NONE, width, _NONE, _NONE, _NONE)
        return BoxForm(problem, A, B, levels, c, Ends(Q.lower, Q.lower, Q.upper), boxes, score_scale(B, c, width), 0.0)
    anchor = np.where(np.isfinite(Q.lower), Q.lower, np.where(np.isfinite(Q.upper), Q.upper, 0.0))
    kappa = np.broadcast_to(kappa, n)
    c = c - kappa * anchor
    scale = score_scale(B, c, width)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        size = np.where(width > 0, np.minimum(width, scale / kappa), 0.0)
        low, high = ((bound - anchor) / size for bound in (Q.lower, Q.upper))
    moves = size > 0
    low, high, bend = np.where(moves, low, 0.0), np.where(moves, high, 0.0), kappa * size
    boxes = Boxes(_NONE, size, low, high, bend)
    least = float(bend[moves].min(initial=np.inf))
    return BoxForm(
        problem, A, B, levels, c, Ends(anchor, Q.lower, Q.upper), boxes, scale, least if np.isfinite(least) else 0.0
    )


def score_scale(B: Border, c: Vector, width: Vector) -> float:
    """The mean of |c + B b| over the rows that can move, each bias in the middle of its rows' kinks -c_i/sigma_i.

    So it does not change with a common offset of the targets. For margins, c = 1 and kinks at -1 and 1, it is 1.
    """
    if c.size == 0 or c.min() == c.max():
        return abs(float(c[0])) or 1.0 if c.size else 1.0
    moves = width > 0
    kinks = np.divide(-c, B.sigma, out=np.full(len(c), np.nan), where=moves & (B.sigma != 0))
    middles = np.zeros(B.shape[1])
    for k in range(B.shape[1]):
        here = kinks[(B.group == k) & ~np.isnan(kinks)]
        middles[k] = 0.5 * here.min() + 0.5 * here.max() if here.size else 0.0
    scores = np.abs(c + B.matvec(middles))[moves]
    return float(scores.mean()) or 1.0 if scores.size else 1.0
