"""Data frames of several packages and parquet: the same values whoever holds them."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal

import numpy as np
import pytest

from pragam.files import source
from pragam.files.frames import parquet_with_columns, read_parquet, table_of
from pragam.files.table_values import coded, numbers_in, texts_in

DATA = {
    "age": [31, 44, 51],
    "height": [1.5, 0.1, -2.25],
    "job": ["clerk", "smith", "clerk"],
    "is_open": [True, False, True],
    "gap": [1.5, None, 2.0],
    "count": [7, None, 9007199254740992],
    "note": ["a", None, "b, c"],
}


def pandas_frame():
    return pytest.importorskip("pandas").DataFrame(DATA)


def nullable_frame():
    return pytest.importorskip("pandas").DataFrame(DATA).convert_dtypes()


def polars_frame():
    return pytest.importorskip("polars").DataFrame(DATA)


def arrow_table():
    return pytest.importorskip("pyarrow").table(DATA)


FRAMES = {
    "dict": lambda: DATA, "pandas": pandas_frame, "nullable": nullable_frame, "polars": polars_frame,
    "arrow": arrow_table,
}  # fmt: skip


@pytest.mark.parametrize("kind", FRAMES)
def test_all_hold_the_same(kind):
    table = table_of(FRAMES[kind]())
    assert list(table.columns) == list(DATA) and table.n == 3
    for name in ("age", "height", "gap", "count"):
        expected = np.array([np.nan if value is None else value for value in DATA[name]], dtype=np.float64)
        assert not table.columns[name].is_category
        assert np.array_equal(numbers_in(table, name), expected, equal_nan=True)
    for name in ("job", "is_open", "note"):
        assert table.columns[name].is_category
        assert texts_in(table.columns[name]) == ["" if value is None else str(value) for value in DATA[name]]
        texts, places = coded(table.columns[name])
        assert [texts[k] for k in places] == texts_in(table.columns[name]) and len(set(texts)) == len(texts)


def test_a_categorical_type_makes_categories_of_numbers():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    for column in (
        pandas.DataFrame({"x": pandas.Categorical([3, 1, 3])}),
        polars.DataFrame({"x": polars.Series(["3", "1", "3"], dtype=polars.Categorical)}),
        polars.DataFrame({"x": polars.Series(["3", "1", "3"], dtype=polars.Enum(["1", "3"]))}),
        arrow.table({"x": arrow.array([3, 1, 3]).dictionary_encode()}),
    ):
        own = table_of(column).columns["x"]
        assert own.is_category and texts_in(own) == ["3", "1", "3"]


@pytest.mark.parametrize("value", [datetime.date(1990, 1, 2), datetime.datetime(1990, 1, 2, 3), datetime.timedelta(3)])
def test_dates_by_their_type(value):
    for name in ("pandas", "polars"):
        frame = pytest.importorskip(name).DataFrame({"x": [value, None]})
        assert table_of(frame).columns["x"].holds_dates
    assert table_of(pytest.importorskip("pyarrow").table({"x": [value, None]})).columns["x"].holds_dates


def test_dates_of_numpy_and_periods_of_pandas():
    days = np.array(["1990-01-02", "NaT"], dtype="datetime64[ns]")
    assert table_of({"x": days}).columns["x"].holds_dates
    assert table_of({"x": days - days[:1]}).columns["x"].holds_dates
    pandas = pytest.importorskip("pandas")
    assert (
        table_of(pandas.DataFrame({"x": pandas.period_range("1990-01", periods=2, freq="M")})).columns["x"].holds_dates
    )


def test_decimals_are_numbers_and_float32_keeps_its_values():
    assert numbers_in(table_of({"x": [Decimal("0.1"), Decimal("2")]}), "x").tolist() == [0.1, 2.0]
    table = table_of({"x": np.array([0.1, 2], dtype=np.float32)})
    assert numbers_in(table, "x").tolist() == np.float32([0.1, 2]).astype(float).tolist()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1], "b": [1, 2]}, "different lengths"),
        ({"a": [[1], [2]]}, "column 'a' holds a list"),
        ({"a": [b"x"]}, "column 'a' holds a bytes"),
        ({1: [1]}, "must have texts for names, not 1"),
        ({"": [1]}, "column 1 has no name"),
        (np.ones((2, 2)), "must be a DataFrame, a table of pyarrow or a dictionary of columns, not ndarray"),
    ],
)
def test_what_is_no_table(frame, message):
    with pytest.raises(ValueError, match=message):
        table_of(frame)


def test_two_columns_of_one_name():
    frame = pytest.importorskip("pandas").DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        table_of(frame)


def test_parquet_there_and_back():
    parquet = pytest.importorskip("pyarrow.parquet")
    table, out = arrow_table(), io.BytesIO()
    parquet.write_table(table, out)
    with source.opened(io.BytesIO(out.getvalue())) as opened:
        found = read_parquet(opened)
    longer = parquet.read_table(io.BytesIO(parquet_with_columns(found.origin, ["p"], [np.array(["x", "y", "z"])])))
    assert longer.column_names == [*DATA, "p"] and longer.drop_columns(["p"]).equals(table)
    assert longer["p"].to_pylist() == ["x", "y", "z"]
    with source.opened(io.BytesIO(b"PAR1" + bytes(20))) as opened:  # noqa: SIM117
        with pytest.raises(ValueError, match="not a usable parquet"):
            read_parquet(opened)


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with source.opened(io.BytesIO(b"PAR1")) as opened, pytest.raises(ValueError, match=r"pip install pyarrow$"):
        read_parquet(opened)
