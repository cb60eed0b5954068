"""A table that is never in memory as a whole: a part of its rows at a time, of CSV, TSV or parquet, by pyarrow.

A column of text is all texts, whatever they look like: what it is, only all of its rows say.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pragam.files.arrow_texts import ArrowTexts
from pragam.files.frames import PARQUET, pyarrow_module, table_of
from pragam.files.source import Rejoined, Source
from pragam.files.tables import Column, Table, check_names, header_of

#: Bytes of text that are read at a time, into which a row must fit; and the rows of a part.
_BLOCK, _ROWS = 1 << 20, 1 << 13
#: Bytes of text among whose lines the header is looked for, unless a line is longer.
_HEADER = 1 << 16

#: Of the names of all columns, those that are to be read.
Choice = Callable[[list[str]], list[str]]


def parts_of(opened: Source, choose: Choice, skipped: int = 0) -> Iterator[Table]:
    """The rows behind the first ``skipped``, in the columns that are chosen; a ValueError of one line if damaged."""
    arrow, name, end = pyarrow_module("pyarrow", opened.name), opened.name, 0
    is_parquet = opened.head.startswith(PARQUET)
    try:
        for batch in (_parquet if is_parquet else _text)(opened, choose):
            begin, end = end, end + batch.num_rows
            for first in range(max(begin, skipped), end, _ROWS):
                part = batch.slice(first - begin, _ROWS)
                yield replace(_typed(part, name) if is_parquet else _texts(part, name), first=first)
    except (arrow.ArrowException, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: {str(error).splitlines()[0]}") from error
    if not end:
        raise ValueError(f"{name}: there are no rows")


def _text(opened: Source, choose: Choice) -> Iterator[Any]:
    csv, arrow = pyarrow_module("pyarrow.csv", opened.name), pyarrow_module("pyarrow", opened.name)
    stream = opened.content()
    head = stream.read(_BLOCK)
    separator, names = header_of(head[: head.find(b"\n", _HEADER) + 1] or head, opened.name)
    used = choose(names)
    return csv.open_csv(
        io.BufferedReader(Rejoined(head, stream)),
        csv.ReadOptions(use_threads=False, block_size=_BLOCK),
        csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        csv.ConvertOptions(column_types=dict.fromkeys(used, arrow.string()), include_columns=used),
    )


def _parquet(opened: Source, choose: Choice) -> Iterator[Any]:
    if not opened.is_file:
        raise ValueError(f"{opened.name}: a parquet file cannot come through a pipe: give the name of its file")
    data = pyarrow_module("pyarrow.dataset", opened.name).dataset(opened.name, format="parquet")
    check_names(data.schema.names, opened.name)
    return data.scanner(
        columns=choose(data.schema.names), batch_size=_ROWS, batch_readahead=1, fragment_readahead=1, use_threads=False
    ).to_batches()


def _texts(batch: Any, name: str) -> Table:
    columns = {each: Column(ArrowTexts(batch.column(k))) for k, each in enumerate(batch.schema.names)}
    return Table(columns, batch.num_rows, name)


def _typed(batch: Any, name: str) -> Table:
    arrow = pyarrow_module("pyarrow", name)
    return replace(table_of(arrow.Table.from_batches([batch]), name), origin=None)
