"""A table that is packed a part at a time becomes the rows, and keeps the map, of the same table in memory."""

from __future__ import annotations

import json
import logging

import numpy as np
import pytest
from made_tables import ASKED, in_memory, table, write
from packed_data import content_of, order_of, rows_of

import pragam
from pragam.files import table_parts
from pragam.models import table_learning
from pragam.packed import table_rows

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:.* is a category, one column a level")
N = 700


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(table_parts, "_BLOCK", 5000)
    monkeypatch.setattr(table_parts, "_ROWS", 60)


def packed_rows(packed):
    X = rows_of(packed)
    return X.toarray() if packed.is_sparse else X


def check(packed, whole, y, **asked):
    """Names, order, levels and means are those of the table in memory, and so is every number."""
    encoding, X = in_memory(whole, **asked)
    order = order_of(len(X))
    assert packed.table.columns == encoding.columns and packed.table.column_names == encoding.column_names
    assert (packed.table.target, packed.table.missing) == (encoding.target, encoding.missing)
    assert np.array_equal(packed_rows(packed), X[order])
    assert packed.y.tolist() == np.array(y)[order].tolist()


@pytest.mark.parametrize("missing", ["mean", "indicator"])
@pytest.mark.parametrize("form", [",", ";", "\t", "\r\n", "\r", "bom", "several"])
def test_text_becomes_what_it_becomes_in_memory(tmp_path, form, missing):
    columns, whole = table(N, seed=len(form)), tmp_path / "whole.csv"
    asked = {**ASKED, "missing": missing}
    write(whole, columns, form if form in ",;\t" else ",", end=form if "\r" in form else "\n")
    if form == "bom":
        whole.write_bytes(b"\xef\xbb\xbf" + whole.read_bytes())
    given = whole
    if form == "several":
        given = [write(tmp_path / f"p{k}", columns, rows=slice(250 * k, 250 * (k + 1))) for k in range(3)]
    packed = pragam.pack(given, tmp_path / "set", **asked)
    check(packed, whole, columns["y"], **asked)
    again = pragam.open_packed(tmp_path / "set")
    assert again.table.to_json() == packed.table.to_json() and packed.is_sparse


