"""The labels of a table, as all rows together say: numbers if every value is one, else texts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pragam.files.table_values import coded, numbers_in, texts_in
from pragam.files.tables import Table, number_of
from pragam.packed.part import Array


@dataclass
class Target:
    """Of the rows so far.

    is_text : whether the labels are texts
    fault : what is wrong with them if they are numbers
    """

    name: str
    is_text: bool = False
    fault: str | None = None

    def add(self, table: Table) -> None:
        """Some rows more. A label that is missing is refused."""
        column = table.columns[self.name]
        self.is_text |= column.is_category
        if not self.is_text:
            self._add_numbers(table)
        if isinstance(column.values, np.ndarray):
            return
        texts, places = coded(column)
        if "" in texts:
            raise ValueError(self._empty(table, places == texts.index("")))

    def check(self) -> None:
        """After all rows."""
        if self.fault and not self.is_text:
            raise ValueError(self.fault)

    def of(self, table: Table) -> Array:
        """The labels of some rows."""
        if self.is_text:
            return np.array(texts_in(table.columns[self.name]))
        found = numbers_in(table, self.name)
        if found is None:
            values = table.columns[self.name].values
            row = next(k for k, text in enumerate(values) if number_of(text) is None)
            what = f"the target {self.name!r} is {values[row]!r:.40}"
            raise ValueError(f"{table.where(row)}: {what}, and numbers come before it")
        return found

    def to_json(self) -> dict[str, Any]:
        """For the state of an unfinished packing."""
        return asdict(self)

    def _add_numbers(self, table: Table) -> None:
        try:
            found = numbers_in(table, self.name)
        except ValueError as error:
            self.fault = self.fault or str(error)
            return
        self.is_text = found is None
        if found is not None and (is_missing := np.isnan(found)).any():
            self.fault = self.fault or self._empty(table, is_missing)

    def _empty(self, table: Table, is_missing: Array) -> str:
        return f"{table.where(int(np.argmax(is_missing)))}: the target {self.name!r} is empty"
