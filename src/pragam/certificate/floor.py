"""A proven lower bound of J at given weights: the other side of a certificate's ``primal``."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from pragam.numerics.rounding import LANES, TINY, dot, downward, gamma, norm, sharp_dot
from pragam.operators.base import Vector
from pragam.problem import AnyProblem


def primal_floor(problem: AnyProblem, w: Vector, biases: Vector) -> float:
    r"""A float that is at most J(w, b), as real numbers.

    ::

        J(w, b) = lam/2 |w|^2 + max over alpha in Q of <alpha - origin, A w + B b> + <c, alpha> - g(alpha)

    Every alpha in Q bounds the maximum from below, so the one that is best for the computed scores does. Its value is
    summed in twice the precision. Less the rounding of that sum, of the scores (``A.sharp_matvec``) and of the
    membership of alpha in Q (``Q.repair``) it is a bound. The problem must be a whole one, without a ``rest``.
    """
    w = np.ascontiguousarray(w)
    with np.errstate(all="ignore"):
        high, low, room = problem.A.sharp_matvec(w)
        length, error = problem.A.norm(w, high + low)
        high, low, room = problem.B.sharp_add_to(high, low, room, biases)
        room = np.broadcast_to(room, high.shape)
        alpha = problem.g.oracle(problem.Q, high + low + problem.c)
        repaired = problem.Q.repair(alpha)
        if not repaired.feasible:
            return -inf
        bend, lost = problem.g.value_bound_at(alpha, repaired.point)
        parts = [*_product(repaired.point, high, low, room), sharp_dot(problem.c, repaired.point)]
        if problem.origin is not None:
            parts += _product(-problem.origin, high, low, room)
        lost += _moved(problem, repaired, np.abs(high) + np.abs(low) + room + np.abs(problem.c))
        square = 0.5 * (problem.lam * length) * length
        lost += gamma(2 * LANES) * square + 1.01 * problem.lam * error * (length + error) + 2 * TINY
        lost += sum(error for _, error in parts)
        return downward(square, -bend, -lost, *(value for value, _ in parts))


def _moved(problem: AnyProblem, repaired: Any, reach: Vector) -> float:
    """How much less <alpha, s + c> - g(alpha) can be at the feasible point than at the float next to it."""
    at, slack, distance, lost = repaired.rows, repaired.slack, repaired.distance, 0.0
    if at.size:
        lost += 1.01 * float(reach[at] @ slack) + problem.g.change_bound(repaired.point, at, slack)
    if distance:
        lost += 1.01 * distance * norm(reach)
        each = np.arange(len(reach))
        lost += problem.g.change_bound(repaired.point, each, np.full(len(reach), distance))
    return lost


def _product(x: Vector, high: Vector, low: Vector, room: Vector) -> list[tuple[float, float]]:
    """<x, s> as terms with their errors, for every s within ``room`` of high + low."""
    away = 1.01 * float(np.abs(x) @ room)
    value, error = sharp_dot(x, high)
    return [(value, error + away), dot(np.ascontiguousarray(x), np.ascontiguousarray(low))]
