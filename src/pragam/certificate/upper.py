"""The upper bound: J(w, b) at any weights and biases."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from pragam.certificate.bound import Bound, comparable
from pragam.certificate.parts import parts_of
from pragam.numerics.arguments import array_of, flat
from pragam.numerics.rounding import LANES, TINY, all_zero, dot, gamma, sharp_dot, two_sum, upward
from pragam.operators.base import Vector
from pragam.problem import AnyProblem


class Terms(NamedTuple):
    """What a problem or a part of it adds to J: (bound, its rounding) of the risk, (value, error) of the truth's score,
    at these biases; and (|w|, error), as at hand there."""

    risk: tuple[float, float]
    truth: list[tuple[float, float]]
    biases: Vector
    length: tuple[float, float]


class Sums(NamedTuple):
    """What J(w, b) consists of, which does not depend on lam: the risks of the parts, terms that are linear, each with
    its rounding, the biases, and (|w|, error)."""

    risks: list[tuple[float, float]]
    linear: list[tuple[float, float]]
    biases: Vector
    length: tuple[float, float]


class Upper:
    """The bound J(w, b) of the optimal value from above; without biases given, the best for w. None is w = 0."""

    #: The ways to compute it, the cheapest first.
    levels = ("quick", "sharp")
    #: A w as ``A.matvec`` gives it, to the bit, where it is at hand (:mod:`pragam.certificate.together`).
    product: Vector | None = None

    def __init__(self, problem: AnyProblem, w: Vector | None, bias: float | Vector | None = None) -> None:
        self.problem = problem
        self.w = None if w is None else flat("w", w, problem.n_weights)
        self.biases = _checked_biases(problem, bias)

    def at(self, problem: AnyProblem) -> Upper:
        """The bound of the same problem at another lam, from the same point: no product is made again."""
        other = copy(self)
        other.problem = problem
        for level in self.levels:
            vars(other).pop(level, None)
        return other

    @cached_property
    def is_zero(self) -> bool:
        """Whether w = 0."""
        return self.w is None or all_zero(self.w)

    @cached_property
    def quick(self) -> Bound:
        """From the products that solvers use: one, the biases and one pass over the scores."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._with_linear(self._quick_sums)

    @cached_property
    def sharp(self) -> Bound:
        """From products in twice the precision, where these are tighter. With w = 0 and no bias nothing is rounded."""
        if self.is_zero and not self.problem.n_biases:
            return self.quick
        with np.errstate(over="ignore", invalid="ignore"):
            bound = self._with_linear(self._sharp_sums)
        return bound if bound.value < self.quick.value else self.quick

    @cached_property
    def _quick_sums(self) -> Sums:
        return self._sums(self._quick_terms)

    @cached_property
    def _sharp_sums(self) -> Sums:
        return self._sums(self._sharp_terms)

    def _sums(self, terms_of: Callable[[AnyProblem], Terms]) -> Sums:
        """From the terms of the problem, or of its parts if it is large; the best biases need all at once."""
        as_a_whole = self.biases is None and self.problem.n_biases > 0
        parts = [self.problem] if as_a_whole else (part for part, _ in parts_of(self.problem))
        terms = [terms_of(part) for part in parts]
        linear = [truth for part in terms for truth in part.truth]
        length = terms[0].length if len(terms) == 1 else self._length()
        return Sums([part.risk for part in terms], linear, terms[0].biases, length)

    def _length(self) -> tuple[float, float]:
        """|w| and a bound of its error."""
        return (0.0, 0.0) if self.w is None or self.is_zero else self.problem.A.norm(self.w)

    def _quick_terms(self, problem: AnyProblem) -> Terms:
        if self.w is None or self.is_zero:
            return self._terms(problem, problem.c, np.full(1, problem.hidden_offset), None, (0.0, 0.0))
        product = problem.A.matvec(self.w) if self.product is None else self.product.copy()
        length = problem.A.norm(self.w, product)
        if problem.origin is None:
            product += problem.c
            return self._signed_terms(problem, product, length)
        slack = problem.A.matvec_error(self.w) + problem.hidden_offset
        return self._terms(problem, product + problem.c, slack, product, length)

    def _signed_terms(self, problem: AnyProblem, scores: Vector, length: tuple[float, float]) -> Terms:
        """``_terms`` without a truth, in the memory of the scores: the search for biases takes some of its own."""
        assert self.w is not None
        b = self._best(scores)
        slack = problem.A.matvec_error(self.w) + problem.hidden_offset
        problem.B.add_in_place(scores, slack, b)
        return Terms(problem.g.support_bound(problem.Q, scores, slack), [], b, length)

    def sharp_scores(self) -> tuple[Vector, Vector, Vector]:
        """(A w + B b + c, a bound of the error of every one, b), from products in twice the precision."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._sharp_scores(self.problem, *self._sharp_product(self.problem)[:3])

    def _sharp_scores(
        self, problem: AnyProblem, product: Vector, tail: Vector, room: Vector
    ) -> tuple[Vector, Vector, Vector]:
        high, low, slack = product, tail, room
        high, cut = two_sum(high, problem.c)
        slack = slack + gamma(2) * (np.abs(low) + np.abs(cut)) + problem.hidden_offset
        low = low + cut
        b = self._best(high + low)
        high, low, slack = problem.B.sharp_add_to(high, low, slack, b)
        s = high + low
        return s, slack + gamma(1) * np.abs(s), b

    def _sharp_terms(self, problem: AnyProblem) -> Terms:
        product, tail, room, length = self._sharp_product(problem)
        s, slack, b = self._sharp_scores(problem, product, tail, room)
        risk = problem.g.support_bound(problem.Q, s, slack)
        truth = [self._truth(problem, *problem.B.sharp_add_to(product, tail, room, b))]
        return Terms(risk, truth, b, length)

    def _sharp_product(self, problem: AnyProblem) -> tuple[Vector, Vector, Vector, tuple[float, float]]:
        """A w in twice the precision with a bound of its error, and |w| with its own."""
        A, zeros = problem.A, np.zeros(problem.Q.size)
        if self.w is None or self.is_zero:
            return zeros, zeros, zeros, (0.0, 0.0)
        product, tail, room = A.sharp_matvec(self.w)
        return product, tail, room, A.norm(self.w, product + tail)

    def beats(self, other: Upper) -> bool:
        """Whether this bound is the lower one; in more digits where rounding leaves it open."""
        mine, theirs = comparable(self, other)
        return mine.value < theirs.value

    def own(self) -> None:
        """Copy w, which its solver may change."""
        self.w = None if self.w is None else self.w.copy()

    def _terms(
        self, problem: AnyProblem, scores: Vector, slack: Vector, product: Vector | None, length: tuple[float, float]
    ) -> Terms:
        """From A w + c, within ``slack`` of the exact ones, A w itself where the truth's score needs it, and |w|."""
        b = self._best(scores)
        s, room = problem.B.add_to(scores, slack, b)
        risk = problem.g.support_bound(problem.Q, s, room)
        zeros = np.zeros(problem.Q.size) if product is None and problem.origin is not None else product
        truth = [] if zeros is None else [self._truth(problem, *_twofold(*problem.B.add_to(zeros, slack, b)))]
        return Terms(risk, truth, b, length)

    def _best(self, scores: Vector) -> Vector:
        """The biases given, or the best for these scores."""
        if self.biases is not None:
            return self.biases
        b = self.problem.best_biases(scores)
        return np.where(np.isfinite(b), b, 0.0)

    def _truth(self, problem: AnyProblem, high: Vector, low: Vector, slack: Vector) -> tuple[float, float]:
        """(-<origin, A w + B b>, a bound of its error)."""
        if problem.origin is None:
            return 0.0, 0.0
        places = problem.truth
        origin = problem.origin[places]
        (value, error), (rest, more) = sharp_dot(origin, high[places]), dot(origin, low[places])
        lost = 1.01 * float(np.abs(origin) @ np.broadcast_to(slack, high.shape)[places])
        return -(value + rest), error + more + lost + gamma(2) * (abs(value) + abs(rest))

    def _with_linear(self, sums: Sums) -> Bound:
        """Add the risks of the parts, the regulariser, the ``linear`` terms and those of the problem's ``rest``."""
        problem, rest = self.problem, self.problem.rest
        risks, linear, b, (length, error) = sums
        square, rounding = 0.5 * (problem.lam * length) * length, 0.0
        if self.w is not None and not self.is_zero:
            error += TINY * sqrt(len(self.w))  # entries of w below TINY may be read as zero
            rounding = gamma(2 * LANES) * square + 1.01 * problem.lam * error * (length + error) + 2 * TINY
        if rest.weights is not None and self.w is not None:
            linear = [*linear, dot(np.ascontiguousarray(rest.weights), self.w)]
        if rest.levels is not None:
            linear = [*linear, sharp_dot(np.ascontiguousarray(rest.levels), b)]
        rounding += sum(error for _, error in linear)
        terms = [value for value, _ in linear]
        value = upward(rest.value, square, rounding, *(value for value, _ in risks), *terms)
        slack = sum(lost for _, lost in risks) + rounding if isfinite(value) else inf
        size = abs(rest.value) + square + sum(abs(value) for value, _ in risks) + sum(map(abs, terms))
        return Bound(value, slack, size, b)


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
