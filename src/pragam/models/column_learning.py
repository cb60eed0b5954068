"""What is known of a column of a table after some of its rows: a number so far, or a category, and of which levels.

*Rule*: a column is numeric if every value that is not missing parses as a float. So one value may change what the
column is, and the texts of numbers are kept, too, as long as they may become levels. A numeric column is known by its
sum, which is exact (:mod:`pragam.numerics.exact_sums`), and a category by how often each text occurs. So neither the
order of the rows nor the parts in which they come matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pragam.files.table_values import coded, numbers_in, refuse_dates
from pragam.files.tables import Column, Table, number_of
from pragam.models.table_columns import Category, Number, missing_values
from pragam.numerics.exact_sums import ExactSum

#: About what a text takes in memory beside its characters, and in a dictionary.
_TEXT = 100


@dataclass
class Seen:
    """Of the rows so far.

    is_forced : whether the user makes it a category
    is_category : whether it is one: by that, by its type or by a value that is no number
    holds_dates : whether it does by its type
    counts : how often each text occurs, "" for a missing value; None of numbers that cannot become a category any more
    characters : of all these texts
    total : the sum of the numbers, as long as it is none
    missing : how many values are, as long as it is a number
    strange : the first value that is no number, and where
    fault : what is wrong with it if it is a number
    """

    name: str
    is_forced: bool = False
    is_category: bool = False
    holds_dates: bool = False
    counts: Counter[str] | None = field(default_factory=Counter)
    characters: int = 0
    total: ExactSum = field(default_factory=ExactSum)
    missing: int = 0
    strange: tuple[str, str] | None = None
    fault: str | None = None

    def add(self, table: Table, more: bool, fills: bool) -> None:
        """Some rows more; ``more`` rows may follow, and what is missing is refused unless it ``fills``."""
        column = table.columns[self.name]
        self.holds_dates |= column.holds_dates
        was_category = self.is_category
        self.is_category |= self.is_forced or column.is_category
        if not self.is_category:
            self._add_numbers(table, fills)
        if self.is_category and not was_category and self.counts is None:
            raise ValueError(f"{table.where(0)}: column {self.name!r} is a category here, and numbers come before")
        if not self.is_category and (self.counts is None or not more or isinstance(column.values, np.ndarray)):
            self.forget()
        if self.counts is not None:
            self._count(table, fills)

    @property
    def size(self) -> int:
        """About the bytes of the texts that are kept."""
        return 0 if self.counts is None else self.characters + _TEXT * len(self.counts)

    def forget(self) -> None:
        """It can only be a number from now on, and what is wrong with one is wrong."""
        self.counts = None
        if self.fault:
            raise ValueError(self.fault)

    def result(self, where: str, missing: str | None, say: Callable[[str], None]) -> Number | Category:
        """What the column is, of all rows. ``where`` is the table."""
        if self.is_category:
            return self._category(where, missing, say)
        if self.fault:
            raise ValueError(self.fault)
        if not self.total.count:
            raise _empty(where, self.name)
        return Number(self.name, self.total.mean(), missing == "indicator" and self.missing > 0)

    def to_json(self) -> dict[str, Any]:
        """For the state of an unfinished work."""
        own = {name: value for name, value in vars(self).items() if name != "total"}
        return own | {"units": hex(self.total.units), "count": self.total.count}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Seen:
        """From what ``to_json`` wrote."""
        own = {name: value for name, value in record.items() if name not in ("units", "count")}
        counts, strange = own["counts"], own["strange"]
        own |= {"counts": None if counts is None else Counter(counts), "strange": strange and tuple(strange)}
        return cls(**own, total=ExactSum(int(record["units"], 16), record["count"]))

    def refuse_dates(self, where: str) -> None:
        """Of the texts so far."""
        if not self.is_forced and self.counts:
            column = Column([text for text in self.counts if text], holds_dates=self.holds_dates)
            refuse_dates(Table({self.name: column}, len(column.values), where), self.name)

    def _add_numbers(self, table: Table, fills: bool) -> None:
        """To the sum, if all are numbers; else it is a category from now on."""
        try:
            values = numbers_in(table, self.name)
        except ValueError as error:
            self.fault = self.fault or str(error)  # which counts if no text makes levels of these numbers
            return
        if values is None:
            self._become_category(table)
            return
        is_missing = np.isnan(values)
        if is_missing.any():
            self.missing += int(is_missing.sum())
            if not fills:
                self.fault = self.fault or str(missing_values(table, self.name, is_missing))
            values = values[~is_missing]
        self.total.add(values)

    def _become_category(self, table: Table) -> None:
        values = table.columns[self.name].values
        first = next(k for k, text in enumerate(values) if number_of(text) is None)
        if self.counts is None:
            raise ValueError(
                f"{table.where(first)}: column {self.name!r} has {values[first]!r:.40}, which is not a number, and "
                f"{self.total.count} numbers come before it, too many different ones for a category: correct it, or "
                "leave the column out by --drop (in Python drop=)"
            )
        self.is_category, self.strange = True, (table.where(first), values[first])

    def _count(self, table: Table, fills: bool) -> None:
        assert self.counts is not None
        texts, places = coded(table.columns[self.name])
        times = np.bincount(places, minlength=len(texts)).tolist()
        if "" in texts and not fills:
            raise missing_values(table, self.name, places == texts.index(""))
        for text, count in zip(texts, times, strict=True):
            if text in self.counts:
                self.counts[text] += count
            else:
                self.counts[text] = count
                self.characters += len(text)

    def _category(self, where: str, missing: str | None, say: Callable[[str], None]) -> Category:
        counts = self.counts or Counter()
        self.refuse_dates(where)
        levels = sorted(set(counts) - {""})
        if not levels:
            raise _empty(where, self.name)
        numbers = sum(
            times for text, times in counts.items() if (value := number_of(text)) is not None and value == value
        )
        if self.strange and numbers:
            place, text = self.strange
            say(
                f"{place}: column {self.name!r} is a category, one column a level, since {text!r:.40} is not a number; "
                f"{numbers} of {sum(counts.values())} values are (an empty field is a missing number)"
            )
        return Category(self.name, tuple(levels), missing == "indicator" and counts[""] > 0)


def _empty(where: str, name: str) -> ValueError:
    return ValueError(f"{where}: column {name!r} is empty in all rows: --drop (in Python drop=) leaves it out")
