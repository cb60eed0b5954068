r"""The only place where a duality gap is computed, and every rounding error in it is bounded.

*Upper bound.* Any weights w and biases b bound the optimum from above by J(w, b). The scores s = A w + B b + c are
computed to within a known slack (``A.matvec_error``), and the risk is the largest one for all scores that near
(``Q.support_bound``). So the planes of the dual are not needed here.

*Lower bound.* Some exactly feasible point is within a known slack of alpha (``domain.repair``). With
u = A' (alpha - origin) computed to within e in norm (``A.rmatvec_error``), D >= <c, alpha> - g(alpha) - (|u| + e)^2 /
(2 lam) at that point.

So ``primal`` >= J(w, biases) >= min J >= ``dual`` as real numbers, for the floats as stored. ``slack`` says how much of
the gap is due to rounding. Where that is more than a tenth of the gap, and than 1e-13 of J, the products are computed
again: A' alpha with a bound that follows its partial sums (``A.running_rmatvec``), and, where that does not do, both in
twice the precision. docs/certificates.md has the theorem with its constants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isfinite, nextafter, sqrt
from typing import Any, NamedTuple

import numpy as np

from pragam.arguments import array_of, real_array
from pragam.operators.base import Vector
from pragam.problem import AnyProblem
from pragam.rounding import LANES, SAFE, TINY, U, dot, downward, gamma, norm, sharp_dot, two_product, two_sum, upward
from pragam.threads import one_blas_thread

#: What may be rounding, as a share of the gap or, at the limit of float64, of the primal value. More is computed again
#: in twice the precision.
SHARE, _FLOOR = 0.1, 1e-13
#: What may be rounding, relative to the primal value: float64 should always give that. More is computed again where
#: there is no gap to compare it with.
RESOLVED = 2e-13
#: Where a part of the problem bounds no rounding, a dual value may exceed a primal one by this much of their sizes.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof of quality: J(w, biases) - min J <= gap = primal - dual.

    Attributes
    ----------
    primal : float
        At least J(w, biases), the best biases for w that float64 finds unless others were given.
    dual : float
        At most D(alpha) at a feasible point next to alpha, hence at most min J. -inf if there was no alpha.
    biases : array
        The unpenalised weights, one for each column of B; of length 0 if the model has none.
    exact : bool
        False when the problem is a relaxation of the model: the gap is that of the relaxed problem.
    rigorous : bool
        Whether both bounds hold as real numbers. False when a part of the problem does not bound its rounding errors.
    slack : float
        How much of the gap is due to rounding in this proof.
    """

    primal: float
    dual: float
    biases: Vector = field(default_factory=lambda: np.empty(0))
    exact: bool = True
    rigorous: bool = False
    slack: float = 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.primal, self.dual, tuple(self.biases), self.exact, self.rigorous, self.slack

    @cached_property
    def gap(self) -> float:
        """primal - dual, rounded up, and never below zero."""
        if not (isfinite(self.primal) and isfinite(self.dual)):
            return inf
        difference, lost = two_sum(self.primal, -self.dual)
        if difference < SAFE[0] and self.primal != self.dual:  # what is lost may be below TINY, and read as zero
            return max(nextafter(difference + 2 * TINY, inf), 0.0)
        return max(nextafter(difference, inf) if lost > 0 else difference, 0.0)

    @cached_property
    def relative_gap(self) -> float:
        """gap / max(|primal|, |dual|), rounded up; inf as long as one of the two is infinite."""
        gap, size = self.gap, max(abs(self.primal), abs(self.dual), TINY)
        if gap in (0.0, inf):
            return gap
        ratio = gap / size
        product, cut = two_product(ratio, size)
        is_enough = product - gap + cut >= 0 and SAFE[0] < gap and size < SAFE[1]  # else the test itself may round
        return ratio if is_enough else max(nextafter(ratio, inf), TINY)

    @property
    def relaxed(self) -> bool:
        """Whether the certificate speaks of a relaxed problem."""
        return not self.exact


