"""Where the arrays of a packed directory are, and how one is written and mapped: a plain ``.npy`` file each."""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MANIFEST = "manifest.json"
CHUNKS = "chunks"
COLUMNS = "columns.npy"
#: What an unfinished packing keeps here, and removes at its end.
WORK = ".packing"

#: The header of an ``.npy`` file is padded to a multiple of this, so that the numbers behind it are aligned.
ALIGNED = 64


class Saved(NamedTuple):
    """What a manifest says of a file."""

    bytes: int
    sha256: str


def chunk_path(folder: Path, number: int, name: str) -> Path:
    """The file of an array of a chunk."""
    return folder.joinpath(CHUNKS, f"{number:06d}.{name}.npy")


def write(path: Path, array: Array) -> Saved:
    """Write an array, and say how long its file is and which sum it has."""
    array = np.ascontiguousarray(array)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    digest, size = hashlib.sha256(), 0
    with naming(path), open(path, "wb") as file:
        for part in (header.getvalue(), array.reshape(-1).view(np.uint8).data):
            digest.update(part)
            size += file.write(part)
    return Saved(size, digest.hexdigest())


def mapped(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...], size: int) -> Array:
    """The numbers at the end of a file of ``size`` bytes, memory-mapped and read-only.

    The header is not parsed: dtype and shape come from the manifest, and the sum of the file vouches for the rest.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size != size:
            raise ValueError(damaged(path, "its size is not the manifest's"))
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    count = math.prod(shape)
    return np.frombuffer(content, dtype, count, size - count * dtype.itemsize).reshape(shape)


def sum_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _sum(file)


def _sum(file: io.BufferedReader) -> str:
    digest = hashlib.sha256()
    while part := file.read(1 << 20):
        digest.update(part)
    return digest.hexdigest()


def damaged(path: Path, why: str) -> str:
    """The line that says so."""
    return f"{path}: is damaged: {why}; copy or pack it again"


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """A write that fails, as on a full disk, says where."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            error.filename = os.fspath(path)
        raise
