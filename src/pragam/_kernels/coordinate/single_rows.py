"""A copy of the rows of a CSR matrix in single precision: the specification of ``csr_single``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam._kernels.coordinate.records import Indices, Single

__all__ = ["csr_single"]


def csr_single(data: Any, indices: Any, indptr: Indices, order: Indices, copy: Single) -> bool:
    """Copy the rows in this order; what is left of the place of a row is filled with zeros, in column 0.

    Returns whether each value has kept its digits, i.e. none has become infinite, zero or subnormal. If one has not,
    the copy is not finished.
    """
    limits = np.finfo(np.float32)
    for k, i in enumerate(order):
        row, place = slice(indptr[i], indptr[i + 1]), slice(copy.indptr[k], copy.indptr[k + 1])
        size = np.abs(data[row])
        if np.any((size > limits.max) | ((size < limits.tiny) & (size > 0))):
            return False
        count = len(size)
        copy.data[place], copy.indices[place] = 0, 0
        copy.data[place][:count] = data[row]
        copy.indices[place][:count] = indices[row]
    return True
