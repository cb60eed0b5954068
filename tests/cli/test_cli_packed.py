"""Every command that takes data takes a packed directory."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.cli import main

TASKS = {
    "two": ("classify", lambda score: np.where(score > 0, 1, -1)),
    "three": ("classify", lambda score: np.searchsorted([-1, 1], score)),
    "crammer": ("multiclass", lambda score: np.searchsorted([-1, 1], score)),
    "numbers": ("regress", np.asarray),
    "quantile": ("quantile", np.asarray),
    "levels": ("ordinal", lambda score: np.searchsorted([-1, 0, 1], score)),
}


@pytest.fixture
def directory(request, tmp_path):
    """Packed rows with the targets of a task."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = TASKS[getattr(request, "param", "two")][1](X @ rng.standard_normal(5) + rng.standard_normal(600))
    pragam.pack([(sparse.csr_array(X.astype(np.float32)), y)], tmp_path / "set", chunk_bytes=4096)
    return str(tmp_path / "set")


def ran(capsys, *argv):
    """The JSON that a command prints; it must end well."""
    code = main([*argv, "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


@pytest.fixture
def model(directory, tmp_path, capsys):
    path = str(tmp_path / "model")
    ran(capsys, "train", directory, "-C", "0.1", "-o", path, "--quiet")
    return path


@pytest.mark.parametrize("directory", TASKS, indirect=True)
def test_each_task_trains_and_predicts_and_its_proof_is_found_again(directory, request, tmp_path, capsys):
    task, model = TASKS[request.node.callspec.params["directory"]][0], str(tmp_path / "model")
    options = ["--quantiles", "0.3"] if task == "quantile" else []
    trained = ran(
        capsys, "train", directory, "--task", task, *options, "-C", "0.01", "-o", model, "--tol", "1e-4", "--quiet"
    )
    certified = ran(capsys, "certify", model, directory)
    predicted = ran(capsys, "predict", model, directory)
    assert trained["certified"] and trained["relative_gap"] <= 1e-4 and (trained["n"], trained["d"]) == (600, 5)
    assert certified["certified"]
    for output in certified["outputs"]:  # the last digits are those of another order of summation
        stored, new = output["stored"], output["recomputed"]
        for bound in ("primal", "dual"):
            assert abs(stored[bound] - new[bound]) <= stored["slack"] + new["slack"]
    assert len(predicted["predictions"]) == 600 and predicted["evaluation"] == trained["training"]


def test_what_a_training_should_take_is_said_before(directory, capsys):
    assert main(["train", directory, "-C", "0.1", "--memory", "100KB"]) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith("600 x 5, 3,000 entries, ") and "about" in first and "readings" in first
    assert first.endswith("of vectors and at most 100 KB of rows are held")


def test_a_penalised_intercept(directory, tmp_path, capsys):
    packed, model = pragam.open_packed(directory), str(tmp_path / "model")
    trained = ran(capsys, "train", directory, "--lam", "0.01", "--penalised", "2", "-o", model, "--quiet")
    X = np.column_stack([np.asarray(packed.take(np.arange(600)).matmat(np.eye(5))), np.full(600, 2.0)])
    here = pragam.solve(pragam.hinge(X, packed.y, lam=0.01, bias=False), tol=1e-8).certificate
    (there,) = trained["outputs"]
    assert there["dual"] <= here.primal and here.dual <= there["primal"]
    assert ran(capsys, "certify", model, directory)["certified"]


def test_an_exact_proof(directory, model, capsys):
    found = ran(capsys, "certify", model, directory, "--exact", "--quiet")
    assert found["certified"] and found["confirmed"]


def test_an_audit(directory, model, capsys):
    found = ran(capsys, "audit", model, directory)
    assert found["within"] and found["rigorous"] and found["predictions"]["differ"] == 0


def test_a_tuning_says_how_many_rows_it_trains_on_and_goes_on_from_there(directory, tmp_path, capsys):
    best = str(tmp_path / "best")
    found = ran(capsys, "tune", directory, "--lams", "1e-1,1e-2", "--memory", "1MB", "-o", best, "--quiet")
    assert found["certified"] and len(found["points"]) == 2
    assert found["n_train"] + found["n_validation"] == 600 and found["n_train"] > found["n_validation"] > 0
    assert ran(capsys, "certify", best, directory)["certified"]


@pytest.fixture
def texts(tmp_path):
    """Packed rows whose labels are texts."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 5))
    pragam.pack([(X, np.where(X[:, 0] + rng.standard_normal(600) > 0, "yes", "no"))], tmp_path / "texts")
    return str(tmp_path / "texts")


def test_labels_that_are_texts(texts, tmp_path, capsys):
    path = str(tmp_path / "model")
    trained = ran(capsys, "train", texts, "-C", "0.1", "-o", path, "--quiet")
    predicted = ran(capsys, "predict", path, texts)
    assert set(predicted["predictions"]) == {"no", "yes"} and predicted["evaluation"] == trained["training"]
    assert ran(capsys, "certify", path, texts)["certified"] and ran(capsys, "audit", path, texts)["within"]
    tuned = ran(capsys, "tune", texts, "--lams", "1e-2,1e-1", "--validation", texts, "--quiet")
    assert tuned["certified"] and tuned["n_validation"] == 600


@pytest.mark.parametrize(
    ("task", "said"), [("ordinal", "labels without an order"), ("regress", "y must hold real numbers")]
)
def test_texts_are_no_numbers(texts, capsys, task, said):
    assert main(["train", texts, "--task", task]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"pragam: {texts}: ") and said in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("name", ["manifest.json", "columns.npy", "chunks/000000.data.npy", "new", "link"])
def test_no_output_goes_into_a_directory_that_is_read(directory, model, tmp_path, capsys, name):
    (tmp_path / "link").symlink_to(tmp_path / "set" / "manifest.json")
    output = str(tmp_path / name if name == "link" else tmp_path / "set" / name)
    before = pragam.open_packed(directory).fingerprint()
    for command in (["train", directory], ["tune", directory, "--lams", "1"], ["predict", model, directory]):
        assert main([*command, "-o", output]) == 2
        assert capsys.readouterr().err.startswith(f"pragam: {output}: {directory} is read by this command too, ")
    assert pragam.open_packed(directory).fingerprint() == before
    assert not (tmp_path / "set" / "new").exists()


def test_what_a_directory_and_its_model_are(directory, model, capsys):
    assert ran(capsys, "show", directory)["rows"] == 600
    assert ran(capsys, "show", model)["trained on"].startswith("n = 600, d = 5, nnz = 3000, sha256 ")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["train", "{}", "--task", "multiclass", "--memory", "1MB"], "memory is for losses of one score each: "),
        (["train", "--memory", "1MB"], "memory is for data in blocks, of which solvers choose what to hold: "),
        (["tune", "--memory", "1MB", "--lams", "1"], "memory is for data in blocks, of which "),
        (["tune", "{}", "--folds", "3"], "--folds are for data in memory: of a packed directory a share "),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(directory, command, said, capsys):
    assert main([each.format(directory) for each in command] + ["--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and said in err
