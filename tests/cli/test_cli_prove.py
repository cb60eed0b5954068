"""``pragam tune --prove``: the proof, the model at the best lam, the exit status, and what is refused."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
from cli_data import is_refused, make_data, needs_signals, start

from pragam.cli import main
from pragam.cli.commands.tune_range import eps_of
from pragam.models import load
from pragam.selection import tune

LAMS = "--lams=2^-10..2^0"


@pytest.mark.parametrize("prove", ["5%", "0.05", "se"])
def test_the_model_is_trained_on_all_rows_at_the_best_lam(tmp_path, capsys, prove):
    path, file = str(tmp_path / "data.svm"), str(tmp_path / "model")
    X, y = make_data(path, n=150)
    assert main(["tune", path, LAMS, "--prove", prove, "-o", file, "--json", "--quiet", "--seed", "3"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = tune(X, y, (2.0**-10, 1.0), prove="se" if prove == "se" else 0.05, seed=3)
    assert (record["lam"], record["error"], record["proven"]) == (found.lam, found.error, found.proven)
    assert record["certified"] and record["is_proven"] and record["cells"]["lo"] == found.cells.lo.tolist()
    assert record["C"] == pytest.approx(1 / (150 * found.lam)) and load(file).risk.lam == found.lam
    assert main(["certify", file, path]) == 0


def test_the_table_says_what_is_proven(tmp_path, capsys):
    path = str(tmp_path / "data.svm")
    make_data(path, n=150)
    assert main(["tune", path, LAMS, "--prove", "5%", "--folds", "3", "--quiet"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "3 folds of 150 rows" in out and "is better by more than" in out and "not written" in out
    assert "No exact model at any lam from 0.0009766 to 1 has fewer than" in out


def test_the_range_is_the_papers_by_default_and_validation_data_are_read(tmp_path, capsys):
    path, other = str(tmp_path / "data.svm"), str(tmp_path / "other.svm")
    make_data(path, n=80)
    make_data(other, seed=1)
    assert main(["tune", path, "--prove", "20%", "--validation", other, "--json", "--quiet"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_rows"] == 60 and record["cells"]["lo"][0] == 2.0**-20 and record["cells"]["hi"][-1] == 1.0


def test_numbers_are_judged_by_their_loss(tmp_path, capsys):
    from pragam.datasets import save_svmlight

    path, rng = str(tmp_path / "data.svm"), np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    save_svmlight(path, X, X @ np.ones(3) + 0.3 * rng.standard_normal(80))
    assert main(["tune", path, "--task", "regress", LAMS, "--prove", "0.1", "--quiet"]) == 0
    assert "has a mean loss below" in " ".join(capsys.readouterr().out.split())


def test_what_is_not_proven_is_status_3_and_the_model_is_written(tmp_path, capsys):
    path, file = str(tmp_path / "data.svm"), tmp_path / "model"
    make_data(path)
    options = ["--prove", "0", "--quiet", "--max-seconds", "0", "-o", str(file)]
    assert main(["tune", path, LAMS, *options]) == 3
    assert "not proven" in capsys.readouterr().out and file.exists()


def test_shares():
    assert [eps_of(text) for text in ("1%", "0.01", "0", "se")] == [0.01, 0.01, 0.0, "se"]


@pytest.mark.parametrize(
    "options",
    [["--prove", "-1"], ["--prove", "much"], ["--prove", "1%", "--lams", "0.1"], ["--prove", "1%", "--share", "2"],
     ["--prove", "0", "--task", "regress"], ["--prove", "5%", "--task", "regress"]],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(tmp_path, capsys, options):
    path = str(tmp_path / "data.svm")
    make_data(path)
    assert is_refused(capsys, "tune", path, "--quiet", *options)


def test_several_classes_are_refused(tmp_path, capsys):
    path = str(tmp_path / "data.svm")
    make_data(path, 3)
    assert main(["tune", path, "--quiet", "--prove", "1%"]) == 2
    assert "3 labels have several" in capsys.readouterr().err


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_proven_and_writes_the_model(tmp_path, number):
    path, file = tmp_path / "data.svm", tmp_path / "model"
    make_data(path, n=150)
    announce = """
import os, time
from pragam.runtime.screen import Screen
def show(self, text, *more):
    if " 5 solved" in text:
        os.write(1, b"solving\\n")
        time.sleep(1)
Screen.show = show
"""
    process = start("tune", path, LAMS, "--prove", "0", "--json", "-o", file, before=announce)
    assert process.stdout is not None and process.stdout.readline() == "solving\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    record = json.loads(out.splitlines()[-1])
    assert record["status"] == "INTERRUPTED" and not record["is_proven"] and record["n_solves"] < 10
    assert load(file).certificate.relative_gap == record["model_relative_gap"] and "Traceback" not in err


def test_the_tables_fit_in_80_columns(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    path = str(tmp_path / "data.svm")
    make_data(path, n=150)
    assert main(["tune", path, "--lams=2^-20..2^0", "--prove", "200%", "--folds", "3", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[: lines.index("proven")]
    assert "wrong predictions of 150" in table[0] and all(len(line) <= 80 for line in lines)
    rows = [line.split() for line in table if ".." in line]
    assert len(rows) > 2 and all(len(row) >= 6 for row in rows)


def test_printed_numbers_are_rounded_to_the_safe_side():
    from pragam.selection.proven.shown import at_least, at_most, percent

    assert (percent(1 / 137, 4), percent(0.01, 4), percent(0.0, 4), percent(1.0, 3)) == (
        "0.73 %",
        "1 %",
        "0 %",
        "100 %",
    )
    rng = np.random.default_rng(0)
    for value in (10 ** rng.uniform(-9, 9, 200)).tolist():
        assert float(at_least(value, 4)) <= value <= float(at_most(value, 4)) <= 1.01 * value


def test_the_table_of_losses_has_bounds_that_hold():
    from types import SimpleNamespace

    from pragam.cli.commands.tune_range_report import _entries

    for low, high in np.sort(np.random.default_rng(0).random((200, 2))).tolist():
        least, _, most = _entries((low, np.nan, high), SimpleNamespace(measure="absolute"))
        assert float(least) <= low <= high <= float(most)
