"""The values of a table's column as numbers or as texts; what would be lost on the way is refused.

A value is missing if it is empty or only spaces; among numbers, if it is NaN.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.files.tables import Column, Table, number_of

#: Below this every whole number is a float64, and above it what is read as this may be the next one.
_WHOLE = 2**53
_DAY = r"(\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2}|\d{1,2}(?P<b>[-/.])\d{1,2}(?P=b)(\d{4}|\d{2}))"
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_DATE = rf"({_DAY}([T ]{_TIME})?|{_TIME})"
_COMMAS = r"[+-]?\d+(,\d+)+"


def texts_in(column: Column) -> list[str]:
    """The values as texts, "" for a missing one."""
    if isinstance(column.values, list):
        return ["" if not text.strip() else text for text in column.values]
    if column.values.dtype.kind in "iu":
        return [str(value) for value in column.values.tolist()]
    return ["" if np.isnan(value) else _shortest(value) for value in column.values]


def lacks(column: Column) -> NDArray[np.bool_]:
    """Where a category is missing."""
    return np.array([not text for text in texts_in(column)], dtype=bool)


def numbers_in(table: Table, name: str, say: Callable[[str], None] | None = None) -> NDArray[np.float64] | None:
    """The column as float64, NaN for a missing value; None if a value is no number.

    ``say`` is told if some are and some are not.
    """
    values = table.columns[name].values
    if not isinstance(values, list):
        return _finite(table, name, values, values.tolist())
    found = [number_of(text) for text in values]
    if None not in found:
        return _finite(table, name, np.array(found, dtype=np.float64), values)
    if say is not None and (numbers := sum(value is not None and value == value for value in found)):
        first = found.index(None)
        say(
            f"{table.where(first)}: column {name!r} is a category, one column a level, since {values[first]!r:.40} is "
            f"not a number; {numbers} of {table.n} values are (an empty field is a missing number)"
        )
    return None


def numbers_of(table: Table, name: str, why: str) -> NDArray[np.float64]:
    """The column as float64, or an error that names the value that is none, and ``why`` it must be."""
    found = numbers_in(table, name)
    if found is None:
        values = table.columns[name].values
        first = next(i for i, text in enumerate(values) if number_of(text) is None)
        raise ValueError(
            f"{table.where(first)}: column {name!r} has {values[first]!r:.40}, which is not a number, {why}"
        )
    return found


def refuse_dates(table: Table, name: str) -> None:
    """A column of dates is no category, and pragam makes no features of it. So is one of numbers with commas."""
    column = table.columns[name]
    texts = [text.strip() for text in column.values if text.strip()] if isinstance(column.values, list) else []
    if texts and (column.holds_dates or all(map(re.compile(_DATE).fullmatch, texts))):
        raise ValueError(
            f"{table.name}: column {name!r} holds dates or times ({texts[0]}), of which pragam makes no features: "
            "write numbers instead, such as days since a day, or leave it out by --drop, or make each a category by "
            "--categorical (in Python drop=, categorical=)"
        )
    commas = [text for text in texts if re.fullmatch(_COMMAS, text)]
    if commas and all(re.fullmatch(_COMMAS, text) or number_of(text) is not None for text in texts):
        raise ValueError(
            f"{table.name}: column {name!r} has numbers with commas ({commas[0]}): write a decimal point, and no "
            "separator of thousands"
        )


def _finite(table: Table, name: str, values: NDArray[Any], said: list[Any]) -> NDArray[np.float64]:
    """The values as float64, if that holds them."""
    found = values.astype(np.float64)
    if (wrong := np.flatnonzero(np.isinf(found))).size:
        raise ValueError(f"{table.where(wrong[0])}: column {name!r} has {said[wrong[0]]!r:.40}, which is not finite")
    for i in np.flatnonzero(np.abs(found) >= _WHOLE).tolist():
        if (whole := _whole(said[i])) is not None and whole != int(found[i]):
            raise ValueError(
                f"{table.where(i)}: column {name!r} has {whole}, a whole number that float64 does not hold: "
                "--categorical makes it a category, --drop leaves it out (in Python categorical=, drop=)"
            )
    return found


def _whole(value: Any) -> int | None:
    """The value if it is written as a whole number."""
    try:
        return int(value) if isinstance(value, (int, str)) else None
    except ValueError:
        return None


def _shortest(value: Any) -> str:
    """A whole number without a point; else the digits that distinguish it in its own precision."""
    return str(int(value)) if float(value).is_integer() else str(value)
