"""A packing is killed, stopped by a full disk, or disturbed by another one: real processes, signals and limits.

What goes on afterwards ends with the bytes of a packing that nothing disturbed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import shutil
import signal
import sys
import time

import numpy as np
import pytest
from packed_data import content_of, small

import pragam
from pragam.datasets import save_svmlight
from pragam.files.svmlight_reader import Reader
from pragam.packed import dealing, runs, text_rows

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")

EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}


@pytest.fixture
def source(tmp_path, monkeypatch):
    """Text that takes several blocks, runs, windows and chunks."""
    save_svmlight(tmp_path / "rows.svm", *small(1500))
    monkeypatch.setattr(os, "fsync", lambda number: None)  # which is what would take time, and a kill needs none
    monkeypatch.setattr(text_rows, "_BLOCK", 15_000)
    monkeypatch.setattr(runs, "RUN", 30_000)
    monkeypatch.setattr(dealing, "RUN", 40_000)
    return tmp_path / "rows.svm"


def pack(source, folder):
    return pragam.pack(source, folder, chunk_bytes=6000)


def in_child(work):
    """The exit status of a process that does this, negative after a signal; 1 after an exception."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(place, work):
    """As ``in_child``, but SIGKILL ends the process when it is about to touch its ``place``-th file."""
    return disturbed_at(place, work, lambda: os.kill(os.getpid(), signal.SIGKILL))


def disturbed_at(place, work, disturb):
    """As ``in_child``, but something happens when the process is about to touch its ``place``-th file."""
    count = [place]

    def watch(event, arguments):
        if event in EVENTS and not str(arguments[0]).endswith(".svm"):
            count[0] -= 1
            if not count[0]:
                disturb()

    def watched():
        sys.addaudithook(watch)
        work()

    return in_child(watched)


def test_killed_at_any_file_it_goes_on_to_the_same_bytes(tmp_path, source):
    pack(source, tmp_path / "whole")
    whole, place, status = content_of(tmp_path / "whole"), 0, -signal.SIGKILL
    assert sum(name.startswith("chunks/") for name in whole) >= 5 * 10
    while status == -signal.SIGKILL:
        place += 1
        folder = tmp_path / f"killed-{place}"
        status = killed_at(place, lambda folder=folder: pack(source, folder))
        if (folder / "manifest.json").exists():
            with contextlib.suppress(ValueError):  # it is whole already
                pack(source, folder)
        else:
            pack(source, folder)
        assert content_of(folder) == whole, f"killed at file {place}"
    assert status == 0 and place > 100


def test_killed_again_and_again_it_comes_to_an_end(tmp_path, source):
    pack(source, tmp_path / "whole")
    ends = [killed_at(place, lambda: pack(source, tmp_path / "set")) for place in (25, 35, 50, 70, 90, 10_000)]
    assert ends == [-signal.SIGKILL] * 5 + [0] and content_of(tmp_path / "set") == content_of(tmp_path / "whole")


def test_rows_that_were_read_are_not_read_again(tmp_path, source, monkeypatch):
    pack(source, tmp_path / "whole")
    place = 1
    while not (tmp_path / "set" / ".packing" / "chunks.jsonl").exists():
        place += 1
        assert killed_at(place, lambda: pack(source, tmp_path / "set")) == -signal.SIGKILL
    monkeypatch.setattr(Reader, "feed", None)
    pack(source, tmp_path / "set")
    assert content_of(tmp_path / "set") == content_of(tmp_path / "whole")