def certify(
    problem: AnyProblem, w: Vector, alpha: Vector | None = None, bias: float | Vector | None = None
) -> Certificate:
    """Judge anybody's weights, dual variables and intercept, from the problem alone.

    Parameters
    ----------
    problem : Problem
    w : array of length d, or of any shape that flattens to it
    alpha : array of the length of Q's points, or of any shape that flattens to it, optional
        Without it the dual value is -inf: the certificate bounds J from above and proves no gap.
    bias : float, or array of the length of the biases, optional
        The intercepts to judge. Without them, the best ones for w are used.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If alpha lies outside Q by more than rounding explains, or a shape is wrong.
    ArithmeticError
        If the dual value exceeds the primal one: weak duality is violated, so some formula of the problem is wrong.
    """
    with one_blas_thread():
        lower = None if alpha is None else Lower(problem, alpha)
        return certificate_of(problem, Upper(problem, _flat("w", w, problem.n_weights), bias), lower)


class Bound(NamedTuple):
    """A bound of the optimal value, and how much of it is due to rounding. ``size`` is that of its terms."""

    value: float
    slack: float
    size: float
    biases: Vector = np.empty(0)


class Upper:
    """The bound J(w, b) of the optimal value from above; without biases given, the best for w. None is w = 0."""

    #: The ways to compute it, the cheapest first.
    levels = ("quick", "sharp")

    def __init__(self, problem: AnyProblem, w: Vector | None, bias: float | Vector | None = None) -> None:
        self.problem = problem
        self.w = None if w is None else _flat("w", w, problem.n_weights)
        self.biases = _checked_biases(problem, bias)

    @cached_property
    def length(self) -> float:
        """|w|."""
        return 0.0 if self.w is None else norm(self.w)

    @cached_property
    def quick(self) -> Bound:
        """From the products that solvers use: one, the biases and one pass over the scores."""
        problem = self.problem
        if self.w is None or self.length == 0:
            return self._at(problem.c, np.zeros(1), None)
        with np.errstate(over="ignore", invalid="ignore"):
            product = problem.A.matvec(self.w)
            slack = problem.A.matvec_error(self.w)
            if problem.origin is not None:
                return self._at(product + problem.c, slack, product)
            product += problem.c
            return self._at(product, slack, None)

    @cached_property
    def sharp(self) -> Bound:
        """From products in twice the precision, where these are tighter."""
        if self.w is None or self.length == 0:
            return self.quick
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):
            product, tail, room = problem.A.sharp_matvec(self.w)
            high, low, slack = product, tail, room
            high, cut = two_sum(high, problem.c)
            slack = slack + gamma(2) * (np.abs(low) + np.abs(cut))
            low = low + cut
            b = self._best(high + low)
            high, low, slack = problem.B.sharp_add_to(high, low, slack, b)
            s = high + low
            risk = problem.g.support_bound(problem.Q, s, slack + gamma(1) * np.abs(s))
            bound = self._with_linear(risk, b, [self._truth(*problem.B.sharp_add_to(product, tail, room, b))])
        return bound if bound.value < self.quick.value else self.quick

    def beats(self, other: Upper) -> bool:
        """Whether this bound is the lower one; in more digits where rounding leaves it open."""
        mine, theirs = _comparable(self, other)
        return mine.value < theirs.value

    def own(self) -> None:
        """Copy w, which its solver may change."""
        self.w = None if self.w is None else self.w.copy()

    def _at(self, scores: Vector, slack: Vector, product: Vector | None) -> Bound:
        """From A w + c, within ``slack`` of the exact ones, and A w itself where the truth's score needs it."""
        problem, b = self.problem, self._best(scores)
        s, room = problem.B.add_to(scores, slack, b)
        risk = problem.g.support_bound(problem.Q, s, room)
        zeros = np.zeros(problem.Q.size) if product is None and problem.origin is not None else product
        truth = [] if zeros is None else [self._truth(*_twofold(*problem.B.add_to(zeros, slack, b)))]
        return self._with_linear(risk, b, truth)

    def _best(self, scores: Vector) -> Vector:
        """The biases given, or the best for these scores."""
        if self.biases is not None:
            return self.biases
        b = self.problem.best_biases(scores)
        return np.where(np.isfinite(b), b, 0.0)

    def _truth(self, high: Vector, low: Vector, slack: Vector) -> tuple[float, float]:
        """(-<origin, A w + B b>, a bound of its error)."""
        origin = self.problem.origin
        if origin is None:
            return 0.0, 0.0
        (value, error), (rest, more) = sharp_dot(origin, high), dot(origin, low)
        lost = 1.01 * float(np.abs(origin) @ np.broadcast_to(slack, origin.shape))
        return -(value + rest), error + more + lost + gamma(2) * (abs(value) + abs(rest))

    def _with_linear(self, risk: tuple[float, float], b: Vector, linear: list[tuple[float, float]]) -> Bound:
        """Add the regulariser, the ``linear`` terms and those of the problem's ``rest``."""
        problem, rest = self.problem, self.problem.rest
        square = 0.5 * (problem.lam * self.length) * self.length
        rounding = gamma(2 * LANES) * square + (2 * TINY if self.length else 0.0)
        if rest.weights is not None and self.w is not None:
            linear = [*linear, dot(np.ascontiguousarray(rest.weights), self.w)]
        if rest.levels is not None:
            linear = [*linear, sharp_dot(np.ascontiguousarray(rest.levels), b)]
        rounding += sum(error for _, error in linear)
        terms = [value for value, _ in linear]
        value = upward(rest.value, square, rounding, risk[0], *terms)
        slack = risk[1] + rounding if isfinite(value) else inf
        size = abs(rest.value) + square + abs(risk[0]) + sum(map(abs, terms))
        return Bound(value, slack, size, b)


