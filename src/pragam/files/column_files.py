"""CoNLL-style column files: a token a line, its columns between spaces or tabs, and an empty line after each sequence.

::

    Confidence NN B-NP
    in IN B-PP
    the DT B-NP

    Chancellor NNP O

In files with labels these are the last column. Files are UTF-8, plain or compressed, and may come through a pipe. Only
spaces and tabs separate columns: other white space may be a part of a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.files import source

_GAP = re.compile(r"[ \t]+")


class ColumnData(NamedTuple):
    """All tokens of a file, one sequence after the other."""

    columns: list[list[str]]  # a list of all tokens' values for each column
    lengths: NDArray[np.int64]  # tokens of each sequence

    @property
    def n_tokens(self) -> int:
        return len(self.columns[0])


def read_columns(path: source.Path) -> ColumnData:
    """The tokens of a column file. ValueError, naming the line, if a line has more or fewer columns than the first."""
    with source.opened(path) as opened:
        return read_opened(opened)


def read_opened(opened: source.Source, may_be_empty: bool = False) -> ColumnData:
    """The same of an input that is open. Without tokens there are no columns either; only some may be empty."""
    rows: list[list[str]] = []
    lengths: list[int] = []
    begin = 0
    for number, line in _lines(opened):
        if line:
            row = _GAP.split(line)
            if rows and len(row) != len(rows[0]):
                before = f"the lines before have {len(rows[0])}"
                raise ValueError(f"{opened.name}, line {number}: {len(row)} columns, and {before}")
            rows.append(row)
        elif len(rows) > begin:
            lengths.append(len(rows) - begin)
            begin = len(rows)
    if not rows and not may_be_empty:
        raise ValueError(f"{opened.name}: there are no tokens")
    if len(rows) > begin:
        lengths.append(len(rows) - begin)
    return ColumnData([list(column) for column in zip(*rows, strict=True)], np.array(lengths, dtype=np.int64))


def _lines(opened: source.Source) -> Iterator[tuple[int, str]]:
    """The number of each line, and its text without white space around it."""
    for number, line in enumerate(opened.content(), 1):
        try:
            yield number, line.decode("utf-8").removeprefix("\ufeff").strip(" \t\r\n")
        except UnicodeDecodeError as error:
            raise ValueError(f"{opened.name}, line {number}: not UTF-8 text") from error


def with_column(data: ColumnData, labels: Iterable[str]) -> Iterator[str]:
    """The lines of a column file whose last column is ``labels``, behind the columns of ``data``."""
    ends = set(np.cumsum(data.lengths).tolist())
    for number, row in enumerate(zip(*data.columns, labels, strict=True), 1):
        yield " ".join(row) + ("\n\n" if number in ends else "\n")
