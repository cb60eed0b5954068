"""What some operators have beside what every operator has, each as a type: see :mod:`pragam.polytopes.needs`.

Rows one by one are :class:`pragam.operators.base.RowOperator`.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import BlockOperator, ExampleRows, Operator, Vector
from pragam.operators.storage import Storage


class HasData(Operator):
    """Its weights are combinations of the rows of a matrix X."""

    storage: Storage

    @abstractmethod
    def row_weights(self, alpha: Vector) -> Vector:
        """beta (rows, n) with A' alpha = beta X, up to rounding, neither negated nor over lam."""


class HasExampleRows(HasData, BlockOperator):
    """Each example has a row of X, which all of its K dual variables read: a block of A, as wide as that."""

    K: int

    @abstractmethod
    def example_rows(self) -> ExampleRows:
        """The rows of X, for kernels that walk them many times: dense rows are contiguous, if need be by a copy."""

    @abstractmethod
    def part(self, first: int, last: int) -> HasExampleRows:
        """The operator of the examples from ``first`` up to ``last``, on the same memory."""

    @abstractmethod
    def take(self, blocks: NDArray[np.int64]) -> HasExampleRows:
        """The operator of these examples alone, on a copy of their rows."""
