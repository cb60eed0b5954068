r"""A second opinion in rational arithmetic: J and D of a linear SVM, with no rounding at all.

::

    J(w, b)  = lam/2 |w|^2 + sum_i u_i [1 - y_i (<x_i, w> + b)]_+,       u_i = weight_i/n as the problem stores it
    D(alpha) = sum_i alpha_i - |sum_i y_i alpha_i x_i|^2 / (2 lam),      0 <= alpha_i <= u_i,  sum_i y_i alpha_i = 0

(the equality only with a bias). Every float is m 2^e with integers m and e, so both values are fractions; Python's
integers hold them whatever their size. Rounding may have left alpha outside its set: it is clipped to its box and moved
onto the plane in integers as well, and D is that of the point moved.

The code shares nothing with the rest of the package: no kernel, operator, set or certificate. It is slow, some million
entries of X a second, and short, so that it can be checked by reading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul


@dataclass(frozen=True)
class Proof:
    """J(w, b) >= min J >= D(alpha), exactly."""

    primal: Fraction
    dual: Fraction

    @property
    def gap(self) -> Fraction:
        """J - D."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> Fraction:
        """(J - D) / max(|J|, |D|)."""
        return self.gap / (max(abs(self.primal), abs(self.dual)) or 1)

    def confirms(self, primal: float, dual: float) -> bool:
        """Whether these floats bound J from above and D from below."""
        return primal >= self.primal and dual <= self.dual


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


@dataclass(frozen=True)
class Scaled:
    """The numbers ``integers[k] * 2**exponent``."""

    integers: list[int]
    exponent: int


def scaled(numbers: Iterable[float]) -> Scaled:
    """Floats as integers at their common exponent."""
    ratios = [x.as_integer_ratio() for x in numbers]  # every denominator is a power of two
    bits = max((q.bit_length() for _, q in ratios), default=1)
    return Scaled([p << (bits - q.bit_length()) for p, q in ratios], 1 - bits)


class Judge:
    """One pass over the rows of X gives J(w, b) and D(alpha) of one binary problem: ``add`` each row, then ``proof``.

    Parameters
    ----------
    signs : y_i, +1 or -1
    upper : u_i, the weight of each row's loss
    lam : float
    w, intercept : the model
    alpha : the dual variables, in the paper's scaling (0 .. weight/n)
    bias : whether the model has an intercept. Without one ``intercept`` must be 0.
    """

    def __init__(
        self, signs: Sequence[int], upper: Sequence[float], lam: float, w: Sequence[float], intercept: float,
        alpha: Sequence[float], bias: bool,
    ) -> None:  # fmt: skip
        if not bias and intercept != 0:
            raise ValueError(f"the intercept of a model without one must be 0, not {intercept!r}")
        n = len(signs)
        if not len(upper) == len(alpha) == n:
            raise ValueError(f"there are {n} labels, {len(upper)} weights and {len(alpha)} dual variables")
        self._signs, self._lam = signs, Fraction(lam)
        self._w, self._b = scaled(w), scaled([intercept])
        both = scaled([*alpha, *upper])
        self._upper = both.integers[n:]
        self._alpha = _repaired(both.integers[:n], self._upper, signs, bias)
        self._unit = both.exponent  # of upper and alpha
        self._risk, self._product = _Sums(1), _Sums(len(w))
        self._row = 0

    def add(self, columns: Sequence[int], row: Scaled) -> None:
        """The next row of X: its entries ``row`` lie in these columns, in any order; repeated ones add up."""
        sign, upper, alpha = self._signs[self._row], self._upper[self._row], self._alpha[self._row]
        self._row += 1
        w = self._w.integers
        score = sum(map(mul, row.integers, [w[j] for j in columns]))
        exponent = min(row.exponent + self._w.exponent, self._b.exponent, 0)
        score <<= row.exponent + self._w.exponent - exponent
        margin = (1 << -exponent) - sign * (score + (self._b.integers[0] << (self._b.exponent - exponent)))
        if margin > 0:
            self._risk.add([0], [margin], upper, exponent + self._unit)
        if alpha:
            self._product.add(columns, row.integers, sign * alpha, row.exponent + self._unit)

    def proof(self) -> Proof:
        """After the last row."""
        assert self._row == len(self._signs), "every row must be added once"
        regulariser = self._lam / 2 * _squares(self._w.integers, self._w.exponent)
        risk = self._risk.values[0] * _power(self._risk.exponent)
        square = _squares(self._product.values, self._product.exponent)
        return Proof(regulariser + risk, sum(self._alpha) * _power(self._unit) - square / (2 * self._lam))


class _Sums:
    """Sums of integers times powers of two; the common exponent falls when a finer term comes."""

    def __init__(self, size: int) -> None:
        self.values, self.exponent = [0] * size, 0

    def add(self, places: Sequence[int], terms: Sequence[int], factor: int, exponent: int) -> None:
        """Add ``terms[k] * factor * 2**exponent`` at ``places[k]``."""
        if exponent < self.exponent:
            self.values = [value << (self.exponent - exponent) for value in self.values]
            self.exponent = exponent
        factor <<= exponent - self.exponent
        values = self.values
        for place, term in zip(places, terms, strict=True):
            values[place] += term * factor


def _repaired(alpha: list[int], upper: list[int], signs: Sequence[int], bias: bool) -> list[int]:
    """alpha in the box and, with a bias, on the plane; the rows farthest from both their bounds move first."""
    alpha = [min(max(a, 0), u) for a, u in zip(alpha, upper, strict=True)]
    excess = sum(map(mul, signs, alpha)) if bias else 0
    if not excess:
        return alpha
    for i in sorted(range(len(alpha)), key=lambda i: max(-alpha[i], alpha[i] - upper[i])):
        falls = (excess > 0) == (signs[i] > 0)
        step = min(abs(excess), alpha[i] if falls else upper[i] - alpha[i])
        alpha[i] += -step if falls else step
        excess -= step if excess > 0 else -step
        if not excess:
            break
    return alpha


def _squares(integers: list[int], exponent: int) -> Fraction:
    return sum(v * v for v in integers) * _power(2 * exponent)


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
