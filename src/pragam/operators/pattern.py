"""A packed copy of sparse rows that have one value each, such as rows of one-hot and binary features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.remade import remade
from pragam.operators.base import RowOperator, Rows, Vector
from pragam.operators.storage import Csr, as_vector
from pragam.runtime import interrupts
from pragam.runtime.threads import n_threads

#: Column numbers are stored in 16 bits.
_MOST_COLUMNS = 2**16


class PatternRows(RowOperator):
    r"""A = diag(scale) P, where P has entries 0 and 1. No values are stored, and column numbers take 16 bits.

    Row i of P has ones in the columns ``indices[p]``, indptr[i] <= p < indptr[i+1], in strictly increasing order.
    """

    def __init__(self, indices: NDArray[np.uint16], indptr: NDArray[np.int64], scale: Vector, n_columns: int) -> None:
        self.indices, self.indptr, self.scale = indices, indptr, scale
        self.shape = len(scale), n_columns

    @classmethod
    def by_length(cls, A: RowOperator) -> tuple[PatternRows, NDArray[np.int64]] | None:
        """A's rows, short ones first, and their numbers in A. None if not all rows have one value each.

        In this order a loop over a row usually ends as in the previous row, so that branch prediction works.
        """
        rows = A.rows()
        if rows.kind != "csr" or rows.number is not None or A.shape[1] > _MOST_COLUMNS:
            return None
        values = np.empty(A.shape[0])
        if not _kernels.get("csr_row_values")(*rows.arrays, values):
            return None
        _, indices, indptr = rows.arrays
        order = np.argsort(np.diff(indptr).astype(np.uint16), kind="stable")  # 16 bits: a radix sort
        with np.errstate(over="ignore"):
            scale = rows.scale * values
        if not np.isfinite(scale).all():
            return None
        return cls(*_take(indices, indptr, order), scale[order], A.shape[1]), order

    @property
    def entries(self) -> int:
        """Those of P."""
        return self.indices.size

    def matvec(self, w: Vector) -> Vector:
        """diag(scale) P w."""
        w, out = as_vector(w, self.shape[1], "w"), np.empty(self.shape[0])
        interrupts.check()
        _kernels.get("pattern_matvec")(self.indices, self.indptr, self.scale, w, out, n_threads(self.indices.size))
        return out

    def rmatvec(self, alpha: Vector) -> Vector:
        """P' diag(scale) alpha."""
        alpha, out = as_vector(alpha, self.shape[0], "alpha"), np.empty(self.shape[1])
        interrupts.check()
        _kernels.get("pattern_rmatvec")(self.indices, self.indptr, self.scale, alpha, out, n_threads(self.indices.size))
        return out

    def row_norms(self) -> Vector:
        """|scale_i| times the root of the row's length."""
        return np.abs(self.scale) * np.sqrt(np.diff(self.indptr))

    def norm_bound(self) -> float:
        """max |scale_i| times the Frobenius norm of P."""
        rounding = 4 * np.finfo(np.float64).eps
        return float(np.abs(self.scale).max(initial=0.0) * np.sqrt(self.indices.size) * (1 + rounding))

    def rows(self) -> Rows:
        """The pattern in place."""
        return Rows("pattern", (self.indices, self.indptr), self.scale)

    @remade
    def take(self, rows: NDArray[np.int64]) -> PatternRows:
        """The operator of these rows alone, on a copy of them."""
        return PatternRows(*_take(self.indices, self.indptr, rows), self.scale[rows], self.shape[1])

    def gram(self) -> Vector:
        """A A', dense."""
        values = np.repeat(self.scale, np.diff(self.indptr))
        return Csr((values, self.indices.astype(np.int32), self.indptr), self.shape).gram()

    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_i a_i', i = rows_k. Only the upper triangle of ``out`` must be right."""
        scale = self.scale[rows]
        weights = scale * weights * scale
        _kernels.get("pattern_gram_add")(
            self.indices, self.indptr, rows, weights, self.shape[1], out.reshape(-1), n_threads()
        )


def _take(
    indices: NDArray[Any], indptr: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The pattern of these rows: (indices, indptr)."""
    ends = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(indptr[rows + 1] - indptr[rows], out=ends[1:])
    copy = np.empty(ends[-1], dtype=np.uint16)
    _kernels.get("entries_take")(indices, indptr, rows, copy, ends, n_threads(copy.size))
    return copy, ends
