r"""A point at which the score of every optimum is known, at every lam of a cell: see :mod:`pragam.certificate.anchors`.

With o = b* + <p, w* - c>, c the centre at lam, the score of a row x is <x, c> + o to within r |x - p|. Here o is known
to be near a number that is linear in tau = 1/lam, as c is. It may be known on one side alone: where all rows with a
weight have one label, all biases from some number on are best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam.certificate.moving.near import Near
from pragam.numerics.rounding import TINY, gamma
from pragam.operators.base import Vector


class Anchor(NamedTuple):
    """-below <= b* + <point, w* - c> - o <= above, o between ``ends`` and linear in tau; one of the two may be inf.

    ``apart`` are at least |x - point|.
    """

    point: Vector
    ends: tuple[Near, Near]
    below: float
    above: float
    apart: Vector

    @property
    def room(self) -> float:
        """That of both sides."""
        return max(self.below, self.above)


def plus(one: Near, other: Near, sign: float = 1.0) -> Near:
    """one + sign other."""
    value = one.value + sign * other.value
    size = np.abs(one.value) + np.abs(other.value) + one.error + other.error
    return Near(value, one.error + other.error + gamma(3) * size + 2 * TINY)
