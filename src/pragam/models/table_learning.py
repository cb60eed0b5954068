"""What the columns of a table are, learnt from its rows a part at a time: names, order, kinds, levels and means.

A table in memory is one part. Of a table that is not, the texts that may become levels are kept up to a size in bytes,
and those of numbers up to a count. Beyond, a column of numbers can be no category any more; and without such a column,
categories are too many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

from pragam.files.tables import Table, listed, no_column
from pragam.models.column_learning import Seen
from pragam.models.table_columns import Category, Number

#: So many different numbers are kept as texts as well: a column of more is no likely category, and keeping takes time.
_NUMBERS = 1 << 14
#: What a missing value may become.
MISSING = ("mean", "indicator")


class Wanted(NamedTuple):
    """What a user says of a table: the column to predict, those to leave out, those that are categories in any case,
    and what a missing value becomes."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str | None = None

    @classmethod
    def of(cls, target: str | None, drop: Iterable[str], categorical: Iterable[str], missing: str | None) -> Wanted:
        """Of the types that these must have."""
        if missing not in (None, *MISSING):
            raise ValueError(f"missing must be None, 'mean' or 'indicator', not {missing!r:.40}")
        return cls(target, _names("drop", drop), _names("categorical", categorical), missing)

    def features(self, names: Sequence[str], where: str) -> list[str]:
        """The columns that predict, in their order."""
        known = set(names)
        if self.target is not None and self.target not in known:
            raise no_column(where, self.target, names, " to be the target")
        for name in (*self.drop, *self.categorical):
            if name not in known:
                raise no_column(where, name, names, " to drop" if name in self.drop else " to make a category")
        if both := [name for name in self.drop if name == self.target or name in self.categorical]:
            raise ValueError(f"column {both[0]!r} cannot be dropped: it is the target or a category")
        found = [name for name in names if name != self.target and name not in self.drop]
        if not found:
            raise ValueError(f"{where}: no column is left to predict from; its columns are {listed(names)}")
        return found


class TableLearning:
    """Of the rows so far.

    name : the table
    seen : each column that predicts, in their order
    n : the number of rows
    most : bytes of texts that may be kept
    """

    def __init__(self, name: str, wanted: Wanted, seen: list[Seen], n: int = 0, most: float = inf) -> None:
        self.name, self.wanted, self.seen, self.n, self.most = name, wanted, seen, n, most

    @classmethod
    def of(cls, names: Sequence[str], name: str, wanted: Wanted, most: float = inf) -> TableLearning:
        """Before the first row of a table with these columns."""
        seen = [Seen(each, each in wanted.categorical) for each in wanted.features(names, name)]
        return cls(name, wanted, seen, most=most)

    def add(self, table: Table, more: bool = True) -> None:
        """Some rows more; ``more`` may follow them."""
        if not table.n:
            return
        for each in self.seen:
            each.add(table, more, fills=self.wanted.missing is not None)
        self.n += table.n
        if self.most < inf:
            self._forget(table)

    def columns(self, say: Callable[[str], None]) -> tuple[Number | Category, ...]:
        """What they are. ``say`` is told, in a sentence, of each category some of whose values are numbers."""
        if not self.n:
            raise ValueError(f"{self.name}: there are no rows")
        return tuple(each.result(self.name, self.wanted.missing, say) for each in self.seen)

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers, and none is missing."""
        return not any(each.is_category or each.missing for each in self.seen)

    def to_json(self) -> dict[str, Any]:
        """For the state of an unfinished work."""
        return {"name": self.name, "n": self.n, "seen": [each.to_json() for each in self.seen]}

    @classmethod
    def again(cls, record: dict[str, Any], wanted: Wanted, most: float) -> TableLearning:
        """From what ``to_json`` wrote."""
        return cls(record["name"], wanted, list(map(Seen.of, record["seen"])), record["n"], most)

    def _forget(self, table: Table) -> None:
        """Texts until those that are left are within the size."""
        for each in self.seen:
            if not each.is_category and len(each.counts or ()) > _NUMBERS:
                each.forget()
        sizes = {each.name: each.size for each in self.seen}
        while sum(sizes.values()) > self.most:
            largest = max(self.seen, key=lambda each: (not each.is_category, sizes[each.name]))
            if largest.is_category or not sizes[largest.name]:
                raise self._too_many(table, sizes)
            largest.forget()
            sizes[largest.name] = 0

    def _too_many(self, table: Table, sizes: dict[str, int]) -> ValueError:
        """What to say of a category with too many levels."""
        worst = max((each for each in self.seen if each.is_category), key=lambda each: sizes[each.name])
        worst.refuse_dates(self.name)  # which is the better reason
        where, whole = table.where(table.n - 1), sum(sizes.values())
        return ValueError(
            f"{where}: column {worst.name!r} has {len(worst.counts or ())} categories up to here, and those of all "
            f"columns take {whole / 1e6:.0f} MB, where {self.most / 1e6:.0f} MB are held: leave it out by --drop "
            "(in Python drop=)"
        )


def _names(what: str, names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        raise ValueError(f"{what} must be a list of names, not the text {names!r:.40}")
    return tuple(names)
