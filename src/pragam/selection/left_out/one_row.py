"""A certified solve without one row: the last resort, from the pair that was moved off it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pragam.certificate.left_out import MarginProblem, Span, without_row
from pragam.certificate.region import region
from pragam.driver.result import Result, Status
from pragam.driver.solve import solve
from pragam.numerics.vector import Vector
from pragam.operators.storage import WALKING

#: The gaps that are asked for in turn: the first decides nearly all rows, at little more than what 1e-6 takes; the
#: second is about what float64 proves.
GAPS = (1e-9, 1e-13)
#: After these there is no time for a second solve, or it would prove no more.
_LAST = (Status.INTERRUPTED, Status.STOPPED, Status.MAX_SECONDS, Status.ROUNDING)


def settle(
    problem: MarginProblem,
    i: int,
    start: tuple[Vector, Vector],
    learn: Callable[[int, Vector], bool],
    left: Callable[[], float | None],
    **options: Any,
) -> tuple[int, Result]:
    """Solve without row i, to ever smaller gaps, until ``learn`` of its bounds (2,) says that they are enough.

    (the number of solves, the last one). ``left`` are the seconds that a solve may take.
    """
    own, solves = without_row(problem, i), 0
    for tol in GAPS:
        result = solve(own, tol=tol, start=start, max_seconds=left(), **options)
        solves, start = solves + 1, (result.w, result.alpha)
        is_enough = learn(i, bounds_without(own, i, result))
        if is_enough or result.status in _LAST:
            break
    return solves, result


def bounds_without(problem: MarginProblem, i: int, result: Result) -> Vector:
    """(2,): where the score of row i is at every optimum of a problem that is without it."""
    row = np.array([i])
    bounds = Span(problem, result.w, result.alpha, result.certificate).bounds(row, is_once=True)[0]
    if bounds[0] > 0 or bounds[1] < 0:
        return bounds
    X, place = problem.A.storage, region(problem, result.w, result.alpha, result.certificate)
    ends = place.decisions(X)[i, 0] if WALKING & X.lacks else place.decisions(X.take(row))[0, 0]
    return np.array([max(bounds[0], ends[0]), min(bounds[1], ends[1])])