@pytest.mark.parametrize("categorical", [[], ["count", "level"]])
def test_parquet_becomes_what_it_becomes_in_memory(tmp_path, categorical):
    rng = np.random.default_rng(0)

    def gaps(values):
        return [None if rng.random() < 0.1 else value for value in values]

    columns = {
        "count": gaps(rng.integers(0, 9, N).tolist()), "size": gaps(rng.standard_normal(N).tolist()),
        "level": gaps((rng.integers(0, 4, N) / 2).tolist()), "job": gaps(rng.choice(["a", "b", "7"], N).tolist()),
        "late": [None] * 200 + [True, False] * (N // 2 - 100), "y": rng.standard_normal(N).tolist(),
    }  # fmt: skip
    made = pa.table(columns)
    made = made.append_column("coded", pa.array(rng.choice(["u", "v"], N)).dictionary_encode())
    made = made.append_column("single", pa.array(rng.standard_normal(N), "float"))
    pq.write_table(made, tmp_path / "t.parquet", row_group_size=90)
    asked = {"target": "y", "categorical": categorical, "missing": "indicator"}
    packed = pragam.pack(tmp_path / "t.parquet", tmp_path / "set", **asked)
    check(packed, tmp_path / "t.parquet", columns["y"], **asked)


def test_numbers_alone_stay_dense_and_missing_ones_are_the_mean(tmp_path):
    columns = {"a": ["1", "", "4", "0"], "b": ["1e100", "1e-100", "-1e100", ""], "y": ["1", "2", "3", "4"]}
    write(tmp_path / "t", columns)
    packed = pragam.pack(tmp_path / "t", tmp_path / "set", target="y", missing="mean")
    assert not packed.is_sparse and packed.table.columns[0].mean == 5 / 3
    check(packed, tmp_path / "t", [1.0, 2.0, 3.0, 4.0], target="y", missing="mean")


def test_the_parts_do_not_matter(tmp_path, monkeypatch):
    """Equal tables give equal bytes, in whatever parts they are read."""
    write(tmp_path / "t", table(N, seed=3))
    found = []
    for size in (3000, 40_000, 1 << 22):
        monkeypatch.setattr(table_parts, "_BLOCK", size)
        pragam.pack(tmp_path / "t", tmp_path / str(size), **ASKED)
        found.append(content_of(tmp_path / str(size)))
    assert found[0] == found[1] == found[2]


def test_a_number_that_comes_late_or_never_is_said(tmp_path):
    """A column that was numeric in one file and has a text in another is a category, and a warning says where."""
    (tmp_path / "1").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2").write_text("a,y\n2,0\nx,1\n")
    with pytest.warns(UserWarning, match=r"2, row 2: column 'a' is a category, .* since 'x' is not a number; 3 of 4"):
        packed = pragam.pack([tmp_path / "1", tmp_path / "2"], tmp_path / "set", target="y")
    assert packed.table.column_names == ["a=1", "a=2", "a=x"]


def test_a_text_behind_too_many_numbers_names_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(table_learning, "_NUMBERS", 100)
    (tmp_path / "1").write_text("a,y\n" + "".join(f"{k},0\n" for k in range(500)))
    (tmp_path / "2").write_text("a,y\n1,0\nx,1\n")
    with pytest.raises(
        ValueError, match=r"2, row 2: column 'a' has 'x', which is not a number, and 500 numbers come be"
    ):
        pragam.pack([tmp_path / "1", tmp_path / "2"], tmp_path / "set", target="y")
    assert not (tmp_path / "set").exists()


def test_too_many_categories_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(table_rows, "LEVELS", 50_000)
    columns = {"a": [f"name {k}" for k in range(2000)], "b": [str(k) for k in range(2000)], "y": ["0", "1"] * 1000}
    write(tmp_path / "t", columns)
    with pytest.raises(ValueError, match=r"t, row \d+: column 'a' has \d+ categories up to here, .* --drop"):
        pragam.pack(tmp_path / "t", tmp_path / "set", target="y")
    assert not (tmp_path / "set").exists()
    packed = pragam.pack(tmp_path / "t", tmp_path / "set", target="y", drop=["a"])  # many numbers are no categories
    assert packed.table.column_names == ["b"]
    write(
        tmp_path / "dates",
        {"a": [f"2020-01-{k % 28 + 1:02d} {k % 24}:{k % 60:02d}" for k in range(5000)], "y": ["1"] * 5000},
    )
    with pytest.raises(ValueError, match="column 'a' holds dates or times"):
        pragam.pack(tmp_path / "dates", tmp_path / "other", target="y")


REFUSED = {
    "a gap": ({}, "1,,u,0\n", "row 1: column 'b' is empty: a model trained with --missing"),
    "a gap in the second file": ({}, "1,2,u,0\n\n1,2,,0\n", "row 2: column 'c' is empty"),
    "no target": ({"missing": "mean"}, "1,2,u,\n", "row 1: the target 'y' is empty"),
    "not a number": ({"missing": "mean"}, "1,inf,u,1\n", "row 1: column 'b' has 'inf', which is not finite"),
    "nothing": ({"missing": "mean"}, "1,,u,1\n2,,v,0\n", "column 'b' is empty in all rows: --drop"),
    "no such column": (
        {"drop": ["x"]},
        "1,2,u,1\n",
        "it has no column 'x' to drop; its columns are 'a', 'b', 'c', 'y'",
    ),
    "no such category": ({"categorical": ["x"]}, "1,2,u,1\n", "it has no column 'x' to make a category"),
    "dropped": ({"categorical": ["a"], "drop": ["a"]}, "1,2,u,1\n", "column 'a' cannot be dropped"),
    "missing": ({"missing": "median"}, "1,2,u,1\n", "missing must be None, 'mean' or 'indicator', not 'median'"),
    "a text": ({"categorical": "a"}, "1,2,u,1\n", "categorical must be a list of names, not 'a'"),
    "features": ({"n_features": 7}, "1,2,u,1\n", "the columns of the table become 3, where n_features=7"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_packed_is_a_line(tmp_path, what):
    options, text, said = REFUSED[what]
    (tmp_path / "t.csv").write_text("a,b,c,y\n" + text)
    with pytest.raises(ValueError, match=said) as caught:
        pragam.pack(tmp_path / "t.csv", tmp_path / "set", **{"target": "y", **options})
    assert "\n" not in str(caught.value) and not (tmp_path / "set").exists()


def test_what_is_read_once_has_numbers_alone(tmp_path):
    numbers = {"a": [str(k) for k in range(600)], "b": [repr(k / 7) for k in range(600)], "y": ["u", "v"] * 300}
    write(tmp_path / "numbers", numbers)
    with open(tmp_path / "numbers", "rb") as stream:
        packed = pragam.pack(stream, tmp_path / "stream", target="y")
    check(packed, tmp_path / "numbers", numbers["y"], target="y")
    for values, said in (
        (["x"] * 600, "row 1: column 'b' has 'x', which is no number"),
        ([""] * 600, "missing values"),
    ):
        write(tmp_path / "texts", {**numbers, "b": values})
        with open(tmp_path / "texts", "rb") as stream, pytest.raises(ValueError, match=said) as caught:
            pragam.pack(stream, tmp_path / "other", target="y", missing="mean")
        assert (
            str(caught.value).endswith("a stream only once: write it to a file") and not (tmp_path / "other").exists()
        )


def test_both_readings_say_how_far_they_are(tmp_path, caplog):
    write(tmp_path / "t", table(N, seed=0))
    with caplog.at_level(logging.DEBUG, "pragam"):
        pragam.pack(tmp_path / "t", tmp_path / "set", **ASKED)
    for what in ("rows looked at, MB", "rows read, MB", "rows packed"):
        assert any(f"{N} {what}" in each or what in each for each in caplog.messages), what


def test_a_directory_of_the_version_before_opens_and_a_forged_table_does_not(tmp_path):
    write(tmp_path / "t", table(100, seed=0))
    path = pragam.pack(tmp_path / "t", tmp_path / "set", **ASKED).path / "manifest.json"
    record = json.loads(path.read_text())
    old = {name: value for name, value in record.items() if name != "table"} | {"version": 1}
    path.write_text(json.dumps(old))
    assert pragam.open_packed(tmp_path / "set").table is None
    for change in ({"columns": []}, {"target": 1}, {"columns": record["table"]["columns"][1:]}, {"missing": "x"}):
        path.write_text(json.dumps({**record, "table": {**record["table"], **change}}))
        with pytest.raises(ValueError, match=r"manifest\.json: not a usable manifest: (its|the columns)"):
            pragam.open_packed(tmp_path / "set")
