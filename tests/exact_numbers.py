"""Floats as integers: every float is m 2^e, so what is stored has an exact form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Ints:
    """The numbers ``values[i] * 2**exponent``; None stands for an infinite bound."""

    values: list
    exponent: int

    def at(self, exponent):
        """The same numbers as integers at a finer or equal exponent."""
        shift = self.exponent - exponent
        return self.values if shift == 0 else [v if v is None else v << shift for v in self.values]

    def times(self, other):
        """Every number times the single number ``other``."""
        factor = other.values[0]
        return Ints([v if v is None else v * factor for v in self.values], self.exponent + other.exponent)

    def fractions(self):
        unit = power(self.exponent)
        return [v if v is None else v * unit for v in self.values]


def ints(numbers):
    """The floats as :class:`Ints`, infinite ones as None."""
    numbers = np.atleast_1d(np.asarray(numbers, dtype=np.float64)).ravel()
    finite = np.isfinite(numbers)
    mantissas, exponents = np.frexp(np.where(finite, numbers, 0.0))
    mantissas = np.ldexp(mantissas, 53).astype(np.int64)
    used = mantissas != 0
    low = int((exponents[used] - 53).min(initial=5000)) if used.any() else 0
    shifts = np.where(used, exponents - 53 - low, 0).tolist()
    rows = zip(mantissas.tolist(), shifts, finite.tolist(), strict=True)
    return Ints([m << e if f else None for m, e, f in rows], low)


def power(exponent):
    return Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)


def align(*groups):
    """The lists of all groups at their common exponent, and that exponent."""
    exponent = min(group.exponent for group in groups)
    return *(group.at(exponent) for group in groups), exponent


def dot(row, vector):
    """<row, vector> for a sparse row {column: integer}."""
    return sum(value * vector[j] for j, value in row.items())
