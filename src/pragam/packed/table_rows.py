"""The rows of tables whose columns are numbers: CSV and TSV with a header, parquet; a part at a time, by pyarrow.

A packed data set has numbered columns: those of the table in their order, without the target and what is left out. What
:class:`pragam.models.Encoding` does with categories and missing values needs the whole table, so these are refused.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pragam.files.frames import PARQUET, pyarrow_module
from pragam.files.source import Rejoined, Source
from pragam.files.tables import check_names, header_of, listed, number_of
from pragam.packed.incoming import parts
from pragam.packed.part import Array
from pragam.packed.sources import Read

#: Bytes of text, and rows of parquet, that are read at a time. A row of text must fit.
_BLOCK, _ROWS = 1 << 22, 1 << 14
_REMEDY = "packed columns are numbers: --drop (in Python drop=) leaves one out"


class TableRows:
    """Of tables with the same columns. ``at`` is [rows of the file, the names of the columns, whether y is text]."""

    zero_based = None

    def __init__(self, target: str, drop: Sequence[str]) -> None:
        self._target, self._drop = target, drop
        self._names: list[str] | None = None
        self._has_texts: bool | None = None

    def read(self, opened: Source, at: Any) -> Iterator[Read]:
        """The rows behind ``at``."""
        skipped, self._names, self._has_texts = (0, self._names, self._has_texts) if at is None else at
        arrow, name, row = pyarrow_module("pyarrow", opened.name), opened.name, 0
        try:
            for batch in (self._parquet if opened.head.startswith(PARQUET) else self._text)(opened):
                first, row = max(row, skipped), row + batch.num_rows
                if row <= skipped or not batch.num_rows:
                    continue
                block = self._block(batch.slice(batch.num_rows - (row - first)), f"{name}, row", first + 1)
                for part in parts(block, f"{name}, rows {first + 1} to {row}"):
                    first += part.rows
                    yield Read(part, f"{name}, up to row {first}", [first, self._names, self._has_texts])
        except (arrow.ArrowException, UnicodeDecodeError) as error:
            raise ValueError(f"{name}: {str(error).splitlines()[0]} ({_REMEDY})") from error
        if not row:
            raise ValueError(f"{name}: there are no rows")

    def _text(self, opened: Source) -> Iterator[Any]:
        """The batches of a text; what stands in a column of features must be a number, or nothing."""
        csv, arrow = pyarrow_module("pyarrow.csv", opened.name), pyarrow_module("pyarrow", opened.name)
        stream = opened.content()
        head = stream.read(_BLOCK)
        separator, names = header_of(head, opened.name)
        used = self._columns(names, opened.name)
        kinds = dict.fromkeys(used, arrow.float64()) | {self._target: arrow.string()}
        return csv.open_csv(
            io.BufferedReader(Rejoined(head, stream)),
            csv.ReadOptions(use_threads=False, block_size=_BLOCK),
            csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            csv.ConvertOptions(column_types=kinds, include_columns=list(kinds), null_values=["", " "]),
        )

    def _parquet(self, opened: Source) -> Iterator[Any]:
        """The batches of a parquet file."""
        if not opened.is_file:
            raise ValueError(f"{opened.name}: a parquet file cannot come through a pipe: give the name of its file")
        data = pyarrow_module("pyarrow.dataset", opened.name).dataset(opened.name, format="parquet")
        used = self._columns(data.schema.names, opened.name)
        return data.scanner(
            columns=[*used, self._target], batch_size=_ROWS, batch_readahead=1, fragment_readahead=1, use_threads=False
        ).to_batches()

    def _columns(self, names: list[str], name: str) -> list[str]:
        """Those of the features, which are those of the files before."""
        check_names(names, name)
        for each in (self._target, *self._drop):
            if each not in names:
                raise ValueError(f"{name}: it has no column {each!r}; its columns are {listed(names)}")
        used = [each for each in names if each != self._target and each not in self._drop]
        if not used:
            raise ValueError(f"{name}: no column is left to predict from; its columns are {listed(names)}")
        if self._names not in (None, used):
            raise ValueError(f"{name}: its columns {listed(used)} are not those of the files before")
        self._names = used
        return used

    def _block(self, batch: Any, where: str, first: int) -> tuple[Array, Array]:
        """X and y; the first row is called ``first``."""
        columns = [_numbers(batch.column(k), f"{where} {first}", each) for k, each in enumerate(self._names or ())]
        for values, each in zip(columns, self._names or (), strict=True):
            if not (good := np.isfinite(values)).all():
                row = first + int(np.argmin(good))
                raise ValueError(f"{where} {row}: column {each!r} is empty or not finite ({_REMEDY})")
        target = batch.column(len(columns))
        if target.null_count:
            row = first + int(np.argmax(target.is_null().to_numpy(zero_copy_only=False)))
            raise ValueError(f"{where} {row}: the target {self._target!r} is empty")
        y = self._labels(target, where, first)
        if y.dtype.kind == "f" and not (good := np.isfinite(y)).all():
            raise ValueError(f"{where} {first + int(np.argmin(good))}: the target {self._target!r} is not finite")
        return np.stack(columns, axis=1), y

    def _labels(self, target: Any, where: str, first: int) -> Array:
        """Numbers, or texts if one of the first rows had a value that is no number."""
        values = _plain(target).to_numpy(zero_copy_only=False)
        if values.dtype.kind in "iuf":
            return values
        texts = values.astype(str)
        if (texts == "").any():
            raise ValueError(f"{where} {first + int(np.argmax(texts == ''))}: the target {self._target!r} is empty")
        found = [number_of(text) for text in texts]
        if self._has_texts is None:
            self._has_texts = None in found
        if self._has_texts:
            return texts
        if None in found:
            row, what = found.index(None), f"the target {self._target!r}"
            raise ValueError(f"{where} {first + row}: {what} is {str(texts[row])!r:.40}, and numbers come before it")
        return np.array(found, dtype=np.float64)


def _plain(column: Any) -> Any:
    """Without an encoding by levels."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def _numbers(column: Any, where: str, name: str) -> Array:
    """A column of real numbers; whole ones must be numbers of float64, and None is NaN."""
    kind = str(column.type)
    if kind in ("float", "double"):
        return column.to_numpy(zero_copy_only=False)
    if not kind.startswith(("int", "uint", "halffloat")):
        raise ValueError(f"{where}: column {name!r} has the type {kind} ({_REMEDY})")
    return column.cast("float64").to_numpy(zero_copy_only=False)
