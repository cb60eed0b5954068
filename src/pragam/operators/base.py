"""The linear map A of a model as an object. Dense, sparse and distributed data differ only here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.rounding import Stating, Vector
from pragam.numerics.rounding import norm as euclidean_norm

__all__ = ["ExampleRows", "Operator", "RawRows", "RowOperator", "Rows", "Vector"]


class Operator(Stating, ABC):
    """A linear map from weights w (length ``shape[1]``) to scores A w (length ``shape[0]``, as alpha).

    An operator with ``rigorous = True`` bounds the rounding of its products by the methods ``*_error``, ``running_*``
    and ``sharp_*``. Without them the certificates of its problems hold only up to rounding.
    """

    shape: tuple[int, int]
    #: Methods of the class that this object does not offer: those that walk rows, where the storage hands out none.
    lacks: frozenset[str] = frozenset()

    @abstractmethod
    def matvec(self, w: Vector) -> Vector:
        """A w, a new float64 vector."""

    @abstractmethod
    def rmatvec(self, alpha: Vector) -> Vector:
        """A' alpha, a new float64 vector."""

    def matvec_error(self, w: Vector) -> Vector:
        """A bound of the rounding of every entry of ``matvec(w)``."""
        return np.zeros(self.shape[0])

    def rmatvec_error(self, alpha: Vector) -> float:
        """A bound of the norm of the rounding of ``rmatvec(alpha)``."""
        return 0.0

    def bounded_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """``rmatvec(alpha)`` and ``rmatvec_error(alpha)``, for operators that can share the work of both."""
        return self.rmatvec(alpha), self.rmatvec_error(alpha)

    def running_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """A' alpha, and a bound of the norm of its error that is summed beside it. The default is just ``rmatvec``."""
        return self.rmatvec(alpha), self.rmatvec_error(alpha)

    def sharp_matvec(self, w: Vector) -> tuple[Vector, Vector, Vector]:
        """A w in more digits: (high, low, a bound of the error of high + low). The default is just ``matvec``."""
        return self.matvec(w), np.zeros(self.shape[0]), self.matvec_error(w)

    def sharp_rmatvec(self, alpha: Vector) -> tuple[Vector, float]:
        """A' alpha from more digits: (vector, a bound of the norm of its error). The default is just ``rmatvec``."""
        return self.rmatvec(alpha), self.rmatvec_error(alpha)

    def inner(self, v: Vector, w: Vector) -> float:
        """<v, w>, the inner product of weights, to which lam/2 |w|^2 and the adjoint A' belong. By default Euclid's."""
        return float(v @ w)

    def norm(self, w: Vector, product: Vector | None = None) -> tuple[float, float]:
        """(|w| in that inner product, a bound of its error beyond LANES roundings). ``product`` is A w, if at hand."""
        return euclidean_norm(w), 0.0

    @property
    def entries(self) -> int:
        """How many numbers a product reads, for estimates of costs: all places, unless there are known to be fewer."""
        return self.shape[0] * self.shape[1]

    @property
    def latency(self) -> float:
        """What a pass over the data takes beside the work, in seconds as costs count them: where they are elsewhere."""
        return 0.0

    @property
    def certificate_passes(self) -> float:
        """What a certificate costs beside a pass over the data: its two products."""
        return 2.0

    @abstractmethod
    def row_norms(self) -> Vector:
        """The Euclidean norm of every row of A."""

    def row_bounds(self, rows: NDArray[np.int64]) -> Vector:
        """Upper bounds of the norms of these rows."""
        return self.row_norms()[rows]

    @abstractmethod
    def norm_bound(self) -> float:
        """A proven upper bound of the largest singular value of A."""


@dataclass(frozen=True)
class RawRows:
    """Raw access to the rows of X, for kernels that walk them one by one.

    ``kind`` is ``"csr"`` with ``arrays = (data, indices, indptr)`` (indptr int64), ``"pattern"`` with
    ``arrays = (indices, indptr)`` where every entry is 1, or ``"dense"`` with ``arrays = (X,)``. The indices have been
    checked to lie in range, so a kernel may trust them.
    """

    kind: str
    arrays: tuple[NDArray[Any], ...]

    def kernel(self, name: str) -> Callable[..., Any]:
        """The kernel of this name for rows of this kind. It takes ``*arrays`` first."""
        return _kernels.get(f"{name}_{self.kind}")

    @property
    def is_dense(self) -> bool:
        return self.kind == "dense"

    @property
    def is_packed(self) -> bool:
        """Whether the rows are a packed copy, short ones first."""
        return self.kind == "pattern"

    @property
    def has_values(self) -> bool:
        """Whether they are sparse rows of any values, of which a smaller copy can be made."""
        return self.kind == "csr"

    @property
    def entries(self) -> int:
        """How many are stored."""
        return self.arrays[0].size

    @property
    def stored(self) -> int:
        """The number of rows of X."""
        return len(self.arrays[-1]) - (not self.is_dense)

    def entries_of(self, number: NDArray[np.int64]) -> int:
        """How many entries these rows of X have."""
        if self.is_dense:
            return len(number) * int(self.arrays[0].shape[1])
        indptr = self.arrays[-1]
        return int((indptr[number + 1] - indptr[number]).sum())


@dataclass(frozen=True)
class Rows(RawRows):
    """The rows of A: row j is scale_j times a row of X.

    Dual variable j reads data row ``number[j]``, or row j if ``number`` is None. So X may have fewer rows than A.
    """

    scale: Vector
    number: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class ExampleRows(RawRows):
    """The rows of the examples of a model with K labels: dual variable (i, k) reads data row i, with its sign."""

    K: int
    sign: Vector | None = None  # (n K,) +1 and -1; None: +1 throughout


class BlockOperator(Operator):
    """An operator whose rows come in blocks of one width, each for one factor of Q.

    The rows of a block are orthogonal and equally long, so |w - v| <= r moves its scores by at most r times that
    length, all of them together.
    """

    #: The number of rows of a block.
    width: int = 1

    @abstractmethod
    def take(self, blocks: NDArray[np.int64]) -> BlockOperator:
        """The operator of these blocks alone, on a copy of them."""


class RowOperator(BlockOperator):
    """An operator that can also hand out its rows, as coordinate methods need; each is a block of its own.

    Dual variable j reads data row ``number[j]``. None means that each has a row of its own.
    """

    number: NDArray[np.int64] | None = None

    @abstractmethod
    def rows(self) -> Rows:
        """The rows of A, without a copy where the storage allows."""

    def contiguous_rows(self) -> Rows:
        """The same for a kernel that walks them many times: dense rows are contiguous, if need be by a copy."""
        return self.rows()

    @abstractmethod
    def take(self, rows: NDArray[np.int64]) -> RowOperator:
        """The operator of these rows alone, on a copy of them."""

    def adjoints(self, alpha: Vector, group: NDArray[np.int64], K: int) -> Vector:
        """A' of the part of alpha in each of K groups, (K, d)."""
        if K == 1:
            return self.rmatvec(alpha)[None]
        return np.array([self.rmatvec(np.where(group == k, alpha, 0.0)) for k in range(K)])

    @abstractmethod
    def gram(self) -> Vector:
        """A A' as a dense matrix, for few rows."""

    @abstractmethod
    def add_outer(self, rows: NDArray[np.int64], weights: Vector, out: Vector) -> None:
        """out += sum_k weights_k a_i a_i', i = rows_k. Only the upper triangle of ``out`` (d, d) must be right."""
