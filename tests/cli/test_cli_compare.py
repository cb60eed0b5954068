"""The command ``pragam compare``: what it prints, where it writes, and its exit statuses."""

from __future__ import annotations

import json

import pytest

from pragam import theory
from pragam.cli import main
from pragam.compare import load
from pragam.compare.journal import NAME


@pytest.fixture(autouse=True)
def no_data(monkeypatch, tmp_path):
    monkeypatch.delenv("PRAGAM_DATA", raising=False)
    monkeypatch.setenv("PRAGAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "78")


QUICK = ["--no-page", "--quick", "--max-iter", "5", "--solvers", "ls-bmrm"]


def test_without_data_it_takes_the_example_and_says_so(tmp_path, capsys):
    assert main(["compare", *QUICK, "-o", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert "built-in example" in err and "ls-bmrm" in out and "iteration budget" in out
    assert max(map(len, out.splitlines())) < 400 and "example: n = 456" in out
    assert load(tmp_path / "out").run("example", "ls-bmrm").iteration.tolist() == [1, 2, 3, 4, 5]
    assert main(["compare", *QUICK, "pegasos-n", "-o", str(tmp_path / "out")]) == 0
    assert load(tmp_path / "out").run("example", "pegasos-n").has_points


def test_json_is_one_object(tmp_path, capsys):
    assert main(["compare", "example", *QUICK, "nobody.py", "--json", "-o", str(tmp_path / "out")]) == 0
    record = json.loads(capsys.readouterr().out)
    ours, nobody = record["runs"]
    assert ours["points"] == 5 and ours["seconds_to"]["1e-09"] is None
    assert nobody["points"] == 0 and "nobody.py" in nobody["status"]


def test_if_nothing_could_be_measured_the_status_is_2(tmp_path, capsys):
    assert main(["compare", str(tmp_path / "none.svm"), *QUICK, "-o", str(tmp_path / "out")]) == 2
    assert "there is no data set and no file" in capsys.readouterr().out


def test_lambda_is_chosen_on_a_validation_split(tmp_path, capsys):
    assert main(["compare", "example", *QUICK, "--tune", "-o", str(tmp_path / "out")]) == 0
    experiment = load(tmp_path / "out")
    curve = experiment.tuning["example"]
    assert len(curve["lam"]) == len(curve["accuracy"]) == len(curve["gap"]) == 21
    best = curve["accuracy"].index(max(curve["accuracy"]))
    assert experiment.data["example"].lam in curve["lam"] and max(curve["gap"]) < 1e-3
    assert curve["accuracy"][curve["lam"].index(experiment.data["example"].lam)] == curve["accuracy"][best]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--seconds", "-1"], "seconds"),
        (["--solvers", "nobody"], "not 'nobody'"),
        (["--threads", "0"], "threads"),
        (["--lam", "0.1", "--tune"], "nothing to tune"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(arguments, complaint, tmp_path, capsys):
    assert main(["compare", "example", *arguments, "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert not out and complaint in err and len(err.splitlines()) == 1
    assert not (tmp_path / "out" / NAME).exists()


def test_the_papers_sets_that_are_not_at_hand_become_rows(tmp_path, capsys):
    """Without any of them, the example takes their place under its own name."""
    assert main(["compare", "adult9", "reuters-ccat", *QUICK, "-o", str(tmp_path / "out")]) == 0
    experiment = load(tmp_path / "out")
    assert set(experiment.data) == {"example"}
    assert set(experiment.failures) == {"adult9", "reuters-ccat"}


def test_the_page_is_drawn_with_the_theory(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("vl_convert")
    checks = theory.run(["weak_duality"])
    monkeypatch.setattr(theory, "run", lambda: checks)  # a second instead of a dozen
    options = [option for option in QUICK if option != "--no-page"]
    assert main(["compare", "example", *options, "-o", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "ls-bmrm" in page and checks[0].name in page and list((tmp_path / "out" / "figures").glob("*.svg"))
    assert "No " not in capsys.readouterr().err
