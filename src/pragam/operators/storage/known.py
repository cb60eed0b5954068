"""Products of data in blocks that are known without a reading, and of which vectors they are, to the bit.

    X' a = (sum over the rows gathered of a_i x_i) + (sum over the rows held of a_i x_i)

The first sum was made while blocks were read. The second one is made when it is asked for: its rows are in memory, or
in blocks that this process opens. So X' a is known for every a that differs in the rows held alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.storage.base import Storage


class Product(NamedTuple):
    """A product that was made, and of what."""

    of: Vector
    value: Vector

    def answers(self, vector: Vector) -> bool:
        """Whether it is the product of this vector."""
        return same_bits(self.of, vector)


class Held(NamedTuple):
    """Rows in memory: their numbers, and a copy that nobody changes."""

    rows: NDArray[np.int64]
    X: Storage


class Adjoint(NamedTuple):
    """The rows that were gathered, with these coefficients, which are 0 in the rows held."""

    gathered: Product
    held: Held | None = None
    apart: tuple[int, ...] = ()  # or the numbers of blocks whose rows are held


def same_bits(a: Vector, b: Vector) -> bool:
    """Whether two vectors are equal, zeros of either sign apart too."""
    one, other = (np.ascontiguousarray(x).view(np.int64) for x in (a, b))
    return np.array_equal(one, other)


def freeze(array: NDArray[Any]) -> None:
    """Nobody writes into it any more."""
    array.flags.writeable = False
