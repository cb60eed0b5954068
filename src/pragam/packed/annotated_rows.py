"""The rows of an annotated matrix (AnnData's ``.h5ad``): CSR or dense in HDF5, a column of ``obs`` as labels; by h5py.

Read are ``X`` or a layer, in blocks of rows of bounded size, and of ``obs`` the target alone: an array of numbers or
texts, or a categorical column, whose categories are the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pragam.files.source import Source
from pragam.packed.incoming import PART, parts
from pragam.packed.part import Array
from pragam.packed.sources import Read

#: The first bytes of a file of HDF5.
HDF5 = b"\x89HDF\r\n"
#: Rows whose ends are read at a time.
_ROWS = 1 << 14


class AnnotatedRows:
    """Of files with as many columns. ``at`` is [the first row that was not read, columns]."""

    zero_based = None

    def __init__(self, target: str, layer: str | None) -> None:
        self._target, self._layer = target, layer
        self._width: int | None = None

    def read(self, opened: Source, at: Any) -> Iterator[Read]:
        """The rows from ``at`` on."""
        begin, self._width = (0, self._width) if at is None else at
        name, h5py = opened.name, _h5py(opened.name)
        try:
            with h5py.File(opened.as_file(), "r") as file:
                X, y = self._matrix(file, name), _labels(file, self._target, name)
                if len(y) != X.shape[0]:
                    raise ValueError(f"{name}: {X.what} has {X.shape[0]} rows, and obs has {len(y)}")
                for last, block in X.blocks(begin):
                    where = f"{name}, rows {begin} to {last - 1}"
                    for part in parts((block, y[begin:last]), where):
                        begin += part.rows
                        yield Read(part, where, [begin, self._width])
        except (OSError, KeyError, RuntimeError, AttributeError, TypeError) as error:  # what h5py raises
            said = str(error).splitlines()[0] if str(error) else "damaged"
            raise ValueError(f"{name}: not a usable .h5ad file: {said}") from error

    def _matrix(self, file: Any, name: str) -> _Matrix:
        """X or the layer, of as many columns as the files before have."""
        what = "X" if self._layer is None else f"layers/{self._layer}"
        if what not in file:
            found = ", ".join(map(repr, file.get("layers", ()))) or "none"
            raise ValueError(f"{name}: it has no {what}; its layers are {found}")
        X = _Matrix(file[what], f"{name}: {what}", what)
        if not X.shape[0]:
            raise ValueError(f"{name}: there are no rows")
        if self._width not in (None, X.shape[1]):
            raise ValueError(f"{name}: {what} has {X.shape[1]} columns, and the files before have {self._width}")
        self._width = X.shape[1]
        return X


class _Matrix:
    """Rows in HDF5, of which a block is in memory at a time."""

    def __init__(self, node: Any, where: str, what: str) -> None:
        kind = _kind(node)
        if kind not in ("array", "csr_matrix"):
            raise ValueError(f"{where} is stored as {kind or 'something older'}: write it as CSR or dense, by AnnData")
        self.what, self._node, self._where, self._is_dense = what, node, where, kind == "array"
        shape = tuple(map(int, node.shape if self._is_dense else node.attrs["shape"]))
        if len(shape) != 2:
            raise ValueError(f"{where} must be two-dimensional, but has {len(shape)} dimension(s)")
        self.shape: tuple[int, int] = shape
        if not self._is_dense and node["indptr"].shape != (shape[0] + 1,):
            raise ValueError(f"{where} has {node['indptr'].shape[0]} ends of rows, not {shape[0] + 1}")

    def blocks(self, begin: int) -> Iterator[tuple[int, Any]]:
        """(where it ends, the rows) from ``begin`` on."""
        return self._dense(begin) if self._is_dense else self._sparse(begin)

    def _dense(self, begin: int) -> Iterator[tuple[int, Any]]:
        n, d = self.shape
        step = max(1, PART // max(8 * d, 1))
        for first in range(begin, n, step):
            last = min(first + step, n)
            yield last, self._node[first:last]

    def _sparse(self, begin: int) -> Iterator[tuple[int, Any]]:
        n, d = self.shape
        data, indices, indptr = (self._node[each] for each in ("data", "indices", "indptr"))
        most = PART // (data.dtype.itemsize + indices.dtype.itemsize)
        while begin < n:
            ends = indptr[begin : min(begin + _ROWS, n) + 1].astype(np.int64)
            rows = max(int(np.searchsorted(ends, ends[0] + most, "right")) - 1, 1)
            ends = ends[: rows + 1]
            if (np.diff(ends) < 0).any() or ends[0] < 0 or ends[-1] > len(data):
                raise ValueError(f"{self._where} is damaged: rows {begin} to {begin + rows - 1} end before they begin")
            own = slice(int(ends[0]), int(ends[-1]))
            begin += rows
            yield begin, sparse.csr_array((data[own], indices[own], ends - ends[0]), shape=(rows, d))


def _labels(file: Any, target: str, name: str) -> Array:
    """The target of all rows: numbers, or texts."""
    obs = file.get("obs")
    if obs is None or _kind(obs) != "dataframe":
        raise ValueError(f"{name}: its obs is no table of a recent AnnData: write the file again")
    if target not in obs:
        columns = ", ".join(map(repr, map(str, obs.attrs.get("column-order", ()))))
        raise ValueError(f"{name}: obs has no column {target!r}; its columns are {columns or 'none'}")
    node, kind = obs[target], _kind(obs[target])
    if kind in ("array", "string-array"):
        return _values(node)
    if kind == "categorical":
        codes, categories = node["codes"][:], _values(node["categories"])
        is_missing = (codes < 0) | (codes >= len(categories))
    elif kind in ("nullable-integer", "nullable-boolean", "nullable-string-array"):
        codes, categories, is_missing = slice(None), _values(node["values"]), node["mask"][:]
    else:
        raise ValueError(f"{name}: the column {target!r} of obs is stored as {kind or 'something older'}")
    if is_missing.any():
        raise ValueError(f"{name}, row {int(np.argmax(is_missing))}: the label {target!r} is missing")
    found: Array = categories[codes]
    return found


def _values(node: Any) -> Array:
    """An array; texts as such."""
    is_text = node.dtype.kind in "OS"
    return np.asarray(node.asstr()[:]).astype(str) if is_text else node[:]


def _kind(node: Any) -> str:
    return str(node.attrs.get("encoding-type", ""))


def _h5py(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module("h5py")
    except ImportError as error:
        raise ValueError(f"{name}: this needs the package h5py: pip install h5py") from error
