r"""The largest value of a parabola on an interval, of which upper bounds of three numbers are known.

    q(t) = (1 - t) first + t last + t (1 - t) bend,      0 <= t <= 1,

grows with each of the three, since 1 - t, t and t (1 - t) are not negative. So upper bounds of these bound q at every
t. Where bend > |last - first| the vertex is inside, at 2 t - 1 = (last - first) / bend, and

    max q = (first + last)/2 + bend/4 + (last - first)^2 / (4 bend),      otherwise   max(first, last).
"""

from __future__ import annotations

from math import inf, isfinite

from pragam.numerics.rounding import TINY, gamma


def largest(first: float, last: float, bend: float) -> float:
    """At least q(t) for every t; ``first`` and ``last`` are not negative.

    Where rounding hides on which side of |last - first| the bend is, both formulas agree to that rounding.
    """
    if not (isfinite(first) and isfinite(last) and bend < inf):
        return inf
    top, rise = max(first, last), last - first
    if bend > abs(rise):
        top = 0.5 * first + 0.5 * last + 0.25 * bend + 0.25 * rise * (rise / bend)
    return top * (1 + gamma(8)) + 8 * TINY
