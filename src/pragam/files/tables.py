"""Tables of text: a header with the names of the columns, then a record for each row (CSV, TSV).

What is read is the text itself: fields are strings, and each record keeps its own bytes, so that a table can be written
back with further columns and not one character of the others changed (:func:`with_columns`).

*Separator*: the one of comma, tab and semicolon that splits the header into most fields; comma if none does. *Quoting*:
as Python's csv module reads it, strictly; a quoted field may hold separators, doubled quotes and line ends. *Encoding*:
UTF-8, with or without a byte-order mark. *Lines* end in any of the three ways. Empty lines at the end belong to no row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pragam.files import source
from pragam.files.kinds import CSV, HEAD, looks_like

_BOM = "\ufeff"
_SEPARATORS = ",\t;"


class Column(NamedTuple):
    """The values of a column.

    values : texts, where "" is a missing value, as a list or as ArrowTexts; or an array of numbers, where NaN is one
    is_category : whether it is one by its type, as texts in a data frame are; of text nobody knows
    holds_dates : whether it does by its type
    """

    values: Any
    is_category: bool = False
    holds_dates: bool = False


class Text(NamedTuple):
    """What a table was read from, in full: the concatenation of all parts is the file."""

    separator: str
    header: str
    records: list[str]
    rest: str


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, in their order.

    name : what messages call it
    lines : the line of the text at which each row begins; none if it was no text
    origin : a Text, or the pyarrow.Table of a parquet file, to write it back
    first : how many rows of the table come before these
    """

    columns: dict[str, Column]
    n: int
    name: str = "the table"
    lines: Sequence[int] = ()
    origin: Any = field(default=None, repr=False)
    first: int = 0

    def where(self, row: int) -> str:
        """What messages call a row."""
        return f"{self.name}, {f'line {self.lines[row]}' if len(self.lines) else f'row {self.first + row + 1}'}"

    def column(self, name: str, what: str = "") -> Column:
        """The column of this name; ``what`` says what it is for."""
        if name not in self.columns:
            raise no_column(self.name, name, self.columns, what)
        return self.columns[name]


def no_column(where: str, name: str, names: Any, what: str = "") -> ValueError:
    """What to say of a column that is not there; ``what`` says what it is for."""
    return ValueError(f"{where}: it has no column {name!r}{what}; its columns are {listed(names)}")


def listed(names: Any) -> str:
    """Names between commas, cut where there are many."""
    found, most = list(names), 30
    return ", ".join(map(repr, found[:most])) + (f", ... ({len(found)} in all)" if len(found) > most else "")


def read_text(opened: source.Source) -> Table:
    """The table in an input. A ValueError of one line names the line that is wrong."""
    name = opened.name
    text = _decoded(opened.content().read(), name)
    own = _Records(text, _separator(text), name)
    header = next(own, [])
    _check_header(header, name)
    first, rows, records, lines, blank = own.taken(), [], [], [], ""
    for row in own:
        raw, line = own.taken(), own.line
        if not row:
            blank += raw
            continue
        if blank:
            raise ValueError(f"{name}, line {line - 1}: is empty, and rows follow it")
        if len(row) != len(header):
            raise ValueError(f"{name}, line {line}: {len(row)} fields, and the header names {len(header)} columns")
        rows.append(row)
        records.append(raw)
        lines.append(line)
    values = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in header]
    columns = {each: Column(own) for each, own in zip(header, values, strict=True)}
    return Table(columns, len(rows), name, lines, Text(own.separator, first, records, blank))


def header_of(head: bytes, name: str) -> tuple[str, list[str]]:
    """The separator of a table that begins so, and the names of its columns."""
    text = _decoded(head[: head.rfind(b"\n") + 1] or head, name).removeprefix(_BOM)
    separator = _separator(text)
    names = next(_Records(text, separator, name), [])
    _check_header(names, name)
    return separator, names


def _check_header(names: list[str], name: str) -> None:
    if not any(names):
        raise ValueError(f"{name}: no header: the first line must name the columns")
    if all(_is_number(field) for field in names):
        raise ValueError(f"{name}, line 1: numbers, where a header must name the columns")
    check_names(names, f"{name}, line 1")


def check_names(names: Sequence[Any], where: str) -> None:
    """Refuse columns whose names are no texts, empty or not different."""
    if odd := [name for name in names if not isinstance(name, str)]:
        raise ValueError(f"{where}: the columns must have texts for names, not {odd[0]!r:.40}")
    if "" in names:
        why = " (pandas writes its index so, which to_csv(index=False) leaves out)" if names[0] == "" else ""
        raise ValueError(f"{where}: column {list(names).index('') + 1} has no name{why}")
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ValueError(f"{where}: two columns are called {twice!r}")


def with_columns(text: Text, names: Sequence[str], columns: Sequence[Sequence[str]]) -> Iterator[str]:
    """The text again, with further fields at the end of each record; nothing else is changed."""
    yield _longer(text.header, names, text.separator)
    for k, record in enumerate(text.records):
        yield _longer(record, [column[k] for column in columns], text.separator)
    yield text.rest


def _longer(record: str, fields: Sequence[str], separator: str) -> str:
    body = record[:-2] if record.endswith("\r\n") else record[:-1] if record.endswith(("\n", "\r")) else record
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\r\n").writerow(fields)  # quotes what holds \r or \n too
    return body + separator + written.getvalue()[:-2] + record[len(body) :]


class _Records:
    """The records of a text, and of the last one its line and its characters."""

    def __init__(self, text: str, separator: str, name: str) -> None:
        self.separator, self.line, self._name, self._taken = separator, 1, name, [""]
        bom = _BOM if text.startswith(_BOM) else ""
        lines = _kept(io.StringIO(text[len(bom) :], newline=""), self._taken)
        self._reader = csv.reader(lines, delimiter=separator, strict=True)
        self._taken[0] = bom

    def __iter__(self) -> _Records:
        return self

    def __next__(self) -> list[str]:
        self.line = self._reader.line_num + 1
        try:
            return next(self._reader)
        except csv.Error as error:
            raise ValueError(f"{self._name}, line {self.line}: {error}") from error

    def taken(self) -> str:
        """The characters of the records since the last call."""
        found = "".join(self._taken)
        self._taken.clear()
        return found


def _kept(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    """The lines, each of which is noted. That it knows no records lets go of the text as soon as they are done."""
    for line in lines:
        taken.append(line)
        yield line


def _separator(text: str) -> str:
    """The one with most fields in the header; the first of those that are equal."""
    return max(_SEPARATORS, key=lambda separator: _width(text, separator))


def _width(text: str, separator: str) -> int:
    try:
        return len(next(_Records(text, separator, ""), []))
    except ValueError:  # a quote that only another separator closes
        return 0


def _decoded(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name}: is UTF-16: save it as UTF-8")
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise ValueError(
            f"{name}, line {line}: a zero byte, so it is no table of text{looks_like(content[:HEAD], CSV)}"
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        said = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise ValueError(f"{name}, line {line}: {said}: save the table as UTF-8") from error


def _is_number(text: str) -> bool:
    return bool(np.isfinite(value)) if (value := number_of(text)) is not None else False


def number_of(text: str) -> float | None:
    """What the text says as a float (NaN of an empty one), None if it is no number."""
    text = text.strip()
    if not text:
        return np.nan
    try:
        return None if "_" in text else float(text)  # Python's own underscores are no number elsewhere
    except ValueError:
        return None
