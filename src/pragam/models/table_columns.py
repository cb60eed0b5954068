"""What a column of a table becomes: a number itself, a category 1 in the column of its level."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam.files.fields import fields_of
from pragam.files.table_values import coded, numbers_of
from pragam.files.tables import Table

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
_REMEDY = (
    "a model trained with --missing mean or indicator (in Python missing=) takes missing values, and so does "
    "pragam pack with it"
)


class Entries(NamedTuple):
    """At most one entry in each row: its column, -1 for none, and its value."""

    places: Places
    values: Floats


@dataclass(frozen=True)
class Number:
    """A numeric column: its mean in training, and whether a column says where a value is missing."""

    name: str
    mean: float
    is_flagged: bool = False

    @property
    def made(self) -> list[str]:
        """The columns that it becomes."""
        return [self.name] + ([f"{self.name} is missing"] if self.is_flagged else [])

    @property
    def title(self) -> str:
        """What it is, in a report."""
        return f"a number, {self.mean:.6g} in the mean" + (", and whether it is missing" if self.is_flagged else "")

    def entries(self, table: Table, fills: bool) -> tuple[list[Entries], int]:
        """Its own, and those that say what is missing."""
        values = numbers_of(table, self.name, "as it was in the training data")
        is_missing = np.isnan(values)
        if is_missing.any() and not fills:
            raise missing_values(table, self.name, is_missing)
        own = Entries(np.zeros(table.n, np.int64), np.where(is_missing, self.mean, values))
        return [own, *_flags(is_missing, 1, self.is_flagged)], 0

    def to_json(self) -> dict[str, Any]:
        """For a model file."""
        return {"name": self.name, "is_flagged": self.is_flagged, "mean": self.mean}


@dataclass(frozen=True)
class Category:
    """A categorical column and its levels, sorted by their text."""

    name: str
    levels: tuple[str, ...]
    is_flagged: bool = False

    @property
    def made(self) -> list[str]:
        """The columns that it becomes."""
        levels = [f"{self.name}={level}" for level in self.levels]
        return levels + ([f"{self.name} is missing"] if self.is_flagged else [])

    @property
    def title(self) -> str:
        """What it is, in a report."""
        some = ", ".join(map(repr, self.levels[:3])) + (", ..." if len(self.levels) > 3 else "")
        return f"{len(self.levels)} levels: {some}" + (", and whether it is missing" if self.is_flagged else "")

    def entries(self, table: Table, fills: bool) -> tuple[list[Entries], int]:
        """Those of its levels, those that say what is missing, and how many values have unknown levels."""
        place = {level: k for k, level in enumerate(self.levels)}
        texts, codes = coded(table.columns[self.name])
        is_missing = np.array([not text for text in texts], dtype=bool)[codes]
        if is_missing.any() and not fills:
            raise missing_values(table, self.name, is_missing)
        places = np.array([place.get(text, -1) for text in texts], dtype=np.int64)[codes]
        own = Entries(places, np.ones(table.n))
        return [own, *_flags(is_missing, len(self.levels), self.is_flagged)], int(((places < 0) & ~is_missing).sum())

    def to_json(self) -> dict[str, Any]:
        """For a model file."""
        return {"name": self.name, "is_flagged": self.is_flagged, "levels": list(self.levels)}


def from_json(entry: Any) -> Number | Category:
    """What ``to_json`` wrote."""
    own = fields_of(entry, {"name": str, "is_flagged": bool})
    if "mean" in entry:
        mean = entry["mean"]
        if type(mean) is not float or not isfinite(mean):
            raise ValueError(f"the mean of column {own['name']!r:.40} must be finite")
        return Number(own["name"], mean, own["is_flagged"])
    levels = fields_of(entry, {"levels": list})["levels"]
    if not all(type(level) is str and level for level in levels) or levels != sorted(set(levels)):
        raise ValueError(f"the levels of column {own['name']!r:.40} must be different texts, sorted")
    return Category(own["name"], tuple(levels), own["is_flagged"])


def missing_values(table: Table, name: str, is_missing: NDArray[np.bool_]) -> ValueError:
    """What to say of values that nothing stands in for."""
    first, more = int(np.argmax(is_missing)), int(is_missing.sum()) - 1
    rows = f", and in {more} more row{'s' if more > 1 else ''}" if more else ""
    return ValueError(f"{table.where(first)}: column {name!r} is empty{rows}: {_REMEDY}")


def _flags(is_missing: NDArray[np.bool_], place: int, is_flagged: bool) -> list[Entries]:
    return [Entries(np.where(is_missing, place, -1), np.ones(len(is_missing)))] if is_flagged else []
