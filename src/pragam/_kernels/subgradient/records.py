"""The records that the kernel of pegasos-1 takes: each converts to a std::tuple of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

from pragam.numerics.vector import Vector


class Examples(NamedTuple):
    """The rows a_i = scale_i x_i, their offsets c and their boxes."""

    scale: Vector
    c: Vector
    lower: Vector
    upper: Vector
    length2: Vector  # |x_i|^2


class Iterates(NamedTuple):
    """What the iterations change."""

    clock: Vector  # the number of iterations so far, one entry
    w: Vector
    total: Vector  # the sum of the iterates
    hits: Vector  # the sum of the vertex coordinates chosen for each row
    visits: Vector  # their number


class Rule(NamedTuple):
    """How the iterations are made: ``steps`` of them, scaled back into a ball, on rows drawn from ``seed``."""

    lam: float
    radius: float
    steps: int
    seed: int
