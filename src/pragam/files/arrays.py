"""Matrices in NumPy's files: dense in ``.npy``, CSR in ``.npz``. Nothing is ever unpickled.

Arrays are memory-mapped if the file stores them uncompressed. The sizes in a header are compared with the size of the
file before anything is allocated. The checksums of an ``.npz`` are verified.
"""

from __future__ import annotations

import io
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

import numpy as np
from scipy import sparse

#: The exceptions, besides ValueError, that zipfile and zlib raise for damaged files.
DAMAGE = (EOFError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error)

#: The arrays of a CSR matrix, as ``scipy.sparse.save_npz`` writes them.
CSR = ("data", "indices", "indptr", "shape")
_CHUNK = 1 << 24


class _Layout(NamedTuple):
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype


def read_npy(file: IO[bytes]) -> np.ndarray:
    """The array of real numbers in an ``.npy`` file, memory-mapped."""
    file.seek(0, io.SEEK_END)
    size = file.tell()
    file.seek(0)
    layout = _header(file, "the file")
    return _mapped(file, layout, file.tell(), size - file.tell(), "the file")


def read_npz(file: IO[bytes]) -> tuple[sparse.csr_array, np.ndarray | None]:
    """The CSR matrix in an ``.npz`` file, and the labels ``y`` or None."""
    with zipfile.ZipFile(file) as archive:
        members = _members(archive)
        if "format" in members and (kind := _member(archive, members["format"], "S").tolist()) != b"csr":
            raise ValueError(f"the sparse format must be csr, not {kind!r}")
        arrays = {name: _member(archive, members[name]) for name in CSR if name in members}
        y = _member(archive, members["y"]) if "y" in members else None
    return csr_of(arrays), y


def csr_of(arrays: dict[str, np.ndarray]) -> sparse.csr_array:
    """The CSR matrix of its arrays, checked."""
    if missing := [name for name in CSR if name not in arrays]:
        raise ValueError(f"no array {missing[0]!r}: a CSR matrix needs {', '.join(CSR)}")
    data, indices, indptr, shape = (arrays[name] for name in CSR)
    if shape.shape != (2,) or any(array.dtype.kind not in "iu" for array in (indices, indptr, shape)):
        raise ValueError("indices, indptr and shape must hold whole numbers, and shape two of them")
    n, d = shape.tolist()
    if not 0 <= d < 2**63:
        raise ValueError(f"a matrix cannot have {d} columns")
    X = sparse.csr_array((real(data), indices, indptr), shape=(n, d))
    X.check_format(full_check=True)
    return X


def read_arrays(file: IO[bytes], names: Iterable[str], kinds: str = "biuf") -> dict[str, np.ndarray]:
    """The arrays that an ``.npz`` file has under these names: of real numbers, or of other ``kinds`` of dtype."""
    with zipfile.ZipFile(file) as archive:
        members = _members(archive)
        return {name: _member(archive, members[name], kinds) for name in names if name in members}


def real(array: np.ndarray) -> np.ndarray:
    """float32 and float64 unchanged, other real numbers converted to float64."""
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    if len(members) < len(archive.infolist()):
        raise ValueError("two arrays have the same name")
    return members


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, kinds: str = "biuf") -> np.ndarray:
    """One array of an npz: a memory map if it is stored uncompressed, else a copy."""
    name = info.filename
    with archive.open(info) as stream:
        layout = _header(stream, name, kinds)
        begin = stream.tell()
        if info.compress_type != zipfile.ZIP_STORED:
            return _copied(stream, layout, info.file_size - begin, name)
    file: Any = archive.fp
    start = _start(file, info)
    array = _mapped(file, layout, start + begin, info.file_size - begin, name)
    if _checksum(file, start, info.file_size) != info.CRC:
        raise ValueError(f"{name} is damaged: its checksum is wrong")
    return np.asarray(array)


def _header(stream: IO[bytes], name: str, kinds: str = "biuf") -> _Layout:
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(stream)
    if version not in read:
        raise ValueError(f"npy format {version} is not known")
    try:
        with warnings.catch_warnings():  # Python's own warnings about a damaged header
            warnings.simplefilter("ignore")
            layout = _Layout(*read[version](stream))
    except (
        ValueError,
        TypeError,
        SyntaxError,
        OverflowError,
        RecursionError,
        MemoryError,
        tokenize.TokenError,
    ) as error:
        raise ValueError(f"the header of {name} is damaged: {error}") from error
    if layout.dtype.kind not in kinds:
        raise ValueError(f"{name} must hold real numbers, not {layout.dtype}")
    return layout


def _check_size(layout: _Layout, size: int, name: str) -> None:
    if min(layout.shape, default=0) < 0 or math.prod(layout.shape) * layout.dtype.itemsize != size:
        raise ValueError(f"{name} does not have the size it states: {layout.shape} of {layout.dtype} in {size} bytes")


def _mapped(file: IO[bytes], layout: _Layout, start: int, size: int, name: str) -> np.ndarray:
    _check_size(layout, size, name)
    if size == 0:
        return np.empty(layout.shape, layout.dtype)
    order: Any = "F" if layout.fortran_order else "C"
    return np.memmap(file, layout.dtype, "r", start, layout.shape, order)


def _copied(stream: IO[bytes], layout: _Layout, size: int, name: str) -> np.ndarray:
    _check_size(layout, size, name)
    array = np.empty(layout.shape, layout.dtype, order="F" if layout.fortran_order else "C")
    room = memoryview(array.reshape(-1, order="A").view(np.uint8))  # type: ignore[arg-type]
    while len(room):
        count = stream.readinto(room)  # type: ignore[attr-defined]
        if not count:
            raise EOFError(f"{name} ends early")
        room = room[count:]
    stream.read(1)  # zipfile compares the checksum at the end
    return array


def _start(file: IO[bytes], info: zipfile.ZipInfo) -> int:
    """Where a stored member's bytes begin: its local header is 30 bytes, a name and an extra field."""
    file.seek(info.header_offset)
    return info.header_offset + 30 + sum(struct.unpack("<2H", file.read(30)[26:]))


def _checksum(file: IO[bytes], start: int, size: int) -> int:
    file.seek(start)
    checksum = 0
    while size > 0 and (chunk := file.read(min(size, _CHUNK))):
        checksum = zlib.crc32(chunk, checksum)
        size -= len(chunk)
    return checksum
