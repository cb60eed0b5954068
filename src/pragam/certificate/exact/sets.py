"""The sets of dual variables: their support function, the point next to one outside, and the moves within.

Points and bounds are integers of one unit, so nothing here rounds. Every set has

    support(scores, kappa)  max over alpha of <alpha, scores> - sum_j kappa_j/2 alpha_j^2
    near(point)             a point of the set next to this one, itself if it is in the set; in its unit or a finer one
    size(point)             a bound of the sum of |alpha_j| over the set; where that is unbounded, the point's own
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from pragam.certificate.exact.numbers import Numbers, common, total

#: How much a move may take from one column and give to another, and the dual variables that change, with their signs.
Move = tuple[int, dict[int, int]]


class Box(NamedTuple):
    """lower <= alpha <= upper; None is no bound."""

    lower: Numbers
    upper: Numbers

    def support(self, scores: Numbers, kappa: Numbers) -> Fraction:
        """The sum of each row's own maximum; ArithmeticError if one is infinite.

        With t = kappa a, it is t (2 s - t) / (2 kappa) at t = s clipped to kappa [lower, upper]: s^2 / (2 kappa), or
        a (2 s - kappa a) / 2 at a bound a.
        """
        bound = common(self.lower.unit, self.upper.unit)
        unit = common(scores.unit, kappa.unit * bound)
        times = (kappa.unit * bound / unit).numerator
        at_bounds, squares = 0, defaultdict[int, int](int)
        rows = zip(scores.at(unit), self.lower.at(bound), self.upper.at(bound), kappa.values, strict=True)
        for s, low, high, k in rows:
            if k:
                t = clipped(s, *(None if a is None else k * a * times for a in (low, high)))
                if t == s:
                    squares[k] += s * s
                else:
                    at_bounds += (high if s > t else low) * (2 * s - t)
            elif s:
                end = high if s > 0 else low
                if end is None:
                    raise ArithmeticError("the risk is infinite: a dual variable has no bound")
                at_bounds += 2 * end * s
        smooth = total(square / (k * kappa.unit) for k, square in squares.items())
        return (at_bounds * bound * unit + smooth * unit**2) / 2

    def near(self, point: Numbers) -> Numbers:
        """The nearest point."""
        unit = common(point.unit, self.lower.unit, self.upper.unit)
        rows = zip(point.at(unit), self.lower.at(unit), self.upper.at(unit), strict=True)
        return Numbers([clipped(x, low, high) for x, low, high in rows], unit)

    def size(self, point: Numbers) -> Fraction:
        """Of the farther bound of each row."""
        unit = common(point.unit, self.lower.unit, self.upper.unit)
        rows = zip(point.at(unit), self.lower.at(unit), self.upper.at(unit), strict=True)
        sizes: Iterator[int] = (abs(x) if low is None or high is None else max(-low, high) for x, low, high in rows)
        return sum(sizes) * unit


class Simplices(NamedTuple):
    """alpha_i >= 0, sum_k alpha_ik = totals_i, K numbers an example."""

    totals: Numbers
    K: int

    def support(self, scores: Numbers, kappa: Numbers) -> Fraction:
        """sum_i totals_i max_k s_ik; kappa must be 0."""
        assert not any(kappa.values), "no risk smooths a simplex"
        blocks = self.blocks(scores.values)
        value: int = sum(t * max(block) for t, block in zip(self.totals.values, blocks, strict=True))
        return value * self.totals.unit * scores.unit

    def near(self, point: Numbers) -> Numbers:
        """Without negative entries; the largest gains what is missing, or the largest ones lose what is too much."""
        unit, out = common(point.unit, self.totals.unit), []
        for t, block in zip(self.totals.at(unit), self.blocks(point.at(unit)), strict=True):
            row = [max(a, 0) for a in block]
            out += with_sum(row, t)
        return Numbers(out, unit)

    def size(self, point: Numbers) -> Fraction:
        """That of every point."""
        mass: int = sum(self.totals.values)
        return mass * self.totals.unit

    def moves(self, point: Numbers, k: int, l: int) -> Iterator[Move]:
        """Those that take from column k, sum_i alpha_ik, and give to column l: one for each example."""
        for i, a in enumerate(self.blocks(point.values)):
            yield a[k], {i * self.K + k: -1, i * self.K + l: 1}

    def blocks(self, values: list[Any]) -> list[list[Any]]:
        """Those of the examples."""
        return [values[i * self.K : (i + 1) * self.K] for i in range(len(self.totals.values))]


class Pairs(NamedTuple):
    """p, q >= 0, sum p = sum q <= totals_i; p on the wrong labels of example i, q on the right ones."""

    totals: Numbers
    wrong: list[list[bool]]

    def support(self, scores: Numbers, kappa: Numbers) -> Fraction:
        """sum_i totals_i [the largest score of a wrong label plus that of a right one]_+; kappa must be 0."""
        assert not any(kappa.values), "no risk smooths pairs"
        value = 0
        for t, p, q in zip(self.totals.values, *self.sides(scores.values), strict=True):
            value += t * max(0, max(p) + max(q)) if p and q else 0
        return value * self.totals.unit * scores.unit

    def near(self, point: Numbers) -> Numbers:
        """Without negative entries; both sides lose what they have above the least of their sums and the total."""
        unit, out = common(point.unit, self.totals.unit), []
        positive = [max(a, 0) for a in point.at(unit)]
        for wrong, t, p, q in zip(self.wrong, self.totals.at(unit), *self.sides(positive), strict=True):
            mass = min(sum(p), sum(q), t)
            left = iter(with_sum(p, mass)), iter(with_sum(q, mass))
            out += [next(left[0] if is_wrong else left[1]) for is_wrong in wrong]
        return Numbers(out, unit)

    def size(self, point: Numbers) -> Fraction:
        """Twice the totals."""
        mass: int = sum(self.totals.values)
        return 2 * mass * self.totals.unit

    def moves(self, point: Numbers, k: int, l: int) -> Iterator[Move]:
        """Those that take from column k and give to column l; a column is the sum of its p less that of its q.

        A chain of K moves may raise the mass of one example in each: none takes more than its share of the room.
        """
        totals = self.totals.at(point.unit)
        for i, (wrong, t) in enumerate(zip(self.wrong, totals, strict=True)):
            if all(wrong) or not any(wrong):
                continue
            K = len(wrong)
            a = point.values[i * K : (i + 1) * K]
            if wrong[k]:
                amount = a[k] if wrong[l] else min(a[k], a[l])
            else:
                amount = (
                    (t - sum(x for x, is_wrong in zip(a, wrong, strict=True) if is_wrong)) // K if wrong[l] else a[l]
                )
            yield amount, {i * K + k: -1 if wrong[k] else 1, i * K + l: 1 if wrong[l] else -1}

    def sides(self, values: list[Any]) -> tuple[list[list[Any]], list[list[Any]]]:
        """The values on the wrong labels of every example, and those on the right ones."""
        split: tuple[list[list[Any]], list[list[Any]]] = ([], [])
        for i, wrong in enumerate(self.wrong):
            block = list(zip(values[i * len(wrong) : (i + 1) * len(wrong)], wrong, strict=True))
            split[0].append([x for x, is_wrong in block if is_wrong])
            split[1].append([x for x, is_wrong in block if not is_wrong])
        return split


Set = Box | Simplices | Pairs


def clipped(x: Any, low: Any, high: Any) -> Any:
    """x in [low, high]; None is no bound."""
    x = low if low is not None and x < low else x
    return high if high is not None and x > high else x


def with_sum(row: list[int], mass: int) -> list[int]:
    """Numbers >= 0, changed to have this sum: the largest one grows, or the largest ones fall."""
    row, excess = list(row), sum(row) - mass
    for k in sorted(range(len(row)), key=row.__getitem__, reverse=True):
        step = min(excess, row[k])
        row[k] -= step
        excess -= step
        if not excess:
            break
    return row
