"""The command ``pragam compare``: what it prints, where it writes, and its exit statuses."""

from __future__ import annotations

import json
import sys

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
    out, err = capsys.readouterr()
    assert not out and err.count("there is no data set and no file") == 1


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


def test_named_sets_that_are_not_at_hand_end_it_at_once(tmp_path, capsys):
    """No other data are measured in their place, and those that are there wait for a command that can be met."""
    assert main(["compare", "example", "adult9", *QUICK, "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert not out and err.splitlines()[-1].startswith("pragam: adult9: no a9a/") and err.count("no a9a/") == 1
    assert not any(run.has_points for run in load(tmp_path / "out").runs)
    assert main(["compare", "example", *QUICK, "-o", str(tmp_path / "out")]) == 0


def test_of_the_papers_sets_those_at_hand_are_taken(tmp_path, capsys):
    """Without any of them nothing is measured: the example is for those who ask for nothing."""
    assert main(["compare", "--paper", *QUICK, "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("adult9: no a9a/") and "adult9: adult9" not in out + err and "no a9a/" not in err
    experiment = load(tmp_path / "out")
    assert not experiment.data and len(experiment.failures) == 9


def test_solvers_that_do_not_fit_are_one_line(tmp_path, capsys):
    assert main(["compare", "example", *QUICK, "flow-ascent", "bcfw", "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    (line,) = (line for line in out.splitlines() if "flow-ascent" in line)
    assert line.endswith("do not fit the problem: flow-ascent, bcfw.") and "Q." not in out
    experiment = load(tmp_path / "out")
    assert experiment.solvers == ["ls-bmrm"] and experiment.unfit == {"example": ("flow-ascent", "bcfw")}


def test_without_what_draws_it_nothing_is_computed_for_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setattr(theory, "run", lambda names: pytest.fail("theorems for a page that there is none of"))
    options = [option for option in QUICK if option != "--no-page"]
    assert main(["compare", "example", *options, "--theory", "-o", str(tmp_path / "out")]) == 0
    assert "No page: not installed: vl-convert-python (pip install vl-convert-python)." in capsys.readouterr().err


def test_the_page_is_drawn_with_the_theory(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("vl_convert")
    checks = theory.run(["weak_duality"])
    monkeypatch.setattr(theory, "names", lambda: ["weak_duality"])  # a second instead of a dozen
    options = [option for option in QUICK if option != "--no-page"]
    assert main(["compare", "example", *options, "-o", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "ls-bmrm" in page and checks[0].name not in page and "The paper&#x27;s claims" in page
    assert main(["compare", "example", *options, "--theory", "-o", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert checks[0].name in page and list((tmp_path / "out" / "figures").glob("*.svg"))
    assert "No " not in capsys.readouterr().err
    monkeypatch.setattr(theory, "run", lambda names: pytest.fail("theorems whose answers are there"))
    assert main(["compare", "example", *options, "--theory", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8") == page