class Lower:
    """The bound D of the optimal value from below, at a feasible point next to alpha."""

    #: The ways to compute it, the cheapest first.
    levels = ("quick", "running", "sharp")

    def __init__(self, problem: AnyProblem, alpha: Vector) -> None:
        self.problem = problem
        self.alpha = _flat("alpha", alpha, problem.Q.size)
        self.repaired = problem.domain.repair(self.alpha)
        is_exact = self.repaired.feasible and not self.repaired.rows.size and not problem.is_tilted
        self._is_zero = is_exact and not self.repaired.point.any()

    @property
    def _argument(self) -> Vector:
        """What A' is applied to: alpha less the truth's own dual point."""
        origin = self.problem.origin
        return self.repaired.point if origin is None else self.repaired.point - origin

    @cached_property
    def quick(self) -> Bound:
        """From the product that solvers use."""
        A, c, point = self.problem.A, self.problem.c, self.repaired.point
        return self._from(lambda x: (A.rmatvec(x), A.rmatvec_error(x), dot(c, point)))

    @cached_property
    def running(self) -> Bound:
        """From a product that sums a bound of its rounding beside it, where that is tighter."""
        A, c, point = self.problem.A, self.problem.c, self.repaired.point
        bound = self._from(lambda x: (*A.running_rmatvec(x), dot(c, point)))
        return bound if bound.value > self.quick.value else self.quick

    @cached_property
    def sharp(self) -> Bound:
        """From a product in twice the precision, where that is tighter."""
        A, c, point = self.problem.A, self.problem.c, self.repaired.point
        bound = self._from(lambda x: (*A.sharp_rmatvec(x), sharp_dot(c, point)))
        return bound if bound.value > self.quick.value else self.quick

    def _from(self, products: Callable[[Vector], tuple[Vector, float, tuple[float, float]]]) -> Bound:
        """D from A' (point - origin), a bound of its error in norm, and <c, point> with its error, made if needed."""
        if self._is_zero:
            return Bound(self.problem.constant, 0.0, abs(self.problem.constant))
        with np.errstate(over="ignore", invalid="ignore"):
            return self._at(*products(self._argument))

    def beats(self, other: Lower) -> bool:
        """Whether this bound is the higher one; in more digits where rounding leaves it open."""
        mine, theirs = _comparable(self, other)
        return mine.value > theirs.value

    def own(self) -> None:
        """Copy alpha, which its solver may change."""
        own = self.alpha.copy()
        if self.repaired.point is self.alpha:
            self.repaired = self.repaired._replace(point=own)
        self.alpha = own

    def _at(self, u: Vector, error: float, linear_part: tuple[float, float]) -> Bound:
        """D from u = A' (point - origin), within ``error`` of the exact one in norm, and <c, point> with its error."""
        problem, (point, rows, moves, feasible) = self.problem, self.repaired
        if not feasible:
            return Bound(-inf, inf, inf)
        linear, linear_error = linear_part
        bend, bend_error = problem.g.value_bound(point)
        if rows.size:
            error += float(problem.A.row_bounds(rows) @ moves) * 1.01
            linear_error += float(np.abs(problem.c[rows]) @ moves) * 1.01
            bend_error += problem.g.change_bound(point, rows, moves)
        if problem.origin is not None:  # the difference of the two was rounded
            each = np.arange(point.size)
            error += 1.01 * U * float(problem.A.row_bounds(each) @ np.abs(self._argument))
        if problem.rest.weights is not None:
            u = u + problem.rest.weights
            error += gamma(1) * norm(u)
        length = norm(u)
        square, most = _half_square(length, problem.lam), _half_square(length * (1 + gamma(LANES)) + error, problem.lam)
        rounding = gamma(8) * (most + bend) + bend_error + linear_error + 2 * TINY
        value = downward(problem.constant, linear, -bend, -most, -rounding)
        slack = (most - square) + rounding if isfinite(value) else inf
        return Bound(value, slack, abs(problem.constant) + abs(linear) + bend + most)


