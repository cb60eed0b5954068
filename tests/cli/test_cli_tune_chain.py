"""``pragam tune --task chain``: the table, the choice, the model, the exit status, and Ctrl-C."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
from cli_data import needs_signals, start
from test_cli_chain import write_sentences

from pragam import ChainSVC
from pragam.cli import main
from pragam.models import load
from pragam.sequences import evaluate, read_columns

LAMS = "--lams=10^-3..10^1"
TUNE = ["tune", "--task", "chain"]


@pytest.fixture
def data(tmp_path):
    return write_sentences(tmp_path / "train.txt")


@pytest.fixture
def words(tmp_path):
    """A template whose features are too few to label everything rightly."""
    (tmp_path / "words").write_text("w[0]\n")
    return ["--template", str(tmp_path / "words")]


def tokens(columns):
    """A dictionary of the word for each token, by sequence, and the labels."""
    ends = np.cumsum(columns.lengths)[:-1]
    return [[{"w": word} for word in part] for part in np.split(np.array(columns.columns[0]), ends)], [
        part.tolist() for part in np.split(np.array(columns.columns[2]), ends)
    ]


def test_the_points_are_those_of_the_estimator_on_the_other_sequences(data, words, tmp_path, capsys):
    """The scores are recomputed from ChainSVC."""
    held = write_sentences(tmp_path / "held.txt", seed=1)
    options = ["--validation", str(held), "--tol", "1e-8", "--json", "--quiet"]
    assert main([*TUNE, str(data), LAMS, *words, *options]) == 0
    record = json.loads(capsys.readouterr().out)
    X, y = tokens(read_columns(data))
    other, truth = tokens(read_columns(held))
    lams = [point["lam"] for point in record["points"]]
    assert lams == [1e-3, 1e-2, 1e-1, 1.0, 10.0]
    for point, model in zip(record["points"], ChainSVC(tol=1e-8).fit_path(X, y, lams), strict=True):
        found = evaluate(np.concatenate(truth), np.concatenate(model.predict(other)), [len(part) for part in truth])
        assert (point["accuracy"], point["chunk_f1"]) == (found.accuracy, found.chunks["all"].f1)
    scores = [point["chunk_f1"] for point in record["points"]]
    assert record["best_lam"] == max(lam for lam, f1 in zip(lams, scores, strict=True) if f1 == max(scores))
    assert min(scores) < max(scores)  # the choice is one


@pytest.mark.parametrize("loss", ["hamming_mean", "hamming_sum"])
def test_the_model_is_trained_on_all_sequences_at_the_best_lam(data, tmp_path, capsys, loss):
    file = tmp_path / "m"
    options = ["--loss", loss, "--transitions", "iob", "--json", "--quiet", "--share", "0.3", "--seed", "3"]
    assert main([*TUNE, str(data), LAMS, "-o", str(file), *options]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n_train"], record["n_validation"]) == (21, 9) and record["certified"]
    assert all(point["relative_gap"] <= 1e-2 for point in record["points"])
    assert record["points"][0]["C"] == pytest.approx(1 / (30 * 1e-3))
    model = load(file)
    assert (model.risk.lam, model.risk.loss, model.risk.transitions) == (record["best_lam"], loss, "iob")
    assert model.certificate.relative_gap == record["model_relative_gap"] <= 1e-2
    assert model.fingerprint["n"] == read_columns(data).n_tokens
    assert main(["certify", str(file), str(data)]) == 0


def test_another_seed_leaves_other_sequences_out(data, words, capsys):
    def accuracies(seed):
        assert main([*TUNE, str(data), "--lams", "1", *words, "--json", "--quiet", "--seed", seed]) == 0
        return [point["accuracy"] for point in json.loads(capsys.readouterr().out)["points"]]

    assert accuracies("0") == accuracies("0")
    assert len({tuple(accuracies(str(seed))) for seed in range(5)}) > 1


def test_labels_that_are_no_tags_are_scored_by_tokens(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = np.eye(3)[y] + 0.6 * rng.standard_normal((90, 3))
    np.savez(tmp_path / "d.npz", X=X, lengths=[3] * 30, y=y)
    np.savez(tmp_path / "wide.npz", X=np.hstack([X, X]), lengths=[90], y=y)
    assert main([*TUNE, str(tmp_path / "d.npz"), "--lams=2^-4..2^4", "--json", "--quiet"]) == 0
    record = json.loads(capsys.readouterr().out)
    best = max(point["accuracy"] for point in record["points"])
    assert not any("chunk_f1" in point for point in record["points"])
    assert next(point for point in record["points"] if point["lam"] == record["best_lam"])["accuracy"] == best
    assert main([*TUNE, str(tmp_path / "d.npz"), "--validation", str(tmp_path / "wide.npz"), "--quiet"]) == 2
    assert "6 columns, and the training data have 3" in capsys.readouterr().err


def test_the_table_names_the_choice_and_an_end(data, words, capsys):
    assert main([*TUNE, str(data), "--lams", "100,1e-2", *words, "--quiet"]) == 0
    out = capsys.readouterr().out
    best = next(line for line in out.splitlines() if line.endswith("best"))
    assert best.split()[0] == "0.01" and "24 sequences trained on, 6 validated on" in out
    assert "at an end of --lams" in out and "not written" in out


def test_what_is_not_certified_is_status_3_and_the_model_is_written(data, tmp_path, capsys):
    assert main([*TUNE, str(data), LAMS, "--quiet", "--max-seconds", "0", "-o", str(tmp_path / "m")]) == 3
    assert "not certified at 5 lams" in capsys.readouterr().out and (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--share", "1.5"], "--share must be above 0 and below 1, not 1.5"),
        (["--share", "0.001"], "--share = 0.001 of 30 samples leaves none"),
        (["--validation", "absent.txt"], "absent.txt"),
        (["--validation", "{narrow}"], "2 columns, and the training data have 2, and the label behind them"),
        (["--validation", "{arrays}"], "is a column file, and the other an .npz"),
        (["--no-bias"], "--no-bias is for --task classify or multiclass"),
        (["--task", "rows", "--loss", "hamming_sum"], "it looks like a column file"),
        (["--folds", "1"], "--folds must be 2 or more"),
        (["--folds", "31"], "--folds must be a whole number from 2 to 30"),
        (["-o", "absent/x"], "its folder does not exist"),
    ],
)
def test_one_line_says_what_is_wrong(data, tmp_path, capsys, options, message):
    narrow = write_sentences(tmp_path / "narrow.txt", with_labels=False)
    np.savez(tmp_path / "a.npz", X=np.eye(3), lengths=[3], y=[0, 1, 2])
    names = {"narrow": narrow, "arrays": tmp_path / "a.npz"}
    assert main([*TUNE, str(data), "--quiet", *(each.format(**names) for each in options)]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_points_done_and_writes_the_model(tmp_path, number):
    data, file = write_sentences(tmp_path / "d.txt", 60), tmp_path / "m"
    announce = """
import os
from pragam.driver.progress import ProgressLine
ProgressLine.__call__ = lambda self, progress: progress.lam < 0.01 and os.write(1, b"solving\\n") < 0
"""
    options = ["--lams=10,1e-5", "--solver", "qp-bmrm", "--tol", "1e-7", "--json"]
    process = start(*TUNE, data, *options, "-o", file, before=announce)
    assert process.stdout is not None and process.stdout.readline() == "solving\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    record = json.loads(out.splitlines()[-1])
    assert [point["status"] for point in record["points"]] == [["INTERRUPTED"], ["CONVERGED"]]
    assert "Traceback" not in err
    model = load(file)
    assert model.certificate.relative_gap == record["model_relative_gap"]
    assert model.certificate.primal < 1  # J(0): the weights are those of the path
