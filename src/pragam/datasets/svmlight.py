"""Reading and writing svmlight/LIBSVM text: ``label [qid:K] index:value ... # comment``, a sample a line.

The text, decompressed if need be, is read in blocks of whole lines. The kernel ``svmlight_parse`` turns each
into flat arrays of a fixed size, whose filled parts are put together in the end: the text is never held as
a whole, and a plain file takes the same path as a compressed one. (A memory map would be about a fifth
faster on plain files, but a file cut short while it is read would then kill the process.)
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import operator
import os
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, NamedTuple, NoReturn

import numpy as np
from scipy import sparse

from pragam import _kernels
from pragam.atomic import replacing

_BLOCK = 1 << 20
_INT32_MAX = np.iinfo(np.int32).max
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

# In the order of the kernel's fault codes.
_MESSAGES = (
    "",
    "label {} is not a finite number",
    "query id {} is not a whole number",
    "feature index {} is not a whole number",
    "feature index {} is too large",
    "feature {} is not of the form index:value",
    "value {} is not a finite number",
    "a feature index is repeated in the row of label {}",
)
_BAD_INDEX, _LARGE_INDEX = 3, 4


class _Report(NamedTuple):
    """What the kernel found in a block; places are offsets into it."""

    rows: int
    entries: int
    fault: int
    where: int
    lowest: int
    lowest_at: int
    highest: int
    highest_at: int


def load_svmlight(
    path: str | os.PathLike[str] | BinaryIO,
    n_features: int | None = None,
    *,
    dtype: Any = np.float64,
    zero_based: bool | Literal["auto"] = "auto",
) -> tuple[sparse.csr_array, np.ndarray]:
    """The samples X (CSR, shape (n, d)) and labels y (float64) of an svmlight file.

    ``path`` is a file name or a binary file object; gzip, bzip2 and xz are known by their first bytes.
    d is ``n_features``, or what the highest index needs. Indices count from 1, or from 0 if ``zero_based``;
    "auto" means from 0 if and only if the index 0 occurs. ``dtype`` is that of X: float64, or float32 (the
    float64 rounded once more). Indices are int32 where they fit, else int64.

    Numbers are decimal and rounded correctly, exactly as ``float`` does; infinities and NaN are refused, as
    are an index repeated in a row and one outside ``n_features``. Within a row the indices may come in any
    order, and keep it. Explicit zeros stay stored. Comments, blank lines, query ids, tabs and CRLF are
    skipped. Whatever else the text holds is a ValueError that names the file and the line.
    """
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(f"dtype must be float64 or float32, not {dtype!r}")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', not {zero_based!r}")
    if n_features is not None and not 0 <= operator.index(n_features) < 2**63:
        raise ValueError(f"n_features must be a whole number below 2^63, not {n_features!r}")
    reader = _Reader(_name(path), np.dtype(dtype), zero_based, n_features)
    with _opened(path) as stream:
        for block in _blocks(stream, _BLOCK, reader.name):
            reader.feed(block)
    return reader.finish()


class _Reader:
    """Gathers the blocks of one file."""

    def __init__(self, name: str, dtype: np.dtype, zero_based: bool | str, n_features: int | None):
        self.name = name
        self.zero_based = zero_based
        self.n_features = n_features
        self.parse = _kernels.get("svmlight_parse")
        self.labels = np.empty(0)
        self.ends = np.empty(0, np.int64)
        self.indices = np.empty(0, np.int32)
        self.values = np.empty(0, dtype)
        self.parts: tuple[list[np.ndarray], ...] = ([], [], [], [])
        self.lines = self.entries = 0
        self.lowest, self.highest, self.highest_line = _INT32_MAX, -1, 0

    def feed(self, block: bytes) -> None:
        """Parse whole lines; the last byte is a newline."""
        self._make_room(len(block))
        report = self._parse(block)
        if report.fault == _LARGE_INDEX and self.indices.dtype == np.int32:
            self.indices = np.empty(len(self.indices), np.int64)
            report = self._parse(block)
        if report.fault:
            token = _token(block, report.where, report.fault)
            self._fail(block, report.where, _MESSAGES[report.fault].format(token))
        self._check_range(block, report)
        self.ends[: report.rows] += self.entries
        for part, array in zip(self.parts[:2], (self.labels, self.ends), strict=True):
            part.append(array[: report.rows].copy())
        for part, array in zip(self.parts[2:], (self.indices, self.values), strict=True):
            part.append(array[: report.entries].copy())
        self.entries += report.entries
        self.lines += block.count(b"\n")

    def finish(self) -> tuple[sparse.csr_array, np.ndarray]:
        """X and y."""
        if not any(map(len, self.parts[0])):
            raise ValueError(f"{self.name}: no samples")
        y, ends, indices, values = (_joined(part) for part in self.parts)
        one_based = self.zero_based is False or (self.zero_based == "auto" and self.lowest > 0)
        needed = max(0, self.highest + (not one_based))
        d = needed if self.n_features is None else self.n_features
        if needed > d:  # only "auto" comes here: an index 0 stood after an index equal to n_features
            raise ValueError(f"{self.name}, line {self.highest_line}: {self._beyond(self.highest)}")
        wide = max(d, self.entries) > _INT32_MAX
        indices = indices.astype(np.int64 if wide else np.int32, copy=False)
        indices -= one_based
        indptr = np.concatenate([[0], ends]).astype(indices.dtype, copy=False)
        return sparse.csr_array((values, indices, indptr), shape=(len(y), d)), y

    def _make_room(self, size: int) -> None:
        """A label takes at least 2 bytes, a feature 4."""
        if len(self.labels) < size // 2:
            self.labels, self.ends = np.empty(size // 2), np.empty(size // 2, np.int64)
            self.indices = np.empty(size // 4, self.indices.dtype)
            self.values = np.empty(size // 4, self.values.dtype)

    def _parse(self, block: bytes) -> _Report:
        text = np.frombuffer(block, np.uint8)
        return _Report(*self.parse(text, self.labels, self.ends, self.indices, self.values))

    def _check_range(self, block: bytes, report: _Report) -> None:
        if self.zero_based is False and report.lowest == 0:
            self._fail(block, report.lowest_at, "feature index 0, where indices count from 1")
        bound = None if self.n_features is None else self.n_features - (self.zero_based is True)
        if bound is not None and report.highest > bound:
            self._fail(block, report.highest_at, self._beyond(report.highest))
        self.lowest = min(self.lowest, report.lowest)
        if report.highest > self.highest:
            self.highest = report.highest
            self.highest_line = self._line(block, report.highest_at)

    def _beyond(self, index: int) -> str:
        return f"feature index {index} is beyond n_features={self.n_features}"

    def _line(self, block: bytes, where: int) -> int:
        return self.lines + block.count(b"\n", 0, where) + 1

    def _fail(self, block: bytes, where: int, message: str) -> NoReturn:
        raise ValueError(f"{self.name}, line {self._line(block, where)}: {message}")


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """The parts as one array; they are freed, since together they are as large as the result."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def _token(block: bytes, where: int, fault: int) -> str:
    """The offending token, quoted for one line of a message."""
    pattern = rb"[^\s#:]*" if fault in (_BAD_INDEX, _LARGE_INDEX) else rb"[^\s#]*"
    found = re.compile(pattern).match(block, where)
    text = found.group().decode("utf-8", "replace") if found else ""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def _blocks(stream: BinaryIO, size: int, name: str) -> Iterator[bytes]:
    """The text in pieces of whole lines, about ``size`` bytes each; the last line gets its newline."""
    try:
        while block := stream.read(size):
            if not block.endswith(b"\n"):
                block += stream.readline()
            yield block if block.endswith(b"\n") else block + b"\n"
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # the disk's fault, not the content's
            raise
        raise ValueError(f"{name}: cannot decompress: {error}") from error


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """A binary stream of the plain text in a file, or in a file object, which stays open."""
    with contextlib.ExitStack() as stack:
        stream: Any = path
        if isinstance(path, (str, os.PathLike)):
            stream = stack.enter_context(open(path, "rb"))
        elif isinstance(path, io.TextIOBase):
            raise ValueError(f"{_name(path)}: the file must be opened in binary mode")
        elif not hasattr(path, "peek"):
            stream = io.BufferedReader(stream)
            stack.callback(stream.detach)
        head = stream.peek(6)
        for magic, opener in _OPENERS.items():
            if head.startswith(magic):
                stream = stack.enter_context(opener(stream))
        yield stream


