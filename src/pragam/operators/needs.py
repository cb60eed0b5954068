"""What some operators have beside what every operator has, each as a type: see :mod:`pragam.polytopes.needs`.

Rows one by one are :class:`pragam.operators.base.RowOperator`.
"""

from __future__ import annotations

from abc import abstractmethod

from pragam.operators.base import Operator, Vector
from pragam.operators.storage import Storage


class HasData(Operator):
    """Its weights are combinations of the rows of a matrix X."""

    storage: Storage

    @abstractmethod
    def row_weights(self, alpha: Vector) -> Vector:
        """beta (rows, n) with A' alpha = beta X, up to rounding, neither negated nor over lam."""
