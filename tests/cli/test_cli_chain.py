"""``pragam train --task chain`` and what follows: column files, npz, pipes, signals, and one line for what is wrong."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from cli_data import needs_signals, start

from pragam.cli import main
from pragam.models import load
from pragam.models.names import Names
from pragam.samples import Chains
from pragam.sequences import evaluate, read_columns

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "fish"], "V": ["sees", "eats", "fish"]}
TAGS = {"D": "B-NP", "V": "O"}


def write_sentences(path, n=30, seed=0, with_labels=True):
    """Determiners, nouns and verbs, and IOB tags of noun phrases."""
    rng, lines = np.random.default_rng(seed), []
    for _ in range(n):
        before = ""
        for kind in ["DNV", "DNVDN", "NVN", "DN"][rng.integers(4)]:
            tag = TAGS.get(kind) or ("I-NP" if before == "D" else "B-NP")
            lines.append(f"{WORDS[kind][rng.integers(len(WORDS[kind]))]} {kind}" + f" {tag}" * with_labels)
            before = kind
        lines.append("")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    data = write_sentences(folder / "train.txt")
    assert main(["train", "--task", "chain", str(data), "-o", str(folder / "m"), "--lam", "0.01", "--quiet"]) == 0
    return data, folder / "m"


def test_train_predict_and_certify(trained, tmp_path, capsys):
    data, model = trained
    test = write_sentences(tmp_path / "test.txt", seed=1)
    assert main(["predict", str(model), str(test), "-o", str(tmp_path / "out.txt")]) == 0
    out, err = capsys.readouterr()
    written, given = read_columns(tmp_path / "out.txt"), read_columns(test)
    assert written.columns[:3] == given.columns and written.lengths.tolist() == given.lengths.tolist()
    found = evaluate(given.columns[2], written.columns[3], given.lengths)
    assert found.chunks["all"].f1 > 0.9
    assert out == "" and f"{100 * found.accuracy:.2f} % of {given.n_tokens} right" in err
    assert main(["certify", str(model), str(data)]) == 0
    assert "Certified" in capsys.readouterr().out


def test_what_is_written_is_what_the_estimator_makes(trained):
    data, path = trained
    columns, model = read_columns(data), load(path)
    known = model.features.find(Names)
    assert model.labels.tolist() == ["B-NP", "I-NP", "O"] and "w[-1]|w[0]=the|dog" in known.names
    assert known.template is not None and model.settings["n_columns"] == 2
    words = Chains.of([[["w[0]=the", "p[0]=D"], ["w[0]=dog", "p[0]=N", "w[-1]|w[0]=the|dog"]]])
    assert model.predict(words) == [["B-NP", "I-NP"]]
    assert model.fingerprint["n"] == columns.n_tokens


def test_the_report_names_the_confusions(trained, tmp_path, capsys):
    _, model = trained
    (tmp_path / "wrong.txt").write_text("the D O\ndog N O\n")
    assert main(["predict", str(model), str(tmp_path / "wrong.txt")]) == 0
    err = capsys.readouterr().err
    lines = [line.split() for line in err.splitlines() if line]
    assert lines[-2:] == [["O", "B-NP", "1"], ["O", "I-NP", "1"]]


def test_json(trained, capsys, tmp_path):
    data, model = trained
    assert main(["predict", str(model), str(data), "--json", "--decision"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["labels"]) == len(record["margins"]) == record["n_tokens"] == sum(record["lengths"])
    assert record["evaluation"]["chunks"]["all"]["f1"] == 1.0
    assert main(["certify", str(model), str(data), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["certified"] and record["same_as_stored"]
    (output,) = record["outputs"]
    assert output["stored"] == output["recomputed"] and output["recomputed"]["relative_gap"] == record["relative_gap"]
    argv = ["train", "--task", "chain", str(data), "--json", "--quiet", "-C", "1", "--loss", "hamming_sum"]
    assert main([*argv, "--transitions", "iob"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["certified"] and record["lam"] == pytest.approx(1 / 30) and record["relative_gap"] <= 1e-2


def test_templates_and_compressed_data(trained, tmp_path, capsys):
    data, _ = trained
    (tmp_path / "t").write_text("w[0].lower\np[-1]|p[0]  # the tag and the one before\n")
    (tmp_path / "d.gz").write_bytes(gzip.compress(data.read_bytes()))
    argv = ["train", "--task", "chain", str(tmp_path / "d.gz"), "-o", str(tmp_path / "m"), "--quiet"]
    assert main([*argv, "--template", str(tmp_path / "t")]) == 0
    assert all(
        name.startswith(("w[0].lower=", "p[-1]|p[0]=")) for name in load(tmp_path / "m").features.find(Names).names
    )
    assert main(["certify", str(tmp_path / "m"), str(data)]) == 0


def test_npz(tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X, lengths = np.eye(3)[y] + 0.1 * rng.standard_normal((60, 3)), [20, 1, 39]
    np.savez(tmp_path / "d.npz", X=X, lengths=lengths, y=np.array(["a", "b", "c"])[y])
    np.savez(tmp_path / "bare.npz", X=X, lengths=lengths)
    assert main(["train", "--task", "chain", str(tmp_path / "d.npz"), "-o", str(tmp_path / "m"), "--quiet"]) == 0
    assert main(["certify", str(tmp_path / "m"), str(tmp_path / "d.npz")]) == 0
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "m"), str(tmp_path / "bare.npz")]) == 0
    text = capsys.readouterr().out
    expected = load(tmp_path / "m").predict(Chains.of(X, lengths=lengths))
    assert [part.split() for part in text.strip().split("\n\n")] == [p.tolist() for p in np.split(expected, [20, 21])]


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_real_pipe(trained, tmp_path):
    _, model = trained
    bare = write_sentences(tmp_path / "bare.txt", seed=2, with_labels=False)
    command = f'cat {bare} | "{sys.executable}" -m pragam predict {model} - | tail -n +1'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert [line.rsplit(" ", 1)[0] for line in done.stdout.splitlines()] == bare.read_text().splitlines()


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_training_gives_a_certified_model(tmp_path, number):
    data, file = write_sentences(tmp_path / "d.txt", 60), tmp_path / "m"
    announce = """
