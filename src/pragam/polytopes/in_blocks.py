"""Products of sets of equal width: what a problem on some of its blocks, and safe screening, ask of Q."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from pragam.polytopes.base import Polytope, Vector


class InBlocks(Polytope):
    """Q = product over i of Q_i, each of ``width`` dual variables, one block after the other.

    For a box these are its sides; for a model of several labels, the simplices or pairs of its examples.
    """

    #: The number of dual variables of a block.
    width: int = 1

    @property
    @abstractmethod
    def n_blocks(self) -> int:
        """The number of factors."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each block begins, and where the last one ends."""
        return np.arange(self.n_blocks + 1, dtype=np.int64) * self.width

    def variables(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the dual variables of these blocks."""
        return blocks if self.width == 1 else (blocks[:, None] * self.width + np.arange(self.width)).ravel()

    @abstractmethod
    def take(self, blocks: NDArray[np.int64], growth: float | Vector = 1.0) -> InBlocks:
        """The set of these blocks alone, ``growth`` times as large; one number for all, or one for each."""

    @abstractmethod
    def hull(self) -> tuple[Vector, Vector]:
        """(lower, upper): bounds of every dual variable on Q."""

    @abstractmethod
    def settled(self, low: Vector, high: Vector, reach: Vector) -> Vector:
        """The maximiser of <alpha, s> for each block where it is the same, and the only one, for all scores s: those
        whose block is within ``reach`` of scores between ``low`` and ``high``, in Euclidean length. NaN elsewhere.

        A theorem for these floats: what is rounded here is counted. A NaN or an overflow settles nothing.
        """
