"""The rows of tables (CSV and TSV with a header, parquet) in the numbers that a model of the table has, part by part.

The first reading learns what the columns are, the second encodes the rows by it. Both are those of
:class:`pragam.models.Encoding`, so a model of the packed rows reads tables as one that was trained on the whole table.
What can be read once is a table of numbers without missing values: then no row needs to know another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pragam.files.source import Source
from pragam.files.table_parts import parts_of
from pragam.files.tables import Table, listed
from pragam.models.encoding import Encoding
from pragam.models.table_columns import Number
from pragam.models.table_learning import TableLearning, Wanted
from pragam.packed.incoming import parts
from pragam.packed.part import Array
from pragam.packed.sources import Read
from pragam.packed.table_target import Target

#: About so many bytes of texts that may become levels are held.
LEVELS = 1 << 26


class TableRows:
    """Of tables with the same columns. ``at`` is how many rows of the file were read."""

    zero_based = None

    def __init__(self, wanted: Wanted) -> None:
        assert wanted.target is not None
        self._wanted = wanted
        self._target = Target(wanted.target)
        self._learning: TableLearning | None = None
        self._encoding: Encoding | None = None

    def learn(self, opened: Source, at: int) -> Iterator[int]:
        """The first reading of a file, behind ``at`` rows: how many of its rows were read."""
        for table in parts_of(opened, lambda names: self._choose(names, opened.name), at):
            self._add(table)
            yield table.first + table.n

    def learnt(self) -> dict[str, Any]:
        """All that was learnt, as JSON."""
        assert self._learning is not None
        return {"columns": self._learning.to_json(), "target": self._target.to_json()}

    def go_on(self, record: dict[str, Any]) -> None:
        """As if what ``learnt`` tells had been read."""
        self._learning = TableLearning.again(record["columns"], self._wanted, LEVELS)
        self._target = Target(**record["target"])

    def finish(self) -> None:
        """There are no rows to learn from any more."""
        if self._learning is not None:
            self._target.check()
            self._encoding = Encoding.of(self._learning)

    @property
    def n_learnt(self) -> int:
        """How many rows were learnt from."""
        return 0 if self._learning is None else self._learning.n

    @property
    def encoding(self) -> Encoding | None:
        """What the columns are, when all rows were read."""
        if self._encoding is None and self._learning is not None:
            self._encoding = Encoding.of(self._learning)
        return self._encoding

    def read(self, opened: Source, at: Any) -> Iterator[Read]:
        """The rows behind ``at``."""
        for table in parts_of(opened, lambda names: self._choose(names, opened.name), at or 0):
            row = table.first
            if self._encoding is None:
                self._add_plain(table)
            X, y = self._numbers(table), self._target.of(table)
            for part in parts((X, y), f"{opened.name}, rows {row + 1} to {row + table.n}"):
                row += part.rows
                yield Read(part, f"{opened.name}, up to row {row}", row)

    def _choose(self, names: list[str], name: str) -> list[str]:
        """The columns of the features, which are those of the files before, and the target."""
        target = self._target.name
        used = self._wanted.features(names, name)
        if self._learning is None:
            self._learning = TableLearning.of(names, name, self._wanted, LEVELS)
        elif (before := [each.name for each in self._learning.seen]) != used:
            raise ValueError(f"{name}: its columns {listed(used)} are not those of the files before, {listed(before)}")
        return [*used, target]

    def _add(self, table: Table) -> None:
        assert self._learning is not None
        self._target.add(table)
        self._learning.add(table)

    def _add_plain(self, table: Table) -> None:
        """Of what is read once: numbers alone."""
        assert self._learning is not None
        was_text, is_first = self._target.is_text, not self._learning.n
        self._add(table)
        self._target.is_text = self._target.is_text if is_first else was_text
        self._target.check()
        if not self._learning.is_plain:
            odd = next(each for each in self._learning.seen if each.is_category or each.missing)
            where, what = (table.name, "categories or missing values") if odd.strange is None else odd.strange
            what = what if odd.strange is None else f"{what!r:.40}, which is no number"
            raise ValueError(
                f"{where}: column {odd.name!r} has {what}: a table with categories or missing values is read twice, "
                "and a stream only once: write it to a file"
            )

    def _numbers(self, table: Table) -> Any:
        """X: dense if each column is one number, else CSR."""
        if self._encoding is None:
            assert self._learning is not None
            return self._dense(table, Encoding(tuple(Number(each.name, 0.0) for each in self._learning.seen)))
        if all(isinstance(each, Number) and not each.is_flagged for each in self._encoding.columns):
            return self._dense(table, self._encoding)
        return self._encoding.encode(table)[0]

    def _dense(self, table: Table, encoding: Encoding) -> Array:
        """In float32 if all columns have that type, and none is filled with its mean."""
        X = encoding.encode(table)[0].data.reshape(table.n, encoding.n_columns)
        kinds = {getattr(table.columns[each.name].values, "dtype", None) for each in encoding.columns}
        return X.astype(np.float32) if kinds == {np.dtype(np.float32)} and not self._fills else X

    @property
    def _fills(self) -> bool:
        return self._learning is not None and not self._learning.is_plain
