r"""The Hessian of a stage with a weight vector z_k = (w_k, b_k) for each label k, and its solution.

    H = ridge + tau sum_i totals_i P_i (x) x_i x_i',    P_i = diag(m) - m m' / |m|

x_i with a last entry 1 if there are biases. Most examples have one label in their support, where P_i = 0, and few have
more than three: so the block (k, l) is a sum over the few examples with both of them. It is symmetric like each x x'.
Beyond a size at which a matrix pays, conjugate gradients on the examples that move.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, cg

from pragam import _kernels
from pragam._kernels.labels.records import Blocks
from pragam.operators.base import Vector
from pragam.operators.needs import HasExampleRows

#: The Hessian is a matrix, factorised, up to this many unknowns. Else conjugate gradients.
MATRIX = 2000
#: The relative residual at which conjugate gradients end, and the number of their iterations at the most.
_CG_TOL, _CG_STEPS = 0.05, 300
#: The entries of pairs of labels that are listed at a time.
_LIST = 4_000_000
_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


def direction(
    A: HasExampleRows,
    blocks: Blocks,
    weights: Vector,
    by_side: NDArray[np.uint8],
    tau: float,
    ridge: Vector,
    rhs: Vector,
) -> tuple[Vector, int]:
    """z (K, D) with H z = rhs, and how often the data were read."""
    if rhs.size <= MATRIX:
        return _solve(_matrix(A, blocks, weights, by_side, tau, rhs.shape[1]), ridge, rhs), 1
    return _conjugate_gradients(A, blocks, weights, by_side, tau, ridge, rhs)


def _matrix(
    A: HasExampleRows, blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], tau: float, D: int
) -> Vector:
    """tau sum_i totals_i P_i (x) x_i x_i' (K D, K D); of the blocks (k, l) only those with k <= l."""
    K, n, rows = blocks.K, len(blocks.totals), A.example_rows()
    d = A.shape[1] // K
    hessian = np.zeros(K * D * K * D)
    high = max(1, _LIST // (K * (K + 1) // 2))
    for begin in range(0, n, high):
        some = slice(begin, begin + high)
        first, examples, values = _pairs(_part(blocks, some), weights.reshape(n, K)[some].ravel(), by_side[some])
        examples += begin
        rows.kernel("block_hessian")(*rows.arrays, first, examples, values, K, d, d < D, hessian)
    hessian *= tau
    return hessian.reshape(K * D, K * D)


def _part(blocks: Blocks, some: slice | NDArray[np.int64]) -> Blocks:
    K = blocks.K
    wrong = blocks.wrong.reshape(-1, K)[some].ravel() if blocks.wrong.size else blocks.wrong
    return Blocks(blocks.base.reshape(-1, K)[some].ravel(), blocks.totals[some], wrong, K)


def _pairs(
    blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Vector]:
    """For each pair of labels where its list begins; the examples and the values of all lists."""
    list_pairs = _kernels.get("block_pairs")
    first = np.zeros(blocks.K * (blocks.K + 1) // 2 + 1, dtype=np.int64)
    count = list_pairs(blocks, weights, by_side, first, np.empty(0, dtype=np.int64), np.empty(0))
    examples, values = np.empty(count, dtype=np.int64), np.empty(count)
    list_pairs(blocks, weights, by_side, first, examples, values)
    return first, examples, values


def _solve(hessian: Vector, ridge: Vector, rhs: Vector) -> Vector:
    """(hessian + diag(ridge)) z = rhs. What rounding leaves in doubt of the diagonal is added, as little as helps."""
    size = rhs.size
    upper = hessian.T  # its lower triangle, in the order of LAPACK
    sizes = upper.diagonal() + ridge.ravel()
    more = 0.0
    while True:
        trial = upper.copy(order="F")
        trial[np.diag_indices(size)] = sizes + more * np.maximum(sizes, _TINY)
        try:
            factor = scipy.linalg.cho_factor(trial, lower=True, overwrite_a=True, check_finite=False)
            return scipy.linalg.cho_solve(factor, rhs.ravel(), check_finite=False).reshape(rhs.shape)
        except np.linalg.LinAlgError:
            if not np.isfinite(trial).all():
                raise
            more = max(4 * more, _EPS)


def bent(blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], t: Vector) -> Vector:
    """totals_i P_i t_i for each row i of t (n, K), without the signs of pairs."""
    m = weights.reshape(t.shape)
    if not blocks.wrong.size:
        return blocks.totals[:, None] * _centred(m, t)
    wrong = blocks.wrong.reshape(t.shape) != 0
    apart = _centred(m * wrong, t) + _centred(m * ~wrong, t)
    return blocks.totals[:, None] * np.where((by_side != 0)[:, None], apart, _centred(m, t))


def _centred(m: Vector, t: Vector) -> Vector:
    """(diag(m) - m m' / |m|) t."""
    mass = np.maximum(m.sum(axis=1, keepdims=True), _TINY)
    return m * (t - np.sum(m * t, axis=1, keepdims=True) / mass)


def _conjugate_gradients(
    A: HasExampleRows,
    blocks: Blocks,
    weights: Vector,
    by_side: NDArray[np.uint8],
    tau: float,
    ridge: Vector,
    rhs: Vector,
) -> tuple[Vector, int]:
    """With the rows of the examples that move alone."""
    some = np.flatnonzero(np.count_nonzero(weights.reshape(-1, blocks.K), axis=1) > 1)
    storage, d = A.take(some).storage, A.shape[1] // blocks.K
    part, weights, by_side = _part(blocks, some), weights.reshape(-1, blocks.K)[some], by_side[some]
    products = 0

    def product(z: Vector) -> Vector:
        nonlocal products
        products += 1
        z = z.reshape(rhs.shape)
        t = storage.matmat(np.ascontiguousarray(z[:, :d])) + z[:, d:].sum(axis=1)
        t = tau * bent(part, weights, by_side, t)
        return (ridge * z + np.hstack([storage.rmatmat(t), t.sum(axis=0)[:, None]])[:, : rhs.shape[1]]).ravel()

    matrix = LinearOperator((rhs.size, rhs.size), matvec=product, dtype=np.float64)
    step = cg(matrix, rhs.ravel(), rtol=_CG_TOL, maxiter=_CG_STEPS)[0]
    return step.reshape(rhs.shape), 2 * products
