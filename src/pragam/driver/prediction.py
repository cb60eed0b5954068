r"""Where the next point of a path should be, from the last two: a start, never a proof.

For piecewise linear risks the optimum of a path is piecewise linear (Hastie, Rosset, Tibshirani and Zhu, "The entire
regularization path for the support vector machine", JMLR 5, 2004): between two changes of which rows are inside their
boxes, alpha is linear in lam, and w and b are linear in 1/lam. So the line through two solved points is

    alpha = alpha_2 + t (alpha_2 - alpha_1),    t = (lam - lam_2) / (lam_2 - lam_1),
    (w, b) = (w_2, b_2) + s ((w_2, b_2) - (w_1, b_1)),    s = (1/lam - 1/lam_2) / (1/lam_2 - 1/lam_1),

with alpha moved into the box and onto the planes. It is exact at both ends of a path: where no row has left its bound,
and where the data are separated and alpha shrinks with lam. In between, where many rows change their places from one
lam to the next, the last pair as it is may be nearer. So each half of the prediction is weighed against that of the
last pair, which takes a product with the data: J(w, b) and D(alpha), in plain arithmetic. A prediction that has lost
is not asked for again at once: after k losses in a row, 2^k - 1 points go by.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from pragam.driver.record import Record
from pragam.driver.result import Result
from pragam.numerics.vector import Vector
from pragam.operators.base import Operator
from pragam.polytopes.box import Box
from pragam.problem import AnyProblem, Problem
from pragam.solvers.base import Start


@dataclass
class Prediction:
    """The last two points at which a solver was at work, and how the line through them has done."""

    points: list[tuple[float, Result]] = field(default_factory=list)
    losses: int = 0
    pause: int = 0  # points that go by before the next prediction

    def learn(self, lam: float, result: Result) -> None:
        """One more point. Where nothing was done, nothing is learnt."""
        if result.n_iter:
            self.points = [*self.points[-1:], (lam, result)]

    def start(self, problem: AnyProblem, record: Record) -> Start:
        """Where to start at the problem's lam: of the last pair and the predicted one, for each half the better."""
        last = Start(record.w, record.alpha, record.certificate.biases)  # the best for w
        if len(self.points) < 2 or not _is_box(problem) or record.certificate.relative_gap <= record.tol:
            return last
        if self.pause:
            self.pause -= 1
            return last
        ahead = _ahead(problem, *self.points)
        known = record.certificate
        is_lower = problem.primal(ahead.w, ahead.b) < known.primal
        is_higher = problem.dual(ahead.alpha) > known.dual
        self.losses = 0 if is_lower or is_higher else self.losses + 1
        self.pause = 2**self.losses - 1
        w, b = (ahead.w, ahead.b) if is_lower else (last.w, last.b)
        return Start(w, ahead.alpha if is_higher else last.alpha, b)


def _is_box(problem: AnyProblem) -> TypeGuard[Problem[Operator, Box]]:
    """Whether a dual point is a vector in a box."""
    return isinstance(problem.Q, Box)


def _ahead(problem: Problem[Operator, Box], first: tuple[float, Result], second: tuple[float, Result]) -> Start:
    (lam_1, one), (lam_2, two), lam = first, second, problem.lam
    t, s = (lam - lam_2) / (lam_2 - lam_1), (1 / lam - 1 / lam_2) / (1 / lam_2 - 1 / lam_1)
    alpha: Vector = np.clip(two.alpha + t * (two.alpha - one.alpha), problem.Q.lower, problem.Q.upper)
    return Start(two.w + s * (two.w - one.w), problem.domain.project(alpha), two.biases + s * (two.biases - one.biases))
