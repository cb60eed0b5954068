"""The lower bound: D at a feasible point next to alpha."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np

from pragam.certificate.bound import Bound, comparable
from pragam.certificate.parts import parts_of
from pragam.numerics.rounding import LANES, TINY, U, all_zero, dot, downward, gamma, norm, sharp_dot
from pragam.operators.base import Operator, Vector
from pragam.problem import AnyProblem


class Sums(NamedTuple):
    """What D consists of, which does not depend on lam: terms of <c, point>, g(point) and |A' (point - origin)|, each
    with a bound of its error."""

    linear: list[float]
    linear_error: float
    bend: float
    bend_error: float
    length: float
    error: float


class Lower:
    """The bound D of the optimal value from below, at a feasible point next to alpha."""

    #: The ways to compute it, the cheapest first.
    levels = ("quick", "running", "sharp")
    #: A' of ``argument`` as ``A.rmatvec`` gives it, to the bit, where it is at hand
    #: (:mod:`pragam.certificate.together`).
    product: Vector | None = None

    def __init__(self, problem: AnyProblem, alpha: Any) -> None:
        self.problem = problem
        self.alpha = problem.domain.point(alpha)
        self.repaired = problem.domain.repair(self.alpha)
        is_exact = self.repaired.is_exact and not problem.is_tilted
        self._is_zero = is_exact and all_zero(self.repaired.point)

    @property
    def argument(self) -> Vector:
        """What A' is applied to: alpha less the truth's own dual point."""
        origin = self.problem.origin
        return self.repaired.point if origin is None else self.repaired.point - origin

    def at(self, problem: AnyProblem) -> Lower:
        """The bound of the same problem at another lam, from the same point: no product is made again."""
        other = copy(self)
        other.problem = problem
        for level in self.levels:
            vars(other).pop(level, None)
        return other

    @cached_property
    def quick(self) -> Bound:
        """From the product that solvers use."""
        return self._bound(self._quick_sums)

    @cached_property
    def running(self) -> Bound:
        """From a product that sums a bound of its rounding beside it, where that is tighter."""
        bound = self._bound(self._running_sums)
        return bound if bound.value > self.quick.value else self.quick

    @cached_property
    def sharp(self) -> Bound:
        """From a product in twice the precision, where that is tighter."""
        bound = self._bound(self._sharp_sums)
        return bound if bound.value > self.quick.value else self.quick

    @cached_property
    def _quick_sums(self) -> Sums | None:
        shared = self.product
        if shared is not None:
            return self._sums(lambda A, x: (shared, A.rmatvec_error(x)), dot)
        return self._sums(lambda A, x: A.bounded_rmatvec(x), dot)

    @cached_property
    def _running_sums(self) -> Sums | None:
        return self._sums(lambda A, x: A.running_rmatvec(x), dot)

    @cached_property
    def _sharp_sums(self) -> Sums | None:
        return self._sums(lambda A, x: A.sharp_rmatvec(x), sharp_dot)

    def _sums(
        self,
        product: Callable[[Operator, Vector], tuple[Vector, float]],
        inner: Callable[[Vector, Vector], tuple[float, float]],
    ) -> Sums | None:
        """From A' (point - origin) with a bound of its error in norm, and <c, point> with its error; of the parts of
        the problem if it is large. None where alpha is 0, or no point next to it is feasible."""
        if self._is_zero or not self.repaired.feasible:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            u, error = self._product(product)
            linear = [inner(self.problem.c[at], self.repaired.point[at]) for _, at in parts_of(self.problem)]
            return self._gathered(u, error, linear)

    def _product(self, product: Callable[[Operator, Vector], tuple[Vector, float]]) -> tuple[Vector, float]:
        """A' (point - origin), of the parts of the problem if it is large, and a bound of its error in norm."""
        u, error = None, 0.0
        for part, at in parts_of(self.problem):
            point = self.repaired.point[at]
            more, lost = product(part.A, point if part.origin is None else point - part.origin)
            error += lost
            if u is not None:
                more = u + more
                error += gamma(1) * norm(more) + TINY * sqrt(len(more))
            u = more
        assert u is not None, "every problem has a part"
        return u, error

    def slope(self, sharp: bool = False) -> tuple[Vector, float]:
        """-lam w(alpha) at the feasible point: A' (alpha - origin) and what is fixed, and a bound of its error in norm.

        inf where no feasible point is known. ``sharp``: in twice the precision.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            product = self._product(lambda A, x: A.sharp_rmatvec(x) if sharp else A.bounded_rmatvec(x))
            u, error = self._with_fixed(*product)
        return u, error if self.repaired.feasible else inf

    def level(self) -> float:
        """At most <c, alpha> - g(alpha) at the feasible point: what D has beside the constant and |.|^2 / (2 lam)."""
        if not self.repaired.feasible:
            return -inf
        with np.errstate(over="ignore", invalid="ignore"):
            linear = [sharp_dot(self.problem.c[at], self.repaired.point[at]) for _, at in parts_of(self.problem)]
            terms, linear_error, bend, bend_error = self._linear_part(linear)
            return downward(*terms, -bend, -(linear_error + bend_error + gamma(8) * abs(bend) + 2 * TINY))

    def beats(self, other: Lower) -> bool:
        """Whether this bound is the higher one; in more digits where rounding leaves it open."""
        mine, theirs = comparable(self, other)
        return mine.value > theirs.value

    def own(self) -> None:
        """Copy alpha, which its solver may change."""
        own = self.alpha.copy()
        if self.repaired.point is self.alpha:
            self.repaired = self.repaired._replace(point=own)
        self.alpha = own

    def _gathered(self, u: Vector, error: float, linear: list[tuple[float, float]]) -> Sums:
        """From u = A' (point - origin), within ``error`` of the exact one in norm, and terms of <c, point> with their
        errors."""
        u, error = self._with_fixed(u, error)
        length, more = self.problem.A.norm(u)
        error += more + TINY * sqrt(len(u))  # entries of u below TINY may be read as zero
        return Sums(*self._linear_part(linear), length, error)

    def _linear_part(self, linear: list[tuple[float, float]]) -> tuple[list[float], float, float, float]:
        """The first four of ``Sums``: what the moves of the repair change is in the errors."""
        problem, (point, rows, moves, _, distance) = self.problem, self.repaired
        linear_error = sum(error for _, error in linear)
        bend, bend_error = problem.g.value_bound_at(self.alpha, point)
        if rows.size:
            linear_error += float(np.abs(problem.c[rows]) @ moves) * 1.01
            bend_error += problem.g.change_bound(point, rows, moves)
        if distance:
            linear_error += 1.01 * norm(problem.c) * distance
            if np.any(problem.g.curvature):
                bend_error += problem.g.change_bound(point, np.arange(point.size), np.full(point.size, distance))
        return [value for value, _ in linear], linear_error, bend, bend_error

    def _bound(self, sums: Sums | None) -> Bound:
        """D at this lam."""
        problem = self.problem
        if self._is_zero:
            return Bound(problem.constant, 0.0, abs(problem.constant))
        if sums is None:
            return Bound(-inf, inf, inf)
        terms, linear_error, bend, bend_error, length, error = sums
        with np.errstate(over="ignore", invalid="ignore"):
            square = _half_square(length, problem.lam)
            most = _half_square(length * (1 + gamma(LANES)) + error, problem.lam)
            rounding = gamma(8) * (most + abs(bend)) + bend_error + linear_error + 2 * TINY
            value = downward(problem.constant, *terms, -bend, -most, -rounding)
            slack = (most - square) + rounding if isfinite(value) else inf
            return Bound(value, slack, abs(problem.constant) + sum(map(abs, terms)) + abs(bend) + most)

    def _with_fixed(self, u: Vector, error: float) -> tuple[Vector, float]:
        """u and its error with all that is not in the product: the moves of the repair, the origin, what is fixed."""
        problem, (point, rows, moves, _, distance) = self.problem, self.repaired
        if rows.size:
            error += float(problem.A.row_bounds(rows) @ moves) * 1.01
        if distance:
            error += 1.01 * problem.A.norm_bound() * distance
        if problem.origin is not None:  # the difference of the two was rounded
            places = problem.truth  # elsewhere nothing was subtracted
            error += 1.01 * U * float(problem.A.row_bounds(places) @ np.abs(point[places] - problem.origin[places]))
        if problem.rest.weights is not None:
            u = u + problem.rest.weights
            error += gamma(1) * norm(u)
        return u, error


def _half_square(length: float, lam: float) -> float:
    """length^2 / (2 lam), without overflow on the way."""
    ratio = length / sqrt(lam)
    return 0.5 * ratio * ratio
