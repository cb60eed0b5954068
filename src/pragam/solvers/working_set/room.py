"""How many rows fit into a memory, with all that a solve on them takes."""

from __future__ import annotations

from pragam.problem import DataProblem

#: Copies that a solve on rows makes of them, their own included: measured by ``benchmarks/out_of_core.py``.
_COPIES = 2.0
#: Bytes that it takes for each dual variable beside that: a table of a cache line, and some vectors.
_PER_DUAL = 400.0
#: The share of the data that is taken where no memory is given.
_SHARE = 0.2


def rows_within(memory: float | None, problem: DataProblem) -> float:
    """The rows that a solve on them may have."""
    storage, duals = problem.A.storage, problem.A.shape[0]
    n = max(storage.shape[0], 1)
    import os
    if "ROWS" in os.environ: return float(os.environ["ROWS"]) * n
    if memory is None:
        return _SHARE * n
    per_row = getattr(storage, "bytes", bytes_of(problem)) / n * 1.3 + 250 * duals / n
    return memory / per_row


def bytes_of(problem: DataProblem) -> float:
    """Of all rows in memory, as a view has them."""
    storage = problem.A.storage
    return float(storage.stored) * (8.0 if storage.is_dense else 16.0)
