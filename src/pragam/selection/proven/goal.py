r"""What is to be proven of a range: that no exact model has a sum below ``best`` - eps m, m rows left out.

    passes(lower)  <=>  best - lower <= eps m        in rational arithmetic, of the floats as they are stored

``best`` is the sum of a computed model, and only falls; so does best - eps m, and a cell that has passed has passed for
good. The means that are shown are rounded outward, that of ``best`` downward and what is proven upward: error - proven
is no more than the least mean, as the floats are.

With ``prove="se"`` eps is the standard error of the best model's mean, s^2 the mean of the squares,

    se = sqrt( (s - mean) (s + mean) / m ),             sqrt(p (1 - p) / m) of a share p of errors:

then p - se(p) falls with p as long as there is an error at all, and of none se is 0. For losses, where it need not, se
is that of the best of the first lams, and stays.
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, inf, isfinite, nextafter, sqrt
from typing import Any

from pragam.numerics.arguments import LARGEST, float_of
from pragam.selection.proven.bounds import Interval

STANDARD_ERROR = "se"


class Goal:
    """``best`` is inf as long as nothing is solved."""

    def __init__(self, asked: Any, size: int, is_counted: bool) -> None:
        self.size, self._is_error, self._moves = size, isinstance(asked, str) and asked == STANDARD_ERROR, True
        self.is_counted = is_counted
        if not (self._is_error or 0 <= float_of(asked) <= LARGEST):
            raise ValueError(f'prove must be "{STANDARD_ERROR}" or a finite number >= 0, not {asked!r:.60}')
        self.eps = inf if self._is_error else float_of(asked)
        if self.eps == 0 and not is_counted:
            raise ValueError("prove must be above 0 for a loss: a lam with the least one is never alone in its cell")
        self.best, self._length, self._need = inf, inf, inf

    def note(self, total: float, length: float) -> None:
        """The sum of one more computed model, and the root of that of the squares."""
        if total < self.best:
            self.best, self._length = total, sqrt(total) if self.is_counted else length
            if self._is_error and self._moves:
                self.eps = self.error
            self._need = _not_below(Fraction(self.best) - Fraction(self.eps) * self.size) if isfinite(self.eps) else inf

    def fix(self) -> None:
        """The first lams are solved: from now on nothing that has passed may fail."""
        self._moves = self.is_counted

    @property
    def error(self) -> float:
        """The standard error of the mean of the best model."""
        if not (isfinite(self.best) and isfinite(self._length)):
            return inf
        mean, s = self.best / self.size, self._length / sqrt(self.size)
        return sqrt(max(s - mean, 0.0)) * sqrt(s + mean) / sqrt(self.size)

    def passes(self, lower: float) -> bool:
        """Whether this much is proven where no sum is below ``lower``."""
        return lower >= self._need

    def is_decided(self, known: Interval) -> bool:
        """Whether these bounds pass, or no closer ones would: then a model there is better than the best so far."""
        return self.passes(known.lower) or not self.passes(known.upper)

    def octave(self, lower: float) -> int:
        """That of how far the best is above ``lower``."""
        return frexp(self.best - lower)[1]

    def proven(self, lower: float) -> float:
        """The eps that is proven where no sum is below ``lower``, rounded up; never below 0."""
        if not (isfinite(lower) and isfinite(self.best)):
            return inf
        return max(_not_below((Fraction(self.best) - Fraction(lower)) / self.size), 0.0)

    def least_mean(self, total: float) -> float:
        """total / m, rounded down."""
        return 0.0 - self.greatest_mean(-total)

    def greatest_mean(self, total: float) -> float:
        """total / m, rounded up."""
        return _not_below(Fraction(total) / self.size) if isfinite(total) else total


def _not_below(exact: Fraction) -> float:
    """The least float that is at least so much."""
    try:
        found = float(exact)
    except OverflowError:
        return inf if exact > 0 else -LARGEST
    return found if Fraction(found) >= exact else nextafter(found, inf)
