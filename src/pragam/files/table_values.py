"""The values of a table's column as numbers or as texts; what would be lost on the way is refused.

A value is missing if it is empty or only spaces; among numbers, if it is NaN.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.files.arrow_texts import ArrowTexts
from pragam.files.tables import Column, Table, number_of

#: Below this every whole number is a float64, and above it what is read as this may be the next one.
_WHOLE = 2**53
_DAY = r"(\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2}|\d{1,2}(?P<b>[-/.])\d{1,2}(?P=b)(\d{4}|\d{2}))"
_TIME = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_DATE = rf"({_DAY}([T ]{_TIME})?|{_TIME})"
_COMMAS = r"[+-]?\d+(,\d+)+"


def texts_in(column: Column) -> list[str]:
    """The values as texts, "" for a missing one."""
    if not isinstance(column.values, np.ndarray):
        return ["" if not text.strip() else text for text in column.values]
    if column.values.dtype.kind in "iu":
        return [str(value) for value in column.values.tolist()]
    return ["" if np.isnan(value) else _shortest(value) for value in column.values]


def coded(column: Column) -> tuple[list[str], NDArray[np.int64]]:
    """The different texts of a column, "" for missing values, and the place of each value's text among them."""
    if isinstance(column.values, ArrowTexts):
        texts, places = column.values.coded()
        if not any(map(str.isspace, texts)):
            return texts, places
        again, own = coded(Column(texts))  # in which all kinds of blanks are one
        return again, own[places]
    place: dict[str, int] = {}
    codes = (place.setdefault(text, len(place)) for text in texts_in(column))
    found = np.fromiter(codes, np.int64, len(column.values))
    return list(place), found


def numbers_in(table: Table, name: str) -> NDArray[np.float64] | None:
    """The column as float64, NaN for a missing value; None if a value is no number."""
    values = table.columns[name].values
    if isinstance(values, np.ndarray):
        return _finite(table, name, values, values.tolist())
    if isinstance(values, ArrowTexts) and (plain := values.floats(_WHOLE)) is not None:
        return plain
    found = _floats(values)
    return None if found is None else _finite(table, name, found, values)


def _floats(texts: Any) -> NDArray[np.float64] | None:
    """Each text as a number, all at once where none is empty."""
    if "_" not in "".join(texts):  # which Python reads as a part of a number
        with contextlib.suppress(ValueError):
            return np.fromiter(map(float, texts), np.float64, len(texts))
    found = []
    for text in texts:
        if (value := number_of(text)) is None:
            return None
        found.append(value)
    return np.array(found, dtype=np.float64)


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
    is_text = not isinstance(column.values, np.ndarray)
    texts = [text.strip() for text in column.values if text.strip()] if is_text else []
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


def _finite(table: Table, name: str, values: NDArray[Any], said: Any) -> NDArray[np.float64]:
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
