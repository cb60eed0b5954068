"""What a user brings, block by block, as parts of bounded size whose every number was checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pragam.numerics.arguments import array_of, real_array
from pragam.operators import check_data
from pragam.operators.storage import Csr, Dense
from pragam.packed.part import Array, Part

#: About so many bytes of X make a part.
PART = 1 << 22


def parts(block: Any, name: str, first: int = 0) -> Iterator[Part]:
    """A block (X, y) or (X, y, weight) in parts, from the row ``first`` on. ``name`` is what errors call it."""
    if not isinstance(block, (tuple, list)) or len(block) not in (2, 3):
        raise ValueError(f"{name} must be (X, y) or (X, y, weight), where y may be None, not a {type(block).__name__}")
    X, given, weight = (*block, None)[:3]
    X = _matrix(X, f"{name}: X")
    n = X.shape[0]
    y = None if given is None else labels(given, n, name)
    v = None if weight is None else weights(weight, n, name)
    for begin, end, arrays in (_compressed if sparse.issparse(X) else _dense)(X, name, first):
        yield Part(arrays, X.shape[1], *(None if own is None else own[begin:end] for own in (y, v)))


def labels(y: Any, n: int, name: str) -> Array:
    """Numbers that are finite, or texts of a fixed width."""
    found = array_of(f"{name}: y", y)
    if found.dtype.kind == "O" and all(isinstance(each, str) for each in found.reshape(-1)):
        found = found.astype(str)
    if found.shape != (n,) or found.dtype.kind not in "biufU":
        raise ValueError(f"{name}: y must be {n} numbers or texts, one a row, not {found.dtype} of shape {found.shape}")
    if found.dtype.kind == "f":
        found = found.astype(np.float64, copy=False)
        _refuse(~np.isfinite(found), found, name, "its label is {}, which is not finite")
    return found.astype(found.dtype.newbyteorder("="), copy=False)


def weights(weight: Any, n: int, name: str) -> Array:
    """Finite numbers of at least 0."""
    found = real_array(f"{name}: weight", weight).astype(np.float64, copy=False)
    if found.shape != (n,):
        raise ValueError(f"{name}: weight must be {n} numbers, one a row, not of shape {found.shape}")
    _refuse(~(np.isfinite(found) & (found >= 0)), found, name, "its weight is {}, where a finite one >= 0 is needed")
    return found


def _refuse(is_bad: Array, values: Array, name: str, said: str) -> None:
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise ValueError(f"{name}, row {row}: {said.format(values[row])}")


def _matrix(X: Any, name: str) -> Any:
    """An array or CSR."""
    if isinstance(X, Csr):
        X = sparse.csr_array(X.arrays, shape=X.shape)
    if not sparse.issparse(X):
        found = X.X if isinstance(X, Dense) else array_of(name, X)
        if found.ndim != 2:
            raise ValueError(f"{name} must be two-dimensional, but has {found.ndim} dimension(s)")
        return found
    return _canonical(X, name)


def _canonical(X: Any, name: str) -> Any:
    """As CSR without repeated entries in a row."""
    check_data(X, name)
    if X.format != "csr":
        X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _dense(X: Array, name: str, first: int) -> Iterator[tuple[int, int, tuple[Array, ...]]]:
    """A part is checked, and converted if need be, when it is its turn: X may be a memory map of any size."""
    step = max(1, PART // max(8 * X.shape[1], 1))
    for begin in range(first, len(X), step):
        end = min(begin + step, len(X))
        try:
            checked: Any = check_data(X[begin:end], f"{name}: X")
        except ValueError:
            if X.dtype.kind == "f" and not (finite := np.isfinite(X[begin:end]).all(axis=1)).all():
                row = begin + int(np.argmin(finite))
                raise ValueError(f"{name}: X contains NaN or infinity (first found in row {row})") from None
            raise
        yield begin, end, (np.ascontiguousarray(checked.X),)


def _compressed(X: Any, name: str, first: int) -> Iterator[tuple[int, int, tuple[Array, ...]]]:
    data, indices, indptr = check_data(X, f"{name}: X").rows()[1]
    n, most = X.shape[0], PART // (data.itemsize + indices.itemsize)
    begin = first
    while begin < n:
        end = int(np.searchsorted(indptr, indptr[begin] + most, "right")) - 1
        end = min(max(end, begin + 1), begin + most, n)
        own = slice(indptr[begin], indptr[end])
        yield begin, end, (data[own], indices[own], np.diff(indptr[begin : end + 1]))
        begin = end