def test_blocks_that_are_interrupted_at_any_file_leave_all_or_nothing(tmp_path, source):
    """They are gone, so nothing stays that could be gone on with; but what is whole is not taken away."""
    X, y = small(300)
    kept = pragam.pack([(X, y)], tmp_path / "whole", chunk_bytes=6000)

    def interrupt():
        raise KeyboardInterrupt

    for place in itertools.count(1):
        folder = tmp_path / f"interrupted-{place}"
        status = disturbed_at(place, lambda: pragam.pack([(X, y)], folder, chunk_bytes=6000), interrupt)  # noqa: B023
        if (folder / "manifest.json").exists():
            assert pragam.open_packed(folder).fingerprint() == kept.fingerprint(), f"interrupted at file {place}"
        else:
            assert not (folder / "chunks").exists(), f"interrupted at file {place}"
        if status == 0:
            break
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("change", ["source", "settings"])
def test_what_was_asked_for_otherwise_begins_anew(tmp_path, source, change):
    assert killed_at(60, lambda: pack(source, tmp_path / "set")) == -signal.SIGKILL
    assert (tmp_path / "set" / ".packing" / "state.json").exists()
    if change == "source":
        save_svmlight(source, *small(300, seed=1))
    for folder in ("set", "new"):
        pragam.pack(source, tmp_path / folder, seed=int(change == "settings"), chunk_bytes=6000)
    assert content_of(tmp_path / "set") == content_of(tmp_path / "new")
    with pytest.raises(ValueError, match=r"has a manifest.json already"):
        pragam.pack(source, tmp_path / "set", seed=5)


def test_an_unfinished_set_is_not_opened(tmp_path, source):
    killed_at(60, lambda: pack(source, tmp_path / "set"))
    with pytest.raises(ValueError, match="its packing has not come to an end: run the same pragam pack again"):
        pragam.open_packed(tmp_path / "set")


def test_two_at_once_are_refused(tmp_path, source):
    os.mkfifo(tmp_path / "fifo")
    pid = os.fork()
    if pid == 0:
        try:
            pack(tmp_path / "fifo", tmp_path / "set")
            os._exit(0)
        finally:
            os._exit(1)
    with open(tmp_path / "fifo", "wb") as pipe:  # which the other process reads, so it has the lock
        while not (tmp_path / "set" / "chunks").exists():
            time.sleep(0.01)
        for given in (source, [(np.eye(2), [0, 1])]):
            with pytest.raises(ValueError, match="set: is being packed by another process: wait for it, or choose"):
                pack(given, tmp_path / "set")
        pipe.write(source.read_bytes())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert pragam.open_packed(tmp_path / "set").fingerprint() == pack(source, tmp_path / "own").fingerprint()


@pytest.mark.parametrize("size", [100, 3000, 7000])
@pytest.mark.parametrize("form", ["file", "blocks"])
def test_a_full_disk_is_an_error_that_names_a_file(tmp_path, source, size, form):
    """A limit of the size of files stands for it. Files are gone on with; of blocks, which are gone, nothing stays."""
    given = source if form == "file" else [small(400)]

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        with pytest.raises(OSError) as caught:
            pack(given, tmp_path / "set")
        assert str(tmp_path / "set") in str(caught.value.filename) and caught.value.strerror

    assert in_child(limited) == 0
    assert (tmp_path / "set").exists() == (form == "file")
    pack(given, tmp_path / "set")
    pack(given, tmp_path / "whole")
    assert content_of(tmp_path / "set") == content_of(tmp_path / "whole")


def test_links_that_lie_in_an_unfinished_directory_are_not_written_through(tmp_path, source):
    (tmp_path / "victim").write_text("precious")
    for name in ("state.json", "run-000000", "chunks.jsonl"):
        folder = tmp_path / name
        (folder / ".packing").mkdir(parents=True)
        (folder / ".packing" / name).symlink_to(tmp_path / "victim")
        with pytest.raises(ValueError, match="is a link, and no packing makes one"):
            pack(source, folder)
    for inside in ("chunks", "chunks/000000.data.npy"):
        folder = tmp_path / f"in {inside.replace('/', ' ')}"
        (folder / ".packing").mkdir(parents=True)
        (folder / inside).parent.mkdir(exist_ok=True)
        (folder / inside).symlink_to(tmp_path / "victim")
        with pytest.raises(ValueError, match="is a link, and no packing makes one"):
            pack(source, folder)
    assert (tmp_path / "victim").read_text() == "precious"
