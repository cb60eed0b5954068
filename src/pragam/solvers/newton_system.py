r"""The linear system of a semismooth Newton step, by the cheapest of three ways.

    (lam I + factor sum_i weight_i a_i a_i') x = rhs,      weight_i > 0 for few rows, J

*Cholesky* of the d x d matrix, whose sum of outer products is kept and changed only by the rows whose weight changed (a
new factor is free). *Woodbury*, where J has fewer rows than that: a |J| x |J| matrix instead. *Conjugate gradients*
where both are too large.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from pragam.operators.base import RowOperator, Vector

#: Beyond this dimension a factorisation costs more than conjugate gradients, and its matrix too much memory.
LARGEST_MATRIX = 3000
#: Woodbury where |J| is below this share of d: its matrix is assembled anew each time.
_WOODBURY_SHARE = 0.7
_CG_TOL = 0.05


@dataclass
class NewtonSystem:
    """The weights of the rows, and how to solve with them."""

    A: RowOperator
    lam: float
    weights: Vector = field(init=False)
    outer: Vector | None = None  # sum of weight_i a_i a_i', lower triangle
    work: int = 0  # rows read

    def __post_init__(self) -> None:
        self.weights = np.zeros(self.A.shape[0])

    def reweigh(self, weights: Vector) -> None:
        """Make these the weights."""
        if self.outer is not None:
            self._update_outer(weights)
        self.weights = weights

    def exchange_rows(
        self, everything: RowOperator, old: NDArray[np.int64] | None, new: NDArray[np.int64] | None, A: RowOperator
    ) -> None:
        """From the rows ``old`` of ``everything`` (None: all) to the rows ``new``, whose operator is A.

        Weights of rows that are in both stay; the others' leave the Hessian.
        """
        weights = np.zeros(everything.shape[0])
        weights[slice(None) if old is None else old] = self.weights
        self.A, self.weights = A, weights[slice(None) if new is None else new]
        if self.outer is not None and new is not None:
            weights[new] = 0.0
            gone = np.flatnonzero(weights)
            everything.add_outer(gone, -weights[gone], self.outer)

    def solve(self, factor: float, *right_hand_sides: Vector) -> list[Vector]:
        d = self.A.shape[1]
        n_weighted = int(np.count_nonzero(self.weights))
        if n_weighted == 0:
            return [rhs / self.lam for rhs in right_hand_sides]
        if n_weighted <= min(_WOODBURY_SHARE * d, LARGEST_MATRIX):
            return self._woodbury(factor, right_hand_sides)
        if d <= LARGEST_MATRIX:
            return self._cholesky(factor, right_hand_sides)
        return [self._cg(factor, rhs) for rhs in right_hand_sides]

    def _cholesky(self, factor: float, right_hand_sides: tuple[Vector, ...]) -> list[Vector]:
        if self.outer is None:
            self.outer = np.zeros((self.A.shape[1],) * 2)
            weights, self.weights = self.weights, np.zeros_like(self.weights)
            self.reweigh(weights)
        matrix = factor * self.outer
        matrix.flat[:: len(matrix) + 1] += self.lam
        return _positive_definite_solve(matrix, right_hand_sides)

    def _update_outer(self, weights: Vector) -> None:
        assert self.outer is not None
        changed = np.flatnonzero(weights != self.weights)
        if len(changed) > np.count_nonzero(weights):
            self.outer[:] = 0.0
            changed = np.flatnonzero(weights)
            difference = weights[changed]
        else:
            difference = weights[changed] - self.weights[changed]
        self.A.add_outer(changed, difference, self.outer)
        self.work += len(changed)

    def _woodbury(self, factor: float, right_hand_sides: tuple[Vector, ...]) -> list[Vector]:
        """(lam I + B'B)^-1 = (I - B' (lam I + B B')^-1 B) / lam  with B = sqrt(factor weight) A on J."""
        self.outer = None
        rows = np.flatnonzero(self.weights)
        part = self.A.take(rows)
        root = np.sqrt(factor * self.weights[rows])
        matrix = root[:, None] * part.gram() * root
        matrix.flat[:: len(rows) + 1] += self.lam
        cholesky = scipy.linalg.cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        self.work += len(rows)
        return [
            (rhs - part.rmatvec(root * scipy.linalg.cho_solve(cholesky, root * part.matvec(rhs)))) / self.lam
            for rhs in right_hand_sides
        ]

    def _cg(self, factor: float, rhs: Vector) -> Vector:
        rows = np.flatnonzero(self.weights)
        part = self.A.take(rows)
        weights = factor * self.weights[rows]

        def product(x: Vector) -> Vector:
            self.work += 2 * len(rows)
            return self.lam * x + part.rmatvec(weights * part.matvec(x))

        matrix = LinearOperator((len(rhs), len(rhs)), matvec=product, dtype=np.float64)
        return cg(matrix, rhs, rtol=_CG_TOL)[0]


def _positive_definite_solve(matrix: Vector, right_hand_sides: tuple[Vector, ...]) -> list[Vector]:
    """By Cholesky of a matrix whose lower triangle is given, in row-major order; it is overwritten."""
    # The transpose is LAPACK's column-major order without a copy; its upper triangle is the one given.
    factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=0, overwrite_a=1, clean=0)
    if info != 0:
        raise np.linalg.LinAlgError(f"the Hessian is not positive definite: dpotrf stopped at {info}")
    return [scipy.linalg.lapack.dpotrs(factor, rhs, lower=0)[0] for rhs in right_hand_sides]
