r"""How many rows fit into a memory, with all that a solve on them takes.

    bytes = rows (row + copies + vectors) + matrices d^2

Beside it stand vectors with a number for each dual variable, as many as :mod:`pragam.driver.expectation` says; readings
and certificates take more of them than a solve on rows in memory, and what is left may hold the vectors of these rows.
"""

from __future__ import annotations

from pragam.problem import DataProblem

#: Rows in memory for each column, below which they say too little of the others.
FEWEST = 10.0
#: Bytes that a solve on rows takes for each entry beside these: some are copied, dense ones in float64.
_DENSE, _SPARSE = 8.0, 5.0
#: Bytes of vectors and tables for each dual variable in memory: coordinate ascent takes most.
_PER_DUAL = 500.0
#: Bytes for each dual variable of all that readings leave of the vectors that are announced.
_LEFT = 32.0
#: Numbers in matrices of Newton's method, over d^2.
_MATRICES = 4.0
#: The share of the data that is taken where no memory is given.
_SHARE = 0.2


def rows_within(memory: float | None, problem: DataProblem, share: float = _SHARE) -> float:
    """The rows that a solve on them may have; ``share`` of all where no memory is given."""
    (n, d), duals = problem.A.storage.shape, problem.A.shape[0]
    if memory is None:
        return share * n
    own = max(memory - 8 * _MATRICES * d**2, 0.0)
    rows, vectors = bytes_of(problem) / max(n, 1), _PER_DUAL * duals / max(n, 1)
    return min(own / rows, (own + _LEFT * duals) / (rows + vectors), float(n))


def shares_of(problem: DataProblem) -> tuple[float, float]:
    """What of the bytes of a mean row are its vectors, and what each of its entries is of them."""
    n, duals = max(problem.A.storage.shape[0], 1), problem.A.shape[0]
    vectors, entries = _PER_DUAL * duals / n, bytes_of(problem) / n
    return vectors / (vectors + entries), entries / (vectors + entries) / max(problem.A.storage.stored / n, 1e-9)


def bytes_of(problem: DataProblem) -> float:
    """Of all rows as they are stored, as large as they can be if that is not known, and of what is copied of them."""
    storage = problem.A.storage.bare
    own = float(getattr(storage, "bytes", storage.stored * (8.0 if storage.is_dense else 16.0)))
    return own + storage.stored * (_DENSE if storage.is_dense else _SPARSE)


def too_small(memory: float, room: float, problem: DataProblem) -> str:
    """What to say if there is no room for enough rows."""
    (n, d), duals = problem.A.storage.shape, problem.A.shape[0]
    rows = min(FEWEST * d, n)
    least = bytes_of(problem) / n * rows + _PER_DUAL * duals / n * rows + 8 * _MATRICES * d**2
    return (
        f"memory={memory:.3g} holds {int(room)} rows of {d} columns, and a working set needs {FEWEST:g} rows for each "
        f"column: give it at least {least:.2g} bytes"
    )
