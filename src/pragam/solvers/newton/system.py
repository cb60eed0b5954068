r"""The linear system of a semismooth Newton step, by the cheapest of four ways.

    (lam I + tau sum_i weight_i a_i a_i') x = rhs,      weight_i > 0 for few rows, J

*Cholesky* of the d x d matrix, whose sum of outer products is kept and changed only by the rows whose weight changed (a
new tau is free). *Woodbury*, where J has fewer rows than that: a |J| x |J| matrix instead. *Conjugate gradients*
where both are too large, preconditioned, where d allows it, with the Cholesky factor of an earlier system or of one
from a sample of J: such a matrix says little about the optimum, but nearly everything about the scales.

Unpenalised biases are K more unknowns, which the caller has eliminated: the rows are then a_i - sigma_i m_k, m_k the
weighted mean of the rows on plane k = group_i. So a common offset of the data leaves the system, where it would drown
everything else in rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from pragam.operators.base import RowOperator, Vector
from pragam.operators.planes import Planes

#: Beyond this dimension a factorisation costs more than conjugate gradients, and its matrix too much memory.
LARGEST_MATRIX = 3000
#: Woodbury where |J| is below this share of d: its matrix is assembled anew each time.
_WOODBURY_SHARE = 0.7
#: The relative residual at which conjugate gradients end.
_CG_TOL = 0.2
#: A preconditioner needs this many rows of J for each weight.
_SAMPLE_PER_WEIGHT = 4
#: Conjugate gradients work on a copy of the rows of J if they are no more than this share of all.
_COPIED_SHARE = 0.3
#: Iterations that preconditioned conjugate gradients are expected to take.
_EXPECTED = 8
#: After more iterations than this their preconditioner is given up.
_MOST = 16
#: Seconds for an entry of a row's outer product, roughly, if the row is sparse.
_PER_PAIR = 1e-9
#: The same if the row is nearly dense.
_PER_DENSE_PAIR = 2e-10
#: A row is nearly dense if it has an entry in one of this many columns.
_DENSE = 3
#: Seconds for an operation of BLAS, roughly.
_PER_FLOP = 5e-11
#: Seconds for an entry in a product with A, roughly.
_PER_ENTRY = 1e-9
#: Seconds for the calls of an iteration of conjugate gradients, roughly.
_PER_CALL = 6e-5
_EPS = float(np.finfo(np.float64).eps)
#: A matrix of order d with a diagonal of at most s is positive definite, however it was rounded, if this share of d s
#: is added to its diagonal.
_SAFE = 1e3 * _EPS


class Centre(NamedTuple):
    """The rows are a_i - sigma_i mean_k, k = group_i, with mean_k = tau A'(weight sigma 1_k) / total_k."""

    B: Planes
    means: Vector  # (K, d)
    totals: Vector  # tau sum of weight_i sigma_i^2 over each plane, or a little more


class _Rows(NamedTuple):
    """Some rows of A, less their centres."""

    A: RowOperator
    centre: Centre

    def matvec(self, x: Vector) -> Vector:
        return self.A.matvec(x) - self.centre.B.matvec(self.centre.means @ x)

    def rmatvec(self, y: Vector) -> Vector:
        return self.A.rmatvec(y) - self.centre.B.rmatvec(y) @ self.centre.means

    def gram(self) -> tuple[Vector, Vector]:
        """Their inner products, and |a_i|^2 before the centring, relative to which they are rounded."""
        gram = self.A.gram()
        squares = gram.diagonal().copy()
        B, means, totals = self.centre
        if totals.size == 0:
            return gram, squares
        sigma, group = B.sigma[:, None], B.group
        cross = sigma * np.stack([self.A.matvec(mean) for mean in means])[group]  # sigma_i <mean_i, a_j>
        return gram - cross - cross.T + sigma * (means @ means.T)[np.ix_(group, group)] * sigma.T, squares


