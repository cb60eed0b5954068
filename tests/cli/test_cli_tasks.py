"""Every task through train, predict, certify and tune."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from task_data import ROWS, TASKS, sets_and_rows

from forged import forge
from pragam.cli import main
from pragam.models import load


@pytest.fixture
def run(capsys):
    """A command's JSON object."""

    def command(*argv, status=0):
        capsys.readouterr()
        assert main([*map(str, argv), "--json"]) == status
        out, err = capsys.readouterr()
        assert err == "" and out.count("\n") == 1
        return json.loads(out)

    return command


@pytest.fixture
def trained(tmp_path, capsys):
    def train(name):
        options, write, file, measured = TASKS[name]
        write(tmp_path / file)
        argv = ["train", str(tmp_path / file), *options, "-o", str(tmp_path / "m"), "--quiet"]
        assert main(argv) == 0
        table = capsys.readouterr().out
        return SimpleNamespace(
            data=str(tmp_path / file), file=str(tmp_path / "m"), options=options, measured=measured, table=table
        )

    return train


@pytest.mark.parametrize("name", TASKS)
def test_what_is_trained_is_certified(trained, run, tmp_path, capsys, name):
    task = trained(name)
    record = run("train", task.data, *task.options, "-o", tmp_path / "again", "--quiet")
    model = load(task.file)
    assert record["certified"] and record["risk"] == model.risk.to_json() and record["lam"] == model.risk.lam
    assert record["labels"] == model.labels.tolist() and task.measured <= set(record["training"])
    assert ("training_accuracy" in record) == ("accuracy" in task.measured)
    assert len(record["outputs"]) == len(model.proofs) and record["relative_gap"] <= record["tol"]
    found = run("certify", task.file, task.data)
    assert found["certified"] and found["same_as_stored"] and found["risk"] == record["risk"]
    assert [one["recomputed"]["primal"] for one in found["outputs"]] == [one["primal"] for one in record["outputs"]]
    assert main(["certify", task.file, task.data]) == 0
    out = capsys.readouterr().out
    assert "Certified: " in out and f"What was minimised: {model}." in out


@pytest.mark.parametrize("name", ROWS)
def test_what_is_trained_on_rows_is_proved_in_fractions(trained, run, capsys, name):
    task = trained(name)
    found = run("certify", task.file, task.data, "--exact")
    assert found["certified"] and found["confirmed"] and all(one["confirmed"] for one in found["outputs"])
    assert main(["certify", task.file, task.data, "--exact"]) == 0
    assert "Proved: " in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(set(TASKS) - set(ROWS)))
def test_there_is_no_exact_judge_of_structures(trained, capsys, name):
    task = trained(name)
    assert main(["certify", task.file, task.data, "--exact"]) == 2
    assert capsys.readouterr().err == f"pragam: {task.file}: --exact is for models of rows\n"


