"""A model of a packed table, and one of the same table in memory, say the same of rows that neither has seen."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from pragam.cli import main
from pragam.models import load
from pragam.models.encoding import Encoding

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
JOBS = ["clerk", 'the "smith"', "baker, head", "two\nlines", ""]
ASKED = ["--drop", "id", "--missing", "indicator", "--categorical", "zip"]
TARGETS = {"classify": "income", "multiclass": "level", "regress": "amount"}


def text_of(n, seed, target):
    rng = np.random.default_rng(seed)
    age, job, zips = rng.integers(18, 80, n), rng.integers(0, len(JOBS), n), rng.integers(0, 8, n)
    score = 0.1 * (age - 49) + 0.5 * (job - 2) + 0.2 * (zips - 4) + 0.3 * rng.standard_normal(n)
    targets = {
        "income": np.where(score > 0, "high", "low"), "level": np.digitize(score, [-1, 1]), "amount": score.round(3)
    }  # fmt: skip
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["id", "age", "job", "zip", "hours", target])
    for k in range(n):
        hours = "" if rng.random() < 0.1 else round(rng.normal(38, 5), 1)
        table.writerow([f"r{k}", age[k], JOBS[job[k]], f"{zips[k]:03d}", hours, targets[target][k]])
    return out.getvalue()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    assert main(list(words)) == 0


@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_packed_table_trains_the_model_of_the_table(here, capsys, task, seed):
    target, tol = TARGETS[task], "1e-9" if task != "multiclass" else "1e-6"
    content = text_of(300, seed, target)
    (here / "t.csv").write_text(content)
    (here / "new.csv").write_text(text_of(80, seed + 10, target).replace("clerk", "pilot", 3))
    (here / "part-1.csv").write_text(content)
    (here / "part-2.csv").write_text(text_of(100, seed + 20, target))
    with open("t.csv", "a") as file:  # all of it, in memory
        file.writelines(text_of(100, seed + 20, target).split("\n", 1)[1:])
    run("pack", "part-*.csv", "--target", target, *ASKED, "-o", "d", "--quiet")
    options = ["--task", task, "--tol", tol, "--lam", "0.01", "--quiet"]
    run("train", "d", *options, "-o", "packed.model")
    run("train", "t.csv", "--target", target, *ASKED, *options, "-o", "memory.model")
    ours, other = (load(name).features.find(Encoding) for name in ("packed.model", "memory.model"))
    assert ours.to_json() == other.to_json()
    capsys.readouterr()
    said, rows = [], []
    for name in ("packed.model", "memory.model"):
        run("predict", name, "new.csv", "--decision")
        out, err = capsys.readouterr()
        said.append(err.splitlines()[0])
        rows.append(list(csv.DictReader(io.StringIO(out, newline=""))))
    assert said[0] == said[1] and "3 values are of levels that the model does not have" in said[0]
    names = [name for name in rows[0][0] if name.startswith("decision") or (task == "regress" and name == "prediction")]
    found, expected = (np.array([[float(row[name]) for name in names] for row in own]) for own in rows)
    assert (
        np.abs(found - expected).max() < 1e-2 * np.abs(expected).max()
    )  # the optimum is one, and each is that near it
    if task != "regress":
        is_clear = np.abs(expected).min(axis=1) > 0.05 if task == "classify" else np.ptp(expected, axis=1) > 0.2
        same = np.array([one["prediction"] == two["prediction"] for one, two in zip(*rows, strict=True)])
        assert same[is_clear].all() and is_clear.mean() > 0.5


def test_a_model_knows_the_table_and_the_directory(here, capsys):
    (here / "t.csv").write_text(text_of(300, 0, "income"))
    run("pack", "t.csv", "--target", "income", *ASKED, "-o", "d", "--quiet")
    run("train", "d", "-o", "m", "--quiet")
    for command in (["certify", "m", "d"], ["audit", "m", "d"], ["predict", "m", "d", "-o", "p"]):
        run(*command)
    assert len((here / "p").read_text().splitlines()) == 300 and (here / "p").read_text().startswith(("high", "low"))
    run("tune", "d", "--lams", "2^-4..2^-3", "--validation", "t.csv", "--quiet")
    capsys.readouterr()
    run("show", "d", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["table"].startswith("a table's columns, 2 numeric and 2 categorical, as ")
    assert found["table_columns"]["job"].startswith("4 levels: 'baker, head', 'clerk', 'the \"smith\"', ...")
    run("show", "d")
    assert "a number, " in capsys.readouterr().out
    (here / "u.csv").write_text(text_of(300, 5, "income"))
    run("pack", "u.csv", "--target", "income", *ASKED, "-o", "other", "--quiet")
    for words, said in (
        (["predict", "m", "other"], "other: its columns are not those of the model's table"),
        (["train", "d", "--liblinear", "l"], "--liblinear writes weights of columns by number"),
    ):
        capsys.readouterr()
        assert main(words) == 2
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and said in err


def test_what_is_odd_is_a_line_each(here, capsys):
    (here / "t.csv").write_text("a,y\n1,0\nx,1\n2,1\n")
    run("pack", "t.csv", "--target", "y", "-o", "d")
    assert capsys.readouterr().err == (
        "pragam: warning: t.csv, row 2: column 'a' is a category, one column a level, since 'x' is not a number; 2 of "
        "3 values are (an empty field is a missing number)\n"
    )
