"""The sets of dual variables in rational arithmetic: support function, points near a float point, vertices.

``lift`` writes a set as a box whose variables lie on at most one plane each, as rational_qp needs it: alpha is the sum,
over the lifted variables, of their value at each of their ``places``.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import NamedTuple

from exact_numbers import Ints, align, power


class Lifted(NamedTuple):
    """Bounds (None: infinite) and planes of variables of which each adds to the dual variables ``places``."""

    places: list
    lower: list
    upper: list
    sigma: list
    groups: list
    levels: list


class BoxSet(NamedTuple):
    """lower <= alpha <= upper; None is no bound."""

    lower: Ints
    upper: Ints

    def support(self, scores, kappa):
        """max <alpha, s> - sum_i kappa_i/2 alpha_i^2."""
        if any(kappa):
            rows = zip(*(x.fractions() for x in (scores, self.lower, self.upper)), kappa, strict=True)
            return sum(_row_support(*row) for row in rows)
        low, high, exponent = align(self.lower, self.upper)
        total = 0
        for x, a, b in zip(scores.values, low, high, strict=True):
            if (x > 0 and b is None) or (x < 0 and a is None):
                return inf
            total += x * b if x > 0 else x * a if x < 0 else 0
        return Fraction(total) * power(exponent + scores.exponent)

    def near(self, point):
        """Points of the set next to one of Fractions: here the nearest."""
        low, high = self.lower.fractions(), self.upper.fractions()
        return [[b if b is not None and x > b else a if a is not None and x < a else x
                 for x, a, b in zip(point, low, high, strict=True)]]  # fmt: skip

    def lift(self, sigma, groups, levels):
        """Itself, on the model's planes."""
        places = [(j,) for j in range(len(groups))]
        return Lifted(places, self.lower.fractions(), self.upper.fractions(), sigma, groups, levels)


