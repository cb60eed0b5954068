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
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from pragam import _kernels
from pragam._kernels.labels.records import Blocks
from pragam.operators.base import Vector
from pragam.operators.check import check_data
from pragam.operators.needs import HasExampleRows
from pragam.operators.storage import Storage, WithConstant
from pragam.runtime import interrupts

#: The Hessian is a matrix, factorised, up to this many unknowns. Else conjugate gradients.
MATRIX = 2000
#: The relative residual at which conjugate gradients end, and the number of their iterations at the most.
_CG_TOL, _CG_STEPS = 0.05, 300
#: The entries of pairs of labels that are listed at a time.
_LIST = 4_000_000
_EPS, _TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


def moving(weights: Vector, K: int) -> NDArray[np.int64]:
    """The examples with two labels or more that can move."""
    return np.flatnonzero(np.count_nonzero(weights.reshape(-1, K), axis=1) > 1)


def direction(
    A: HasExampleRows, blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], tau: float, ridge: Vector, rhs: Vector
) -> tuple[Vector, int]:
    """z (K, D) with H z = rhs, and how often the data were read."""
    some = moving(weights, blocks.K)
    rows = A.take_examples(some).storage
    storage = _with_ones(rows) if ridge.shape[1] > rows.shape[1] else rows
    part = _taken(blocks, some)
    weights, by_side = weights.reshape(-1, blocks.K)[some].ravel(), by_side[some]
    if rhs.size <= MATRIX:
        return _solve(_matrix(storage, part, weights, by_side, tau), ridge, rhs), 1
    return _conjugate_gradients(storage, part, weights, by_side, tau, ridge, rhs)


def _with_ones(storage: Storage) -> Storage:
    kind, arrays = WithConstant(storage).rows()
    shape = storage.shape[0], storage.shape[1] + 1
    return check_data(arrays[0] if kind == "dense" else sparse.csr_array(arrays, shape=shape))


def _taken(blocks: Blocks, some: NDArray[np.int64]) -> Blocks:
    K = blocks.K
    base = blocks.base.reshape(-1, K)[some].ravel()
    wrong = blocks.wrong.reshape(-1, K)[some].ravel() if blocks.wrong.size else blocks.wrong
    return Blocks(base, blocks.totals[some], wrong, K)


def _matrix(storage: Storage, blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], tau: float) -> Vector:
    """tau sum_i totals_i P_i (x) x_i x_i' as (K, D, K, D); of the blocks (k, l) only those with k <= l."""
    (n, D), K = storage.shape, blocks.K
    hessian = np.zeros((K, D, K, D))
    high = max(1, _LIST // max(K * (K + 1) // 2, 1))
    for first in range(0, n, high):
        interrupts.check()
        some = np.arange(first, min(first + high, n))
        here = _taken(blocks, some)
        _add_pairs(storage, first, here, weights.reshape(n, K)[some].ravel(), by_side[some], hessian)
    hessian *= tau
    return hessian


def _add_pairs(
    storage: Storage, offset: int, blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], hessian: Vector
) -> None:
    K, D = hessian.shape[:2]
    first = np.zeros(K * (K + 1) // 2 + 1, dtype=np.int64)
    list_pairs = _kernels.get("block_pairs")
    count = list_pairs(blocks, weights, by_side, first, np.empty(0, dtype=np.int64), np.empty(0))
    examples, values = np.empty(count, dtype=np.int64), np.empty(count)
    list_pairs(blocks, weights, by_side, first, examples, values)
    examples += offset
    for number, (k, l) in enumerate(zip(*np.triu_indices(K), strict=True)):
        begin, end = first[number], first[number + 1]
        if begin == end:
            continue
        block = np.zeros((D, D))
        storage.add_outer(examples[begin:end], values[begin:end], block)
        block = np.triu(block)
        hessian[k, :, l, :] += block + np.triu(block, 1).T


def _solve(hessian: Vector, ridge: Vector, rhs: Vector) -> Vector:
    """(hessian + diag(ridge)) z = rhs. What rounding leaves in doubt of the diagonal is added, as little as helps."""
    size = rhs.size
    upper = hessian.reshape(size, size).T  # its lower triangle, in the order of LAPACK
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
    storage: Storage, blocks: Blocks, weights: Vector, by_side: NDArray[np.uint8], tau: float, ridge: Vector, rhs: Vector
) -> tuple[Vector, int]:
    products = 0

    def product(z: Vector) -> Vector:
        nonlocal products
        products += 1
        t = bent(blocks, weights, by_side, storage.matmat(z.reshape(rhs.shape)))
        return (ridge * z.reshape(rhs.shape) + tau * storage.rmatmat(t)).ravel()

    matrix = LinearOperator((rhs.size, rhs.size), matvec=product, dtype=np.float64)
    step = cg(matrix, rhs.ravel(), rtol=_CG_TOL, maxiter=_CG_STEPS)[0]
    return step.reshape(rhs.shape), 2 * products
