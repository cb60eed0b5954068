"""Tables with types: data frames of pandas and polars, pyarrow's tables, dictionaries of lists, and parquet files.

Numbers stay numbers; texts, truth values and columns of a categorical type are categories, whatever they look like.
None, NaN and NaT are missing values. No package is imported for a frame: what it has, is asked of it.
"""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam.files import source
from pragam.files.tables import Column, Table, check_names

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
#: How types that are dates, times and spans of time begin, in all packages.
_TEMPORAL = ("date", "time", "duration", "period")
_CATEGORICAL = ("category", "categorical", "enum", "dictionary")
_FLOATS = ("float", "double", "halffloat")
#: The first and last bytes of a parquet file.
PARQUET = b"PAR1"


def table_of(frame: Any, name: str = "the table") -> Table:
    """A frame, or a dictionary of columns, as a Table; a Table is left as it is."""
    if isinstance(frame, Table):
        return frame
    names = list(frame.keys() if isinstance(frame, dict) else _names(frame))
    check_names(names, name)
    columns = {each: _column(frame[each], f"{name}: column {each!r}") for each in names}
    sizes = {each: len(own.values) for each, own in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"{name}: its columns have different lengths: {sizes}")
    return Table(columns, next(iter(sizes.values()), 0), name, origin=frame)


def _names(frame: Any) -> Any:
    """pyarrow's ``columns`` are the columns themselves, and it has ``column_names``."""
    found = getattr(frame, "column_names", None)
    found = getattr(frame, "columns", None) if found is None else found
    if found is None or not hasattr(frame, "__getitem__"):
        raise ValueError(
            f"a table must be a DataFrame, a table of pyarrow or a dictionary of columns, not {type(frame).__name__}"
        )
    return found


def _column(series: Any, what: str) -> Column:
    kind = str(getattr(series, "dtype", getattr(series, "type", ""))).lower()
    is_category = kind.startswith(_CATEGORICAL)
    if not is_category and (numbers := _numbers(series)) is not None:
        return Column(numbers)
    found = [value.item() if isinstance(value, np.generic) else value for value in _listed(series)]
    values = [None if _is_missing(value) else value for value in found]
    present = [value for value in values if value is not None]
    if kind.startswith(_TEMPORAL) or (present and all(isinstance(value, _DATES) for value in present)):
        return Column(["" if value is None else str(value) for value in values], holds_dates=True)
    texts = ["" if value is None else _text(value, what) for value in values]
    return Column(texts, is_category or not all(_is_real(value) for value in present))


def _listed(series: Any) -> Sequence[Any]:
    for method in ("to_list", "to_pylist", "tolist"):
        if hasattr(series, method):
            found: Sequence[Any] = getattr(series, method)()
            return found
    return list(series)


def _numbers(series: Any) -> NDArray[Any] | None:
    """Plain numbers, NaN for a missing one; None of others, and of whole numbers where some are missing."""
    missing = getattr(series, "null_count", 0)
    kind = str(getattr(series, "dtype", getattr(series, "type", ""))).lower()
    is_lacking = (missing() if callable(missing) else missing) and not kind.startswith(_FLOATS)
    if not hasattr(series, "to_numpy") or is_lacking:
        return None
    found = series.to_numpy()
    return found if found.dtype.kind in "iuf" else None


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _is_real(value: Any) -> bool:
    return isinstance(value, (Real, Decimal)) and not isinstance(value, bool)


def _text(value: Any, what: str) -> str:
    """As a table of text has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (bool, Real, Decimal, *_DATES)):
        return str(value)
    raise ValueError(f"{what} holds a {type(value).__name__}: only numbers, texts and truth values become features")


def read_parquet(opened: source.Source) -> Table:
    """The table in a parquet file, which may come through a pipe."""
    parquet = pyarrow_module("pyarrow.parquet", opened.name)
    try:
        found = parquet.read_table(io.BytesIO(opened.content().read()))
    except (OSError, ValueError) as error:  # pyarrow's own errors are these
        said = str(error).splitlines()[0] if str(error) else "damaged"
        raise ValueError(f"{opened.name}: not a usable parquet file: {said}") from error
    return table_of(found, opened.name)


def parquet_with_columns(table: Any, names: Sequence[str], columns: Sequence[Any]) -> bytes:
    """The bytes of the parquet file of a pyarrow.Table with further columns."""
    arrow, parquet = pyarrow_module("pyarrow", "parquet"), pyarrow_module("pyarrow.parquet", "parquet")
    for name, values in zip(names, columns, strict=True):
        table = table.append_column(name, arrow.array(values))
    written = io.BytesIO()
    parquet.write_table(table, written)
    return written.getvalue()


def pyarrow_module(module: str, name: str) -> Any:
    """A module of pyarrow, or a ValueError about the file of this name, which needs it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ValueError(f"{name}: this needs the package pyarrow: pip install pyarrow") from error
