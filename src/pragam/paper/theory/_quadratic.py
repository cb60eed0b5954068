"""Derivatives of quadratic functions by differences, which are exact but for rounding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pragam.numerics.vector import Vector


def slopes(f: Callable[[Vector], float], at: Vector) -> Vector:
    """The gradient of a quadratic f: its central differences over a step of 1."""
    return np.array([(f(at + e) - f(at - e)) / 2 for e in np.eye(at.size)])
