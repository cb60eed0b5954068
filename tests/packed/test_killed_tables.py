"""The packing of a table with categories is killed while it learns, or later, and ends with the same bytes."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest
from made_tables import ASKED, table, write
from packed_data import content_of
from test_killed_packing import killed_at

import pragam
from pragam.files import table_parts
from pragam.models.table_learning import TableLearning
from pragam.packed import dealing, packing, runs, table_rows

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="fork"),
    pytest.mark.filterwarnings("ignore:.* is a category, one column a level"),
]


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """Two files that take several parts, each of which is kept; several runs and chunks."""
    monkeypatch.setattr(os, "fsync", lambda number: None)
    monkeypatch.setattr(table_parts, "_BLOCK", 6000)
    monkeypatch.setattr(packing, "_PAUSE", 0.0)
    monkeypatch.setattr(runs, "RUN", 15_000)
    monkeypatch.setattr(dealing, "RUN", 20_000)
    columns = table(300, seed=1)
    return [write(tmp_path / f"{k}.svm", columns, rows=slice(150 * k, 150 * (k + 1))) for k in range(2)]


def pack(sources, folder):
    return pragam.pack(sources, folder, chunk_bytes=6000, **ASKED)


def test_killed_at_any_file_it_goes_on_to_the_same_bytes(tmp_path, sources):
    pack(sources, tmp_path / "whole")
    whole, place, status, learnt = content_of(tmp_path / "whole"), 0, -signal.SIGKILL, 0
    while status == -signal.SIGKILL:
        place += 1
        folder = tmp_path / f"killed-{place}"
        status = killed_at(place, lambda folder=folder: pack(sources, folder))
        learnt += (folder / ".packing" / "learnt.json").exists() and not (folder / ".packing" / "run-000000").exists()
        if (folder / "manifest.json").exists():
            with contextlib.suppress(ValueError):  # it is whole already
                pack(sources, folder)
        else:
            pack(sources, folder)
        assert content_of(folder) == whole, f"killed at file {place}"
    assert status == 0 and place > 80 and learnt > 10


def stopped_at(method, owner, count, patch):
    """The method notes the parts that it is given, and Ctrl-C ends it at its ``count``-th call."""
    seen, function = [], getattr(owner, method)

    def stopped(self, part):
        seen.append((part.name, part.first))
        if len(seen) == count:
            raise KeyboardInterrupt
        return function(self, part)

    patch.setattr(owner, method, stopped)
    return seen


def test_rows_that_were_learnt_from_are_not_learnt_from_again(tmp_path, sources, monkeypatch):
    """What was kept is gone on with: behind it, and when all is learnt, not at all."""
    pack(sources, tmp_path / "whole")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        first = stopped_at("add", TableLearning, 3, patch)
        pack(sources, tmp_path / "set")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        then = stopped_at("add", TableLearning, 0, patch)
        stopped_at("_numbers", table_rows.TableRows, 4, patch)
        pack(sources, tmp_path / "set")
    assert then[0] == first[-1] and not set(then) & set(first[:-1])
    monkeypatch.setattr(TableLearning, "add", None)
    pack(sources, tmp_path / "set")
    assert content_of(tmp_path / "set") == content_of(tmp_path / "whole")


def test_what_is_asked_for_otherwise_is_learnt_anew(tmp_path, sources):
    assert killed_at(30, lambda: pack(sources, tmp_path / "set")) == -signal.SIGKILL
    assert (tmp_path / "set" / ".packing" / "learnt.json").exists()
    packed = [pragam.pack(sources, tmp_path / name, **{**ASKED, "missing": "mean"}) for name in ("set", "new")]
    assert content_of(tmp_path / "set") == content_of(tmp_path / "new") and packed[0].table.missing == "mean"
