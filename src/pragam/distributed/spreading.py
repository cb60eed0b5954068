"""Whatever a user has, as data in blocks on a cluster."""

from __future__ import annotations

import os
from typing import Any

from pragam.distributed.collected import collected, is_collection
from pragam.distributed.engine import DaskFutures
from pragam.operators.storage import Blocked
from pragam.packed import Packed, Spread, open_packed


def spread(client: Any, X: Any, y: Any = None, weights: Any = None) -> tuple[Blocked, Any, Any]:
    """(X in blocks, y, weights), with a Dask client's workers behind all products with X.

    X is a packed directory, by name or opened, that workers see under the same path; or a dask array, a dask dataframe
    or a list of delayed blocks: (X, y) or (X, y, weight), or X alone. y and weights may be collections too.
    """
    engine = DaskFutures(client)
    if isinstance(X, str | os.PathLike):
        X = open_packed(X)
    if isinstance(X, Packed):
        return Spread(X, engine), y, weights
    if isinstance(X, Blocked):  # it was spread before
        return X, y, weights
    if is_collection(X):
        return collected(engine, X, y, weights)
    raise ValueError(
        f"X must be a dask array, a dask dataframe, a list of delayed blocks or a packed directory, not of type "
        f"{type(X).__name__}: arrays in memory need no cluster"
    )
