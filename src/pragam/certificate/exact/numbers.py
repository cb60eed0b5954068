"""Floats as integers: every float is m 2^e, so a list of them is a list of integers times one unit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

#: Integers of so many bits, and a sign, fit into int64.
_BITS = 62


@dataclass(frozen=True)
class Numbers:
    """The numbers ``values[k] * unit``; None stands for an infinite bound."""

    values: list[Any]
    unit: Fraction

    def at(self, unit: Fraction) -> list[Any]:
        """The same numbers as multiples of a finer or equal unit."""
        factor = self.unit / unit
        assert factor.denominator == 1, "the unit is not finer"
        times = factor.numerator
        return self.values if times == 1 else [v if v is None else v * times for v in self.values]

    def fractions(self) -> list[Any]:
        """One Fraction for each."""
        return [v if v is None else v * self.unit for v in self.values]


def numbers(floats: ArrayLike) -> Numbers:
    """The floats in their greatest common unit of the form 2^e; infinite ones as None."""
    x = np.asarray(floats, dtype=np.float64).ravel()
    finite = np.isfinite(x)
    fraction, exponent = np.frexp(np.where(finite, x, 0.0))
    m = np.ldexp(fraction, 53).astype(np.int64)
    used = m != 0
    if not used.any():
        return _with_infinities([0] * len(x), Fraction(1), finite)
    zeros = np.where(used, np.frexp((m & -m).astype(np.float64))[1] - 1, 0)  # at the end of m, in binary
    m, least = m >> zeros, int((exponent - 53 + zeros)[used].min())
    shift = np.where(used, exponent - 53 + zeros - least, 0)
    if int(exponent[used].max()) - least <= _BITS:
        values = (m << shift).tolist()
    else:
        values = [a << b for a, b in zip(m.tolist(), shift.tolist(), strict=True)]
    return _with_infinities(values, Fraction(2) ** least, finite)


def _with_infinities(values: list[Any], unit: Fraction, finite: Any) -> Numbers:
    if not finite.all():
        values = [v if is_finite else None for v, is_finite in zip(values, finite.tolist(), strict=True)]
    return Numbers(values, unit)


def of_fractions(fractions: Sequence[Fraction]) -> Numbers:
    """The fractions over their common denominator."""
    denominator = math.lcm(*(x.denominator for x in fractions))
    return Numbers([x.numerator * (denominator // x.denominator) for x in fractions], Fraction(1, denominator))


def common(*units: Fraction) -> Fraction:
    """The greatest unit of which all of these are multiples."""
    return Fraction(math.gcd(*(u.numerator for u in units)), math.lcm(*(u.denominator for u in units)))


def plus(x: Numbers, y: Numbers, sign: int = 1) -> Numbers:
    """x + sign y."""
    unit = common(x.unit, y.unit)
    return Numbers([a + sign * b for a, b in zip(x.at(unit), y.at(unit), strict=True)], unit)


def inner(x: Numbers, y: Numbers) -> Fraction:
    """<x, y>."""
    whole: int = sum(map(mul, x.values, y.values))
    return whole * (x.unit * y.unit)


def total(fractions: Iterable[Fraction]) -> Fraction:
    """Their sum, in pairs: denominators that share no factor grow with the sum, so the long ones should be few."""
    terms = list(fractions) or [Fraction(0)]
    while len(terms) > 1:
        terms = [sum(terms[k : k + 2], Fraction(0)) for k in range(0, len(terms), 2)]
    return terms[0]


def rounded_up(x: Fraction) -> float:
    """The smallest float that is at least x."""
    try:
        nearest = float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.nextafter(math.inf, 0)
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def rounded_down(x: Fraction) -> float:
    """The largest float that is at most x."""
    return -rounded_up(-x)
