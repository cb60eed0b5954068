"""The arrays of the chunks, memory-mapped; each file is verified when it is first asked for in a process."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from pragam.operators.check import check_csr, check_data
from pragam.operators.storage import Csr, Dense
from pragam.packed.layout import COLUMNS, Array, chunk_path, damaged, mapped, sum_of
from pragam.packed.manifest import Manifest
from pragam.packed.part import Part


class Chunks:
    """The chunks of a directory. Several views of it share what was verified."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self._verified: set[tuple[int, str]] = set()

    def rows(self, number: int) -> Csr | Dense:
        """X of a chunk."""
        manifest, chunk = self.manifest, self.manifest.chunks[number]
        names = ("X",) if manifest.kind == "dense" else ("data", "indices", "indptr")
        arrays = [self._array(number, name) for name in names]
        path = chunk_path(self.folder, number, names[0])
        is_new = (number, "rows") not in self._verified
        if is_new:
            _check(arrays, (chunk.rows, manifest.d), path)
        dense = manifest.kind == "dense"
        X = Dense(arrays[0]) if dense else Csr((arrays[0], arrays[1], arrays[2]), (chunk.rows, manifest.d))
        if is_new:
            self._check_sizes(X, number, path)
            self._verified.add((number, "rows"))
        return X

    def _check_sizes(self, X: Csr | Dense, number: int, path: Path) -> None:
        """What is said of the rows' sizes is true: certificates rely on it."""
        is_true = np.array_equal(X.row_norms2, self._array(number, "norms2")) and X.repeats == 0
        if not is_true or np.max(X.counts, initial=0) > self.manifest.chunks[number].longest:
            raise ValueError(damaged(path, "its rows are not of the sizes that the manifest says"))

    def ahead(self, number: int) -> None:
        """Tell the system that the rows of a chunk will be read; where it cannot be told, nothing happens."""
        if hasattr(os, "posix_fadvise"):
            for name in ("X",) if self.manifest.kind == "dense" else ("data", "indices", "indptr"):
                with contextlib.suppress(OSError), open(chunk_path(self.folder, number, name), "rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    def vector(self, number: int, name: str) -> Array:
        """y, the weights or the squared norms of the rows of a chunk."""
        found = self._array(number, name)
        if found.dtype.kind == "f" and not (np.isfinite(found).all() and (name == "y" or (found >= 0).all())):
            raise ValueError(damaged(chunk_path(self.folder, number, name), "a number is not finite, or below 0"))
        return found

    def part(self, number: int) -> Part:
        """X and the weights of a chunk, as they were written."""
        arrays = self.rows(number).rows()[1]
        arrays = arrays if len(arrays) == 1 else (*arrays[:2], np.diff(arrays[2]))
        weight = self.vector(number, "weight") if self.manifest.weights else None
        return Part(arrays, self.manifest.d, None, weight)

    def columns(self) -> Array:
        """What is known of the columns."""
        path, saved = self.folder / COLUMNS, self.manifest.columns
        found = mapped(path, np.dtype("<f8"), self.manifest.columns_shape, saved.bytes)
        if sum_of(path) != saved.sha256:
            raise ValueError(damaged(path, "its SHA-256 is not the manifest's"))
        if not (np.isfinite(found[::3]).all() and (found[1::3] >= 0).all()):
            raise ValueError(damaged(path, "a mean is not finite, or a scale not a number >= 0"))
        return found

    def _array(self, number: int, name: str) -> Array:
        """An array of a chunk, mapped. The bytes of its file are those that were written."""
        path, chunk = chunk_path(self.folder, number, name), self.manifest.chunks[number]
        saved = chunk.files[name]
        found = mapped(path, *self.manifest.arrays(chunk)[name], saved.bytes)
        if (number, name) not in self._verified:
            if sum_of(path) != saved.sha256:
                raise ValueError(damaged(path, "its SHA-256 is not the manifest's"))
            self._verified.add((number, name))
        return found


def _check(arrays: list[Any], shape: tuple[int, int], path: Path) -> None:
    """What every user's X goes through before a kernel sees it."""
    try:
        found: Any = check_data(arrays[0]) if len(arrays) == 1 else check_csr((arrays[0], arrays[1], arrays[2]), shape)
    except ValueError as error:
        raise ValueError(damaged(path, str(error))) from error
    if found.rows()[1][0].dtype != arrays[0].dtype:
        raise ValueError(damaged(path, "it has float32 numbers below the least normal one"))
