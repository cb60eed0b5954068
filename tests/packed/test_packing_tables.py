"""Tables of numbers, read a part at a time, are packed as their columns; what cannot be is a line that says why."""

from __future__ import annotations

import datetime
import gzip

import numpy as np
import pytest
from packed_data import content_of

import pragam
from pragam.files import table_parts
from pragam.packed import table_rows

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

N = 3000
_rng = np.random.default_rng(0)
COLUMNS = {
    "id": [f"row, {k}" for k in range(N)],
    "height": _rng.standard_normal(N).tolist(),
    "a, b": _rng.integers(-5, 5, N).tolist(),
    "job": _rng.choice(["smith", "bäcker"], N).tolist(),
}


def written(path, separator=",", rows=slice(None), **columns):
    """The table as text."""
    import csv

    own = {**COLUMNS, **columns}
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter=separator)
        table.writerow(own)
        table.writerows(list(zip(*own.values(), strict=True))[rows])
    return path


def chunks_of(folder):
    return {name: content for name, content in content_of(folder).items() if name != "manifest.json"}


@pytest.fixture
def blocks(tmp_path):
    """What all of them are to become."""
    X = np.column_stack([COLUMNS["height"], COLUMNS["a, b"]])
    pragam.pack([(X, COLUMNS["job"])], tmp_path / "blocks")
    return chunks_of(tmp_path / "blocks")


@pytest.mark.parametrize("form", [",", ";", "\t", "gz", "several", "parquet", "groups"])
def test_a_table_is_packed_as_its_columns(tmp_path, blocks, form, monkeypatch):
    monkeypatch.setattr(table_parts, "_ROWS", 500)
    path = tmp_path / "table"
    if form in (",", ";", "\t"):
        written(path, form)
    elif form == "gz":
        path.write_bytes(gzip.compress(written(tmp_path / "plain").read_bytes()))
    elif form == "several":
        path = [written(tmp_path / "1", rows=slice(100)), written(tmp_path / "2", ";", rows=slice(100, None))]
    else:
        pq.write_table(pa.table(COLUMNS), path, row_group_size=N if form == "parquet" else 200)
    packed = pragam.pack(path, tmp_path / "set", target="job", drop=["id"])
    assert chunks_of(tmp_path / "set") == blocks and packed.y.dtype.kind == "U"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_it_goes_on_behind_a_row(tmp_path, blocks, kind, monkeypatch):
    """As after a kill: the first process ends while it reads."""
    monkeypatch.setattr(table_parts, "_ROWS", 500)
    monkeypatch.setattr(table_parts, "_BLOCK", 30_000)
    monkeypatch.setattr("pragam.packed.runs.RUN", 20_000)
    path = written(tmp_path / "table") if kind == "csv" else tmp_path / "table"
    if kind == "parquet":
        pq.write_table(pa.table(COLUMNS), path, row_group_size=200)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(table_rows.TableRows, "_numbers", stopped_at(table_rows.TableRows._numbers, 4))
        pragam.pack(path, tmp_path / "set", target="job", drop=["id"])
    assert (tmp_path / "set" / ".packing" / "run-000000").exists()
    pragam.pack(path, tmp_path / "set", target="job", drop=["id"])
    assert chunks_of(tmp_path / "set") == blocks


