"""The journal loses no whole record and invents none."""

from __future__ import annotations

import numpy as np
import pytest

from pragam.compare import load
from pragam.compare.journal import NAME, Journal, finite, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / NAME


def test_what_is_added_is_read(path):
    with Journal(path) as journal:
        journal.add("fit", x=[1.5, 0.1 + 0.2], why='a "quote"\nand a line')
        assert read(path) == journal.records
    with Journal(path) as journal:
        journal.add("end")
    assert [record["type"] for record in read(path)] == ["fit", "end"]
    assert read(path)[0]["x"] == [1.5, 0.1 + 0.2]


def test_a_torn_line_is_ignored_at_every_byte_and_cut_before_the_next(path):
    with Journal(path) as journal:
        for k in range(3):
            journal.add("fit", number=k, text="ä")
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        n_whole = sum(end <= size for end in ends)
        assert [record["number"] for record in read(path)] == list(range(n_whole))
        with Journal(path) as journal:
            journal.add("fit", number=99)
        assert [record["number"] for record in read(path)] == [*range(n_whole), 99]


@pytest.mark.parametrize("line", [b"{", b"[1]", b"{}", b"\xff"])
def test_a_damaged_line_in_the_middle_is_named(path, line):
    with Journal(path) as journal:
        journal.add("fit")
    path.write_bytes(path.read_bytes() + line + b"\n" + path.read_bytes())
    with pytest.raises(ValueError, match=r"line 2 is damaged"):
        read(path)


def test_two_cannot_write_at_once(path):
    pytest.importorskip("fcntl", reason="locks of files")
    with Journal(path), pytest.raises(ValueError, match="another comparison is writing there"):
        Journal(path)
    Journal(path).close()


def test_numbers_that_json_has_not_are_null(path):
    assert finite({"a": [np.nan, 1.0, (np.inf, -np.inf)]}) == {"a": [None, 1.0, [None, None]]}
    with Journal(path) as journal, pytest.raises(ValueError, match="JSON"):
        journal.add("fit", x=np.nan)


def test_a_journal_without_a_plan_is_no_comparison(path):
    with Journal(path) as journal:
        journal.add("fit", data="a", solver="b")
    with pytest.raises(ValueError, match="no plan"):
        load(path.parent)
    with pytest.raises(FileNotFoundError):
        load(path.parent / "nowhere")
