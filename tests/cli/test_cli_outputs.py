"""An output never replaces what the same command reads, by whatever name, and is refused before anything is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_data import make_data, needs_signals
from test_cli_chain import write_sentences

import pragam
from pragam.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Data, a validation file, a model, a matrix with labels beside it, sentences and their template."""
    monkeypatch.chdir(tmp_path)
    X, y = make_data(tmp_path / "x.svm")
    make_data(tmp_path / "v.svm", seed=1)
    np.save("x.npy", X)
    np.save("x.y.npy", y)
    write_sentences(tmp_path / "s.txt")
    (tmp_path / "t.txt").write_text("w[0]\n")
    assert main(["train", "x.svm", "-o", "m", "--quiet"]) == 0
    return tmp_path


WAYS = {
    "train": (["train", "x.svm", "-o", "{out}"], "x.svm"),
    "train to LIBLINEAR": (["train", "x.svm", "--liblinear", "{out}"], "x.svm"),
    "train on a matrix": (["train", "x.npy", "-o", "{out}"], "x.npy"),
    "train over labels": (["train", "x.npy", "-o", "{out}"], "x.y.npy"),
    "train over a template": (["train", "--task", "chain", "s.txt", "--template", "t.txt", "-o", "{out}"], "t.txt"),
    "tune": (["tune", "x.svm", "-o", "{out}"], "x.svm"),
    "tune over validation": (["tune", "x.svm", "--validation", "v.svm", "-o", "{out}"], "v.svm"),
    "predict over data": (["predict", "m", "x.svm", "-o", "{out}"], "x.svm"),
    "predict over the model": (["predict", "m", "x.svm", "-o", "{out}"], "m"),
}


def named(kind, target):
    """Another name of a file."""
    other = Path("other")
    if kind == "name":
        return target
    if kind == "path":
        return os.path.join(os.getcwd(), ".", target)
    os.link(target, other) if kind == "hard link" else other.symlink_to(target)
    return str(other)


@pytest.mark.parametrize("kind", ["name", "path", "hard link", "symlink"])
@pytest.mark.parametrize("way", WAYS)
def test_an_input_is_never_replaced(folder, capsys, way, kind):
    argv, target = WAYS[way]
    before = Path(target).read_bytes()
    out = named(kind, target)
    capsys.readouterr()
    assert main([each.format(out=out) for each in argv]) == 2
    stdout, err = capsys.readouterr()
    assert stdout == "" and err == (
        f"pragam: {out}: is read by this command too, and would be replaced; name another output\n"
    )
    assert Path(target).read_bytes() == before


@needs_signals
@pytest.mark.parametrize("source", ["-", "/dev/stdin"])
def test_the_standard_input_may_be_the_file(folder, source):
    env = {**os.environ, "PYTHONPATH": str(Path(pragam.__file__).parents[1])}
    before = Path("x.svm").read_bytes()
    with open("x.svm", "rb") as stream:
        command = [sys.executable, "-m", "pragam", "train", source, "-o", "x.svm"]
        done = subprocess.run(command, stdin=stream, env=env, capture_output=True, text=True)
    assert done.returncode == 2 and "x.svm: is read by this command too" in done.stderr
    assert Path("x.svm").read_bytes() == before


def test_it_is_refused_before_anything_is_read(folder, capsys):
    Path("x.svm").write_text("nonsense")
    assert main(["train", "x.svm", "-o", "x.svm"]) == 2
    assert "is read by this command too" in capsys.readouterr().err


def test_two_outputs_are_two_files(folder, capsys):
    capsys.readouterr()
    assert main(["train", "x.svm", "-o", "a", "--liblinear", "./a"]) == 2
    assert capsys.readouterr().err == "pragam: ./a: two outputs of this command would be this file\n"
    assert not Path("a").exists()


def test_a_copy_of_an_input_may_be_replaced(folder):
    Path("copy").write_bytes(Path("x.svm").read_bytes())
    assert main(["predict", "m", "x.svm", "-o", "copy"]) == 0
    assert Path("copy").read_text().split()[0] in "01"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("argv", [["predict", "m", "x.svm", "-o"], ["train", "x.svm", "--liblinear"], ["tune", "-o"]])
def test_a_full_disk_is_one_line(folder, capsys, argv):
    capsys.readouterr()
    assert main([*argv, "/dev/full", *(["x.svm", "--lams", "1"] if argv[0] == "tune" else [])]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "pragam: /dev/full: No space left on device"
