"""What every storage of X offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.rounding_bounds import RoundingBounds

Array = NDArray[Any]

#: Entries of a part of the rows.
_PART = 2**18
#: The methods of an operator that walk rows.
WALKING = frozenset({"rows", "take", "gram", "add_outer"})


class Storage(RoundingBounds, ABC):
    """A real matrix X of shape (n, d) whose entries are finite and whose indices lie in range."""

    shape: tuple[int, int]
    stored: int  # number of entries in memory
    #: What a storage says that hands out no rows (out of core, distributed): ``WALKING``. Its operators lack it then.
    lacks: frozenset[str] = frozenset()
    #: Whether zeros are stored as other numbers are.
    is_dense: bool = False

    @property
    def bare(self) -> Storage:
        """The matrix that lies somewhere: X itself, where this is a map of its columns."""
        return self

    @property
    @abstractmethod
    def T(self) -> Storage:  # noqa: N802
        """X' on the same memory."""

    @abstractmethod
    def matvec(self, w: Vector, scale: Vector | None = None) -> Vector:
        """diag(scale) X w. Without ``scale``, X w."""

    @abstractmethod
    def rmatvec(self, alpha: Vector, scale: Vector | None = None) -> Vector:
        """X' diag(scale) alpha."""

    def matvecs(self, W: Array) -> Array:
        """(K, n): ``matvec`` of each row of ``W`` (K, d), to the bit, so that certificates may share a reading of X."""
        return np.stack([self.matvec(w) for w in W])

    def rmatvecs(self, B: Array) -> Array:
        """(K, d): ``rmatvec`` of each row of ``B`` (K, n), to the bit."""
        return np.stack([self.rmatvec(alpha) for alpha in B])

    @abstractmethod
    def matmat(self, W: Array) -> Array:
        """X W' (n, K) for K weight vectors, the rows of ``W`` (K, d)."""

    @abstractmethod
    def rmatmat(self, B: Array) -> Array:
        """B' X (K, d) for ``B`` (n, K)."""

    @abstractmethod
    def add_rmatmat(self, B: Array, out: Array) -> None:
        """out += X' B for ``B`` (n, K), with ``out`` (d, K) of any strides."""

    @abstractmethod
    def part(self, first: int, last: int) -> Storage:
        """The rows from ``first`` up to ``last``, on the same memory."""

    def parts(self) -> Iterator[Storage]:
        """All rows, some after the other, in parts that hand them out."""
        step = max(1, _PART * self.shape[0] // max(self.stored, 1))
        return (self.part(first, min(first + step, self.shape[0])) for first in range(0, self.shape[0], step))

    @abstractmethod
    def abs_sums(self) -> tuple[Vector, Vector]:
        """The row sums and the column sums of |X|, or upper bounds of them if entries are repeated."""

    @abstractmethod
    def rows(self) -> tuple[str, tuple[Array, ...]]:
        """``("csr", (data, indices, indptr))`` or ``("dense", (X,))``, for kernels that walk rows."""

    def contiguous_rows(self) -> tuple[str, tuple[Array, ...]]:
        """The same for kernels that walk them many times, which a copy would pay for."""
        return self.rows()

    def split_constant(self) -> tuple[Storage, bool]:
        """X without a last column of ones that is not stored, and whether there is one."""
        return self, False

    @abstractmethod
    def take(self, rows: Array) -> Storage:
        """A copy of the rows with these numbers."""

    @abstractmethod
    def gram(self) -> Array:
        """X X', dense."""

    @abstractmethod
    def add_outer(self, rows: Array, weights: Vector, out: Array) -> None:
        """out += sum_k weights_k x_i x_i', i = rows_k. Only the upper triangle of ``out`` (d, d) must be right."""

    @abstractmethod
    def twofold_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """X w in twice the precision, as (high, low), and a bound of its error. NaN where 1e300 is exceeded."""

    @abstractmethod
    def running_columns(self, alpha: Vector) -> tuple[Vector, Vector]:
        """X' alpha, and the sum of the sizes of each column's partial sums."""

    @abstractmethod
    def twofold_columns(self, alpha: Vector) -> tuple[Vector, Vector, Vector]:
        """X' alpha in twice the precision, as (high, low), and the sum of the sizes of each column's terms."""

    def running_rmatvec(self, alpha: Vector, roundings: int = 1) -> tuple[Vector, float]:
        """X' alpha, and a bound of the norm of its error, summed beside it. Terms are rounded ``roundings`` times."""
        return self._followed(self.running_columns(alpha), alpha, roundings)

    def twofold_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """X' alpha in twice the precision, rounded, and a bound of the norm of its error."""
        return self._rounded(self.twofold_columns(alpha), alpha)

    @cached_property
    def _squares(self) -> tuple[Vector, Vector, int]:
        with np.errstate(over="ignore"):
            squares = self._row_squares()
        for x in squares[:2]:
            x.flags.writeable = False
        return squares

    @property
    def row_norms2(self) -> Vector:
        """The squared Euclidean norm of every row (inf where it overflows), read-only."""
        return self._squares[0]

    @cached_property
    def norm_bound(self) -> float:
        r"""min( |X|_F, sqrt(max_i sum_j |X_ij| * max_j sum_i |X_ij|) ) >= sigma_max(X).

        The second is Schur's test: sum |u_i X_ij v_j| <= (sum |X_ij| u_i^2)^1/2 (sum |X_ij| v_j^2)^1/2. Sums
        of N non-negative terms have a relative rounding error below N eps, and each square that underflows
        loses less than the smallest normal number. Both are added back, so the bound holds as computed.
        """
        real = np.finfo(np.float64)
        with np.errstate(over="ignore"):
            rows, columns = self.abs_sums()
            schur = np.sqrt(rows.max(initial=0.0)) * np.sqrt(columns.max(initial=0.0))
            frobenius = np.sqrt(self.row_norms2.sum() + self.stored * real.tiny)
        return float(min(frobenius, schur) * (1.0 + (self.stored + 8) * real.eps))


def with_sizes(norms2: Vector, repeated: Vector) -> tuple[Vector, Vector]:
    """(|x|^2, a bound of the same with repeated entries summed by absolute value), from the kernels' results.

    If a column's first entry is v, its sum s, and the sizes of its later entries sum to r, then |v| + r <= |s| + 2 r.
    """
    return norms2, (np.sqrt(norms2) + 2 * repeated) ** 2 if repeated.any() else norms2


def three(length: int) -> tuple[Vector, Vector, Vector]:
    return np.empty(length), np.empty(length), np.empty(length)


def times(scale: Vector | None, v: Vector) -> Vector:
    return v if scale is None else scale * v


def as_vector(v: Vector, length: int, name: str) -> Vector:
    """``v`` as the kernels need it. A wrong length is refused here."""
    v = np.ascontiguousarray(v, dtype=np.float64)
    if v.shape != (length,):
        raise ValueError(f"{name} has shape {v.shape}, expected ({length},)")
    return v
