"""``pragam pack`` in a process of its own and in this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading

import numpy as np
import pytest
from cli_data import make_data, needs_signals, start

import pragam
from pragam.cli import main
from pragam.datasets import load_svmlight

#: Announces that what was read is on the disk, and waits there.
WAIT = """
import os, time
from pragam.packed import work
save = work.Work.save
def saved(self, **state):
    save(self, **state)
    os.write(1, b"saved\\n")
    time.sleep(600)
work.Work.save = saved
"""


@pytest.fixture
def rows(tmp_path):
    make_data(tmp_path / "rows.svm")
    return tmp_path / "rows.svm"


def test_it_packs_and_says_what(rows, tmp_path, capsys):
    assert main(["pack", str(rows), "-o", str(tmp_path / "set"), "--seed", "3", "--chunk", "1KB"]) == 0
    out, err = capsys.readouterr()
    packed = pragam.open_packed(tmp_path / "set")
    assert out.startswith(f"{tmp_path / 'set'}: 60 rows, 5 columns, 300 entries in float64; ") and err == ""
    assert packed.n_chunks > 2 and f"; {packed.n_chunks} chunks, " in out
    again = pragam.pack([load_svmlight(rows)], tmp_path / "again", seed=3, chunk_bytes=1000)
    assert again.fingerprint() == packed.fingerprint()


def test_json_and_settings(rows, tmp_path, capsys):
    options = ["--json", "--dtype", "float32", "--n-features", "7", "--zero-based", "--quiet"]
    assert main(["pack", str(rows), "-o", str(tmp_path / "set"), *options]) == 0
    record = json.loads(capsys.readouterr().out)
    packed = pragam.open_packed(tmp_path / "set")
    assert record["dtype"] == "float32" == packed.dtype.name and (record["n"], record["d"]) == (60, 7) == packed.shape
    assert record["sha256"] == packed.fingerprint()["sha256"] and record["chunks"] == 1 and packed.zero_based is True


def test_a_model_of_packed_text_reads_text_alike(tmp_path, capsys):
    """The index 0 occurs in training and not in what is predicted: there, too, indices count from 0."""
    (tmp_path / "train.svm").write_text("1 0:1 1:2\n-1 1:-2\n" * 20)
    (tmp_path / "test.svm").write_text("1 1:2\n-1 1:-2\n")
    assert main(["pack", str(tmp_path / "train.svm"), "-o", str(tmp_path / "set")]) == 0
    for data, model in (("set", "a"), ("train.svm", "b")):
        assert main(["train", str(tmp_path / data), "-o", str(tmp_path / model), "--quiet", "--lam", "0.1"]) == 0
        capsys.readouterr()
        assert main(["predict", str(tmp_path / model), str(tmp_path / "test.svm")]) == 0
        assert capsys.readouterr().out == "1\n-1\n"


def test_tables(tmp_path, capsys):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (tmp_path / "table.csv").write_text("id;age;job\nr1;3;a\nr2;4;b\n")
    command = ["pack", str(tmp_path / "table.csv"), "-o", str(tmp_path / "set")]
    assert main([*command, "--target", "job", "--drop", "id"]) == 0
    assert main(["train", str(tmp_path / "set"), "--target", "job"]) == 2
    assert "--target is not for a packed directory, which pragam pack has told its columns" in capsys.readouterr().err
    packed = pragam.open_packed(tmp_path / "set")
    assert packed.shape == (2, 1) and sorted(packed.y.tolist()) == ["a", "b"] and not packed.is_sparse
    capsys.readouterr()
    for options, said in (
        (["--target", "income"], "it has no column 'income' to be the target; its columns are 'id', 'age', 'job'"),
        (["--drop", "id"], "drop is for tables, of which target names the column to predict"),
        (["--missing", "mean"], "missing is for tables, of which target names the column to predict"),
        (["--target", "job", "--categorical", "ids"], "it has no column 'ids' to make a category"),
        ([], "it looks like a table of comma-separated values (CSV)"),
    ):
        assert main([*command[:-1], str(tmp_path / "other"), *options]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and said in err
        assert not (tmp_path / "other").exists()


def test_the_standard_input(rows, tmp_path):
    process = start("pack", "-", "-o", tmp_path / "set", stdin=subprocess.PIPE)
    process.communicate(rows.read_text(), timeout=60)
    assert process.returncode == 0
    whole = pragam.pack(rows, tmp_path / "whole")
    assert pragam.open_packed(tmp_path / "set").fingerprint() == whole.fingerprint()


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_a_signal_ends_goes_on(rows, tmp_path, number, capsys):
    process = start("pack", rows, "-o", tmp_path / "set", before=WAIT)
    assert process.stdout is not None
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    assert process.stdout.readline() == "saved\n"
    watchdog.cancel()
    process.send_signal(number)
    err = process.communicate(timeout=60)[1]
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    said = f"pragam: aborted; {tmp_path / 'set'} has what was done, and the same command goes on with it\n"
    assert err == (said if number == signal.SIGINT else "")
    assert main(["train", str(tmp_path / "set")]) == 2
    assert "its packing has not come to an end" in capsys.readouterr().err
    assert main(["pack", str(rows), "-o", str(tmp_path / "set")]) == 0
    whole = pragam.pack(rows, tmp_path / "whole")
    assert pragam.open_packed(tmp_path / "set").fingerprint() == whole.fingerprint()
    assert os.listdir(tmp_path / "set").count(".packing") == 0


@needs_signals
def test_ctrl_c_while_a_pipe_is_packed_leaves_nothing(rows, tmp_path):
    process = start("pack", "-", "-o", tmp_path / "set", before=WAIT, stdin=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(rows.read_text())
    process.stdin.close()
    process.stdin = None
    assert process.stdout.readline() == "saved\n"
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and err == "pragam: aborted; nothing was left behind\n"
    assert not (tmp_path / "set").exists()


def test_progress_on_a_terminal(rows, tmp_path):
    pty = pytest.importorskip("pty", reason="terminals of POSIX")
    master, slave = pty.openpty()
    process = start("pack", rows, "-o", tmp_path / "set", stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            more = os.read(master, 4096)
        except OSError:
            break
        if not more:
            break
        shown += more
    assert process.wait(60) == 0 and b"rows packed" in shown and b"60 of 60" in shown


def test_bad_arguments(rows, tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    for words, said in (
        ([rows, "-o", rows], "rows.svm: is a file, and packed data are a directory"),
        ([rows, "-o", tmp_path], "is not empty, and no directory that was being packed"),
        ([rows, "-o", tmp_path / "a" / "b"], f"{tmp_path / 'a' / 'b'}: No such file or directory"),
        ([rows, "-o", tmp_path / "a", "--seed", "-1"], "seed must be a whole number >= 0, not -1"),
        (
            [rows, "-o", tmp_path / "a", "--n-features", "2"],
            "rows.svm, lines 1 to 60: X has 5 columns, where n_fe",
        ),
        ([rows, rows, "-o", tmp_path / "a"], "rows.svm: is named twice"),
        (["-", "-", "-o", tmp_path / "a"], "the standard input can be named once"),
        ([tmp_path / "x.npy", "-o", tmp_path / "a"], "x.npy: there are no labels; put them into"),
    ):
        assert main(["pack", *map(str, words)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and said in err, err
        assert not (tmp_path / "a").exists()