class SimplexSet(NamedTuple):
    """alpha_i >= 0, sum_k alpha_ik = totals_i, K numbers an example."""

    totals: Ints
    K: int

    def support(self, scores, kappa):
        """sum_i max <alpha_i, s_i> - kappa/2 |alpha_i|^2."""
        blocks = self.blocks(scores.values)
        if not any(kappa):
            total = sum(t * max(block) for t, block in zip(self.totals.values, blocks, strict=True))
            return Fraction(total) * power(self.totals.exponent + scores.exponent)
        unit, totals = power(scores.exponent), self.totals.fractions()
        return sum(_smoothed_simplex([x * unit for x in b], t, kappa[0]) for t, b in zip(totals, blocks, strict=True))

    def near(self, point):
        """Without negative entries: rows times total / sum, and rows whose largest entry takes what is missing."""
        scaled, filled = [], []
        for total, row in zip(self.totals.fractions(), self.blocks(point), strict=True):
            row = [max(a, Fraction(0)) for a in row]
            scaled += _times(row, total) if any(row) else self._vertex(total)
            top = row.index(max(row))
            row[top] += total - sum(row)
            filled += row if row[top] >= 0 else self._vertex(total)
        return [scaled, filled]

    def lift(self, sigma, groups, levels):
        """Every simplex is a plane, so there is no room for those of biases."""
        assert not levels, "the judge knows no optimum of simplices on planes"
        totals = self.totals.fractions()
        m = len(totals) * self.K
        each = [i // self.K for i in range(m)]
        upper = [totals[i] for i in each]
        return Lifted([(j,) for j in range(m)], [Fraction(0)] * m, upper, [Fraction(1)] * m, each, totals)

    def blocks(self, x):
        return [x[i * self.K : (i + 1) * self.K] for i in range(len(self.totals.values))]

    def _vertex(self, total):
        return [total] + [Fraction(0)] * (self.K - 1)


class PairSet(NamedTuple):
    """p, q >= 0, sum p = sum q <= totals_i; p on the wrong labels of example i, q on the right ones."""

    totals: Ints
    wrong: list

    def support(self, scores, kappa):
        """totals_i [the largest wrong score plus the largest right one]_+, or the maximum over faces with curvature."""
        unit, value = power(scores.exponent), Fraction(0)
        for total, places in zip(self.totals.fractions(), self._pairs(), strict=True):
            if not places or not total:
                continue
            if not any(kappa):
                value += total * unit * max(0, *(scores.values[a] + scores.values[c] for a, c in places))
                continue
            sides = ([scores.values[j] * unit for j in sorted({pair[k] for pair in places})] for k in (0, 1))
            value += _smoothed_pairs(*sides, total, kappa[0])
        return value

    def near(self, point):
        """Without negative entries, both sides scaled to the least of their sums and the total."""
        out = []
        for i, total in enumerate(self.totals.fractions()):
            K = len(self.wrong[i])
            row = [max(a, Fraction(0)) for a in point[i * K : (i + 1) * K]]
            sums = [
                sum(a for a, wrong in zip(row, self.wrong[i], strict=True) if wrong == side) for side in (True, False)
            ]
            mass = min(*sums, total) if any(self.wrong[i]) and not all(self.wrong[i]) else Fraction(0)
            factors = [mass / x if x else Fraction(0) for x in sums]
            out += [a * (factors[0] if wrong else factors[1]) for a, wrong in zip(row, self.wrong[i], strict=True)]
        return [out]

    def lift(self, sigma, groups, levels):
        """A mass for every pair of an example, and one for none: a simplex of that total."""
        assert not levels, "the judge knows no optimum of pairs on planes"
        places, upper, each = [], [], []
        for i, (total, pairs) in enumerate(zip(self.totals.fractions(), self._pairs(), strict=True)):
            places += [(), *pairs]
            upper += [total] * (1 + len(pairs))
            each += [i] * (1 + len(pairs))
        m = len(places)
        return Lifted(places, [Fraction(0)] * m, upper, [Fraction(1)] * m, each, self.totals.fractions())

    def _pairs(self):
        """The dual variables of all pairs of a wrong and a right label, for each example."""
        out = []
        for i, row in enumerate(self.wrong):
            at = range(i * len(row), (i + 1) * len(row))
            out.append([(a, c) for a in at for c in at if row[a - at[0]] and not row[c - at[0]]])
        return out


def _row_support(s, low, high, kappa):
    """max over [low, high] of a s - kappa/2 a^2; None is no bound.

    With t = kappa a, 2 kappa times the value is 2 t s - t^2 at t = s clipped to kappa [low, high].
    """
    if kappa:
        t = s
        t = kappa * high if high is not None and s > kappa * high else t
        t = kappa * low if low is not None and s < kappa * low else t
        return t * (2 * s - t) / (2 * kappa)
    end = high if s > 0 else low
    return 0 if s == 0 else inf if end is None else end * s


def _smoothed_simplex(s, total, kappa):
    """alpha = (s - theta)_+ / kappa, theta by the sorted scores (Held, Wolfe and Crowder 1974)."""
    if total == 0:
        return 0
    theta = _threshold(s, kappa * total)
    alpha = [max(x - theta, 0) / kappa for x in s]
    return sum(a * (x - kappa * a / 2) for a, x in zip(alpha, s, strict=True))


def _threshold(s, mass):
    """theta with sum (s - theta)_+ = mass > 0."""
    theta, running = None, 0
    for r, x in enumerate(sorted(s, reverse=True), 1):
        running += x
        guess = (running - mass) / r
        if x > guess:
            theta = guess
    return theta


def _smoothed_pairs(p, q, total, kappa):
    """Thresholds a on the wrong side and c on the right one: of the full mass, unless a + c < 0; then c = -a.

    Then a is a root of sum (p - a)_+ - sum (q + a)_+, which falls: between two of its kinks it is a line.
    """
    a, c = _threshold(p, kappa * total), _threshold(q, kappa * total)
    if a + c < 0:
        a = _balance(p, q)
        c = -a
    alpha = [max(x - a, 0) / kappa for x in p] + [max(x - c, 0) / kappa for x in q]
    return sum(y * (x - kappa * y / 2) for y, x in zip(alpha, p + q, strict=True))


def _balance(p, q):
    def excess(t):
        return sum(max(x - t, 0) for x in p) - sum(max(x + t, 0) for x in q)

    kinks = sorted({*p, *(-x for x in q)})
    for low, high in pairwise(kinks):
        first, last = excess(low), excess(high)
        if first >= 0 >= last:
            return low if first == last else low + (high - low) * first / (first - last)
    return kinks[0]


def _times(row, total):
    mass = sum(row)
    return [a * total / mass for a in row]