@pytest.mark.parametrize("name", TASKS)
def test_predictions_are_the_models_and_are_evaluated_in_the_words_of_the_task(trained, run, tmp_path, capsys, name):
    task = trained(name)
    record = run("predict", task.file, task.data)
    assert task.measured <= set(record["evaluation"]) and record["accuracy"] == record["evaluation"].get("accuracy")
    assert ("labels" in record) == load(task.file).risk.has_labels
    trained_on = run("train", task.data, *task.options, "--quiet")
    assert record["evaluation"] == trained_on["training"]
    assert main(["predict", task.file, task.data, "-o", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert out == "" and err != "" and "warning" not in err
    lines = (tmp_path / "out").read_text().splitlines()
    if name not in ROWS:  # between sequences and graphs; an empty set of labels is an empty line, too
        lines = [line for line in lines if line]
    assert len(lines) == record["n"] == len(record["predictions"])


@pytest.mark.parametrize("name", TASKS)
def test_decision_values_follow_the_prediction(trained, run, capsys, name):
    task = trained(name)
    record = run("predict", task.file, task.data, "--decision")
    values = np.array(record["decision" if name in ROWS else "margins"], dtype=float).reshape(record["n"], -1)
    assert main(["predict", task.file, task.data, "--decision"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert [[float(word) for word in line[-values.shape[1] :]] for line in lines] == values.tolist()


@pytest.mark.parametrize("name", ROWS)
def test_bounds_hold_the_decision_values(trained, run, name):
    """Where the optimum's own are not bounded, null stands for infinity."""
    task = trained(name)
    record = run("predict", task.file, task.data, "--bounds", "--decision")
    values = np.array(record["decision"], dtype=float).reshape(record["n"], -1)
    low, high = np.moveaxis(np.array(record["bounds"], dtype=float).reshape(*values.shape, 2), 2, 0)
    assert (np.nan_to_num(low, nan=-np.inf) <= values).all() and (values <= np.nan_to_num(high, nan=np.inf)).all()


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("held", ["--share", "--folds", "--validation"])
def test_tune(trained, run, tmp_path, capsys, name, held):
    task = trained(name)
    value = {"--share": "0.3", "--folds": "3", "--validation": task.data}[held]
    argv = ("tune", task.data, *task.options, "--lams", "1e-2,1", held, value, "--tol", "1e-2", "--quiet")
    record = run(*argv, "-o", tmp_path / "best")
    assert record["certified"] and [point["lam"] for point in record["points"]] == [1e-2, 1]
    assert record["n_folds"] == (3 if held == "--folds" else 1)
    scores = [point["score"] for point in record["points"]]
    assert record["best_lam"] == max(point["lam"] for point in record["points"] if point["score"] == max(scores))
    measured = [point.get("chunk_f1", point.get("accuracy", point["score"])) for point in record["points"]]
    assert measured == scores and (max(scores) <= 0) == (name in ("regress", "quantile", "standardised quantiles"))
    model = load(tmp_path / "best")
    assert model.risk.lam == record["best_lam"] and model.certificate.relative_gap <= 1e-2
    assert main(["certify", str(tmp_path / "best"), task.data]) == 0
    assert main([*argv]) == 0
    assert "chosen" in capsys.readouterr().out


@pytest.mark.parametrize("name", TASKS)
def test_without_proofs_a_model_predicts_and_is_not_certified(trained, run, tmp_path, capsys, name):
    task = trained(name)
    bare = tmp_path / "bare"
    assert main(["train", task.data, *task.options, "--no-proofs", "-o", str(bare), "--quiet"]) == 0
    assert bare.stat().st_size < (tmp_path / "m").stat().st_size
    assert run("predict", bare, task.data)["predictions"] == run("predict", task.file, task.data)["predictions"]
    assert load(bare).certificate == load(task.file).certificate
    assert main(["certify", str(bare), task.data]) == 2
    err = capsys.readouterr().err
    assert err == f"pragam: {bare}: the model holds no dual point, so nothing can be verified\n"


WORDS = {
    "classify": "accuracy ",
    "sets of text": "of labels and ",
    "ordinal": "levels on average",
    "regress": "% within epsilon",
    "quantile": "% below 0.9",
    "columns": "% of tokens, chunk F1 ",
    "sequences": "% of tokens",
    "graphs": "accuracy ",
}


@pytest.mark.parametrize("name", WORDS)
def test_the_table_of_training_speaks_of_the_task(trained, name):
    assert WORDS[name] in " ".join(trained(name).table.split())


def test_sets_of_labels_are_written_as_they_came(trained, capsys):
    task = trained("sets of text")
    assert load(task.file).labels.tolist() == ["5", "7", "12"]
    capsys.readouterr()
    assert main(["predict", task.file, task.data]) == 0
    named = [set(line.strip().split(",")) - {""} for line in capsys.readouterr().out.splitlines()]
    arrays = trained("sets of arrays")
    capsys.readouterr()
    assert main(["predict", arrays.file, arrays.data]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert named == [{name for name, bit in zip(("5", "7", "12"), row, strict=True) if bit == "1"} for row in rows]
    _, Y = sets_and_rows()
    assert np.mean(np.array(rows, dtype=int) == Y) > 0.8


def test_sets_with_labels_that_the_model_does_not_know(trained, tmp_path, capsys):
    task = trained("sets of text")
    with open(task.data, "a") as stream:
        stream.write("5,99 1:1\n")
    assert main(["predict", task.file, task.data]) == 0
    err = capsys.readouterr().err
    assert "the model does not know the labels 99, so its accuracy is not measured" in err and err.count("\n") == 1
    assert main(["certify", task.file, task.data]) == 2
    assert capsys.readouterr().err == f"pragam: {task.data}: the model does not know the labels 99\n"


def test_sets_in_another_form_than_those_of_training(trained, tmp_path, capsys):
    text, arrays = trained("sets of text"), tmp_path / "wide.npz"
    X, Y = sets_and_rows()
    np.savez(arrays, X=X, Y=np.hstack([Y, Y]))
    assert main(["predict", text.file, str(arrays)]) == 2
    assert f"pragam: {arrays}: Y has the shape (40, 6)" in capsys.readouterr().err
    np.savez(arrays, X=X)
    assert main(["predict", text.file, str(arrays)]) == 0
    assert main(["certify", text.file, str(arrays)]) == 2
    assert "there are no labels" in capsys.readouterr().err
    other = trained("sets of arrays")
    assert main(["predict", other.file, text.data]) == 2
    assert "sets of labels as text, where the training data have a matrix Y" in capsys.readouterr().err


def test_levels_that_are_not_those_of_the_data_are_refused(trained, tmp_path, capsys):
    task = trained("ordinal")
    for change, message in (
        ({"labels": [1, 2, 4]}, "y has the labels [1, 2, 3], and the model [1, 2, 4]"),
        ({"labels": [1, 2]}, "must be of the shape"),
        ({"labels": [1, 2, 2]}, "labels must be different"),
    ):
        forge(task.file, lambda record, tensors, change=change: record.update(change), tmp_path / "f")
        for exact in ([], ["--exact"]):
            capsys.readouterr()
            assert main(["certify", str(tmp_path / "f"), task.data, *exact]) == 2
            assert message in capsys.readouterr().err
    forge(task.file, lambda record, tensors: record.update(labels=[2, 1, 3]), tmp_path / "f")
    assert main(["certify", str(tmp_path / "f"), task.data]) != 0


BINARY = {"classify", "squared", "smoothed", "standardised", "standardised, penalised"}
QUANTILES = {"quantile", "standardised quantiles"}
OPTIONS = {
    "--loss": (["hinge"], BINARY | {"columns", "sequences", "graphs"}),
    "--no-bias": ([], set(ROWS) - {"ordinal", "immediate"}),
    "--penalised": (["1"], BINARY | QUANTILES | {"multiclass", "regress"}),
    "--standardize": ([], set(ROWS)),
    "--class-weight": (["balanced"], BINARY | {"multiclass"}),
    "--epsilon": (["0.1"], {"regress"}),
    "--quantiles": (["0.5"], QUANTILES),
    "--thresholds": (["all"], {"ordinal", "immediate"}),
    "--classes": ([], BINARY | {"multiclass"}),
    "--n-features": (["9"], set(ROWS)),
    "--zero-based": ([], set(ROWS)),
    "--compact-columns": ([], set(ROWS)),
    "--template": (["t"], {"columns", "sequences"}),
    "--transitions": (["iob"], {"columns", "sequences"}),
}  # fmt: skip


@pytest.mark.parametrize("command", ["train", "tune"])
@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_other_tasks_are_refused(tmp_path, capsys, command, option):
    values, owners = OPTIONS[option]
    for name, (options, *_) in TASKS.items():
        if name not in owners:
            assert main([command, str(tmp_path / "none"), *options, option, *values]) == 2
            err = capsys.readouterr().err
            assert err.startswith(f"pragam: {option} is for --task ") and err.count("\n") == 1


@pytest.mark.parametrize("name", ROWS)
def test_columns_of_rows(trained, run, tmp_path, capsys, name):
    """More columns than there are, and only those that occur: the same predictions, certified."""
    task = trained(name)
    expected = run("predict", task.file, task.data)["predictions"]
    for extra in ([] if name == "sets of arrays" else ["--n-features", "9"], ["--compact-columns"]):
        assert main(["train", task.data, *task.options, *extra, "-o", str(tmp_path / "c"), "--quiet"]) == 0
        assert run("certify", tmp_path / "c", task.data)["certified"]
        found = run("predict", tmp_path / "c", task.data)["predictions"]
        np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), atol=1e-2)


BAD = {
    "dense n": (["--task", "multilabel", "d.npz", "--n-features", "2"], "d.npz: 3 columns, where n_features=2"),
    "one level": (["--task", "ordinal", "one.svm"], "one.svm: y must have at least two"),
    "one set": (["--task", "multilabel", "one.svm"], "one.svm: Y must have"),
    "quantile of 2": (["--task", "quantile", "n.svm", "--quantiles", "0.5,2"], "q must be"),
    "epsilon": (["--task", "regress", "n.svm", "--epsilon", "-1"], "epsilon must be"),
    "loss": (["n.svm", "--classes", "--loss", "nix"], "--loss must be one of hinge, squared_hinge, smoothed_hinge"),
    "loss of chains": (["--task", "chain", "d.txt", "--loss", "nix"], "loss must be 'hamming_mean' or"),
    "loss of graphs": (["--task", "graph", "g.npz", "--loss", "nix"], "loss must be 'hamming_mean' or"),
    "graphs of rows": (["--task", "graph", "n.svm"], "n.svm: "),
    "graphs of sets": (["--task", "graph", "d.npz"], "d.npz: no array 'sizes'"),
    "chains of sets": (["--task", "chain", "d.npz"], "d.npz: no array 'lengths'"),
    "no graphs": (["--task", "graph"], "--task graph needs DATA"),
    "liblinear of levels": (["--task", "ordinal", "o.svm", "--liblinear", "x"], "type for the risk ordinal_hinge"),
    "liblinear of a quantile": (["--task", "quantile", "n.svm", "--liblinear", "x"], "type for the risk each"),
    "two intercepts": (["--task", "regress", "n.svm", "--penalised", "1", "--no-bias"], "leave one of them out"),
    "penalised by 0": (["--task", "regress", "n.svm", "--penalised", "0"], "--penalised must be"),
    "weight of no class": (["o.svm", "--class-weight", "77=2"], "class_weight has labels that are not in y: [77]"),
    "CSV of sets": (["--task", "multilabel", "c.csv"], "c.csv: no row has a feature of the form index:value"),
    "fractions": (["n.svm"], "this looks like --task regress"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_one_line_says_what_is_wrong(tmp_path, capsys, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    for name, file in (("sets of arrays", "d.npz"), ("regress", "n.svm"), ("columns", "d.txt"), ("graphs", "g.npz")):
        TASKS[name][1](tmp_path / file)
    TASKS["ordinal"][1](tmp_path / "o.svm")
    (tmp_path / "one.svm").write_text("3 1:1\n3 1:2\n")
    (tmp_path / "c.csv").write_text("1,2,3\n4,5,6\n")
    argv, message = BAD[what]
    assert main(["train", *argv, "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""
