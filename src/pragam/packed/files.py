"""Rows of files: which files a user means, which of the formats they have, and how reading goes on after a kill."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from pragam.files import source
from pragam.files.frames import PARQUET
from pragam.files.rows import ARRAYS
from pragam.models.encoding import Encoding
from pragam.models.table_learning import Wanted
from pragam.packed.annotated_rows import HDF5, AnnotatedRows
from pragam.packed.matrix_rows import MatrixRows
from pragam.packed.sources import Arrival, Blocks, Read, Source
from pragam.packed.table_rows import TableRows
from pragam.packed.text_rows import TextRows

_TEXT, _MATRIX, _TABLE, _ANNOTATED = "svmlight text", "a matrix of NumPy", "a table", "an annotated matrix"


class Format(Protocol):
    """How the rows of a file are read."""

    @property
    def zero_based(self) -> bool | None:
        """As of a source, after all files."""

    def read(self, opened: source.Source, at: Any) -> Iterator[Read]:
        """The rows behind ``at``, all if that is None."""


class Reading(NamedTuple):
    """How files are read: what the indices of svmlight text count from; of tables the target, what is left out, what is
    a category and what a missing value becomes; of annotated matrices the target, and the layer that is read in place
    of X."""

    zero_based: Any = "auto"
    target: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str | None = None
    layer: str | None = None

    @property
    def table(self) -> Wanted:
        """What is asked of a table."""
        return Wanted.of(self.target, self.drop, self.categorical, self.missing)


def source_of(given: Any, reading: Reading) -> Source:
    """Blocks, or files by their names, patterns of names, or open files."""
    _check(reading)
    if _is_file(given):
        return Files([given], reading)
    if isinstance(given, (list, tuple)) and given and all(map(_is_file, given)):
        return Files(given, reading)
    if reading != Reading():
        raise ValueError("zero_based, target, drop, categorical, missing and layer are for files, and these are blocks")
    return Blocks(given)


def _check(reading: Reading) -> None:
    zero_based, target, drop, categorical, missing, layer = reading
    if not (zero_based == "auto" or isinstance(zero_based, bool)):
        raise ValueError(f"zero_based must be True, False or 'auto', not {zero_based!r:.40}")
    if not (target is None or isinstance(target, str)):
        raise ValueError(f"target must be the name of a column, not {target!r:.40}")
    for what, names in (("drop", drop), ("categorical", categorical)):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{what} must be a list of names, not {names!r:.40}")
    if not (layer is None or isinstance(layer, str)):
        raise ValueError(f"layer must be the name of a layer, not {layer!r:.40}")
    if layer is not None and (drop or categorical or missing or target is None):
        raise ValueError("layer is for .h5ad files, of which target names the labels and nothing is dropped")
    for what, given in (("drop", drop), ("categorical", categorical), ("missing", missing)):
        if given and target is None:
            raise ValueError(f"{what} is for tables, of which target names the column to predict")
    reading.table  # noqa: B018 (which checks what a missing value becomes)
    if target is not None and zero_based != "auto":
        raise ValueError("zero_based is for svmlight text, and target says that the files are tables")


def _is_file(given: Any) -> bool:
    return isinstance(given, (str, os.PathLike)) or hasattr(given, "read")


class Files:
    """Files of one format, one after the other.

    ``at`` has the number of a file, its format, and where reading was in it.
    """

    def __init__(self, given: Any, reading: Reading) -> None:
        self._files = [file for each in given for file in _found(each)]
        self._tables: TableRows | None = None
        self._kinds: dict[str, Format] = {_MATRIX: MatrixRows(), _TEXT: TextRows(reading.zero_based)}
        if reading.target is not None:
            self._kinds = {_ANNOTATED: AnnotatedRows(reading.target, reading.layer)}
            if reading.layer is None:
                self._tables = self._kinds[_TABLE] = TableRows(reading.table)
        self._kind, self._reading = "", reading
        self._learnt_at: list[int] = []
        self._sizes = list(map(_size, self._files))
        self._total = None if None in self._sizes else sum(filter(None, self._sizes))
        self._opened: source.Source | None = None
        self._number = 0
        _refuse_twice(self._files)

    def asked(self) -> Any:
        """Names, sizes and times of the files; None if one can be read only once."""
        if self._total is None:
            return None
        return [[os.fspath(each), os.path.realpath(each), *_state(each)] for each in self._files]

    def learn(self, known: Any = None) -> Iterator[int]:
        tables = self._tables
        if tables is None or self._total is None:  # what can be read once is learnt from while it is read
            return
        first, begin = 0, 0
        if known is not None:
            first, begin = known["at"]
            tables.go_on(known)
        for number in range(first, len(self._files)):
            with source.opened(self._files[number]) as opened:
                self._opened, self._number = opened, number
                if self._format(opened) is not tables:
                    return
                for end in tables.learn(opened, begin):
                    self._learnt_at = [number, end]
                    yield tables.n_learnt
            begin = 0
        self._learnt_at = [len(self._files), 0]
        tables.finish()

    def learnt(self) -> Any:
        return {**self._tables.learnt(), "at": self._learnt_at} if self._tables and self._learnt_at else None

    def encoding(self) -> Encoding | None:
        return self._tables.encoding if self._tables and self._kind == _TABLE else None

    def read(self, at: Any = None) -> Iterator[Arrival]:
        first, self._kind, own = (0, "", None) if at is None else at
        for number in range(first, len(self._files)):
            with source.opened(self._files[number]) as opened:
                self._opened, self._number = opened, number
                for read in self._format(opened).read(opened, own):
                    yield Arrival(read.part, read.where, opened.name, [number, self._kind, read.at])
            own = None

    def zero_based(self) -> bool | None:
        return self._kinds[self._kind].zero_based if self._kind else None

    def progress(self) -> tuple[int, int] | None:
        if self._total is None or self._opened is None:
            return None
        return sum(filter(None, self._sizes[: self._number])) + self._opened.position, self._total

    def _format(self, opened: source.Source) -> Format:
        """That of a file, which must be that of the files before."""
        kind = _kind(opened.head, has_target=_ANNOTATED in self._kinds)
        if kind == _ANNOTATED and kind not in self._kinds:
            raise ValueError(f"{opened.name}: is a .h5ad file: --target names the column of obs with the labels")
        if kind == _ANNOTATED and self._reading.table != Wanted(self._reading.target):
            raise ValueError(f"{opened.name}: is a .h5ad file, and drop, categorical and missing are for tables")
        if kind not in self._kinds:
            asked = "layer says that it is a .h5ad file" if len(self._kinds) == 1 else "target says that it is a table"
            raise ValueError(f"{opened.name}: is {kind}, and {asked}")
        if opened.head.startswith(PARQUET) and kind == _TEXT:
            raise ValueError(
                f"{opened.name}: is a parquet file: --target names the column to predict (in Python target=)"
            )
        if self._kind not in ("", kind):
            raise ValueError(f"{opened.name}: is {kind}, and the files before are {self._kind}: pack one format only")
        self._kind = kind
        return self._kinds[kind]


def _kind(head: bytes, has_target: bool) -> str:
    """The format that the first bytes tell; without a sign of their own they are text, and with a target a table."""
    if head.startswith(ARRAYS):
        return _MATRIX
    if head.startswith(HDF5):
        return _ANNOTATED
    return _TABLE if has_target else _TEXT


def _found(given: Any) -> list[Any]:
    """The files that a name or a pattern means."""
    if hasattr(given, "read"):
        return [given]
    name = os.fspath(given)
    if not os.path.exists(name) and glob.has_magic(name):
        if not (names := sorted(glob.glob(name, recursive=True))):
            raise ValueError(f"{name}: no file has such a name")
        return names
    if os.path.isdir(name):
        raise ValueError(f"{name}: is a folder: name its files, as in {os.path.join(name, '*')!r}")
    return [name]


def _state(name: Any) -> tuple[int, int]:
    """What tells a file that was changed."""
    found = os.stat(name)
    return found.st_size, found.st_mtime_ns


def _size(file: Any) -> int | None:
    """In bytes; None of what can be read only once."""
    if hasattr(file, "read"):
        return None
    found = os.stat(file)
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _refuse_twice(files: list[Any]) -> None:
    seen = set()
    for file in files:
        if not hasattr(file, "read") and (path := os.path.realpath(file)) in seen:
            raise ValueError(f"{file}: is named twice")
        elif not hasattr(file, "read"):
            seen.add(path)
