"""``pragam tune --loo``: the error beside the model, its exit status, and what is refused before anything is solved."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest
from cli_data import make_data, needs_signals

import pragam
from pragam.cli import main
from pragam.datasets import save_svmlight
from pragam.models import load
from pragam.samples import Rows
from pragam.selection import leave_one_out
from pragam.selection.left_out import LeftOutLine

LAMS = "--lams=2^-4..2^-2"


def test_the_error_of_the_model_is_printed_and_proven(tmp_path, capsys):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    X, y = make_data(path)
    assert main(["tune", path, LAMS, "-o", file, "--quiet", "--json", "--loo"]) == 0
    found = json.loads(capsys.readouterr().out)["leave_one_out"]
    expected = leave_one_out(load(file), Rows.of(X, y))
    assert found["errors"] == found["fewest"] == found["most"] == expected.errors and found["n"] == 60
    assert sum(found["decided_by"].values()) == 60 and found["solves"] == expected.solves
    assert main(["tune", path, LAMS, "-o", file, "--quiet", "--loo"]) == 0
    assert f"{100 * expected.error:.2f} %" in capsys.readouterr().out
    assert main(["tune", path, LAMS, "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["leave_one_out"] is None


def test_a_proven_range_has_it_too(tmp_path, capsys):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    X, y = make_data(path)
    assert main(["tune", path, LAMS, "--prove", "20%", "-o", file, "--quiet", "--json", "--loo"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["is_proven"]
    assert record["leave_one_out"]["errors"] == leave_one_out(load(file), Rows.of(X, y)).errors
    options = ["--lams=0.1,0.2", "--prove", "100%", "--no-bias", "--validation", path, "--quiet", "--loo"]
    save_svmlight(path, np.array([[1.0, 0], [0, 1], [0, -1], [0, 1], [0, -1]]), np.array([1, 1, -1, 1, -1]))
    assert main(["tune", path, "-o", file, *options]) == 3
    assert "0.00 to 20.00 %" in capsys.readouterr().out


def test_an_error_that_stays_an_interval_is_status_3(tmp_path, capsys):
    """Without the first row the others are their own mirror image, so its score is 0 exactly."""
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    save_svmlight(path, np.array([[1.0, 0], [0, 1], [0, -1], [0, 1], [0, -1]]), np.array([1, 1, -1, 1, -1]))
    options = ["--lams=0.2", "--no-bias", "--validation", path, "--quiet", "--loo"]
    assert main(["tune", path, "-o", file, *options, "--json"]) == 3
    record = json.loads(capsys.readouterr().out)
    assert record["certified"] and record["leave_one_out"]["errors"] is None
    assert (record["leave_one_out"]["fewest"], record["leave_one_out"]["most"]) == (0, 1)
    assert main(["tune", path, "-o", file, *options]) == 3
    assert "0.00 to 20.00 %" in capsys.readouterr().out


@needs_signals
def test_sigterm_keeps_what_is_decided_and_the_model(tmp_path, capsys, monkeypatch):
    path, file = str(tmp_path / "data.svm"), tmp_path / "model"
    make_data(path)

    def ended(line, progress):
        if progress.solves == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(LeftOutLine, "__call__", ended)
    assert main(["tune", path, "--lams=2^-8", "-o", str(file), "--json", "--loo"]) == 3
    record = json.loads(capsys.readouterr().out)
    found = record["leave_one_out"]
    assert record["certified"] and file.exists() and "interrupted" in found["remark"]
    assert found["solves"] == 1 and found["fewest"] < found["most"]


def test_it_goes_on_from_its_checkpoint(tmp_path, capsys):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    make_data(path)
    command = ["tune", path, LAMS, "-o", file, "--quiet", "--json", "--loo", "--checkpoint", str(tmp_path / "kept")]
    assert main(command) == main(command) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["leave_one_out"] == second["leave_one_out"] and (tmp_path / "kept" / "left-out").is_dir()


@pytest.mark.parametrize("n_classes, options, what", [
    (3, ["-o", "model"], "3 classes"),
    (2, [], "--loo needs -o MODEL"),
    (2, ["-o", "model", "--task", "regress"], "epsilon_insensitive"),
])  # fmt: skip
def test_it_is_refused_before_anything_is_solved(tmp_path, capsys, monkeypatch, n_classes, options, what):
    path = str(tmp_path / "data.svm")
    make_data(path, n_classes)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pragam.selection.choice, "paths", lambda *_, **__: pytest.fail("solved"))
    assert main(["tune", path, LAMS, "--loo", "--quiet", *options]) == 2
    assert what in capsys.readouterr().err
