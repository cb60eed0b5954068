"""``train --checkpoint`` and ``tune --checkpoint``: killed at some moment, the same command writes the same model."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from cli_data import make_data, needs_signals, start

from pragam.cli import main
from pragam.models import load

#: Writes at every chance, and says so.
ANNOUNCE = """
import os
from pragam.driver.checkpoint import keeper
from pragam.files import checkpoint_file
keeper._LEAST = keeper._SHARE = 0.0
write = checkpoint_file.write
checkpoint_file.write = lambda *given: (write(*given), os.write(1, b"written\\n"))
"""


def killed(lines, *argv, by=signal.SIGKILL):
    """The command, ended by a signal after so many writings; whether it was still alive."""
    process = start(*argv, before=ANNOUNCE)
    for _ in range(lines):
        process.stdout.readline()
    process.send_signal(by)
    process.communicate()
    return process.returncode


def same_model(first, second):
    first, second = load(first), load(second)
    assert all(np.array_equal(first.tensors[name], second.tensors[name]) for name in first.tensors)
    assert [proof.certificate for proof in first.proofs] == [proof.certificate for proof in second.proofs]
    assert [proof.n_iter for proof in first.proofs] == [proof.n_iter for proof in second.proofs]
    assert all(np.array_equal(a.dual, b.dual) for a, b in zip(first.proofs, second.proofs, strict=True))


@needs_signals
@pytest.mark.parametrize("solver", ["auto", "qp-bmrm"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sigkill_and_again(solver, n_classes, tmp_path, capsys):
    data, folder = tmp_path / "data.svm", tmp_path / "kept"
    make_data(data, n_classes, n=400, d=8)
    argv = ["train", data, "--solver", solver, "--tol", "1e-5", "--quiet", "--checkpoint", folder, "-o"]
    ends = [killed(lines, *argv, tmp_path / "model") for lines in (2, 3, 4)]
    assert -signal.SIGKILL in ends
    assert main([*map(str, argv), str(tmp_path / "model")]) == 0
    assert (
        main(["train", str(data), "--solver", solver, "--tol", "1e-5", "--quiet", "-o", str(tmp_path / "alone")]) == 0
    )
    same_model(tmp_path / "model", tmp_path / "alone")
    assert sorted(os.listdir(folder)) == sorted(
        f"problem-{k}.checkpoint" for k in range(n_classes if n_classes > 2 else 1)
    )
    capsys.readouterr()


@needs_signals
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_write_where_they_end(by, tmp_path, capsys):
    data, folder = tmp_path / "data.svm", tmp_path / "kept"
    make_data(data, n=400, d=8)
    argv = ["train", data, "--solver", "pragam", "--max-iter", "80", "--quiet", "--checkpoint", folder, "-o"]
    assert killed(4, *argv, tmp_path / "early", by=by) == 3
    assert 0 < load(tmp_path / "early").proofs[0].n_iter < 80
    assert main([*map(str, argv), str(tmp_path / "model")]) == 3
    argv[argv.index("--checkpoint") : -1] = []
    assert main([*map(str, argv), str(tmp_path / "alone")]) == 3
    same_model(tmp_path / "model", tmp_path / "alone")
    capsys.readouterr()


@needs_signals
def test_tuning_goes_on_too(tmp_path, capsys):
    data, folder = tmp_path / "data.svm", tmp_path / "kept"
    make_data(data, n=300, d=6)
    argv = ["tune", data, "--lams", "2^-6..2^-2", "--folds", "2", "--quiet", "--json"]
    more = ["--checkpoint", folder, "-o", tmp_path / "model"]
    ends = [killed(lines, *argv, *more) for lines in (2, 5, 9)]
    assert -signal.SIGKILL in ends
    told = []
    for options in (more, more, ["-o", tmp_path / "alone"]):
        assert main([*map(str, argv), *map(str, options)]) == 0
        told.append(json.loads(capsys.readouterr().out))
        del told[-1]["model"]
    same_model(tmp_path / "model", tmp_path / "alone")
    assert told[0] == told[1]


def test_each_run_of_a_budget_gets_on(tmp_path, capsys):
    data, folder, iterations = tmp_path / "data.svm", tmp_path / "kept", []
    make_data(data, n=400, d=8)
    argv = ["train", str(data), "--solver", "pragam", "--tol", "1e-13", "--quiet", "--checkpoint", str(folder)]
    for _ in range(3):
        assert main([*argv, "--max-seconds", "0.2", "-o", str(tmp_path / "model")]) == 3
        iterations.append(load(tmp_path / "model").proofs[0].n_iter)
    assert iterations == sorted(set(iterations))
    capsys.readouterr()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["other.svm"], "is a checkpoint of other data"),
        (["data.svm", "-C", "3"], "is a checkpoint of another lam"),
        (["data.svm", "--tol", "1e-2"], "is a checkpoint of another tol"),
        (["data.svm", "--loss", "squared_hinge"], "is a checkpoint of another risk"),
        (["data.svm", "--seed", "5"], "is a checkpoint of another seed"),
        (["data.svm", "--checkpoint", "data.svm"], "is a file, and the checkpoints of several solves are a directory"),
        (["data.svm", "--checkpoint", "no/folder"], "no checkpoints can be written here"),
    ],
)
def test_what_does_not_belong_is_refused_in_one_line(more, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_data(tmp_path / "data.svm")
    make_data(tmp_path / "other.svm", seed=1)
    assert main(["train", "data.svm", "--quiet", "--checkpoint", "kept"]) == 0
    capsys.readouterr()
    assert main(["train", "--quiet", "--checkpoint", "kept", *more]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and message in printed.err


def test_a_damaged_one_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    make_data(tmp_path / "data.svm")
    assert main(["train", "data.svm", "--quiet", "--checkpoint", "kept"]) == 0
    file = tmp_path / "kept" / "problem-0.checkpoint"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    capsys.readouterr()
    assert main(["train", "data.svm", "--quiet", "--checkpoint", "kept"]) == 2
    printed = capsys.readouterr()
    assert (
        printed.err
        == f"pragam: {file.relative_to(tmp_path)}: not a usable checkpoint: it is damaged: remove it, and begin anew\n"
    )