@dataclass
class NewtonSystem:
    """The weights of the rows, and how to solve with them."""

    A: RowOperator
    lam: float
    weights: Vector = field(init=False)  # to be set before each solve
    outer: Vector | None = None  # sum of contained_i a_i a_i', upper triangle
    contained: Vector = field(init=False)  # the weights of the rows in it
    cholesky: Vector | None = None  # a factor to precondition with
    rows_read: int = 0  # since the caller last set it to 0

    def __post_init__(self) -> None:
        self.weights = np.zeros(self.A.shape[0])
        self.contained = np.zeros(self.A.shape[0])
        rows = self.A.rows()
        self._entries = rows.entries / max(rows.stored, 1)  # in a row
        per_pair = _PER_DENSE_PAIR if _DENSE * self._entries >= self.A.shape[1] else _PER_PAIR
        self._per_row = self._entries**2 * (_PER_FLOP if rows.is_dense else 0.5 * per_pair)

    def exchange_rows(
        self, everything: RowOperator, old: NDArray[np.int64] | None, new: NDArray[np.int64] | None, A: RowOperator
    ) -> None:
        """From the rows ``old`` of ``everything`` (None: all) to the rows ``new``, whose operator is A."""
        contained = np.zeros(everything.shape[0])
        contained[slice(None) if old is None else old] = self.contained
        here = slice(None) if new is None else new
        self.A, self.contained, self.weights = A, contained[here], np.zeros(A.shape[0])
        if self.outer is not None and new is not None:
            contained[new] = 0.0
            gone = np.flatnonzero(contained)
            everything.add_outer(gone, -contained[gone], self.outer)
            self.rows_read += len(gone)

    def solve(self, tau: float, rhs: Vector, centre: Centre) -> Vector:
        d = self.A.shape[1]
        rows = np.flatnonzero(self.weights != 0)  # of booleans: several times as fast
        if rows.size == 0 or d == 0:
            return rhs / self.lam
        if rows.size <= min(_WOODBURY_SHARE * d, LARGEST_MATRIX):
            return self._woodbury(tau, rows, rhs, centre)
        if d > LARGEST_MATRIX:
            return self._cg(tau, rows, rhs, centre)
        changed = np.flatnonzero(self.weights != self.contained)
        cost = self._per_row * min(changed.size, rows.size) + _PER_FLOP * d**3 / 3
        if cost > self._cost_of_cg(rows.size):
            return self._preconditioned_cg(tau, rows, rhs, centre)
        return back_substitute(self._factorise(tau, self.weights, rows, changed, centre), rhs)

    def _cost_of_cg(self, n_rows: int) -> float:
        substitution = 10 * _PER_FLOP * self.A.shape[1] ** 2
        return _EXPECTED * (_PER_CALL + 2 * _PER_ENTRY * self._entries * n_rows + substitution)

    def _factorise(
        self,
        tau: float,
        weights: Vector,
        rows: NDArray[np.int64],
        changed: NDArray[np.int64],
        centre: Centre,
    ) -> Vector:
        """The Cholesky factor of the system with these weights, kept in ``self.cholesky``.

        ``rows`` are those that have a weight, ``changed`` those that had another.
        """
        # With curvature a new tau changes every weight, perhaps a million times. No rounding of the old ones may stay.
        if self.outer is None or changed.size >= rows.size:
            self.outer, changed = np.zeros((self.A.shape[1],) * 2), rows
            difference = weights[rows]
        else:
            difference = weights[changed] - self.contained[changed]
        self.A.add_outer(changed, difference, self.outer)
        self.contained = weights
        self.rows_read += changed.size
        matrix = tau * self.outer
        sizes = matrix.diagonal().copy()
        for mean, total in zip(centre.means, centre.totals, strict=True):
            scipy.linalg.blas.dsyr(-total, mean, lower=1, a=matrix.T, overwrite_a=1)
        self.cholesky = cholesky(matrix, self.lam, sizes)
        return self.cholesky

    def _preconditioned_cg(self, tau: float, rows: NDArray[np.int64], rhs: Vector, centre: Centre) -> Vector:
        if self.cholesky is None:
            stride = max(1, rows.size // (_SAMPLE_PER_WEIGHT * self.A.shape[1]))
            drawn = np.ascontiguousarray(rows[::stride])
            sample = np.zeros_like(self.weights)
            sample[drawn] = stride * self.weights[drawn]
            as_they_are = Centre(centre.B, centre.means[:0], centre.totals[:0])  # the sample has other means
            self._factorise(tau, sample, drawn, np.flatnonzero(sample != self.contained), as_they_are)
        return self._cg(tau, rows, rhs, centre)

    def _part(self, rows: NDArray[np.int64] | None, centre: Centre) -> _Rows:
        """These rows (None: all)."""
        if rows is None:
            return _Rows(self.A, centre)
        return _Rows(self.A.take(rows), centre._replace(B=centre.B.take(rows)))

    def _woodbury(self, tau: float, rows: NDArray[np.int64], rhs: Vector, centre: Centre) -> Vector:
        """(lam I + B'B)^-1 = (I - B' (lam I + B B')^-1 B) / lam  with B = sqrt(tau weight) A on J."""
        part, root = self._part(rows, centre), np.sqrt(tau * self.weights[rows])
        gram, squares = part.gram()
        factor = cholesky(root[:, None] * gram * root, self.lam, root * squares * root)
        self.rows_read += len(rows)
        return (rhs - part.rmatvec(root * back_substitute(factor, root * part.matvec(rhs)))) / self.lam

    def _cg(self, tau: float, rows: NDArray[np.int64], rhs: Vector, centre: Centre) -> Vector:
        weights, d = tau * self.weights, self.A.shape[1]
        is_copy = rows.size <= _COPIED_SHARE * len(weights)
        part = self._part(rows if is_copy else None, centre)
        weights = weights[rows] if is_copy else weights
        iterations = 0

        def product(x: Vector) -> Vector:
            nonlocal iterations
            iterations += 1
            return self.lam * x + part.rmatvec(weights * part.matvec(x))

        matrix = LinearOperator((d, d), matvec=product, dtype=np.float64)
        earlier = self.cholesky
        inverse = None
        if earlier is not None:
            inverse = LinearOperator((d, d), matvec=lambda x: back_substitute(earlier, x), dtype=np.float64)
        solution = cg(matrix, rhs, rtol=_CG_TOL, M=inverse)[0]
        self.rows_read += 2 * len(rows) * iterations
        if iterations > _MOST:
            self.cholesky = None
        return solution


def cholesky(matrix: Vector, lam: float, sizes: Vector) -> Vector:
    """The factor of matrix + lam I, for :func:`back_substitute`; the matrix's upper triangle counts, and is lost.

    Entry (j, k) is rounded relative to sqrt(sizes_j sizes_k), so the matrix may not be positive definite. Then what
    is in doubt, some eps sizes_j, is added to the diagonal, as little as helps. Steps are too short then only in
    directions of which nothing is known.
    """
    diagonal = matrix.reshape(-1)[:: len(matrix) + 1]
    diagonal += lam
    is_safe = lam > _SAFE * len(matrix) * float(sizes.max())
    # The transpose is LAPACK's column-major order without a copy; its lower triangle is the one given, and
    # the one that it is faster with.
    factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=1, overwrite_a=is_safe, clean=0)
    doubt = _EPS
    while info != 0 and not is_safe and doubt < 1:
        diagonal += doubt * sizes
        factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=1, clean=0)
        doubt *= 4
    if info != 0:
        raise np.linalg.LinAlgError(f"the Hessian is not positive definite (column {info})")
    return factor


def back_substitute(factor: Vector, rhs: Vector) -> Vector:
    return scipy.linalg.lapack.dpotrs(factor, rhs, lower=1)[0]
