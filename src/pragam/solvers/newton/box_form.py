r"""A problem on a box as the Newton methods see it: every dual variable in units of its own.

    alpha_i = anchor_i + size_i beta_i,     low_i <= beta_i <= high_i

The anchor is a finite bound. The size is the width of the box, or what a score of the usual size can move alpha_i by,
``scale`` / kappa_i, if that is less. So a side of a box may be infinite where alpha_i has curvature. The row's part of
J is then, with c' = c - kappa anchor, s' = A w + B b + c' and bend = kappa size,

    max over alpha_i of  alpha_i s_i - kappa_i alpha_i^2/2
        = anchor_i s_i - kappa_i anchor_i^2/2 + size_i max over beta_i of  beta_i s'_i - bend_i beta_i^2/2.

Plain rows, those of piecewise linear losses, have low = 0, high = 1 and bend = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pragam._kernels.newton.records import Boxes, Ends
from pragam.operators.base import RowOperator, Vector
from pragam.operators.planes import Planes
from pragam.problem import BoxProblem

#: A curvature of every row does what a proximal term does: there is no need of one where delta is at most this many
#: times the least of them. So squared hinges and hinges smoothed over 1 take one stage. With 1 or 16 instead, a9a and
#: w8a (C = 1, smoothed over 0.01 to 1) take up to twice as many steps.
_SMOOTH = 5.0
_NONE = np.zeros(0)


@dataclass(frozen=True)
class BoxForm:
    """A problem, and its dual variables in units of their own."""

    problem: BoxProblem
    A: RowOperator
    B: Planes
    c: Vector  # c'
    ends: Ends
    boxes: Boxes  # with an empty base
    scale: float  # the size of a score, as a rule
    least_bend: float  # of all rows that can move; 0 where one has none

    @property
    def lam(self) -> float:
        return self.problem.lam

    @property
    def levels(self) -> Vector:
        return self.problem.levels

    @property
    def shape(self) -> tuple[int, int]:
        return self.problem.A.shape

    def is_smooth(self, delta: float) -> bool:
        """Whether the rows' own curvature makes a proximal term of this strength needless."""
        return delta * self.scale <= _SMOOTH * self.least_bend

    def alpha(self, beta: Vector) -> Vector:
        """The dual variables, exactly in their boxes."""
        return np.clip(self.ends.anchor + self.boxes.size * beta, self.ends.lower, self.ends.upper)

    def beta(self, alpha: Vector) -> Vector:
        """Where alpha is in its boxes."""
        size = self.boxes.size
        return self.clip(np.divide(alpha - self.ends.anchor, size, out=np.zeros(len(size)), where=size > 0))

    def clip(self, beta: Vector) -> Vector:
        """The nearest positions in the boxes."""
        low, high = (self.boxes.low, self.boxes.high) if self.boxes.low.size else (0.0, 1.0)
        return np.clip(beta, low, high)

    def middle(self) -> Vector:
        """Where the rows are before anything is known of them."""
        return self.clip(np.full(self.shape[0], 0.5))

    def adjoint(self, alpha: Vector) -> Vector:
        """A' alpha + tilt."""
        return self.problem.adjoint(alpha) if alpha.any() else self.problem.tilt.copy()

    def linear(self, alpha: Vector) -> float:
        """The part of D without weights: constant + <c, alpha> - g(alpha)."""
        return self.problem.constant + float(self.problem.c @ alpha) - self.problem.g.value(alpha)

    def best_biases(self, s: Vector) -> Vector:
        """The best for the scores s = A w + c'; 0 where none is."""
        scores = s if self.c is self.problem.c else s + (self.problem.c - self.c)
        return np.nan_to_num(self.problem.best_biases(scores), nan=0.0)


def box_form(problem: BoxProblem) -> BoxForm:
    """The form of this problem."""
    A, B, Q, c, kappa = problem.A, problem.B, problem.Q, problem.c, problem.g.curvature
    width = Q.upper - Q.lower
    if not np.any(kappa):
        boxes, ends = Boxes(_NONE, width, _NONE, _NONE, _NONE), Ends(Q.lower, Q.lower, Q.upper)
        return BoxForm(problem, A, B, c, ends, boxes, _score_scale(B, c, width), 0.0)
    anchor = np.where(np.isfinite(Q.lower), Q.lower, np.where(np.isfinite(Q.upper), Q.upper, 0.0))
    c = c - kappa * anchor if anchor.any() else c
    scale = _score_scale(B, c, width)
    boxes = _curved_boxes(anchor, Q.lower, Q.upper, np.broadcast_to(kappa, Q.size), scale)
    ends = Ends(anchor, Q.lower, Q.upper)
    bends = boxes.bend[boxes.size > 0]
    return BoxForm(problem, A, B, c, ends, boxes, scale, float(bends.min()) if bends.size else 0.0)


def _curved_boxes(anchor: Vector, lower: Vector, upper: Vector, kappa: Vector, scale: float) -> Boxes:
    """The rows that cannot move have size 0, and beta = 0."""
    with np.errstate(over="ignore", divide="ignore"):
        size = np.minimum(upper - lower, scale / kappa)
    low, high = (np.divide(end - anchor, size, out=np.zeros(len(size)), where=size > 0) for end in (lower, upper))
    return Boxes(_NONE, size, low, high, kappa * size)


def _score_scale(B: Planes, c: Vector, width: Vector) -> float:
    """The mean of |c + B b| over the rows that can move, each bias in the middle of its rows' kinks -c_i/sigma_i.

    So it does not change with a common offset of the targets. For margins, c = 1 and kinks at -1 and 1, it is 1.
    """
    if c.size == 0 or c.min() == c.max():
        return abs(float(c.sum() / max(c.size, 1))) or 1.0
    moves = width > 0
    if not B.shape[1] and moves.all():
        return float(np.abs(c).sum() / c.size) or 1.0
    if B.shape[1] == 1 and B.sigma.all() and moves.all():
        scores = np.abs(c + B.sigma * _middle(-c / B.sigma))
        return float(scores.sum() / scores.size) or 1.0
    middles = np.zeros(B.shape[1])
    for k in range(len(middles)):
        on = B.rows_of(k)
        middles[k] = _middle(-c[on][moves[on]] / B.sigma[on][moves[on]])
    scores = np.abs(c + B.matvec(middles))[moves]
    return float(scores.sum() / max(scores.size, 1)) or 1.0


def _middle(kinks: Vector) -> float:
    return 0.5 * float(kinks.min()) + 0.5 * float(kinks.max()) if kinks.size else 0.0
