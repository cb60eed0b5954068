r"""Blocks of labels whose columns lie on planes: the dual variables of multiclass and multilabel models with biases.

    {alpha in Q : sum_i sigma_ik alpha_ik = levels_k for every label k},    alpha an (n, K) matrix, a block each row

The planes are eliminated by their multipliers b. With curvature, b minimises a smooth convex function of K variables,

    phi(b) = max over Q of <alpha, s + B b> - kappa/2 |alpha|^2 - <levels, b>,    phi'(b) = B' alpha(b) - levels,

by Newton's method (:mod:`pragam.polytopes.plane_newton`). Without, proximal point steps in alpha make it smooth. A
linear program ends after finitely many of them (Rockafellar 1976).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from pragam.numerics.rounding import TINY, gamma, total, two_product
from pragam.polytopes.base import REPAIRABLE, Curvature, Repair, Vector
from pragam.polytopes.needs import HasColumns, HasMultipliers
from pragam.polytopes.plane_newton import minimise

#: Proximal point steps at the most.
_STEPS = 40
#: Each has this much of the curvature of the one before, and more after one that failed.
_SHRINK = 0.1
#: They end when the maximum is known to this much of the size of its terms,
_ACCURACY = 1e-14
#: or after this many in a row that brought nothing.
_POOR = 4
#: What rounding leaves of B' alpha - levels, in units of the roundings of its terms.
_ROUNDINGS = 8.0
#: What :meth:`ColumnsOnPlanes.approach` leaves of it, relative to the size of Q.
_NEAR = 1e-13
_U = 2.0**-53
#: Where scores, or their ratio to the curvature, differ by more, steps overflow: the origin and no biases will do.
_LARGEST = 1e290


class ColumnsOnPlanes(HasMultipliers):
    """Plane k holds column k of ``Q``, with the signs ``Q.signs``.

    Its level is that of ``origin``, whose sums are not rounded, less ``shift_k``.
    """

    rigorous = True
    bounds_multipliers = False
    is_search_long = True  # a linear program of K variables and n K constraints

    def __init__(self, Q: HasColumns, origin: Vector, shift: Vector) -> None:
        self.Q, self.origin, self.shift = Q, origin, shift
        self.levels = self._columns(origin) - shift
        self.size, self.exact = Q.size, Q.exact
        # Only with exact levels do the columns of Q add up to what they have to.
        self.rigorous = type(self).rigorous and Q.rigorous and Q.has_vertex(origin) and not shift.any()

    def violation(self, alpha: Vector) -> float:
        inside = self.Q.violation(alpha)
        mass = float(np.sum(self.Q.totals))
        off = float(np.abs(self._off(alpha)).max(initial=0.0)) if np.isfinite(inside) else np.inf
        return max(inside, off / mass if mass > 0 else (np.inf if off > 0 else 0.0))

    def project(self, v: Vector) -> Vector:
        """The nearest point; of a v so large that its own rounding hides the planes, one that maximises <alpha, v>."""
        alpha = self._prox(v, 1.0)[0]
        return alpha if self.violation(alpha) <= REPAIRABLE else self._linear(v)[0]

    def approach(self, v: Vector) -> Vector:
        """As ``project``, in fewer steps: off the planes by no more than a certificate repairs at next to no cost."""
        alpha = self._prox(v, 1.0, off=_NEAR * float(np.sum(self.Q.totals)))[0]
        return alpha if self.violation(alpha) <= REPAIRABLE else self.project(v)

    def prox(self, s: Vector, kappa: Curvature) -> Vector:
        self.check_curvature(kappa)
        alpha = self._prox(s, float(np.max(kappa)))[0]
        return alpha if self.violation(alpha) <= REPAIRABLE else self._linear(s)[0]  # next to scores so large, none

    def check_curvature(self, kappa: Curvature) -> None:
        self.Q.check_curvature(kappa)

    def maximise_linear(self, s: Vector) -> Vector:
        return self._linear(s)[0]

    def support(self, s: Vector, kappa: Curvature = 0.0) -> float:
        b = self.multipliers(s, kappa)
        return self.Q.support(s + self._shift(b), kappa) - float(self.levels @ b)

    def support_bound(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[float, float]:
        """That of Q at the scores s + B b: any b bounds the maximum from above."""
        b = self.multipliers(s, kappa)
        shift = self._shift(b)
        room = slack + gamma(3) * (np.abs(s) + np.abs(shift)) + 2 * TINY
        bound, rounding = self.Q.support_bound(s + shift, room, kappa)
        level, error = total(np.concatenate(two_product(self.levels, -b)))
        return bound + level + error, rounding + error

    def multipliers(self, s: Vector, kappa: Curvature = 0.0) -> Vector:
        """The minimising b."""
        kappa = float(np.max(kappa))
        return self._prox(s, kappa)[1] if kappa > 0 else self._linear(s)[1]

    def multiplier_bounds(self, s: Vector, slack: Vector, kappa: Curvature = 0.0) -> tuple[Vector, Vector]:
        """None: the same number may be added to all minimising b, since a block's signed mass is fixed."""
        return np.full(len(self.levels), -np.inf), np.full(len(self.levels), np.inf)

    def repair(self, alpha: Vector) -> Repair:
        """The repair of Q, then the move of real size that brings the columns to their levels exactly."""
        point, rows, moves, feasible, _ = self.Q.repair_on_columns(alpha, self.levels)
        slack = np.zeros(self.size)
        slack[rows] = moves
        off, error = self._exact_off(point)
        error = error + self.Q.rows(slack).sum(axis=0) * (1 + gamma(self.size))
        most = np.abs(off) + error
        if float(np.max(np.abs(off), initial=0.0)) > REPAIRABLE * float(np.sum(self.Q.totals)):
            self._require(alpha, REPAIRABLE)
        if most.any():
            balanced = self.Q.balanced_columns(point, self.levels, most)
            feasible = feasible and balanced is not None
            slack = slack if balanced is None else slack + balanced
        some = np.flatnonzero(slack)
        return Repair(point, some, 1.01 * slack[some], feasible)

    def radius2(self, centre: Vector | None = None) -> float:
        return self.Q.radius2(centre)

    def sample(self, rng: np.random.Generator) -> Vector:
        return self.project(self.Q.sample(rng))

    def _prox(self, s: Vector, kappa: float, start: Vector | None = None, off: float = 0.0) -> tuple[Vector, Vector]:
        """(argmax of <alpha, s> - kappa/2 |alpha|^2 on the planes, or ``off`` them by so much, its multipliers)."""
        Q = self.Q
        if not np.ptp(s) / min(kappa, 1.0) < _LARGEST:
            return self.origin, np.zeros(len(self.levels))

        def gradient(b: Vector) -> tuple[Vector, Vector, Vector]:
            alpha = Q.prox(s + self._shift(b), kappa)
            rounding = _ROUNDINGS * _U * (Q.rows(np.abs(alpha)).sum(axis=0) + np.abs(self.levels))
            return self._off(alpha), alpha, rounding + off

        b = np.zeros(len(self.levels)) if start is None else start
        reach = float(np.ptp(s)) + kappa * float(np.max(Q.totals, initial=0.0)) + TINY
        alpha, b = minimise(gradient, lambda alpha: Q.column_hessian(alpha, kappa), b, reach)
        return alpha, b - b.mean()  # the same may be added to all: a block's signed mass is fixed

    def _linear(self, s: Vector) -> tuple[Vector, Vector]:
        """(argmax of <alpha, s> on the planes, its multipliers) by proximal point steps."""
        largest = float(np.max(self.Q.totals, initial=0.0))
        kappa = float(np.ptp(s)) / (largest + TINY) + TINY
        if not max(kappa, float(np.ptp(s))) < _LARGEST:
            return self.origin, np.zeros(len(self.levels))
        b, alpha = np.zeros(len(self.levels)), self.origin if not self.shift.any() else self.project(self.origin)
        best, shrink, poor = np.inf, _SHRINK, 0
        for _ in range(_STEPS):
            trial, multipliers = self._prox(s + kappa * alpha, kappa, b)
            r = s + self._shift(multipliers)
            short = self.Q.support(r) - float(r @ trial) + float(np.abs(multipliers) @ np.abs(self._off(trial)))
            if short < best:
                best, alpha, b, poor = short, trial, multipliers, 0
                kappa *= shrink
            else:  # Newton's method has lost its way, or B' alpha is rounding, |s| u / kappa: with more curvature
                kappa, shrink, poor = kappa / sqrt(shrink), sqrt(shrink), poor + 1
            if poor == _POOR or best <= _ACCURACY * float(np.abs(r) @ np.abs(trial)):
                break
        return alpha, b

    def _shift(self, b: Vector) -> Vector:
        """B b."""
        return (self.Q.rows(self.Q.signs) * b).ravel()

    def _columns(self, alpha: Vector) -> Vector:
        """B' alpha."""
        sums: Vector = self.Q.rows(self.Q.signs * alpha).sum(axis=0)
        return sums

    def _off(self, alpha: Vector) -> Vector:
        return self._columns(alpha) - self.levels

    def _exact_off(self, alpha: Vector) -> tuple[Vector, Vector]:
        """B' alpha - levels and a bound of its error, in twice the precision; the signs are exact."""
        signed = self.Q.rows(self.Q.signs * alpha), self.Q.rows(-self.Q.signs * self.origin)
        columns = np.ascontiguousarray(np.concatenate(signed).T)
        found = [total(column, float(shift)) for column, shift in zip(columns, self.shift, strict=True)]
        return np.array([value for value, _ in found]), np.array([error for _, error in found])
