"""s = sum_i x_i of float64 without any rounding, a block of numbers at a time, so that no order of the blocks matters.

A finite float64 is m 2^(e - 53) with a whole number |m| < 2^53 and e >= -1073. So s is a whole multiple of 2^-1126,
which Python's integers hold. The mean s/n is rounded once, and never overflows on the way, as a sum of floats may.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: The exponent of the last place of the least number, as :func:`numpy.frexp` has it.
_LEAST = -1073 - 53
#: A mantissa is cut here, so that float64 sums halves of 2^26 numbers exactly.
_HALF, _BLOCK = 26, 1 << 26


class ExactSum:
    """The sum so far, in units of 2^-1126, and of how many numbers."""

    def __init__(self, units: int = 0, count: int = 0) -> None:
        self.units, self.count = units, count

    def add(self, values: NDArray[np.float64]) -> None:
        """Some finite numbers more."""
        for begin in range(0, len(values), _BLOCK):
            self._add(values[begin : begin + _BLOCK])
        self.count += len(values)

    def mean(self) -> float:
        """The float64 next to s/n."""
        return self.units / (self.count << -_LEAST)

    def _add(self, values: NDArray[np.float64]) -> None:
        """Numbers of one exponent are added as whole numbers, in two halves."""
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, 53).astype(np.int64)
        first = int(exponents.min())
        places = exponents - first
        high = np.bincount(places, mantissas >> _HALF)
        low = np.bincount(places, mantissas & ((1 << _HALF) - 1))
        for k in np.flatnonzero((high != 0) | (low != 0)).tolist():
            whole = (int(high[k]) << _HALF) + int(low[k])
            self.units += whole << (first + k - 53 - _LEAST)
