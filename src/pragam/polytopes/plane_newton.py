"""Newton's method for the multipliers of several planes: a smooth convex function of few variables.

Only gradients are compared, never values (:mod:`pragam.numerics.slope_search`). The same number added to all variables
changes nothing, so steps have none of it: it would be rounding over a ridge, and the slope along it that of rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pragam.numerics.slope_search import vanishing_slope
from pragam.polytopes.base import Vector
from pragam.runtime import interrupts

#: Steps at the most.
_STEPS = 50
#: A full step is taken if it shrinks the gradient to this share. Else a line search ends where the slope has fallen to
#: the same share of the first one.
_FLAT = 0.5
#: It ends after this many steps in a row that did not shrink the gradient by a tenth.
_POOR = 5


def minimise(
    gradient: Callable[[Vector], tuple[Vector, Vector, Vector]],
    hessian: Callable[[Vector], Vector],
    b: Vector,
    reach: float,
) -> tuple[Vector, Vector]:
    """(alpha, b) with the smallest gradient that was met.

    Parameters
    ----------
    gradient : b -> (gradient, alpha, what of each entry may be rounding)
    hessian : alpha -> a generalised Hessian, which may be singular
    b : where to start
    reach : the size of a sensible step where the function has no curvature
        It sets a ridge |gradient| / reach, which vanishes at the minimum (Levenberg 1944, Marquardt 1963).
    """
    g, alpha, rounding = gradient(b)
    best, found, poor = _excess(g, rounding), (alpha, b), 0
    for _ in range(_STEPS):
        interrupts.check()  # with many labels a step takes long
        if best == 0 or poor > _POOR:
            break
        matrix = hessian(alpha)
        ridge = float(np.linalg.norm(g)) / reach
        if not (np.isfinite(matrix).all() and np.isfinite(ridge)):  # at the ends of float64
            break
        step: Vector = np.linalg.lstsq(matrix + ridge * np.eye(len(b)), -g, rcond=None)[0].astype(np.float64)
        step -= step.mean()
        there = gradient(b + step)
        t = 1.0
        if not _excess(there[0], there[2]) <= _FLAT * _excess(g, rounding):
            t = vanishing_slope(_along(gradient, b, step), _FLAT)
            there = gradient(b + t * step)
        if t == 0 or np.array_equal(b + t * step, b):
            break
        b = b + t * step
        g, alpha, rounding = there
        excess = _excess(g, rounding)
        poor = 0 if excess < 0.9 * best else poor + 1
        if excess < best:
            best, found = excess, (alpha, b)
    return found


def _excess(g: Vector, rounding: Vector) -> float:
    """How far the gradient is from zero, beyond its rounding."""
    return float(np.linalg.norm(np.maximum(np.abs(g) - rounding, 0.0)))


def _along(
    gradient: Callable[[Vector], tuple[Vector, Vector, Vector]], b: Vector, step: Vector
) -> Callable[[float], float]:
    return lambda t: float(gradient(b + t * step)[0] @ step)
