"""A matrix of rows as the tensors of a model file: one dense tensor, or the three arrays of a CSR matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.numerics.arguments import is_whole


def to_tensors(X: Any, name: str) -> dict[str, NDArray[Any]]:
    """The tensors of X, float32 or float64, by their names."""
    if not hasattr(X, "indptr"):
        return {name: X}
    whole = {f"{name}.{part}": getattr(X, part).astype(np.int64) for part in ("indices", "indptr")}
    return {f"{name}.data": X.data, **whole}


def from_tensors(tensors: Any, name: str, columns: Any) -> Any:
    """The matrix of so many columns. ValueError if it is none, or not finite."""
    if not is_whole(columns):
        raise ValueError(f"columns must be a whole number >= 0, not {columns!r:.40}")
    X = _dense(tensors, name, columns) if name in tensors else _sparse(tensors, name, columns)
    if not np.isfinite(X.data if hasattr(X, "indptr") else X).all():
        raise ValueError(f"{name} contains NaN or infinity")
    return X


def _dense(tensors: Any, name: str, columns: int) -> NDArray[Any]:
    X = tensors.array(name, tensors.dtype(name, "F32", "F64"))
    if X.ndim != 2 or X.shape[1] != columns:
        raise ValueError(f"{name} must be a matrix of {columns} columns, not {X.shape}")
    return X


def _sparse(tensors: Any, name: str, columns: int) -> Any:
    data = tensors.array(f"{name}.data", tensors.dtype(f"{name}.data", "F32", "F64"))
    indices, indptr = (tensors.array(f"{name}.{part}", "I64") for part in ("indices", "indptr"))
    ends = indptr[[0, -1]].tolist() if indptr.ndim == 1 and len(indptr) else []
    is_good = data.ndim == indices.ndim == 1 and len(data) == len(indices) and ends == [0, len(data)]
    if not is_good or (np.diff(indptr) < 0).any() or (indices < 0).any() or (indices >= columns).any():
        raise ValueError(f"{name} is no CSR matrix of {columns} columns")
    return sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