import os
from pragam.driver.progress import ProgressLine
ProgressLine.__call__ = lambda self, progress: os.write(1, b"solving\\n") < 0
"""
    hard = ("--solver", "ls-bmrm", "--tol", "1e-13", "--lam", "1e-5")
    process = start("train", "--task", "chain", data, "-o", file, *hard, before=announce)
    assert process.stdout.readline() == "solving\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "interrupted" in out and "Traceback" not in err
    assert load(file).status.name == "INTERRUPTED"
    assert main(["certify", str(file), str(data), "--tol", "2"]) == 0


def test_a_budget_that_ends_is_status_3(tmp_path):
    data, file = write_sentences(tmp_path / "d.txt"), tmp_path / "m"
    argv = ["train", "--task", "chain", str(data), "-o", str(file), "--max-iter", "1", "--lam", "1e-4", "--quiet"]
    assert main([*argv, "--solver", "qp-bmrm"]) == 3
    assert load(file).status.name == "MAX_ITER"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["train", "--task", "chain"], "--task chain needs DATA"),
        (["train", "--task", "chain", "{data}", "--no-bias"], "--no-bias is for --task classify or multiclass"),
        (["train", "{rows}", "--loss", "hamming_sum"], "--loss must be one of hinge, squared_hinge, smoothed_hinge"),
        (
            ["train", "{rows}", "--task", "regress", "--loss", "hinge"],
            "--loss is for --task classify or chain or graph",
        ),
        (["train", "--task", "chain", "{data}", "--template", "{bad}"], "template, line 1: 'nonsense'"),
        (["train", "--task", "chain", "{data}", "--template", "{third}"], "the template uses column 2"),
        (["train", "--task", "chain", "{data}", "--lam", "-1"], "lam must be"),
        (["train", "--task", "chain", "{bad}"], "one column"),
        (["train", "--task", "chain", "{gone}"], "No such file"),
        (["predict", "{model}", "{bad}"], "1 columns, and the model needs 2"),
        (["predict", "{model}", "{data}", "--bounds"], "--bounds is for linear models"),
        (["certify", "{model}"], "name its training data"),
        (["certify", "{model}", "{other}"], "the certificate belongs to other data"),
        (["certify", "{model}", "{data}", "--exact"], "--exact is for models of rows"),
    ],
)
def test_one_line_says_what_is_wrong(trained, tmp_path, capsys, argv, message):
    data, model = trained
    (tmp_path / "bad").write_text("nonsense\n")
    (tmp_path / "third").write_text("2[0]\n")
    other = write_sentences(tmp_path / "other", seed=5)
    names = {"data": data, "model": model, "bad": tmp_path / "bad", "gone": tmp_path / "gone", "other": other}
    names["rows"] = tmp_path / "rows.svm"
    names["rows"].write_text("1 1:1\n-1 1:-1\n")
    assert main([each.format(**names, third=tmp_path / "third") for each in argv]) == 2
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and out == ""
