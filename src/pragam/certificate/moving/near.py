"""Real numbers that are known to within an error, and their mixtures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.numerics.rounding import TINY, gamma
from pragam.operators.base import Vector

#: The roundings of a share of :class:`Share`, and of a mixture with it.
ROUNDINGS = 12


class Near(NamedTuple):
    """Numbers within ``error`` of ``value``, entry by entry."""

    value: Vector
    error: Vector


class Share(NamedTuple):
    """The real numbers 1 - t and t, from 0 to 1, each to within a few roundings of itself."""

    rest: float
    part: float

    def of(self, one: Near, other: Near) -> Near:
        """(1 - t) one + t other."""
        if self.part == 0:
            return one
        if self.rest == 0:
            return other
        first, second = self.rest * one.value, self.part * other.value
        error = self.rest * one.error + self.part * other.error
        error += gamma(ROUNDINGS) * (np.abs(first) + np.abs(second) + error) + 8 * TINY
        return Near(first + second, error)

    def least(self, one: Vector, other: Vector) -> Vector:
        """At most (1 - t) one + t other, for numbers >= 0."""
        if self.part == 0:
            return one
        if self.rest == 0:
            return other
        mixed: Vector = np.maximum((self.rest * one + self.part * other) * (1 - gamma(ROUNDINGS)) - 8 * TINY, 0.0)
        return mixed

    def most(self, one: float, other: float) -> float:
        """At least (1 - t) one + t other."""
        if self.part == 0:
            return one
        if self.rest == 0:
            return other
        first, second = self.rest * one, self.part * other
        return first + second + gamma(ROUNDINGS) * (abs(first) + abs(second)) + 8 * TINY

    def plain(self, one: Vector, other: Vector) -> Vector:
        """(1 - t) one + t other, with its rounding; a new vector."""
        mixed: Vector = self.rest * one + self.part * other
        return mixed


def number(value: float, error: float) -> Near:
    """One number, as a vector."""
    return Near(np.array([value]), np.array([error]))
