"""Tables on the command line: train, predict, certify, audit, show and tune, and what each refuses."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pragam
from pragam.cli import main
from pragam.driver.jobs import Settings
from pragam.models import fit, load, save
from pragam.models.encoding import Encoding
from pragam.models.features import Features
from pragam.risks import Hinge, OneVsRest
from pragam.samples import Rows

posix = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="bash")
JOBS = ["clerk", 'the "smith"', "baker, head", "two\nlines", "émigré"]


def rows(n=60, seed=0):
    """Records with names, numbers, categories that need quotes, and a class, a number and a level to predict."""
    rng = np.random.default_rng(seed)
    age, hours = rng.integers(18, 80, n), rng.normal(38, 5, n).round(2)
    job = rng.integers(0, len(JOBS), n)
    score = 0.1 * (age - 49) + 0.3 * (job - 2) + 0.3 * rng.standard_normal(n)
    return [
        {
            "id": 1000 + i, "age": age[i], "job": JOBS[job[i]], "hours": hours[i],
            "income": "high" if score[i] > 0 else "low", "amount": score[i].round(3),
            "level": int(np.digitize(score[i], [-1, 1])), "code": int(score[i] > 0),
        }
        for i in range(n)
    ]  # fmt: skip


def text_of(records, separator=",", end="\n", columns=None):
    out = io.StringIO()
    quoting = csv.QUOTE_NONNUMERIC if end == "\r" else csv.QUOTE_MINIMAL  # which then forgets to quote a \n
    how = {"delimiter": separator, "lineterminator": end, "quoting": quoting}
    writer = csv.DictWriter(out, columns or list(records[0]), extrasaction="ignore", **how)
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


FEATURES = ["id", "age", "job", "hours"]


def table(path, target="income", n=60, seed=0, **how):
    content = text_of(rows(n, seed), columns=[*FEATURES, target], **how)
    Path(path).write_bytes(content.encode())
    return content


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*argv):
    return main([str(each) for each in argv])


def train(*more, target="income", data="t.csv"):
    assert run("train", data, "--target", target, "--drop", "id", "-o", "m", "--quiet", *more) == 0


def read(text, separator=","):
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))


TASKS = {
    "classify": ("income", [], ["prediction"]),
    "codes": ("code", [], ["prediction"]),
    "codes as texts": ("code", ["--categorical", "code"], ["prediction"]),
    "multiclass": ("level", ["--task", "multiclass"], ["prediction"]),
    "of texts": ("job", ["--task", "multiclass"], ["prediction"]),
    "against the rest": ("level", ["--penalised", "1"], ["prediction"]),
    "ordinal": ("level", ["--task", "ordinal"], ["prediction"]),
    "regress": ("amount", ["--task", "regress"], ["prediction"]),
    "quantile": ("amount", ["--task", "quantile", "--quantiles", "0.1,0.9"], 2),
    "one quantile": ("amount", ["--task", "quantile"], ["prediction"]),
}


@pytest.mark.parametrize("task", TASKS)
def test_every_task_trains_predicts_certifies_and_shows(here, capsys, task):
    target, options, expected = TASKS[task]
    columns = FEATURES if target == "job" else [*FEATURES, target]
    content = text_of(rows(), columns=columns)
    Path("t.csv").write_bytes(content.encode())
    train("--tol", "1e-4", *options, target=target)
    capsys.readouterr()
    assert run("predict", "m", "t.csv", "-o", "p.csv") == 0
    assert "ignored" not in (said := capsys.readouterr().err) and said
    written = Path("p.csv").read_bytes().decode()
    made = read(written)
    new = [name for name in made[0] if name not in columns]
    assert new == expected if isinstance(expected, list) else len(new) == expected
    assert [{name: row[name] for name in columns} for row in made] == read(content)
    model = load("m")
    numbers = model.features.find(Encoding).encode({name: [row[name] for row in rows()] for name in FEATURES})[0]
    predicted = model.predict(Rows.of(numbers))
    found = np.array([[row[name] for name in new] for row in made])
    assert found.tolist() == np.asarray(predicted).reshape(len(made), -1).astype(
        found.dtype
    ).tolist() or np.array_equal(found.astype(float), np.reshape(predicted, (len(made), -1)))
    Path("head.csv").write_text(",".join(FEATURES) + "\n")  # no rows, and the same new columns
    assert run("predict", "m", "head.csv", "-o", "none.csv") == 0
    assert Path("none.csv").read_text() == ",".join([*FEATURES, *new]) + "\n"
    assert run("certify", "m", "t.csv") == 0 and run("audit", "m", "t.csv", "--tol", "1e-4") == 0
    capsys.readouterr()
    assert run("show", "m", "--json", "--top", "9") == 0
    largest = json.loads(capsys.readouterr().out)["largest"]
    known = set(model.features.find(Encoding).column_names)
    assert {name for pairs in largest.values() for name, _ in pairs} <= known


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_the_other_columns_keep_their_bytes(here, capfdbinary, separator, end, bom):
    content = bom + table("t.csv", separator=separator, end=end)
    content = content[: -len(end)]  # the last line is unfinished
    Path("t.csv").write_bytes(content.encode())
    train()
    capfdbinary.readouterr()
    assert run("predict", "m", "t.csv", "--decision", "-o", "p.csv") == 0
    assert run("predict", "m", "t.csv", "--decision") == 0
    written = Path("p.csv").read_bytes()
    assert capfdbinary.readouterr().out == written
    made = read(written.decode().removeprefix(bom), separator)
    names = dict.fromkeys(["prediction", "decision"])
    new = [separator + separator.join([*names])] + [
        separator + separator.join(row[name] for name in names) for row in made
    ]
    rest = written.decode()
    for each in new:  # without what is new, in its order, the bytes are those of the table
        before, _, rest = rest.partition(each)
        assert content.startswith(before)
        content = content.removeprefix(before)
    assert content == rest == ""


def test_decision_values_and_bounds_by_name(here, capsys):
    table("t.csv", "level")
    train("--loss", "squared_hinge", target="level")
    capsys.readouterr()
    assert run("predict", "m", "t.csv", "--decision", "--bounds") == 0
    made = read(capsys.readouterr().out)
    names = [f"{what} {k}" for what in ("decision", "least", "greatest") for k in (0, 1, 2)]
    assert list(made[0]) == [*FEATURES, "level", "prediction", *names]
    for row in made:
        for k in "012":
            assert float(row[f"least {k}"]) <= float(row[f"decision {k}"]) <= float(row[f"greatest {k}"])
        assert row["prediction"] == str(np.argmax([float(row[f"decision {k}"]) for k in "012"]))


def test_the_model_is_the_same_whoever_brings_the_table(here):
    content = table("t.csv").encode()
    train()
    expected = load("m")
    Path("t.gz").write_bytes(gzip.compress(content))
    table("t.tsv", separator="\t", end="\r\n")
    for name in ("t.gz", "t.tsv"):
        train(data=name)
        assert load("m").fingerprint == expected.fingerprint
        assert load("m").tensors["coef"].tobytes() == expected.tensors["coef"].tobytes()


def test_parquet_in_and_out(here, capsys):
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    table("t.csv")
    train()
    expected = load("m")
    pandas.read_csv("t.csv").to_parquet("t.parquet")
    train(data="t.parquet")
    assert load("m").fingerprint == expected.fingerprint
    assert run("certify", "m", "t.csv") == 0 == run("certify", "m", "t.parquet")
    assert run("predict", "m", "t.parquet", "--decision", "-o", "p.parquet") == 0
    assert run("predict", "m", "t.csv", "--decision", "-o", "p.csv") == 0
    found, before = parquet.read_table("p.parquet"), parquet.read_table("t.parquet")
    assert found.select(before.column_names).equals(before)
    rows = read(Path("p.csv").read_bytes().decode())
    assert found["prediction"].to_pylist() == [row["prediction"] for row in rows]
    assert found["decision"].to_pylist() == [float(row["decision"]) for row in rows]
    capsys.readouterr()
    assert run("train", "t.parquet") == 2
    assert "it looks like a parquet file: --target COLUMN trains on it" in capsys.readouterr().err


@posix
def test_pipes(here):
    table("t.csv")
    source = os.pathsep.join(filter(None, [str(Path(pragam.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    commands = """
    pragam() { "$PY" -m pragam "$@"; }
    gzip -c t.csv | pragam train - --target income --drop id -o m --quiet > report
    cat t.csv | pragam predict m - > piped.csv
    pragam predict <(cat m) t.csv -o file.csv
    pragam certify m <(cat t.csv) > report
    cmp piped.csv file.csv
    """
    done = subprocess.run(
        ["bash", "-euc", commands], capture_output=True, env={**os.environ, "PYTHONPATH": source, "PY": sys.executable}
    )
    assert done.returncode == 0, done.stderr


def test_what_is_not_known_of_a_new_table(here, capsys):
    table("t.csv")
    train()
    capsys.readouterr()
    Path("new.csv").write_text("job,note,hours,age\npilot,x,38,40\nclerk,y,40,30\nnurse,z,1,20\n")  # no id, no income
    assert run("predict", "m", "new.csv") == 0
    out, err = capsys.readouterr()
    assert err == "pragam: warning: new.csv: 2 values are of levels that the model does not have, and are ignored\n"
    assert list(read(out)[0]) == ["job", "note", "hours", "age", "prediction"]
    assert run("predict", "m", "new.csv", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ignored_entries"] == 2 and found["predictions"] == [row["prediction"] for row in read(out)]
    for column, said in (("x", "does not know the labels x"), ("", "")):
        Path("new.csv").write_text(f"job,hours,age,income\nclerk,38,40,{column}\n")
        assert run("predict", "m", "new.csv") == 0
        assert said in capsys.readouterr().err
    Path("new.csv").write_text("job,hours,age\n")
    assert run("predict", "m", "new.csv", "--decision") == 0
    assert capsys.readouterr() == ("job,hours,age,prediction,decision\n", "")


def test_missing_values(here, capsys):
    content = table("t.csv").splitlines(keepends=True)
    names = content[0]
    Path("t.csv").write_text(names + "1,,clerk,38,low\n2,30,,38,high\n" + "".join(content[1:]))
    assert run("train", "t.csv", "--target", "income", "--drop", "id", "-o", "m", "--quiet") == 2
    said = "pragam: t.csv, line 2: column 'age' is empty: a model trained with --missing mean or indicator"
    assert capsys.readouterr().err.startswith(said) and not Path("m").exists()
    for how, more in (("mean", set()), ("indicator", {"age is missing", "job is missing"})):
        train("--missing", how)
        names = load("m").features.find(Encoding).column_names
        assert {name for name in names if name.endswith("missing")} == more
        assert run("predict", "m", "t.csv", "-o", "p.csv") == 0 and run("certify", "m", "t.csv") == 0


def test_a_column_that_is_almost_numeric_is_named(here, capsys):
    content = table("t.csv").splitlines(keepends=True)
    Path("t.csv").write_text(content[0] + "1,NA,clerk,38,low\n" + "".join(content[1:]))
    train()
    assert capsys.readouterr().err.startswith(
        "pragam: warning: t.csv, line 2: column 'age' is a category, one column a level, since 'NA' is not a number; "
        "60 of 61 values are"
    )
    train("--categorical", "age")
    assert "warning" not in capsys.readouterr().err


def test_the_report_says_what_the_columns_became(here, capsys):
    table("t.csv")
    train()
    said = " ".join(capsys.readouterr().out.split())
    assert "features a table's columns, 2 numeric and 1 categorical, as 7, for 'income'" in said


def test_class_weights_by_name(here):
    table("t.csv")
    train("--class-weight", "low=2,high=1")
    assert dict(load("m").risk.class_weight) == {"low": 2, "high": 1}
    assert run("certify", "m", "t.csv") == 0


def test_names_with_separators(here):
    Path("t.csv").write_text('"a,b",c,"y\ny"\n1,2,u\n2,1,v\n3,5,u\n')
    assert run("train", "t.csv", "--target", "y\ny", "--drop", '"a,b"', "-o", "m", "--quiet") == 0
    assert load("m").features.find(Encoding).column_names == ["c"]


def test_tune_and_a_table_to_validate_on(here, capsys):
    table("t.csv", "amount")
    table("v.csv", "amount", seed=1)
    Path("v.csv").write_bytes(Path("v.csv").read_bytes().replace("émigré".encode(), b"nurse"))
    lams = ["--lams", "2^-4..2^-2", "--quiet"]
    options = ["--task", "regress", "--target", "amount", "--drop", "id", *lams]
    assert run("tune", "t.csv", *options, "-o", "m", "--validation", "v.csv") == 0
    assert "values are of levels that the training data do not have, and are ignored" in capsys.readouterr().err
    assert run("certify", "m", "t.csv") == 0 and run("tune", "t.csv", *options, "--folds", "3") == 0


def test_certify_asks_for_the_table_even_if_it_is_as_wide_as_the_example(here, capsys):
    X = np.random.default_rng(0).standard_normal((40, 30)).round(3)
    names = [f"x{j}" for j in range(30)]
    records = [dict(zip(names, row, strict=True)) | {"y": int(row[0] > 0)} for row in X.tolist()]
    Path("t.csv").write_text(text_of(records))
    assert run("train", "t.csv", "--target", "y", "-o", "m", "--quiet") == 0
    capsys.readouterr()
    assert run("certify", "m") == 2
    assert capsys.readouterr().err == "pragam: the model was trained on a table: name it as DATA\n"


def test_a_model_from_python_that_knows_no_target(here, capsys):
    frame = {"age": [30.0, 40.0, 50.0], "job": ["a", "b", "a"]}
    encoding, y = Encoding.learn(frame), np.array(["u", "v", "v"])
    risk = OneVsRest(each=Hinge(lam=0.1))
    save("m", fit(risk, Rows(frame, y), Settings(tol=1e-6), Features((encoding,))).model)
    Path("t.csv").write_text("age,job,y\n30,a,u\n40,b,v\n50,a,v\n")
    assert run("predict", "m", "t.csv") == 0
    assert [row["prediction"] for row in read(capsys.readouterr().out)] == load("m").predict(Rows(frame)).tolist()
    assert run("certify", "m", "t.csv") == 2
    assert "the model does not say which column is its target" in capsys.readouterr().err


def test_an_estimator_loads_the_model_and_takes_its_numbers(here):
    table("t.csv")
    train()
    model, records = load("m"), rows()
    frame = {name: [row[name] for row in records] for name in FEATURES}
    X = model.features.find(Encoding).encode(frame)[0]
    assert (pragam.LinearSVC.load("m").predict(X) == model.predict(Rows(frame))).all()
    with pytest.raises(ValueError, match="7 features"):
        pragam.LinearSVC.load("m").predict(X[:, :3])


BAD = {
    "no target": (["train", "t.csv"], "t.csv, line 1: label 'id,age,job,hours,income' is not a finite number; it looks "
                  "like a table of comma-separated values (CSV): --target COLUMN trains on it"),
    "with a mark": (["train", "bom.csv"], "it looks like a table of comma-separated values (CSV): --target COLUMN"),
    "other target": (["train", "t.csv", "--target", "wage"], "t.csv: it has no column 'wage' to be the target; its "
                     "columns are 'id', 'age', 'job', 'hours', 'income'"),
    "other drop": (["train", "t.csv", "--target", "income", "--drop", "name"], "t.csv: it has no column 'name' to"),
    "drop alone": (["train", "t.csv", "--drop", "id"], "--drop is for tables, of which --target names the column"),
    "missing alone": (["train", "--missing", "mean"], "--missing is for tables"),
    "no data": (["train", "--target", "y"], "--target needs DATA"),
    "width": (["train", "t.csv", "--target", "income", "--n-features", "3"], "--n-features is not for tables"),
    "compact": (["train", "t.csv", "--target", "income", "--compact-columns"], "--compact-columns is not for tables"),
    "liblinear": (["train", "t.csv", "--target", "income", "--liblinear", "l"], "--liblinear writes weights of"),
    "sets": (["train", "t.csv", "--target", "income", "--task", "multilabel"], "--target is for --task classify or"),
    "sequences": (["train", "t.csv", "--target", "income", "--task", "chain"], "--target is for --task classify or"),
    "svmlight": (["train", "a.svm", "--target", "income"], "a.svm: it has no column 'income' to be the target"),
    "an array": (["train", "a.npy", "--target", "income"], "a.npy: an array of NumPy, where a table"),
    "a model": (["train", "good", "--target", "income"], "it looks like a pragam model: the commands take MODEL"),
    "text for a number": (["train", "t.csv", "--target", "income", "--task", "regress"], "t.csv, line 2: column "
                          "'income' has 'high', which is not a number, as the target of this task must be"),
    "text for a level": (["train", "t.csv", "--target", "income", "--task", "ordinal"], "has 'high', which is not a"),
    "forced number": (["train", "t.csv", "--target", "age", "--task", "regress", "--categorical", "age"], "--categori"
                      "cal cannot have the target 'age'"),
    "numbers as classes": (["train", "t.csv", "--target", "hours"], "this looks like --task regress"),
    "many texts": (["train", "many.csv", "--target", "y"], "many.csv: the target has 101 texts ('t0', 't1', 't10', "
                   "...): --classes makes each a class"),
    "one class": (["train", "one.csv", "--target", "y"], "one.csv: the data must have at least two classes, not only"),
    "an empty target": (["train", "hole.csv", "--target", "y"], "hole.csv, line 3: the target 'y' is empty"),
    "no number": (["train", "nan.csv", "--target", "y", "--task", "regress"], "nan.csv, line 3: the target 'y'"),
    "dates": (["train", "dates.csv", "--target", "y"], "dates.csv: column 'born' holds dates or times (1990-01-31), of "
              "which pragam makes no features: write numbers instead"),
    "a ragged row": (["train", "ragged.csv", "--target", "y"], "ragged.csv, line 3: 1 fields, and the header names 2"),
    "no header": (["train", "bare.csv", "--target", "y"], "bare.csv, line 1: numbers, where a header must name"),
    "only a header": (["train", "head.csv", "--target", "y"], "head.csv: there are no rows"),
    "not UTF-8": (["train", "latin.csv", "--target", "y"], "latin.csv, line 2: byte 0xe9 is not UTF-8"),
    "predict a column less": (["predict", "good", "one.csv"], "one.csv: it lacks the column(s) 'age', 'job', 'hours'"),
    "predict svmlight": (["predict", "good", "a.svm"], "a.svm: it lacks the column(s)"),
    "predict text": (["predict", "good", "text.csv"], "text.csv, line 2: column 'age' has 'old', which is not a"),
    "predict a hole": (["predict", "good", "gap.csv"], "gap.csv, line 2: column 'age' is empty"),
    "predict again": (["predict", "good", "again.csv"], "again.csv: it has a column 'prediction', which predict would"),
    "a table for svmlight": (["predict", "rows", "t.csv"], "it looks like a table of comma-separated values (CSV)"),
    "swapped": (["predict", "t.csv", "good"], "t.csv: not a usable model file"),
    "certify other": (["certify", "good", "other.csv"], "good: the certificate belongs to other data"),
    "certify new levels": (["certify", "good", "level.csv"], "values are of levels that the model does not have"),
    "audit new levels": (["audit", "good", "level.csv"], "values are of levels that the model does not have"),
    "certify no target": (["certify", "good", "x.csv"], "x.csv: it has no column 'income', the target"),
    "certify a hole": (["certify", "good", "empty.csv"], "empty.csv: the target 'income' is empty in some rows"),
}  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    content = table(folder / "t.csv")
    (folder / "bom.csv").write_text("\ufeff" + content, encoding="utf-8")
    files = {
        "a.svm": "1 1:1\n-1 1:2\n1 1:3\n", "one.csv": "x,y\n1,a\n2,a\n", "hole.csv": "x,y\n1,a\n2,\n3,b\n",
        "nan.csv": "x,y\n1,3\n2,nan\n3,5\n",
        "many.csv": "x,y\n" + "".join(f"{k},t{k}\n" for k in range(101)), "ragged.csv": "x,y\n1,a\n2\n",
        "dates.csv": "x,born,y\n1,1990-01-31,a\n2,1991-02-28,b\n", "bare.csv": "1,2\n3,4\n", "head.csv": "x,y\n",
        "text.csv": "age,job,hours\nold,clerk,3\n", "gap.csv": "age,job,hours\n,clerk,3\n",
        "again.csv": "age,job,hours,prediction\n1,clerk,3,low\n", "other.csv": content.replace("low", "high", 1),
        "level.csv": content.replace("clerk", "pilot"), "x.csv": text_of(rows(), columns=FEATURES),
        "empty.csv": content.replace("low\n", "\n", 1),
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    (folder / "latin.csv").write_bytes("x,y\né,a\n".encode("latin-1"))
    np.save(folder / "a.npy", np.ones((2, 2)))
    options = ["--quiet", "-o"]
    assert run("train", folder / "t.csv", "--target", "income", "--drop", "id", *options, folder / "good") == 0
    assert run("train", folder / "a.svm", *options, folder / "rows") == 0
    return folder


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_table_is_one_line_or_predicted_in_full(inputs, tmp_path, capsys, seed):
    rng = np.random.default_rng(seed)
    content = bytearray((inputs / "t.csv").read_bytes())
    bits = [b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"", b"nan", b"inf", b"1e999", b"1,5", b"9" * 30, b"\xef\xbb\xbf"]
    for _ in range(rng.integers(1, 3)):
        i = int(rng.integers(len(content)))
        content[i : i + int(rng.integers(4))] = bits[rng.integers(len(bits))]
    (tmp_path / "t.csv").write_bytes(content)
    status = run("predict", inputs / "good", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    out, err = capsys.readouterr()
    assert status in (0, 2) and out == "" and (tmp_path / "p.csv").exists() == (status == 0)
    if status == 2:
        assert err.count("\n") == 1 and err.startswith(f"pragam: {tmp_path / 't.csv'}")
    else:
        before, after = content.splitlines(), (tmp_path / "p.csv").read_bytes().splitlines()
        assert len(before) == len(after)
        assert all(new.startswith(old) for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line_and_status_2(inputs, capsys, monkeypatch, what):
    monkeypatch.chdir(inputs)
    before = sorted(os.listdir(inputs))
    argv, message = BAD[what]
    output = ["-o", "out"] if argv[0] in ("train", "predict") else []
    assert main([*argv, *output]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and err.startswith("pragam: ") and out == ""
    assert sorted(os.listdir(inputs)) == before
