r"""The Hessian of a model with a weight vector for each label: the specification of ``block_hessian_*``.

    sum_i P_i (x) x_i x_i',    P_i (K, K) symmetric,    x_i with a last entry 1 if there is a bias

The entries of the P_i are lists: for the pair (k, l), k <= l, of number k K - k (k - 1) / 2 + l - k, the examples and
values first[number] .. first[number + 1] - 1 (``block_pairs``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam.numerics.vector import Vector

__all__ = ["block_hessian_csr", "block_hessian_dense"]


def _add(
    row: Row,
    first: NDArray[np.int64],
    examples: NDArray[np.int64],
    values: Vector,
    K: int,
    d: int,
    bias: bool,
    matrix: Vector,
) -> None:
    """matrix (K D, K D) += the blocks (k, l) with k <= l, each a whole D x D matrix."""
    D = d + int(bias)
    blocks = matrix.reshape(K, D, K, D)
    for number, (k, m) in enumerate(zip(*np.triu_indices(K), strict=True)):
        for at in range(first[number], first[number + 1]):
            columns, entries = row(int(examples[at]))
            x = np.zeros(D)
            np.add.at(x, columns, entries)
            x[d:] = 1.0
            blocks[k, :, m, :] += values[at] * np.outer(x, x)


def block_hessian_csr(data: Any, indices: Any, indptr: Any, *rest: Any) -> None:
    """Rows of X in CSR; the other arguments as those of ``_add``."""
    _add(csr_rows(data, indices, indptr), *rest)


def block_hessian_dense(X: Any, *rest: Any) -> None:
    """The same for dense rows of any strides."""
    _add(dense_rows(X), *rest)
