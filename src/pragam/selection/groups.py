"""Rows that are stored equally: they share their score, hence their prediction, whatever the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.operators.storage import WALKING, Storage


def groups_of(X: Storage, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the group of each of these rows, from 0 in the order in which they come."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in _keys(X, rows)], dtype=np.int64)


def table_of(group: NDArray[np.int64], code: NDArray[np.int64], K: int) -> NDArray[np.int64]:
    """(groups, K): how many rows of a group have each of K labels."""
    found = np.zeros((int(group.max(initial=-1)) + 1, K), dtype=np.int64)
    np.add.at(found, (group, code), 1)
    return found


def _keys(X: Storage, rows: NDArray[np.int64]) -> Sequence[Any]:
    """Equal ones for rows that are stored equally; of a storage that hands out no rows, all different."""
    if not rows.size or WALKING & X.lacks:
        return range(len(rows))
    kind, arrays = X.take(rows).rows()
    if kind == "dense":
        return [row.tobytes() for row in np.ascontiguousarray(arrays[0])]
    data, indices, indptr = arrays
    pairs = zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
    return [(indices[first:last].tobytes(), data[first:last].tobytes()) for first, last in pairs]
