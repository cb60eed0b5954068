r"""A certified pair (w, alpha) with all that a range of lambda needs of it: the ends of moving pairs.

    u = A' alpha + what is fixed,  v = -u / lam,  c = (w + v)/2,  R = R(w, b),  L = <c, alpha> - g(alpha),

and scores at (w, b) and at c, on the rows to train on and on those that matter. What decides on the radius is computed
in twice the precision, as r^2 is a small difference of large numbers. Some four products with X, and one with the
other rows; a knot between two pairs makes none.
"""

from __future__ import annotations

from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.certificate.lower import Lower
from pragam.certificate.moving.near import Near
from pragam.certificate.proof import Certificate
from pragam.certificate.upper import Upper
from pragam.numerics.rounding import SAFE, TINY, dot, gamma, norm, sharp_dot, upward
from pragam.operators.base import Vector
from pragam.operators.storage import Storage
from pragam.problem import DataProblem

#: Some dual variables.
Rows = NDArray[np.int64] | slice


class Pair:
    """What ``certify(problem, w, alpha)`` has certified at ``problem.lam``, and ``held``, the rows whose scores matter.

    Attributes
    ----------
    lam : its lambda
    biases : b, certified with w
    centre, drift : c is within ``drift`` of ``centre``, in norm
    risk, fixed : at least R(w, b) beside its linear terms, and at least these; infinite where nothing is proven
    level : at most L
    square : at least |c|^2

    Scores are computed when they are asked for, and kept until the pair is told to ``forget`` them.
    """

    def __init__(self, problem: DataProblem, held: Storage, w: Vector, alpha: Any, certificate: Certificate) -> None:
        self.problem, self.held, self.lam = problem, held, problem.lam
        self.w = np.array(w, dtype=np.float64).reshape(-1)
        b = np.array(certificate.biases, dtype=np.float64)
        self.biases = Near(b, np.zeros(len(b)))
        self.lower = Lower(problem, alpha)
        self.lower.own()
        with np.errstate(over="ignore", invalid="ignore"):
            self.centre, self.drift = self._centre()
            self.square = self._square()
            self.fixed = self._fixed()
            self.level = self.lower.level()
            can_say = certificate.rigorous and SAFE[0] < self.lam < SAFE[1] and isfinite(self.drift)
            self.risk = problem.g.support_bound(problem.Q, *self.scores)[0] if can_say else inf

    @property
    def start(self) -> tuple[Vector, Vector]:
        """(w, alpha), for a solver to start from."""
        return self.w, self.lower.repaired.point

    @property
    def pairs(self) -> tuple[Pair, Pair]:
        """The pairs that it lies between."""
        return self, self

    def _centre(self) -> tuple[Vector, float]:
        u, error = self.lower.slope(sharp=True)
        lost = sqrt(len(u)) * TINY  # the norm of what flushes to zero in one operation on vectors
        v = u / -self.lam
        drift = 0.505 * ((error + lost) / self.lam + gamma(2) * norm(v) + 2 * lost)
        drift += gamma(2) * (norm(self.w) + norm(v)) + 4 * lost
        return 0.5 * self.w + 0.5 * v, drift

    def _square(self) -> float:
        value, error = sharp_dot(self.centre, self.centre)
        return upward(value, error, 1.01 * self.drift * (2 * norm(self.centre) + self.drift))

    def _fixed(self) -> float:
        """At least <tilt, w> - <levels, b>, what fixed dual variables contribute to the risk."""
        rest, terms = self.problem.rest, [(0.0, 0.0)]
        if rest.weights is not None:
            terms.append(sharp_dot(np.ascontiguousarray(rest.weights), self.w))
        if rest.levels is not None:
            terms.append(sharp_dot(np.ascontiguousarray(rest.levels), self.biases.value))
        return upward(*(number for term in terms for number in term))

    @cached_property
    def scores(self) -> Near:
        """A w + B b + c."""
        s, error, _ = Upper(self.problem, self.w, self.biases.value).sharp_scores()
        return Near(s, error)

    @cached_property
    def centre_scores(self) -> Near:
        """A c + the offset, without a bias."""
        A, c, offset = self.problem.A, self.centre, self.problem.c
        with np.errstate(over="ignore", invalid="ignore"):
            s = A.matvec(c) + offset
            error = A.matvec_error(c) + self.drift * A.row_bounds(np.arange(s.size))
            return Near(s, error + gamma(2) * (np.abs(s) + np.abs(offset)) + 4 * TINY)

    @cached_property
    def held_scores(self) -> Near:
        """<x, c> of the rows that matter."""
        with np.errstate(over="ignore", invalid="ignore"):
            error = self.held.product_error(self.centre) + self.drift * self.held.row_bounds
            return Near(self.held.matvec(self.centre), error * (1 + gamma(4)) + TINY)

    def forget(self) -> None:
        """Give up the memory of all scores; what asks for them computes them again, to the same bits."""
        for name in ("scores", "centre_scores", "held_scores"):
            vars(self).pop(name, None)

    def sides(self, rows: Rows = slice(None)) -> tuple[Vector, Vector]:
        """(alpha - l, u - alpha), rounded down; 0 for dual variables that the repair moves."""
        Q, (point, moved, _, feasible, distance) = self.problem.Q, self.lower.repaired
        down, up = point[rows] - Q.lower[rows], Q.upper[rows] - point[rows]
        if not feasible or distance or not isfinite(self.risk):
            return np.zeros_like(down), np.zeros_like(up)
        moves = np.zeros(Q.size, dtype=bool)
        moves[moved] = True
        for side in (down, up):
            np.maximum(side * (1 - gamma(4)) - 4 * TINY, 0.0, out=side)
            side[moves[rows]] = 0.0
        return down, up

    def room(self, rows: Rows) -> Vector:
        """How far alpha is inside its box, rounded down."""
        return np.minimum(*self.sides(rows))

    def bent(self, rows: Rows) -> Near:
        """kappa alpha; the repair moves some alpha by a real number."""
        point, moved, moves, _, _ = self.lower.repaired
        slack = np.zeros(point.size)
        slack[moved] = moves
        kappa = np.broadcast_to(self.problem.g.curvature, point.shape)[rows]
        value = kappa * point[rows]
        return Near(value, gamma(2) * np.abs(value) + (1.01 * slack[rows] * kappa + 2 * TINY) * (kappa > 0))

    def along(self, p: Vector) -> Near:
        """<p, c>."""
        value, error = dot(p, self.centre)
        return Near(np.array([value]), np.array([error + 1.01 * norm(p) * self.drift + TINY]))
