"""A table's columns as numbers: a number is itself, a category is 1 in the column of its level.

    encoding = Encoding.learn(frame, target="income", drop=["id"])
    X, unknown = encoding.encode(frame)          a CSR matrix in float64, and how many values had unknown levels

*Rule*: a column is numeric if every value that is not missing parses as a float; else it is categorical. In a data
frame its type says so. ``categorical`` makes a category of a column in any case. Levels are sorted by their text, one
column a level. A level that training did not have sets none of them.

*Missing* values (empty fields, NaN) are refused, unless ``missing`` says what they become. With "mean" a number is the
mean of its column in training, and a category sets no level. "indicator" does the same and has a further column, which
is 1 where the value was missing, for each column that lacked values in training.

What would lose something is refused: whole numbers that float64 does not hold, dates, infinite numbers.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pragam.files.fields import fields_of
from pragam.files.frames import table_of
from pragam.files.tables import listed
from pragam.models.features import Map
from pragam.models.table_columns import Category, Entries, Number, from_json
from pragam.models.table_learning import MISSING, TableLearning, Wanted
from pragam.operators import check_data
from pragam.operators.storage import Storage


@dataclass(frozen=True, eq=False)
class Encoding(Map):
    """The columns of a table that a model reads, in their order; it finds them by name and reads no others.

    ``target`` is the name of the column that is predicted, if the encoding knows it.
    """

    columns: tuple[Number | Category, ...]
    target: str | None = None
    missing: str | None = None
    kind: ClassVar[str] = "table"
    is_numbering: ClassVar[bool] = True

    @classmethod
    def learn(
        cls,
        frame: Any,
        target: str | None = None,
        drop: Iterable[str] = (),
        categorical: Iterable[str] = (),
        missing: str | None = None,
        say: Callable[[str], None] = warnings.warn,
    ) -> Encoding:
        """That of a DataFrame (pandas, polars), a table of pyarrow, a dictionary of columns or a Table.

        ``say`` is told, in a sentence, of each column that is categorical though some of its values are numbers.
        """
        table = table_of(frame)
        learning = TableLearning.of(list(table.columns), table.name, Wanted.of(target, drop, categorical, missing))
        learning.add(table, more=False)
        return cls.of(learning, say)

    @classmethod
    def of(cls, learning: TableLearning, say: Callable[[str], None] = warnings.warn) -> Encoding:
        """What was learnt of all rows."""
        wanted = learning.wanted
        return cls(learning.columns(say), wanted.target, wanted.missing)

    @property
    def title(self) -> str:
        categories = sum(isinstance(each, Category) for each in self.columns)
        numbers = len(self.columns) - categories
        of = "" if self.target is None else f", for {self.target!r}"
        return f"a table's columns, {numbers} numeric and {categories} categorical, as {self.n_columns}{of}"

    @property
    def column_names(self) -> list[str]:
        return [name for each in self.columns for name in each.made]

    @property
    def n_columns(self) -> int:
        return sum(len(each.made) for each in self.columns)

    def apply(self, samples: Any) -> Any:
        if isinstance(samples.X, Storage):  # a command has made numbers of a table already
            if samples.n_features != self.n_columns:
                raise ValueError(
                    f"X has {samples.n_features} columns, and the columns of the model's table are {self.n_columns}"
                )
            return samples
        return replace(samples, X=check_data(self.encode(samples.X)[0]))

    def encode(self, frame: Any) -> tuple[sparse.csr_array, int]:
        """The matrix of a table, and how many values have levels that the training data did not have."""
        table = table_of(frame)
        if lost := [each.name for each in self.columns if each.name not in table.columns]:
            raise ValueError(
                f"{table.name}: it lacks the column(s) {listed(lost)} of the model; its columns are "
                f"{listed(table.columns)}"
            )
        entries: list[Entries] = []
        unknown, begin = 0, 0
        for each in self.columns:
            own, strange = each.entries(table, self.missing is not None)
            entries += [Entries(np.where(places < 0, -1, places + begin), values) for places, values in own]
            unknown, begin = unknown + strange, begin + len(each.made)
        return _csr(entries, table.n, begin), unknown

    def to_json(self) -> dict[str, Any]:
        """For a file."""
        columns = [each.to_json() for each in self.columns]
        return {"target": self.target, "missing": self.missing, "columns": columns}

    @classmethod
    def from_json(cls, record: Any) -> Encoding:
        """What ``to_json`` wrote."""
        target, missing, found = (fields_of(record, {}).get(name) for name in ("target", "missing", "columns"))
        if not (target is None or type(target) is str) or missing not in (None, *MISSING):
            raise ValueError(f"its table's target and missing cannot be {target!r:.40} and {missing!r:.40}")
        if type(found) is not list or not found:
            raise ValueError("the columns of its table must be a list of them")
        columns = tuple(map(from_json, found))
        if len({each.name for each in columns} | {target}) < len(columns) + 1:
            raise ValueError("the columns of its table and its target must have different names")
        return cls(columns, target, missing)

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        record = self.to_json()
        text = json.dumps(record.pop("columns")).encode()
        return record, {"columns": np.frombuffer(text, dtype=np.uint8)}

    @classmethod
    def from_file(cls, record: dict[str, Any], tensors: Any, prefix: str) -> Encoding:
        columns = json.loads(tensors.array(f"{prefix}columns", "U8").tobytes())
        return cls.from_json({"target": record.get("target"), "missing": record.get("missing"), "columns": columns})


def _csr(entries: list[Entries], n: int, d: int) -> sparse.csr_array:
    """Row by row, the columns in increasing order."""
    places, values = (np.stack(each, axis=1) for each in zip(*entries, strict=True))
    is_there = places >= 0
    ends = np.concatenate([[0], np.cumsum(is_there.sum(axis=1))])
    return sparse.csr_array((values[is_there], places[is_there], ends), shape=(n, d))
