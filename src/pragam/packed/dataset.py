"""A data set that lies on the disk in chunks: what solvers walk over."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from pragam.models.encoding import Encoding
from pragam.numerics.arguments import check_number
from pragam.operators.storage import Blocked, Csr, Dense
from pragam.packed import manifest as manifests
from pragam.packed.chunks import Chunks
from pragam.packed.columns import Columns, columns_of


class Packed(Blocked):
    """A packed directory, or some of its chunks: n rows in an order drawn at random, nothing of them in memory.

    It is a storage of X, so whatever takes X takes it. Where a function takes y and weights, None stands for its own.

    path : the directory
    shape, dtype, is_sparse : of X
    ends : (n_chunks + 1,) the rows of chunk k are ends[k] up to ends[k + 1]
    stored, bytes : how many entries the chunks have, and how many bytes in all
    """

    rigorous = True

    def __init__(self, chunks: Chunks, numbers: NDArray[np.int64]) -> None:
        super().__init__()
        manifest = chunks.manifest
        own = [manifest.chunks[k] for k in numbers.tolist()]
        self._chunks, self._numbers = chunks, numbers
        self._used: WeakValueDictionary[str, NDArray[Any]] = WeakValueDictionary()
        self.path = chunks.folder
        self.ends = np.concatenate([[0], np.cumsum([chunk.rows for chunk in own], dtype=np.int64)])
        self.ends.flags.writeable = False
        self.shape = int(self.ends[-1]), manifest.d
        self.dtype = np.dtype(manifest.dtype)
        self.is_dense = manifest.kind == "dense"
        self._longest = max((chunk.longest for chunk in own), default=0)
        self.stored = sum(chunk.stored for chunk in own)
        self.bytes = sum(file.bytes for chunk in own for file in chunk.files.values())

    @property
    def n_chunks(self) -> int:
        """How many chunks there are."""
        return len(self._numbers)

    def load(self, k: int) -> Csr | Dense:
        """X of chunk k, memory-mapped. Its files are verified the first time."""
        return self._chunks.rows(int(self._numbers[k]))

    def ahead(self, k: int) -> None:
        """Ask the system to read chunk k."""
        self._chunks.ahead(int(self._numbers[k]))

    @property
    def chunks(self) -> Chunks:
        """The chunks of the whole directory."""
        return self._chunks

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Which of them these are."""
        return self._numbers

    @cached_property
    def identity(self) -> str:
        """A sum over the sums of all files of the directory."""
        whole = hashlib.sha256()
        for chunk in self._chunks.manifest.chunks:
            for name, file in sorted(chunk.files.items()):
                whole.update(f"{name} {file.sha256}\n".encode())
        return whole.hexdigest()

    @property
    def is_sparse(self) -> bool:
        """Whether X is CSR."""
        return not self.is_dense

    @property
    def zero_based(self) -> bool | None:
        """Whether the indices of the svmlight text that was packed count from 0; None if it was none."""
        return self._chunks.manifest.zero_based

    @property
    def table(self) -> Encoding | None:
        """What the columns are, if tables were packed: what a model of these rows needs to read a table."""
        return self._chunks.manifest.table

    @cached_property
    def known_squares(self) -> NDArray[np.float64]:
        """They were found at packing, and each chunk is compared with them when it is first read."""
        return self._vector("norms2")

    def known_moments(self, weights: NDArray[np.float64] | None) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """They were found at packing, with the weights of the rows and without; not where squares lost digits."""
        own = self.columns if weights is None else None
        if weights is not None and self.weights is not None and np.array_equal(weights, self.weights):
            own = self.weighted_columns
        if own is None or not own.are_sharp:
            return None
        return own.mean, own.scale

    @property
    def longest(self) -> int:
        """From the manifest."""
        return self._longest

    @property
    def y(self) -> NDArray[Any] | None:
        """The labels (n,), or None if there are none. They are read when asked for, and kept as long as in use."""
        return self._in_use("y") if self._chunks.manifest.y_dtype else None

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weights of the rows (n,), or None if there are none. They are kept as long as in use."""
        return self._in_use("weight") if self._chunks.manifest.weights else None

    @cached_property
    def columns(self) -> Columns:
        """Mean and scale of each column. Of a part of the directory they are computed, in one reading."""
        if self._is_whole:
            return Columns.of(self._chunks.columns()[:3])
        return columns_of(((self.load(k), None) for k in range(self.n_chunks)), self.shape[1])

    @cached_property
    def weighted_columns(self) -> Columns | None:
        """The same with the weights of the rows; None if there are none."""
        if self.weights is None:
            return None
        if self._is_whole:
            return Columns.of(self._chunks.columns()[3:])
        return columns_of(((self.load(k), self._own(self.weights, k)) for k in range(self.n_chunks)), self.shape[1])

    def split(self, seed: int = 0, share: float = 0.2) -> tuple[Packed, Packed]:
        """(train, validation): about this share of the chunks, drawn by the seed, is left out for validation.

        Rows were dealt to the chunks at random, so chunks are a random sample of the rows. Nothing is copied.
        """
        is_held = self._held_chunks(seed, share)
        train, validation = (Packed(self._chunks, self._numbers[part]) for part in (~is_held, is_held))
        return train, validation

    def held(self, seed: int = 0, share: float = 0.2) -> NDArray[np.bool_]:
        """Which rows :meth:`split` leaves out."""
        return np.repeat(self._held_chunks(seed, share), np.diff(self.ends))

    def _held_chunks(self, seed: int, share: float) -> NDArray[np.bool_]:
        check_number("share", share, above=0.0, most=1.0)
        if self.n_chunks < 2:
            raise ValueError(f"{self.path}: has one chunk, and a split needs two: pack it with a smaller chunk_bytes")
        count = min(max(1, round(share * self.n_chunks)), self.n_chunks - 1)
        found = np.zeros(self.n_chunks, bool)
        found[np.random.default_rng(seed).permutation(self.n_chunks)[:count]] = True
        return found

    def fingerprint(self) -> dict[str, Any]:
        """``{"n", "d", "nnz", "sha256"}``, from the sums of the files: equal for equal chunks in the same order."""
        whole = hashlib.sha256(f"pragam-packed 1, {self.shape[0]} x {self.shape[1]}".encode())
        for k in self._numbers.tolist():
            for name, file in sorted(self._chunks.manifest.chunks[k].files.items()):
                whole.update(f"{name} {file.sha256}\n".encode())
        return {"n": self.shape[0], "d": self.shape[1], "nnz": self.stored, "sha256": whole.hexdigest()}

    def about(self) -> dict[str, Any]:
        """What it is, as JSON can hold it."""
        manifest = self._chunks.manifest
        own = {} if self.table is None else {"table": self.table.title}
        return {
            "directory": str(self.path), "rows": self.shape[0], "columns": self.shape[1], "entries": self.stored,
            "storage": f"{manifest.kind} {self.dtype.name}", "bytes": self.bytes, "chunks": self.n_chunks,
            "labels": manifest.y_dtype or "none", "weights": "yes" if manifest.weights else "none",
            "seed": manifest.seed, **own,
        }  # fmt: skip

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Csr | Dense]:
        return (self.load(k) for k in range(self.n_chunks))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.path, self._numbers)

    def __repr__(self) -> str:
        n, d = self.shape
        kind = f"CSR, {self.stored:,} entries" if self.is_sparse else "dense"
        of = "" if self._is_whole else f" of {len(self._chunks.manifest.chunks):,}"
        return (
            f"Packed({str(self.path)!r}: {n:,} x {d:,}, {kind}, {self.dtype.name}, {self.n_chunks:,}{of} chunks, "
            f"{self.bytes / 1e6:,.1f} MB)"
        )

    @property
    def _is_whole(self) -> bool:
        return self.n_chunks == len(self._chunks.manifest.chunks)

    def _in_use(self, name: str) -> NDArray[Any]:
        found = self._used.get(name)
        if found is None:
            found = self._used[name] = self._vector(name)
        return found

    def _vector(self, name: str) -> NDArray[Any]:
        found = np.concatenate([self._chunks.vector(k, name) for k in self._numbers.tolist()])
        found.flags.writeable = False
        return found

    def _own(self, vector: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        return vector[self.ends[k] : self.ends[k + 1]]


def open_packed(directory: str | os.PathLike[str]) -> Packed:
    """The data set that :func:`pragam.pack` or ``pragam pack`` wrote.

    The manifest and the sizes of all files are checked now, the content of each when it is first read. What is wrong is
    a ValueError of one line that names the file.
    """
    folder = Path(directory)
    manifest = manifests.read(folder)
    manifest.check_files(folder)
    return Packed(Chunks(folder, manifest), np.arange(len(manifest.chunks)))


def _reopened(folder: Path, numbers: NDArray[np.int64]) -> Packed:
    """In another process."""
    return Packed(open_packed(folder)._chunks, numbers)
