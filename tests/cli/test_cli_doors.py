"""Inputs and outputs of the commands: pipes, the standard input, JSON, decision values, columns and their numbers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_data import make_data, start
from scipy import sparse

import pragam
from pragam.cli import main
from pragam.models import load
from pragam.models.features import Columns
from pragam.samples import Rows

posix = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="bash")


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    source = str(Path(pragam.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    program = f'pragam() {{ "{sys.executable}" -m pragam "$@"; }}\n{command}'
    return subprocess.run(
        ["bash", "-c", program], cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True
    )


COMMANDS = {
    "stdin": "cat a.svm | pragam train - -o M",
    "dev stdin": "cat a.svm | pragam train /dev/stdin -o M",
    "redirected": "pragam train - -o M < a.svm",
    "substitution": "pragam train <(cat a.svm) -o M",
    "gzip": "gzip -c a.svm | pragam train - -o M",
    "xz": "xz -c a.svm | pragam train <(cat) -o M",
    "fifo": "mkfifo f; cat a.svm > f & pragam train f -o M",
    "through": "mkfifo g; cat g > M & pragam train a.svm -o g; wait",
}


@posix
@pytest.mark.parametrize("kind", COMMANDS)
def test_a_pipe_gives_the_model_of_the_file(kind, tmp_path):
    if kind in ("gzip", "xz") and shutil.which(kind) is None:
        pytest.skip(f"no {kind}")
    make_data(tmp_path / "a.svm", n=3000)
    assert main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "expected"), "--quiet"]) == 0
    done = shell(COMMANDS[kind], tmp_path)
    assert done.returncode == 0, done.stderr
    ours, expected = load(tmp_path / "M"), load(tmp_path / "expected")
    assert (
        ours.fingerprint == expected.fingerprint
        and ours.tensors["coef"].tobytes() == expected.tensors["coef"].tobytes()
    )


@posix
def test_models_and_data_through_pipes(tmp_path):
    make_data(tmp_path / "a.svm")
    assert main(["train", str(tmp_path / "a.svm"), "-o", str(tmp_path / "m"), "--quiet"]) == 0
    expected = shell("pragam predict m a.svm", tmp_path).stdout
    for command in ("cat m | pragam predict - a.svm", "pragam predict <(cat m) - < a.svm"):
        assert shell(command, tmp_path).stdout == expected
    assert shell("pragam certify <(cat m) <(cat a.svm)", tmp_path).returncode == 0


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_standard_output_is_one_line(tmp_path):
    make_data(tmp_path / "a.svm")
    done = shell("pragam train a.svm --quiet > /dev/full", tmp_path)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"No space left" in done.stderr


def test_bare_pragam_prints_help(capsys):
    assert main([]) == 0
    assert "usage: pragam" in capsys.readouterr().out


@pytest.mark.parametrize("n_classes", [2, 3])
def test_json(tmp_path, capsys, n_classes):
    path, file = str(tmp_path / "a.svm"), str(tmp_path / "m")
    make_data(path, n_classes)
    X, y = pragam.datasets.load(path)
    assert main(["train", path, "-o", file, "--quiet", "--json"]) == 0
    train = json.loads(capsys.readouterr().out)
    model = load(file)
    assert train["certified"] is True and (train["n"], train["d"]) == X.shape and train["lam"] == model.risk.lam
    proofs, labels = [proof.certificate for proof in model.proofs], model.labels.tolist()
    assert [output["class"] for output in train["outputs"]] == (labels[1:] if n_classes == 2 else labels)
    for output, proof in zip(train["outputs"], proofs, strict=True):
        assert (output["primal"], output["dual"]) == (proof.primal, proof.dual)
        assert output["relative_gap"] == proof.relative_gap and output["status"] == "CONVERGED"
    assert main(["certify", file, path, "--json"]) == 0
    certify = json.loads(capsys.readouterr().out)
    assert certify["certified"] is True and certify["tol"] == 1e-6
    assert [each["stored"]["primal"] for each in certify["outputs"]] == [p.primal for p in proofs]
    assert main(["predict", file, path, "--json", "--decision"]) == 0
    predict = json.loads(capsys.readouterr().out)
    rows = Rows.of(X)
    assert predict["labels"] == predict["predictions"] == model.predict(rows).tolist()
    assert predict["decision"] == model.decision(rows).tolist()
    assert predict["accuracy"] == np.mean(model.predict(rows) == y) == train["training_accuracy"]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decision_values(tmp_path, capsys, n_classes):
    path, file = str(tmp_path / "a.svm"), str(tmp_path / "m")
    make_data(path, n_classes)
    X, _ = pragam.datasets.load(path)
    assert main(["train", path, "-o", file, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["predict", file, path, "--decision"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    model = load(file)
    assert [int(row[0]) for row in rows] == model.predict(Rows.of(X)).tolist()
    scores = model.decision(Rows.of(X)).reshape(X.shape[0], -1)
    assert [[float(value) for value in row[1:]] for row in rows] == scores.tolist()


def test_compact_columns(tmp_path, capsys):
    path, file = tmp_path / "wide.svm", str(tmp_path / "m")
    path.write_text("+1 1:1 2147483647:2\n-1 1:-1 5:1\n+1 5:2\n-1 1:-2 2147483647:-1\n")
    assert main(["train", str(path), "-o", file, "--quiet", "--compact-columns"]) == 0
    model = load(file)
    assert model.features.find(Columns).columns.tolist() == [0, 4, 2147483646]
    assert model.tensors["coef"].shape == (1, 3)
    assert main(["certify", file, str(path)]) == 0
    capsys.readouterr()
    assert main(["predict", file, str(path)]) == 0
    dense = np.array([[1, 0, 2], [-1, 1, 0], [0, 2, 0], [-2, 0, -1.0]])
    assert [int(label) for label in capsys.readouterr().out.split()] == model.predicted(Rows.of(dense)).tolist()
    path.write_text(path.read_text().replace("5:2", "5:2 77:1"))
    assert main(["certify", file, str(path)]) == 2
    assert "belongs to other data" in capsys.readouterr().err
    assert main(["predict", file, str(path)]) == 0
    assert "1 entries are in columns that the model does not have" in capsys.readouterr().err
    wide = sparse.csr_array(([1.0, 1.0], [9, 2**40 - 1], [0, 1, 2]), shape=(2, 2**40))
    np.savez(tmp_path / "w.npz", data=wide.data, indices=wide.indices, indptr=wide.indptr, shape=wide.shape, y=[0, 1])
    assert main(["train", str(tmp_path / "w.npz"), "--quiet"]) == 2
    assert main(["train", str(tmp_path / "w.npz"), "--quiet", "--compact-columns"]) == 0


def test_the_model_remembers_from_where_indices_count(tmp_path, capsys):
    train, test, file = tmp_path / "train", tmp_path / "test", str(tmp_path / "m")
    train.write_text("1 0:1 1:1\n-1 0:-1 1:-2\n1 0:2\n-1 1:-1\n")
    test.write_text("1 1:1\n-1 1:-1\n")  # no index 0: by itself this looks as if it counted from 1
    assert main(["train", str(train), "-o", file, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["predict", file, str(test), "--decision"]) == 0
    values = [float(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    tensors = load(file).tensors
    w, b = tensors["coef"][0, 1], tensors["intercept"][0]
    assert values == pytest.approx([b + w, b - w])
    assert main(["train", str(test), "-o", file, "--quiet"]) == 0
    assert main(["predict", file, str(train)]) == 2
    assert "train, line 1: feature index 0, where indices count from 1" in capsys.readouterr().err


def test_the_mode_of_a_model_stays(tmp_path):
    (tmp_path / "m").write_bytes(b"")
    (tmp_path / "m").chmod(0o600)
    assert main(["train", "-o", str(tmp_path / "m"), "--quiet"]) == 0
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o600


def test_the_output_may_be_a_device():
    process = start("train", "-o", os.devnull, "--quiet")
    process.communicate(timeout=60)
    assert process.returncode == 0 and not os.path.isfile(os.devnull)
