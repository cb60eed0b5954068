"""From the blocks of an svmlight text to a CSR matrix and labels."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from scipy import sparse

from pragam import _kernels
from pragam.files.blocks import LONE_RETURN, Block
from pragam.files.kinds import HEAD, SVMLIGHT, looks_like

_INT32_MAX = np.iinfo(np.int32).max

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
_BAD_INDEX, _LARGE_INDEX, _REPEATED_INDEX = 3, 4, 7


class _Report(NamedTuple):
    """What the kernel found in a block. Positions are offsets into the block."""

    rows: int
    entries: int
    fault: int
    where: int
    lowest: int
    lowest_at: int
    highest: int
    highest_at: int


class Reader:
    """Collects the blocks of one text. The newlines and colons of a block determine the size of its arrays.

    ``lines`` of the text come before the first block.
    """

    def __init__(
        self, name: str, dtype: Any, zero_based: bool | Literal["auto"], n_features: int | None, lines: int = 0
    ) -> None:
        self.name = name
        self.n_features = n_features
        self.lowest, self.highest, self.highest_line = _INT32_MAX, -1, 0
        self._zero_based = zero_based
        self._dtype = np.dtype(dtype)
        self._index_dtype: Any = np.int32
        self._parse = _kernels.get("svmlight_parse")
        self._labels: list[np.ndarray] = []
        self._ends: list[np.ndarray] = []
        self._indices: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._row: list[np.ndarray] = []  # the indices of a row that spans several blocks
        self._lines, self._entries = lines, 0
        self._head = b""

    @property
    def zero_based(self) -> bool:
        """Whether the indices read so far count from 0."""
        return self.lowest == 0 if self._zero_based == "auto" else self._zero_based

    @property
    def n_columns(self) -> int:
        """The columns that the indices read so far need."""
        return max(0, self.highest + self.zero_based)

    @property
    def is_empty(self) -> bool:
        """Whether no sample was read so far, or since the last were taken."""
        return not self._labels

    @property
    def lines(self) -> int:
        """How many lines were read, with those before the first block."""
        return self._lines

    def feed(self, block: Block) -> None:
        """Parse a block and store its content."""
        self._head = self._head or block.text[:HEAD]
        self._check_line_ends(block.text)
        newlines, colons = (_count(block.text, byte) for byte in "\n:")
        labels, ends, indices, values, report = self._arrays(block, newlines, colons)
        if report.fault:
            token = _token(block.text, report.where, report.fault)
            self._fail(block.text, report.where, _MESSAGES[report.fault].format(token))
        self._check_range(block.text, report)
        self._follow_row(block, ends, indices)
        ends += self._entries
        self._entries += report.entries
        if block.continued:
            self._ends[-1][-1] = ends[0]
            labels, ends = labels[1:], ends[1:]
        if len(labels):
            self._labels.append(labels)
            self._ends.append(ends)
        self._indices.append(indices)
        self._values.append(values)
        self._lines += newlines - block.unfinished

    def finish(self) -> tuple[sparse.csr_array, np.ndarray]:
        """X and y. Each array's parts are freed as soon as they are joined."""
        y = _joined(self._labels)
        if not len(y):
            raise ValueError(f"{self.name}: no samples")
        d = self.n_columns if self.n_features is None else self.n_features
        if self.n_columns > d:  # only "auto" gets here: an index 0 came after an index equal to n_features
            raise ValueError(f"{self.name}, line {self.highest_line}: {self._beyond(self.highest)}")
        wide = max(d, self._entries) > _INT32_MAX
        indptr = np.zeros(len(y) + 1, np.int64 if wide else np.int32)
        np.concatenate(self._ends, out=indptr[1:], casting="same_kind")
        self._ends.clear()
        indices = _joined(self._indices).astype(indptr.dtype, copy=False)
        indices -= not self.zero_based
        return sparse.csr_array((_joined(self._values), indices, indptr), shape=(len(y), d)), y

    def taken(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The samples so far, none of them unfinished, which are then no longer here.

        Labels, where each row ends, indices as they are written, and values.
        """
        self._entries = 0
        return _joined(self._labels), _joined(self._ends), _joined(self._indices), _joined(self._values)

    def fail_after_last_line(self, message: str) -> NoReturn:
        """Refuse the text after the blocks that were parsed."""
        raise ValueError(f"{self.name}, line {self._lines + 1}: {message}{looks_like(self._head, SVMLIGHT)}")

    def _arrays(
        self, block: Block, rows: int, entries: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, _Report]:
        """What the kernel makes of a block of at most so many rows and entries, in arrays of exactly that size."""
        text = np.frombuffer(block.text, np.uint8)
        labels, ends, values = np.empty(rows), np.empty(rows, np.int64), np.empty(entries, self._dtype)
        while True:
            indices = np.empty(entries, self._index_dtype)
            report = _Report(*self._parse(text, labels, ends, indices, values, block.continued))
            if report.fault != _LARGE_INDEX or self._index_dtype is np.int64:
                break
            self._index_dtype = np.int64
        rows, entries = report.rows, report.entries
        return _cut(labels, rows), _cut(ends, rows), _cut(indices, entries), _cut(values, entries), report

    def _follow_row(self, block: Block, ends: np.ndarray, indices: np.ndarray) -> None:
        """Look for repeated indices in a row that spans several blocks. The kernel sees only one block at a time."""
        goes_on = block.continued and block.unfinished and len(ends) == 1
        if block.continued:
            self._row.append(indices[: ends[0]])
            if not goes_on:
                self._check_row(np.concatenate(self._row))
        if block.unfinished and not goes_on:
            self._row = [indices[ends[-2] if len(ends) > 1 else 0 :]]

    def _check_row(self, row: np.ndarray) -> None:
        if not (row[1:] > row[:-1]).all() and len(np.unique(row)) < len(row):
            label = repr(f"{self._labels[-1][-1]:.17g}")
            self.fail_after_last_line(_MESSAGES[_REPEATED_INDEX].format(label))

    def _check_line_ends(self, text: bytes) -> None:
        """Refuse a lone carriage return. It ends a line for some programs and is a blank for others, so a comment may
        swallow what follows it."""
        if b"\r" in text and (found := re.search(rb"\r(?!\n)", text)):
            self._fail(text, found.start(), LONE_RETURN)

    def _check_range(self, text: bytes, report: _Report) -> None:
        if self._zero_based is False and report.lowest == 0:
            self._fail(text, report.lowest_at, "feature index 0, where indices count from 1")
        bound = None if self.n_features is None else self.n_features - (self._zero_based is True)
        if bound is not None and report.highest > bound:
            self._fail(text, report.highest_at, self._beyond(report.highest))
        self.lowest = min(self.lowest, report.lowest)
        if report.highest > self.highest:
            self.highest = report.highest
            self.highest_line = self._line(text, report.highest_at)

    def _beyond(self, index: int) -> str:
        return f"feature index {index} is beyond n_features={self.n_features}"

    def _line(self, text: bytes, where: int) -> int:
        return self._lines + text.count(b"\n", 0, where) + 1

    def _fail(self, text: bytes, where: int, message: str) -> NoReturn:
        kind = looks_like(self._head, SVMLIGHT) if self._lines == 0 else ""
        raise ValueError(f"{self.name}, line {self._line(text, where)}: {message}{kind}")


def _count(text: bytes, byte: str) -> int:
    """How often a byte occurs. Where it is frequent, ``bytes.count`` takes five times as long."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(byte)))


def _cut(array: np.ndarray, size: int) -> np.ndarray:
    """The first ``size`` entries, in no more memory than they need."""
    return array if len(array) == size else array[:size].copy()


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    """The parts as one array. The parts are freed, since together they are as large as the result."""
    whole = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)
    parts.clear()
    return whole


def _token(text: bytes, where: int, fault: int) -> str:
    """The offending token, quoted for one line of a message."""
    pattern = rb"[^\s#:]*" if fault in (_BAD_INDEX, _LARGE_INDEX) else rb"[^\s#]*"
    found = re.compile(pattern).match(text, where)
    token = found.group().decode("utf-8", "replace") if found else ""
    return repr(token if len(token) <= 40 else token[:40] + "...")