def stopped_at(function, count):
    """The function, which Ctrl-C ends at its ``count``-th call."""
    calls = []

    def stopped(*arguments):
        calls.append(1)
        if len(calls) == count:
            raise KeyboardInterrupt
        return function(*arguments)

    return stopped


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,y\n1,2\n,3\n", r"row 2: column 'a' is empty: a model trained with --missing mean or indicator"),
        ("a,y\n1,2\nnan,3\n", r"row 2: column 'a' is empty: "),
        ("a,y\n1,2\ninf,3\n", "row 2: column 'a' has 'inf', which is not finite"),
        ("a,y\n1,2\n9007199254740993,3\n", "row 2: column 'a' has 9007199254740993, a whole number that float64"),
        ("a,y\n1990-01-31,2\n1991-01-31,3\n", r"column 'a' holds dates or times \(1990-01-31\)"),
        ('a,y\n"1,5",2\n3,3\n', r"column 'a' has numbers with commas \(1,5\)"),
        ("a,y\n1,2\n1\n", "Row #3: Expected 2 columns, got 1"),
        ("a,y\n1,2\n1,\n", "row 2: the target 'y' is empty"),
        ("a,y\n1,2\n1,nan\n", "row 2: the target 'y' is empty"),
        ("a,y\n1,inf\n", "row 1: column 'y' has 'inf', which is not finite"),
        ("a,b\n1,2\n", "it has no column 'y' to be the target; its columns are 'a', 'b'"),
        ("y\n1\n", "no column is left to predict from"),
        ("a,y\n", "there are no rows"),
        ("", "no header"),
        ("1,2\n", "numbers, where a header must name the columns"),
        ("y,y\n1,2\n", "two columns are called 'y'"),
        ("a,y\n1,\xff\n", "UTF"),
        ('a,y\n1,2\n"3,3\n', "table.csv: "),
    ],
)
def test_bad_tables(tmp_path, text, said):
    (tmp_path / "table.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=said) as caught:
        pragam.pack(tmp_path / "table.csv", tmp_path / "set", target="y")
    assert str(caught.value).startswith(f"{tmp_path / 'table.csv'}") and "\n" not in str(caught.value)
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": [1, None], "y": [1, 2]}, "row 2: column 'a' is empty: "),
        ({"a": [1.0, None], "y": [1, 2]}, "row 2: column 'a' is empty: "),
        ({"a": [[1], [2]], "y": [1, 2]}, "column 'a' holds a list: only numbers, texts and truth values"),
        ({"a": [datetime.date(2020, 1, 1)] * 2, "y": [1, 2]}, "column 'a' holds dates or times"),
        ({"a": [1, 2**60 + 1], "y": [1, 2]}, "1152921504606846977"),
        ({"a": [1.0, 2.0], "y": [1, None]}, "row 2: the target 'y' is empty"),
        ({"a": [1.0, 2.0], "y": [1.0, np.inf]}, "row 2: column 'y' has inf, which is not finite"),
    ],
)
def test_bad_parquet(tmp_path, columns, said):
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=said) as caught:
        pragam.pack(tmp_path / "t.parquet", tmp_path / "set", target="y")
    assert "t.parquet" in str(caught.value) and "\n" not in str(caught.value) and not (tmp_path / "set").exists()


def test_damaged_parquet_is_one_line(tmp_path):
    pq.write_table(pa.table({"a": [1.0] * 100, "y": [1] * 100}), tmp_path / "t.parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    for cut in (4, 50, len(content) // 2, len(content) - 1):
        (tmp_path / "t.parquet").write_bytes(content[:cut])
        with pytest.raises(ValueError, match=r"t\.parquet") as caught:
            pragam.pack(tmp_path / "t.parquet", tmp_path / "set", target="y")
        assert "\n" not in str(caught.value) and not (tmp_path / "set").exists()


def test_labels_are_numbers_or_texts_all_through(tmp_path):
    (tmp_path / "1").write_text("a,y\n1,2\n")
    (tmp_path / "2").write_text("a,y\n1,x\n")
    for k, names in enumerate(("12", "21")):
        packed = pragam.pack([tmp_path / name for name in names], tmp_path / f"set-{k}", target="y")
        assert sorted(packed.y.tolist()) == ["2", "x"]
    (tmp_path / "3").write_text("b,y\n1,x\n")
    with pytest.raises(ValueError, match="its columns 'b' are not those of the files before, 'a'"):
        pragam.pack([tmp_path / "1", tmp_path / "3"], tmp_path / "other", target="y")
    pq.write_table(
        pa.table({"a": pa.array([1, 2], "float"), "y": pa.array(["u", "v"]).dictionary_encode()}), tmp_path / "4"
    )
    packed = pragam.pack(tmp_path / "4", tmp_path / "single", target="y")
    assert packed.dtype == np.float32 and sorted(packed.y.tolist()) == ["u", "v"]
