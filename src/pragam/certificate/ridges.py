r"""Which combination of kinks may say most of a score: ridge regressions of y = x - p on the rows n_i.

    g(mu) = argmin |y - sum_i g_i n_i|^2 + mu |g|^2,      the mu with the least r |y - sum_i g_i n_i| + peak |g|

of several penalties mu; peak is what max |g_i| is of |g| as a rule. With N = U s V' and x = V'y,

    g = U s x / (s^2 + mu),    |g|^2 = sum x^2 s^2 / (s^2 + mu)^2,
    |y - N'g|^2 = |y|^2 - sum x^2 s^2 (s^2 + 2 mu) / (s^2 + mu)^2.

Here all is guessed, and nothing proven: bounds are computed from g, whatever it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector

Array = NDArray[np.float64]

#: The penalties that are tried, in units of 1/r^2: where the kinks are worth as much as the sphere, and far around it.
_PENALTIES = 4.0 ** np.arange(-8, 5, 2)
#: max_i |g_i| is about this many times the root of their mean square.
_PEAK = 3.5


class Guess(NamedTuple):
    """Of every y, g in the basis of :class:`Ridges`, and about what r |q| + max |g_i| will be."""

    coordinates: Array
    room: Vector


class Ridges:
    """Of the rows n_i of N, with the radius r."""

    def __init__(self, N: Array, radius: float) -> None:
        self._radius, self._peak = radius, min(1.0, _PEAK / max(len(N), 1) ** 0.5)
        self._basis, self._back, self._s2, self._weight = _factors(N)

    def best(self, y: Array) -> Guess:
        """For every row of y."""
        x = y @ self._basis
        x2, size2 = x * x, np.einsum("ij,ij->i", y, y)[:, None]
        penalties = _PENALTIES / self._radius / self._radius
        shrunk = 1 / (self._s2[:, None] + penalties)
        part = self._weight[:, None] * shrunk * shrunk
        part2 = x2 @ part  # |g|^2
        left2 = np.maximum(size2 - x2 @ (part * (2 * penalties + self._s2[:, None])), 0.0)
        room = self._radius * np.sqrt(left2) + self._peak * np.sqrt(part2)
        best = np.argmin(room, axis=1)
        return Guess(x * shrunk.T[best], room[np.arange(len(x)), best])

    def combinations(self, coordinates: Array) -> Array:
        """g of each row."""
        g: Array = coordinates @ self._back
        return g


def _factors(N: Array) -> tuple[Array, Array, Vector, Vector]:
    """(V, V'N', s^2, s^2) of N = U s V', or (N'U, U', s^2, 1) if these are fewer; where that fails, nothing."""
    F, d = N.shape
    try:
        s2, V = np.linalg.eigh(N.T @ N if d <= F else N @ N.T)
    except np.linalg.LinAlgError:
        return np.zeros((d, 0)), np.zeros((0, F)), np.zeros(0), np.zeros(0)
    s2 = np.maximum(s2, 0.0)
    return (V, V.T @ N.T, s2, s2) if d <= F else (N.T @ V, V.T, s2, np.ones(F))
