"""``pragam predict`` on what has no labels, other labels, or no rows at all."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from cli_data import make_data
from scipy import sparse
from test_cli_chain import write_sentences

from forged import forge
from pragam.cli import main


@pytest.fixture
def model(tmp_path, capsys):
    path, file = tmp_path / "data.svm", str(tmp_path / "model")
    X, y = make_data(path, 3)
    assert main(["train", str(path), "-o", file, "--quiet"]) == 0
    capsys.readouterr()
    return SimpleNamespace(path=path, file=file, X=X, y=y)


@pytest.fixture
def expected(model, capsys):
    assert main(["predict", model.file, str(model.path)]) == 0
    return capsys.readouterr().out


LABELS = {"none": "", "a space": " ", "LIBLINEAR's 0": "0 ", "a question mark": "? ", "nan": "nan ", "NaN": "NaN "}


@pytest.mark.parametrize("kind", LABELS)
def test_rows_without_labels(model, expected, tmp_path, capsys, kind):
    lines = [LABELS[kind] + line.split(" ", 1)[1] for line in model.path.read_text().splitlines(keepends=True)]
    forge(model.file, lambda record, tensors: record.update(labels=[3, 1, 2]))  # 0 is no class
    (tmp_path / "bare").write_text("".join(lines))
    assert main(["predict", model.file, str(tmp_path / "bare")]) == 0
    out, err = capsys.readouterr()
    assert out == expected.replace("0", "3") and err == ""
    assert main(["predict", model.file, str(tmp_path / "bare"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["accuracy"] is record["evaluation"] is None and record["n"] == 60


def test_one_row_without_a_label_is_enough(model, expected, tmp_path, capsys):
    first, rest = model.path.read_text().split("\n", 1)
    (tmp_path / "some").write_text("?" + first[1:] + "\n" + rest)
    assert main(["predict", model.file, str(tmp_path / "some")]) == 0
    assert capsys.readouterr() == (expected, "")


def test_labels_that_the_model_does_not_know_are_named(model, expected, tmp_path, capsys):
    lines = model.path.read_text().splitlines(keepends=True)
    (tmp_path / "other").write_text("".join(f"{7 + k % 5} {line.split(' ', 1)[1]}" for k, line in enumerate(lines)))
    assert main(["predict", model.file, str(tmp_path / "other")]) == 0
    out, err = capsys.readouterr()
    assert out == expected
    assert err == (
        f"pragam: warning: {tmp_path / 'other'}: the model does not know the labels 7, 8, 9, ..., so its accuracy is "
        "not measured\n"
    )


def test_arrays_whose_labels_are_nan(model, expected, tmp_path, capsys):
    X = sparse.csr_array(model.X)
    csr = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(tmp_path / "a.npz", **csr, y=np.full(60, np.nan))
    np.save(tmp_path / "a.npy", model.X)
    np.save(tmp_path / "a.y.npy", np.full(60, np.nan))
    for name in ("a.npz", "a.npy"):
        assert main(["predict", model.file, str(tmp_path / name)]) == 0
        assert capsys.readouterr() == (expected, "")
        assert main(["certify", model.file, str(tmp_path / name)]) == 2
        assert main(["train", str(tmp_path / name)]) == 2
        err = capsys.readouterr().err
        assert "there are no labels" in err and "a label is not finite" in err


@pytest.mark.parametrize("command", ["train", "certify"])
def test_rows_without_labels_are_nothing_to_learn_from(model, tmp_path, capsys, command):
    (tmp_path / "bare").write_text("1:1 2:2\n1:3\n")
    argv = [command, str(tmp_path / "bare")] if command == "train" else [command, model.file, str(tmp_path / "bare")]
    assert main(argv) == 2
    err = capsys.readouterr().err
    assert str(tmp_path / "bare") in err and "label" in err and err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_an_empty_stream_gives_nothing(model, tmp_path, capsys, monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    assert main(["predict", model.file, "-"]) == 0
    assert capsys.readouterr() == ("", "")
    (tmp_path / "empty").write_text(text)
    assert main(["predict", model.file, str(tmp_path / "empty"), "--decision", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes() == b""
    capsys.readouterr()
    assert main(["predict", model.file, str(tmp_path / "empty"), "--decision", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n"], record["labels"], record["accuracy"]) == (0, [], None)
    assert main(["certify", model.file, str(tmp_path / "empty")]) == 2


def test_an_npz_without_rows_gives_nothing(model, tmp_path, capsys):
    arrays = {"data": np.empty(0), "indices": np.empty(0, int), "indptr": np.zeros(1, int), "shape": (0, 5)}
    np.savez(tmp_path / "e.npz", **arrays)
    np.savez(tmp_path / "y.npz", **arrays, y=np.empty(0))
    np.save(tmp_path / "e.npy", np.empty((0, 5)))
    for name in ("e.npz", "y.npz", "e.npy"):
        assert main(["predict", model.file, str(tmp_path / name)]) == 0
        assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["", "\n \n\n"])
def test_no_sentences_give_nothing(tmp_path, capsys, text):
    data, file = write_sentences(tmp_path / "s.txt"), str(tmp_path / "m")
    assert main(["train", "--task", "chain", str(data), "-o", file, "--quiet"]) == 0
    (tmp_path / "e.txt").write_text(text)
    capsys.readouterr()
    assert main(["predict", file, str(tmp_path / "e.txt"), "--decision"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["predict", file, str(tmp_path / "e.txt"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["n_sequences"], record["n_tokens"], record["labels"], record["lengths"]) == (0, 0, [], [])
    assert main(["certify", file, str(tmp_path / "e.txt")]) == 2
    assert "there are no tokens" in capsys.readouterr().err


@pytest.mark.parametrize("zero_based", [0.0, -0.0, 1, "no", []])
@pytest.mark.parametrize("command", ["predict", "certify"])
def test_from_where_indices_count_is_a_truth_value(model, capsys, command, zero_based):
    forge(model.file, lambda record, tensors: record["settings"].update(zero_based=zero_based))
    assert main([command, model.file, str(model.path)]) == 2
    assert capsys.readouterr().err == (
        f"pragam: {model.file}: its zero_based must be true, false or null, not {zero_based!r}\n"
    )
