"""What the bounds of either side share: a value with its rounding, and how two of them are compared."""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from pragam.operators.base import Vector


class Bound(NamedTuple):
    """A bound of the optimal value, and how much of it is due to rounding. ``size`` is that of its terms."""

    value: float
    slack: float
    size: float
    biases: Vector = np.empty(0)


class Sharpened(Protocol):
    """A bound that can be computed in several ways, the cheapest first: names of its attributes."""

    @property
    def levels(self) -> tuple[str, ...]: ...


S = TypeVar("S", bound=Sharpened)


def comparable(one: S, other: S) -> tuple[Bound, Bound]:
    """The values of two bounds of one side, in as many digits as tell them apart, or in all there are.

    Equal values are of one point as a rule, proposed twice, which no digit tells apart.
    """
    for level in one.levels:
        first, second = getattr(one, level), getattr(other, level)
        if first[:3] == second[:3] or abs(first.value - second.value) > first.slack + second.slack:
            break
    return first, second