def _name(path: str | os.PathLike[str] | BinaryIO) -> str:
    return os.fspath(path) if isinstance(path, (str, os.PathLike)) else str(getattr(path, "name", "<stream>"))


def save_svmlight(path: str | os.PathLike[str], X: Any, y: Any) -> None:
    """Write X (sparse or dense) and y as svmlight text with indices from 1; load_svmlight gives them back.

    Numbers are written with the fewest digits that give the same float64 again. The file appears whole or
    not at all. The text does not hold the number of features: give it to ``load_svmlight`` if the last
    columns of X may be empty.
    """
    X = sparse.csr_array(X, dtype=np.float64, copy=True)
    X.sum_duplicates()
    y = np.asarray(y, dtype=np.float64)
    if y.shape != X.shape[:1]:
        raise ValueError(f"y has shape {y.shape}, but X has {X.shape[0]} rows")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError("X and y must be finite")
    with replacing(path) as stream:
        for label, start, stop in zip(y.tolist(), X.indptr[:-1], X.indptr[1:], strict=True):
            entries = zip((X.indices[start:stop] + 1).tolist(), X.data[start:stop].tolist(), strict=True)
            line = " ".join([_shortest(label), *(f"{index}:{_shortest(value)}" for index, value in entries)])
            stream.write(line.encode() + b"\n")


def _shortest(value: float) -> str:
    return repr(value).removesuffix(".0")