def certificate_of(problem: AnyProblem, upper: Upper, lower: Lower | None) -> Certificate:
    """The certificate of an upper and a lower bound; the products are sharpened where their rounding shows in the gap.

    It depends on the two points alone, not on what was computed of them before.
    """
    primal, dual = upper.quick, Bound(-inf, 0.0, 0.0) if lower is None else lower.quick
    finer_primals, finer_duals = list(upper.levels[1:]), [] if lower is None else list(lower.levels[1:])
    while finer_primals or finer_duals:
        allowed = max(SHARE * (primal.value - dual.value), _FLOOR * abs(primal.value))
        allowed = RESOLVED * abs(primal.value) if lower is None else allowed
        if isfinite(primal.value) and primal.slack + dual.slack <= allowed:
            break
        # The larger slack first: with that out of the gap, the other one may show.
        if finer_duals and (dual.slack > primal.slack or not finer_primals):
            dual = getattr(lower, finer_duals.pop(0))
        else:
            primal = getattr(upper, finer_primals.pop(0))
    rigorous = all(part.rigorous for part in (problem.A, problem.B, problem.Q, problem.domain, problem.g))
    _check_weak_duality(primal, dual, rigorous)
    slack = primal.slack + dual.slack
    return Certificate(primal.value, dual.value, primal.biases, problem.Q.exact, rigorous, slack)


def _comparable(one: Upper | Lower, other: Upper | Lower) -> tuple[Bound, Bound]:
    """The values of two bounds of one side, in as many digits as tell them apart, or in all there are.

    Equal values are of one point as a rule, proposed twice, which no digit tells apart.
    """
    for level in one.levels:
        first, second = getattr(one, level), getattr(other, level)
        if first[:3] == second[:3] or abs(first.value - second.value) > first.slack + second.slack:
            break
    return first, second


def _check_weak_duality(primal: Bound, dual: Bound, rigorous: bool) -> None:
    allowed = 0.0 if rigorous else ROUNDING * (primal.size + dual.size)
    if isfinite(primal.value) and dual.value - primal.value > allowed:
        raise ArithmeticError(
            f"weak duality is violated: D(alpha) = {dual.value!r} exceeds J(w) = {primal.value!r}; "
            "the problem's operator, offset and polytope do not belong together"
        )


def _half_square(length: float, lam: float) -> float:
    """length^2 / (2 lam), without overflow on the way."""
    ratio = length / sqrt(lam)
    return 0.5 * ratio * ratio


def _checked_biases(problem: AnyProblem, bias: float | Vector | None) -> Vector | None:
    if bias is None:
        return None
    values, K = array_of("bias", bias), problem.n_biases
    if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
        raise ValueError(f"bias must be a finite number, or an array of them, not {bias!r:.60}")
    values = values.astype(np.float64).reshape(-1)
    if K == 0 and values.size and values.any():
        raise ValueError(f"bias is {bias!r}, but the problem has none")
    if K and values.size != K:
        raise ValueError(f"bias has {values.size} entries, and the problem has {K}")
    return values[:K]


def _twofold(scores: Vector, slack: Vector) -> tuple[Vector, Vector, Vector]:
    """Scores in plain precision, as those in twice the precision are given."""
    return scores, np.zeros_like(scores), slack


def _flat(name: str, x: Vector, size: int) -> Vector:
    flat = np.ascontiguousarray(real_array(name, x), dtype=np.float64).reshape(-1)
    if flat.size != size:
        raise ValueError(f"{name} has {flat.size} entries, and the problem needs {size}")
    return flat
