"""``pragam datasets``: the table, the records, JSON, and errors of one line."""

import json

import pytest

from pragam import datasets
from pragam.cli import main


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No data at hand."""
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PRAGAM_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "200")


def test_the_table_has_every_set(capsys):
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in datasets.names():
        (line,) = (line for line in lines if line.split()[:1] == [name])
        assert f"{datasets.describe(name).n:,}" in line
        assert ("made here" if name.endswith("-like") else "not available") in line


def test_where_files_are(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("PRAGAM_OFFLINE", "0")
    (tmp_path / "w8a").mkdir()
    (tmp_path / "w8a" / "w8a").write_text("1 1:1\n")
    assert main(["datasets", "web8", "--json", "--data-dir", str(tmp_path)]) == 0
    (record,) = json.loads(capsys.readouterr().out)["datasets"]
    assert (record["where"], record["where_test"]) == ("local", "to download")
    assert record["files"][0]["found"] == str(tmp_path / "w8a" / "w8a")
    assert record["paper"] == {"n": 45546, "d": 300, "nnz": 579586, "lambda": 2.0**-17}
    assert record["stand_in"] == "web8-like" and "dropped" in record["preprocessing"][0]


def test_a_record_says_what_is_not_verified(capsys):
    assert main(["datasets", "real-sim", "reuters-ccat", "news20-like"]) == 0
    shown = capsys.readouterr().out
    assert "sha256 not verified, from https://" in shown and "by seed 0" in shown and "made here" in shown
    assert datasets.describe("reuters-ccat").train[0][0].sha256 in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nix"], "unknown data set 'nix'"),
        (["--fetch"], "--fetch needs the NAME"),
        (["a9a", "--fetch"], "PRAGAM_OFFLINE is set"),
        (["astro-ph", "--fetch"], "no address is known"),
        (["--data-dir", "nowhere"], "nowhere is not a folder"),
    ],
)
def test_errors_are_one_line(words, message, capsys):
    assert main(["datasets", *words]) == 2
    shown = capsys.readouterr()
    assert not shown.out and shown.err.count("\n") == 1 and message in shown.err


def test_a_local_copy_that_differs_is_a_warning(capsys, tmp_path):
    for name in ("a9a", "a9a.t"):
        (tmp_path / "a9a").mkdir(exist_ok=True)
        (tmp_path / "a9a" / f"{name}.xz").write_text("1 1:1\n")
    assert main(["datasets", "a9a", "--fetch", "--data-dir", str(tmp_path)]) == 0
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 2 and all(line.startswith("pragam: warning: ") for line in warnings)


@pytest.mark.parametrize("columns", ["20", "80"])
def test_names_are_whole_on_a_narrow_terminal(columns, capsys, monkeypatch):
    """A name that is cut cannot be typed."""
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["datasets"]) == 0
    shown = capsys.readouterr().out
    assert {line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line[2] != " "} >= set(
        datasets.names()
    )
    assert "…" not in shown
