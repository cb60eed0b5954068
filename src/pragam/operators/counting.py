"""An operator that counts its products, a measure of work that does not depend on the machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Operator, RowOperator, Rows, Vector


class Counting(Operator):
    """``operator`` with the numbers of products so far in ``matvecs`` and ``rmatvecs``.

    It is a :class:`RowOperator` exactly when ``operator`` is one, so a solver sees no difference.
    """

    def __new__(cls, operator: Operator) -> Counting:
        return super().__new__(_CountingRows if isinstance(operator, RowOperator) else cls)

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.shape = operator.shape
        self.rigorous = operator.rigorous
        self.matvecs = 0
        self.rmatvecs = 0

    @property
    def entries(self) -> int:
        """As the operator's."""
        return self.operator.entries

    @property
    def certificate_passes(self) -> float:
        """As the operator's."""
        return self.operator.certificate_passes

    def matvec(self, w: Vector) -> Vector:
        """A w, counted."""
        self.matvecs += 1
        return self.operator.matvec(w)

    def rmatvec(self, alpha: Vector) -> Vector:
        """A' alpha, counted."""
        self.rmatvecs += 1
        return self.operator.rmatvec(alpha)

    def matvec_error(self, w: Vector) -> Vector:
        """As the operator's."""
        return self.operator.matvec_error(w)

    def rmatvec_error(self, alpha: Vector) -> float:
        """As the operator's."""
        return self.operator.rmatvec_error(alpha)

    def bounded_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """As the operator's, counted."""
        self.rmatvecs += 1
        return self.operator.bounded_rmatvec(alpha)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """As the operator's, counted."""
        self.rmatvecs += 1
        return self.operator.running_rmatvec(alpha)

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """As the operator's, counted."""
        self.matvecs += 1
        return self.operator.sharp_matvec(w)

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """As the operator's, counted."""
        self.rmatvecs += 1
        return self.operator.sharp_rmatvec(alpha)

    def inner(self, v: Vector, w: Vector) -> float:
        """As the operator's."""
        return self.operator.inner(v, w)

    def norm(self, w: Vector, product: Vector | None = None) -> tuple[float, float]:
        """As the operator's."""
        return self.operator.norm(w, product)

    def row_norms(self) -> Vector:
        """As the operator's."""
        return self.operator.row_norms()

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """As the operator's."""
        return self.operator.row_bounds(rows)

    def norm_bound(self) -> float:
        """As the operator's."""
        return self.operator.norm_bound()


class _CountingRows(Counting, RowOperator):
    operator: RowOperator

    def __init__(self, operator: RowOperator) -> None:
        super().__init__(operator)
        self.number = operator.number

    def rows(self) -> Rows:
        """As the operator's."""
        return self.operator.rows()

    def contiguous_rows(self) -> Rows:
        """As the operator's."""
        return self.operator.contiguous_rows()

    def take(self, rows: NDArray[np.int64]) -> RowOperator:
        """As the operator's. Products with these rows alone are not counted."""
        return self.operator.take(rows)

    def gram(self) -> Vector:
        """As the operator's."""
        return self.operator.gram()

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """As the operator's."""
        self.operator.add_outer(rows, weights, out)
