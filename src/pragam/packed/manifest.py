"""What a packed directory holds: ``manifest.json``, written last, checked before anything else is read."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pragam.files.atomic import replacing
from pragam.files.fields import fields_of
from pragam.models.encoding import Encoding
from pragam.packed.layout import ALIGNED, CHUNKS, COLUMNS, MANIFEST, WORK, Saved, chunk_path, damaged

FORMAT, VERSION = "pragam-packed", 2

_FIELDS = {
    "version": int, "n": int, "d": int, "stored": int, "kind": str, "dtype": str, "index_dtype": str, "y_dtype": str,
    "weights": bool, "seed": int, "chunk_bytes": int, "sources": list, "columns": dict, "chunks": list,
}  # fmt: skip
_CHUNK = {"rows": int, "stored": int, "longest": int, "files": dict}
_FILE = {"bytes": int, "sha256": str}
_SUM = re.compile(r"[0-9a-f]{64}")
_Y_DTYPE = re.compile(r"|[<>|][biufU]\d{1,9}")


@dataclass(frozen=True)
class Chunk:
    """Some rows: how many, how many entries they store, the longest how many, and the file of each of their arrays."""

    rows: int
    stored: int
    longest: int
    files: dict[str, Saved]

    def to_json(self) -> dict[str, Any]:
        """As the manifest holds it."""
        own = {"rows": self.rows, "stored": self.stored, "longest": self.longest}
        return own | {"files": {k: v._asdict() for k, v in self.files.items()}}

    @classmethod
    def of(cls, record: Any) -> Chunk:
        """From what ``to_json`` made; a ValueError if it did not."""
        fields_of(record, _CHUNK)
        sizes = record["rows"], record["stored"], record["longest"]
        return cls(*sizes, {name: _saved(own) for name, own in record["files"].items()})


@dataclass(frozen=True)
class Manifest:
    """Of n rows and d columns, which store so many entries.

    kind : "csr" or "dense"
    dtype, index_dtype, y_dtype : of the values; of the indices, "" if dense; of the labels, "" if there are none
    weights : whether rows have weights
    columns : the file of what is known of the columns
    sources : what was read, objects with a name and a number of rows; of svmlight text, whether it is zero_based
    table : of tables, what their columns are; version 1 had none
    """

    n: int
    d: int
    stored: int
    kind: str
    dtype: str
    index_dtype: str
    y_dtype: str
    weights: bool
    seed: int
    chunk_bytes: int
    sources: tuple[dict[str, Any], ...]
    columns: Saved
    chunks: tuple[Chunk, ...]
    table: Encoding | None = None

    def arrays(self, chunk: Chunk) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
        """The dtype and the shape of each array of a chunk."""
        shapes: dict[str, tuple[str, tuple[int, ...]]] = (
            {"X": (self.dtype, (chunk.rows, self.d))}
            if self.kind == "dense"
            else {
                "data": (self.dtype, (chunk.stored,)),
                "indices": (self.index_dtype, (chunk.stored,)),
                "indptr": ("<i8", (chunk.rows + 1,)),
            }
        )
        shapes["norms2"] = "<f8", (chunk.rows,)
        if self.y_dtype:
            shapes["y"] = self.y_dtype, (chunk.rows,)
        if self.weights:
            shapes["weight"] = "<f8", (chunk.rows,)
        return {name: (np.dtype(dtype), shape) for name, (dtype, shape) in shapes.items()}

    @property
    def zero_based(self) -> bool | None:
        """Whether the indices of the svmlight text that was read count from 0; None if it was none."""
        return self.sources[0].get("zero_based") if self.sources else None

    @property
    def columns_shape(self) -> tuple[int, int]:
        """Mean, scale and constancy of each column; with weights, the weighted ones too."""
        return 6 if self.weights else 3, self.d

    @cached_property
    def bytes(self) -> int:
        """Of all files of all chunks."""
        return sum(file.bytes for chunk in self.chunks for file in chunk.files.values())

    def write(self, folder: Path) -> None:
        """Write it; it appears whole or not at all. A line for each chunk."""
        own = {
            name: list(value) if name == "sources" else value._asdict() if name == "columns" else value
            for name, value in vars(self).items()
            if name in _FIELDS and name != "chunks"
        }
        own |= {} if self.table is None else {"table": self.table.to_json()}
        head = json.dumps({"format": FORMAT, "version": VERSION, **own}, allow_nan=False)
        with replacing(folder / MANIFEST) as stream:
            stream.write(head[:-1].encode() + b', "chunks": [')
            for k, chunk in enumerate(self.chunks):
                stream.write((",\n" if k else "\n").encode() + json.dumps(chunk.to_json()).encode())
            stream.write(b"\n]}\n")

    def check_files(self, folder: Path) -> None:
        """Refuse what lacks a file, or has one of another size, or a link that leads elsewhere."""
        if (folder / CHUNKS).is_symlink():
            raise ValueError(f"{folder / CHUNKS}: is a link: a packed directory holds its files itself")
        paths = [(folder / COLUMNS, self.columns.bytes)]
        for k, chunk in enumerate(self.chunks):
            paths += [(chunk_path(folder, k, name), file.bytes) for name, file in chunk.files.items()]
        for path, size in paths:
            found = os.lstat(path)
            if not stat.S_ISREG(found.st_mode):
                raise ValueError(f"{path}: is a link or no regular file: a packed directory holds its files itself")
            if found.st_size != size:
                raise ValueError(damaged(path, f"it has {found.st_size} bytes, where the manifest says {size}"))


def read(folder: Path) -> Manifest:
    """The manifest of a directory, checked. A ValueError of one line says what is wrong."""
    path = folder / MANIFEST
    if not path.is_file():
        if not folder.exists():
            raise FileNotFoundError(2, "No such file or directory", str(folder))
        if (folder / WORK).is_dir():
            raise ValueError(f"{folder}: its packing has not come to an end: run the same pragam pack again")
        raise ValueError(f"{folder}: is no packed directory: it has no {MANIFEST}; pragam pack makes one")
    try:
        return _checked(json.loads(path.read_bytes()))
    except (ValueError, RecursionError, OverflowError, TypeError) as error:
        raise ValueError(f"{path}: not a usable manifest: {str(error).splitlines()[0]}") from error


def _checked(record: Any) -> Manifest:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    version = record.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        is_newer = type(version) is int and version > VERSION
        newer = "which is newer than this pragam: update pragam" if is_newer else ""
        raise ValueError(f"version {version!r:.40} of the format, {newer or 'which there is not'}")
    fields_of(record, _FIELDS)
    own = {name: record[name] for name in _FIELDS if name != "version"}
    own |= {"chunks": tuple(map(Chunk.of, record["chunks"])), "columns": _saved(record["columns"])}
    table = Encoding.from_json(record["table"]) if record.get("table") is not None else None
    manifest = Manifest(**own | {"sources": tuple(record["sources"]), "table": table})
    for fault in _faults(manifest):
        raise ValueError(fault)
    return manifest


def _saved(record: Any) -> Saved:
    found = Saved(**{name: fields_of(record, _FILE)[name] for name in _FILE})
    if not _SUM.fullmatch(found.sha256):
        raise ValueError(f"sha256 must be 64 hexadecimal digits, not {found.sha256!r:.80}")
    return found


def _faults(m: Manifest) -> Iterator[str]:
    """What is wrong with the sizes and types; the arrays themselves are checked when they are read."""
    if m.kind not in ("csr", "dense") or m.dtype not in ("<f4", "<f8"):
        yield f"kind and dtype must be csr or dense, and <f4 or <f8, not {m.kind!r:.40} and {m.dtype!r:.40}"
    if m.index_dtype not in (("<i4", "<i8") if m.kind == "csr" else ("",)) or not _Y_DTYPE.fullmatch(m.y_dtype):
        yield f"index_dtype {m.index_dtype!r:.40} or y_dtype {m.y_dtype!r:.40} is none that a {m.kind} set has"
    if not (0 < m.n < 2**63 and 0 <= m.d < 2**63) or any(
        c.rows < 1 or not 0 <= c.longest <= c.stored for c in m.chunks
    ):
        yield "n and all rows must be above 0, d and all entries at least 0, and no row longer than its chunk"
    if m.n != sum(c.rows for c in m.chunks) or m.stored != sum(c.stored for c in m.chunks):
        yield f"n={m.n} and stored={m.stored} are not the sums over the chunks"
    if m.kind == "dense" and any(c.stored != c.rows * m.d for c in m.chunks):
        yield "a dense chunk stores all entries of its rows"
    if m.table is not None and m.table.n_columns != m.d:
        yield f"its table has {m.table.n_columns} columns, and its rows {m.d}"
    for source in m.sources:
        if type(source) is not dict or type(source.get("zero_based")) not in (bool, type(None)):
            yield f"a source must be an object, zero_based true or false, not {source!r:.40}"
    for k, chunk in enumerate(m.chunks):
        arrays = m.arrays(chunk)
        if chunk.files.keys() != arrays.keys():
            yield f"chunk {k} must have the files {', '.join(arrays)}"
        if not all(_holds(chunk.files[name], dtype, shape) for name, (dtype, shape) in arrays.items()):
            yield f"a file of chunk {k} has a size that its array cannot have"
    if not _holds(m.columns, np.dtype("<f8"), m.columns_shape):
        yield f"{COLUMNS} has a size that its array cannot have"


def _holds(file: Saved, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    """Whether a file of this size is a header and the array."""
    header = file.bytes - math.prod(shape) * dtype.itemsize
    return header > 0 and header % ALIGNED == 0
