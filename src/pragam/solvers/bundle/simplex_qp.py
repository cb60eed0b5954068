r"""max over the unit simplex of  <b, p> - 1/2 p' K p,  to rounding: the small QP of a bundle method.

Active-set method: climb to the maximum over the face of the positive p_j, then let in the p_j whose gradient
exceeds the face's multiplier most, until none does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.solvers.face import maximise_on_face


def maximise_on_simplex(K: Vector, b: Vector, start: Vector) -> Vector:
    """The maximiser, from the feasible ``start`` (warm starts make a handful of rounds suffice)."""
    p = start.copy()
    inside = p > 0
    best = -np.inf
    for _ in range(10 * len(p) + 10):
        face = np.flatnonzero(inside)
        p = _climb(K, b, p, face)
        gradient = b - K @ p
        multiplier = float(gradient @ p)
        inside = p > 0
        outside = np.where(inside, -np.inf, gradient)
        entering = int(np.argmax(outside))
        noise = 1e-13 * (np.abs(b).max() + np.abs(K).max())
        value = _value(K, b, p)
        if outside[entering] <= multiplier + noise or value < best:
            break
        best = value
        inside[entering] = True
    return p


def _climb(K: Vector, b: Vector, p: Vector, face: NDArray[np.intp]) -> Vector:
    gradient = b - K @ p
    part = p[face]
    maximum = maximise_on_face(
        K[np.ix_(face, face)], gradient[face] - gradient[face] @ part, part,
        np.zeros(len(face)), np.full(len(face), np.inf), np.ones((1, len(face))), np.zeros(1),
    )  # fmt: skip
    moved = np.zeros_like(p)
    moved[face] = maximum.alpha
    return moved / moved.sum()


def _value(K: Vector, b: Vector, p: Vector) -> float:
    return float(b @ p - 0.5 * p @ (K @ p))
