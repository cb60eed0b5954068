"""A line search on the slope of a convex function. Slopes have a sign long after differences of values are rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: It ends after this many evaluations.
_EVALUATIONS = 60
_TINY = float(np.finfo(np.float64).tiny)


def vanishing_slope(slope: Callable[[float], float], flat: float) -> float:
    """A t > 0 where the slope has fallen to a share ``flat`` of its first size; 0 if it is not negative at t = 0."""
    first = slope(0.0)
    if not first < 0:
        return 0.0
    low, high, t = 0.0, np.inf, 1.0
    at_low, at_high = first, 0.0
    for k in range(_EVALUATIONS):
        here = slope(t)
        if abs(here) <= flat * abs(first):
            return t
        if here < 0:
            low, at_low = t, here
        else:
            high, at_high = t, here
        if high == np.inf:
            t *= 4
        else:  # the secant, and now and then the middle
            between = 0.5 if k % 3 == 2 else -at_low / max(at_high - at_low, _TINY)
            t = low + min(max(between, 0.01), 0.99) * (high - low)
        if not low < t < high:
            break
    return low if low > 0 else t
