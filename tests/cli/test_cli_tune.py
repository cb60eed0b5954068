"""``pragam tune``: the table, the choice, the model, the exit status, and Ctrl-C."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
from cli_data import is_refused, make_data, needs_signals, start

from pragam.cli import main
from pragam.cli.commands.tune import lams_of
from pragam.datasets import save_svmlight
from pragam.models import load
from pragam.selection import tune

LAMS = "--lams=2^-6..2^0"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_is_trained_on_all_rows_at_the_best_lam(tmp_path, capsys, n_classes):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    X, y = make_data(path, n_classes)
    assert main(["tune", path, LAMS, "-o", file, "--json", "--quiet", "--seed", "3"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = tune(X, y, lams_of("2^-6..2^0"), seed=3)
    assert record["best_lam"] == found.best and record["largest_lam_within_one_standard_error"] == found.simplest
    assert [point["accuracy"] for point in record["points"]] == found.accuracy.tolist()
    assert all(point["relative_gap"] <= 1e-6 for point in record["points"]) and record["certified"]
    assert record["points"][0]["C"] == pytest.approx(1 / (60 * 2.0**-6))
    model = load(file)
    assert model.risk.lam == found.best and model.fingerprint["n"] == 60
    assert main(["certify", file, path]) == 0


def test_the_table_names_the_choice(tmp_path, capsys):
    path = str(tmp_path / "data.svm")
    X, y = make_data(path)
    assert main(["tune", path, LAMS, "--quiet"]) == 0
    out = capsys.readouterr().out
    found = tune(X, y, lams_of("2^-6..2^0"))
    best = next(line for line in out.splitlines() if line.endswith("best"))
    assert best.split()[0] == f"{found.best:.4g}" and f"{100 * found.accuracy.max():.2f} ± " in best
    assert "not written" in out and f"{found.simplest:.6g}" in out


def test_a_validation_file_may_have_other_columns(tmp_path, capsys):
    path, other = str(tmp_path / "data.svm"), str(tmp_path / "other.svm")
    X, y = make_data(path)
    save_svmlight(other, np.hstack([X, np.ones((len(X), 2))]), y)
    assert main(["tune", path, LAMS, "--validation", other, "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    record = json.loads(captured.out)
    assert (record["n_train"], record["n_validation"]) == (60, 60)
    assert "120 entries" in captured.err and captured.err.count("\n") == 1


def test_what_is_not_certified_is_status_3_and_the_model_is_written(tmp_path, capsys):
    path, file = str(tmp_path / "data.svm"), tmp_path / "model"
    make_data(path)
    assert main(["tune", path, LAMS, "--quiet", "--max-seconds", "0", "-o", str(file)]) == 3
    assert "not certified at 7 lams" in capsys.readouterr().out and file.exists()


@pytest.mark.parametrize(
    "options",
    [["--lams", "0"], ["--lams", "1,,2"], ["--lams", "2^-3..3^0"], ["--lams", "nan"], ["--lams", "2^9999"],
     ["--share", "1.5"], ["--validation", "absent.svm"], ["--share", "0.1", "--validation", "x"], ["-o", "absent/x"]],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(tmp_path, capsys, options):
    path = str(tmp_path / "data.svm")
    make_data(path)
    assert is_refused(capsys, "tune", path, "--quiet", *options)


def test_lists_of_lams():
    assert lams_of("2^-2..2^0,1e-3,10^-4") == [0.25, 0.5, 1.0, 1e-3, 1e-4]


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_points_done_and_writes_the_model(tmp_path, number):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path)
    announce = """
import os
from pragam.driver.progress import ProgressLine
ProgressLine.__call__ = lambda self, progress: progress.lam < 0.01 and os.write(1, b"solving\\n") < 0
"""
    options = ["--lams=2^-8..2^0", "--solver", "pragam", "--no-bias", "--tol", "1e-7", "--json"]
    process = start("tune", path, *options, "-o", file, before=announce)
    assert process.stdout is not None and process.stdout.readline() == "solving\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    record = json.loads(out.splitlines()[-1])
    status = [point["status"][0] for point in record["points"]]  # by rising lam
    assert status[-1] == "CONVERGED" and status[0] == "INTERRUPTED"
    assert load(file).certificate.relative_gap == record["model_relative_gap"] < 0.5
    assert "Traceback" not in err
