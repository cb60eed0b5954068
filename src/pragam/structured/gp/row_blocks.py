"""Products with a tall matrix, block of rows by block of rows, on a few threads.

The blocks have a fixed size, whatever the number of threads, and partial sums are added in their order: so results do
not depend on it. BLAS runs on one thread in each, and NumPy lets others run meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pragam.numerics.vector import Vector
from pragam.runtime.helpers import computed
from pragam.runtime.threads import n_threads

#: Rows that are read at a time, and fewer where they are widened first, which is to happen in the cache.
BLOCK, _WIDENED = 512, 128


def times(X: Vector, B: Vector, out: Vector) -> None:
    """out = X B, in the precision of B."""

    def one(rows: slice) -> Vector:
        out[rows] = X[rows].astype(B.dtype, copy=False) @ B
        return out[rows]

    for _ in _each(one, X, B):
        pass


def transposed_times(X: Vector, P: Vector, out: Vector) -> None:
    """out = X' P, in the precision of P within a block of rows."""
    out[:] = 0.0
    for part in _each(lambda rows: X[rows].astype(P.dtype, copy=False).T @ P[rows], X, P):
        out += part


def _each(work: Callable[[slice], Vector], X: Vector, factor: Vector) -> Iterable[Vector]:
    size = BLOCK if X.dtype == factor.dtype else _WIDENED
    blocks = [slice(i, min(i + size, len(X))) for i in range(0, len(X), size)]
    return computed(work, blocks, max(min(n_threads(X.size * factor.shape[1]), len(blocks)), 1))


def largest_entry(X: Vector) -> float:
    """max |X|, without a copy of X."""
    return max(float(X.max()), -float(X.min()))
