"""What the entries of a part say of its columns: the specification of ``csr_column_facts``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["csr_column_facts"]


def csr_column_facts(
    data: NDArray[Any],
    indices: NDArray[Any],
    mean: NDArray[np.float64],
    first: NDArray[np.float64],
    squares: NDArray[np.float64],
    stored: NDArray[np.float64],
    differs: NDArray[np.bool_],
) -> None:
    """squares_p = (x_p - mean_j)^2 for the entry p in column j; stored_j is how many entries the column has.

    differs_j, where it was not true before, is whether an entry is not first_j.
    """
    with np.errstate(over="ignore", under="ignore"):
        squares[:] = data - mean[indices]
        squares *= squares
    stored[:] = np.bincount(indices, minlength=len(stored))
    differs[indices[data != first[indices]]] = True
