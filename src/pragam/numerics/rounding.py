r"""Rounding errors of float64 sums and products, bounded.

A floating-point operation has a relative error of at most u = 2^-53, or flushes a result below 2^-1022 to zero. Hence
(Higham 2002, chapters 3 and 4), in any order of summation,

    |fl(sum of k terms x_i y_i) - exact| <= gamma(k + 1) sum |x_i y_i| + 2 k TINY,      gamma(k) = k u / (1 - k u).

Where entries below 2^-1022 are also read as zero, TINY (sum |x_i| + sum |y_i|) comes to that.

``gamma`` here is 1 % larger. That covers the roundings of the bounds themselves, whose relative errors are far below
1 %: a margin is multiplied and added up without more ado. Only the two final sums, of a value and its margin, are
rounded outward (:func:`upward`, :func:`downward`).
"""

from __future__ import annotations

from math import frexp, fsum, inf, isfinite, ldexp, nextafter, sqrt
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.vector import Vector

U = 2.0**-53
#: The smallest normal number. What is below it may be read, or written, as zero (flush-to-zero).
TINY = 2.0**-1022
#: The roundings of a sum in the kernels' lanes, its products included (blocks.hpp).
LANES = 32
#: How many columns a sum in twice the precision is split into.
_WIDE = 256
#: Vectors are looked through in pieces of so many entries.
_PIECE = 2**20
#: Squares of numbers within these bounds have neither overflowed nor lost digits.
SAFE = (1e-280, 1e280)

#: A number, or a vector of them.
Real = TypeVar("Real", float, Vector)


class Stating:
    """A part of a problem. ``rigorous`` says whether it bounds its rounding errors, as its own class must state.

    It is not inherited: a subclass may compute something else, so it answers for itself.
    """

    rigorous: bool = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "rigorous" not in cls.__dict__:
            cls.rigorous = False


def is_zero(x: Vector) -> NDArray[np.bool_]:
    """Which entries are 0, by their bits: in a comparison a denormal may be read as zero."""
    return x.view(np.int64) << 1 == 0


def nonzero_places(x: Vector) -> NDArray[np.int64]:
    """Where x is anything but 0, by its bits; in pieces, so that a long x with few such places takes no more memory."""
    starts = range(0, max(len(x), 1), _PIECE)
    return np.concatenate([np.flatnonzero(~is_zero(x[first : first + _PIECE])) + first for first in starts])


def is_subnormal(x: Vector) -> NDArray[np.bool_]:
    """Which entries are below TINY, but not 0, by their bits: those that may be read as zero."""
    magnitude = x.view(np.uint64) << 1
    return (magnitude > 0) & (magnitude < 1 << 53)


def all_zero(x: Vector) -> bool:
    """Whether all entries are 0, by their bits; without an array of answers."""
    return bool(np.bitwise_or.reduce(x.view(np.int64)) << 1 == 0)


@overload
def gamma(k: float) -> float: ...


@overload
def gamma(k: NDArray[np.int64] | Vector) -> Vector: ...


def gamma(k: Any) -> Any:
    """A bound of k u / (1 - k u), 1 % above k u: the relative error of k roundings, for k up to 1e13."""
    return (1.01 * U) * k


def upward(*terms: float) -> float:
    """A float that is no smaller than the sum of these; inf if one of them is NaN."""
    total = sum(terms)
    if not isfinite(total):
        return -inf if total == -inf else inf
    try:
        value = fsum(terms)  # rounded once; but what is below TINY on the way may be lost
    except OverflowError:  # on the way; the sum itself may be finite, but no problem is that large
        return inf
    if abs(value) <= SAFE[0] and any(terms):
        value += 2 * len(terms) * TINY
    return nextafter(value, inf) if value else 0.0


def downward(*terms: float) -> float:
    """A float that is no larger than the sum of these; -inf if one of them is NaN."""
    return -upward(*(-x for x in terms))


def dot(x: Vector, y: Vector) -> tuple[float, float]:
    """(<x, y>, a bound of its error)."""
    value, size = _kernels.get("dot_and_size")(np.ascontiguousarray(x), np.ascontiguousarray(y))
    return value, gamma(LANES) * size + _lost(x, y)


def sharp_dot(x: Vector, y: Vector) -> tuple[float, float]:
    """The same to twice the precision."""
    products, cut = two_product(x, y)
    (value, error), (rest, more) = total(products), total(cut)
    return value + rest, error + more + gamma(1) * abs(value + rest) + 8 * _lost(x, y)


def _lost(x: Vector, y: Vector) -> float:
    """What <x, y> may lose below TINY: of its terms, or of entries of x and y, where the others are large.

    It suffices twice over for the latter, so x may also be as far outside a set as entries below TINY are.
    """
    lost, sizes = 4.0 * len(x), (_largest(x), _largest(y))
    for part, other in ((x, sizes[1]), (y, sizes[0])):
        if other > 1:
            lost += 2 * other * float(np.count_nonzero(is_subnormal(part)))
    return TINY * lost


def _largest(x: Vector) -> float:
    """max |x_i|."""
    return max(float(x.max(initial=0.0)), -float(x.min(initial=0.0)))


def total(x: Vector, *more: float) -> tuple[float, float]:
    """(the sum of x and more, a bound of its error): short columns in twice the precision, then an exact sum."""
    height = len(x) // _WIDE
    columns = x[: height * _WIDE].reshape(height, _WIDE).T
    high, low, size = np.zeros(_WIDE), np.zeros(_WIDE), np.zeros(_WIDE)
    if height:
        _kernels.get("dense_twofold_matvec")(columns, np.ones(height), high, low, size)
    if not np.isfinite(low).all():
        return inf, inf
    try:
        value = fsum((*high.tolist(), *low.tolist(), *x[height * _WIDE :].tolist(), *more))
    except (OverflowError, ValueError):  # on the way, or infinities of both signs
        return inf, inf
    return value, gamma(1) * abs(value) + gamma(height + 8) ** 2 * float(size.sum())


def norm(x: Vector) -> float:
    """|x|, correct to LANES roundings: sizes whose squares would overflow or vanish are scaled first."""
    x = np.ascontiguousarray(x)
    square = _kernels.get("dot_and_size")(x, x)[0]
    if SAFE[0] < square < SAFE[1]:
        return sqrt(square)
    largest = _largest(x)
    if largest == 0 or not isfinite(largest):
        return largest
    exponent = frexp(largest)[1]
    scaled = np.ldexp(x, -exponent)
    length = sqrt(_kernels.get("dot_and_size")(scaled, scaled)[0])
    try:
        return ldexp(length, exponent)
    except OverflowError:
        return inf


def two_sum(x: Real, y: Real) -> tuple[Real, Real]:
    """(s, e) with s = fl(x + y) and s + e = x + y exactly (Knuth)."""
    s = x + y
    added = s - x
    return s, (x - (s - added)) + (y - added)


def two_product(x: Real, y: Real) -> tuple[Real, Real]:
    """(p, e) with p = fl(x y) and p + e = x y exactly, barring overflow and underflow (Dekker 1971)."""
    p = x * y
    xh, yh = _upper_half(x), _upper_half(y)
    xl, yl = x - xh, y - yh
    return p, ((xh * yh - p) + xh * yl + xl * yh) + xl * yl


def _upper_half(x: Real) -> Real:
    t = 134217729.0 * x  # 2^27 + 1
    return t - (t - x)
