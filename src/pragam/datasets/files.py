"""Data from a file of any kind that the command line takes; the kind is known by the first bytes.

* svmlight text, plain or compressed: see :func:`pragam.datasets.load_svmlight`;
* ``.npz`` with the arrays data, indices, indptr and shape of a CSR matrix, as ``scipy.sparse.save_npz``
  writes them, and possibly the labels ``y``. Members stored uncompressed are memory-mapped;
* ``.npy`` with a dense matrix, memory-mapped. Its labels are in ``NAME.y.npy`` beside ``NAME.npy``, if any.

Nothing is ever unpickled.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from pragam.datasets.svmlight import load_svmlight

_CSR = ("data", "indices", "indptr", "shape")


def load(path: str | os.PathLike[str], n_features: int | None = None) -> tuple[Any, np.ndarray | None]:
    """The samples X, a CSR or a dense array, and the labels y (float64), None if the file has none.

    With ``n_features`` given, a sparse X gets that many columns, and one that has more is refused; a dense X
    must have exactly that many. Content that is not right is a ValueError of one line.
    """
    path = Path(path)
    with open(path, "rb") as stream:
        head = stream.read(6)
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY")):
        return load_svmlight(path, n_features)
    try:
        X, y = _load_dense(path) if head.startswith(b"\x93") else _load_csr(path)
        X = _with_columns(X, n_features)
        return X, None if y is None else _checked_labels(y, X.shape[0])
    except (ValueError, EOFError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path}: {str(error).splitlines()[0] if str(error) else 'damaged'}") from error


def _load_dense(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    X = np.load(path, mmap_mode="r", allow_pickle=False)
    if X.ndim != 2:
        raise ValueError(f"a matrix is needed, not an array of shape {X.shape}")
    labels = path.with_name(path.stem + ".y.npy")
    return _real(X, "the matrix"), np.load(labels, allow_pickle=False) if labels.exists() else None


def _load_csr(path: Path) -> tuple[sparse.csr_array, np.ndarray | None]:
    with zipfile.ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        if missing := [name for name in _CSR if name not in members]:
            raise ValueError(f"no array {missing[0]!r}: a CSR matrix needs {', '.join(_CSR)}")
        if "format" in members and (kind := _member(archive, members["format"]).tolist()) != b"csr":
            raise ValueError(f"the sparse format must be csr, not {kind!r}")
        data, indices, indptr, shape = (_member(archive, members[name]) for name in _CSR)
        y = _member(archive, members["y"]) if "y" in members else None
    if shape.shape != (2,) or not all(np.issubdtype(a.dtype, np.integer) for a in (indices, indptr, shape)):
        raise ValueError("indices, indptr and shape must hold whole numbers, and shape two of them")
    n, d = shape.tolist()
    X = sparse.csr_array((_real(data, "data"), indices, indptr), shape=(n, d))
    X.check_format(full_check=True)
    return X, y


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> np.ndarray:
    """One array of an npz: a memory map if it is stored as it is, else a copy."""
    with archive.open(info) as stream:
        shape, fortran_order, dtype = _header(stream)
        header = stream.tell()
        if dtype.hasobject:
            raise ValueError(f"{info.filename} holds Python objects")
        if int(np.prod(shape, dtype=object)) * dtype.itemsize != info.file_size - header:
            raise ValueError(f"{info.filename} does not have the size it states")
        if info.file_size == header:
            return np.empty(shape, dtype)
        order: Any = "F" if fortran_order else "C"
        if info.compress_type != zipfile.ZIP_STORED:
            return np.frombuffer(stream.read(), dtype).reshape(shape, order=order)
    name = str(archive.filename)
    return np.asarray(np.memmap(name, dtype, "r", _start(name, info) + header, shape, order))


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(stream)
    if version not in read:
        raise ValueError(f"npy format {version} is not known")
    return read[version](stream)


def _start(name: str, info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin: its local header is 30 bytes, a name and an extra field."""
    with open(name, "rb") as stream:
        stream.seek(info.header_offset)
        local = stream.read(30)
    return info.header_offset + 30 + sum(struct.unpack("<2H", local[26:]))


def _real(array: np.ndarray, name: str) -> np.ndarray:
    """float32 and float64 as they are, other real numbers as float64."""
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, not {array.dtype}")
    return array.astype(np.float64)


def _with_columns(X: Any, n_features: int | None) -> Any:
    if n_features is None or X.shape[1] == n_features:
        return X
    if isinstance(X, np.ndarray) or X.shape[1] > n_features:
        raise ValueError(f"{X.shape[1]} columns, where n_features={n_features}")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _checked_labels(y: np.ndarray, n: int) -> np.ndarray:
    if y.shape != (n,):
        raise ValueError(f"labels of shape {y.shape} for {n} rows")
    y = _real(y, "the labels").astype(np.float64)
    if not np.isfinite(y).all():
        raise ValueError("a label is not finite")
    return y
