"""``pragam certify --exact``: what it proves, prints and refuses."""

from __future__ import annotations

import json
from math import inf, nextafter

import numpy as np
import pytest
from cli_data import make_data

from forged import forge, stored
from pragam import datasets
from pragam.cli import main
from pragam.cli.commands import certify_exact
from pragam.models import load


@pytest.fixture
def model(tmp_path, capsys):
    """A trained model and its data, as paths."""

    def train(*options, n_classes=2):
        make_data(tmp_path / "data.svm", n_classes)
        paths = str(tmp_path / "model"), str(tmp_path / "data.svm")
        main(["train", paths[1], "-o", paths[0], "--quiet", *options])
        capsys.readouterr()
        return paths

    return train


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("options", [[], ["--no-bias"], ["--class-weight", "balanced"], ["--tol", "1e-10"]])
def test_what_was_trained_is_proved(model, capsys, n_classes, options):
    paths = model(*options, n_classes=n_classes)
    assert main(["certify", *paths, "--exact"]) == 0
    out, err = capsys.readouterr()
    assert out.count("yes") == (1 if n_classes == 2 else 3) and "Proved: the stored bounds hold" in out
    assert err == ""


def test_the_built_in_example(tmp_path, capsys):
    file = str(tmp_path / "model")
    assert main(["train", "-o", file, "--quiet"]) == 0
    assert main(["certify", file, "--exact", "--quiet"]) == 0
    assert "Proved" in capsys.readouterr().out


@pytest.mark.parametrize("bound", ["primal", "dual"])
def test_a_bound_that_is_wrong_in_the_last_bit_is_not_confirmed(model, capsys, bound):
    file, data = model()
    assert main(["certify", file, data, "--exact"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == [bound])
    tight = float(line.split()[-1])  # the exact value, rounded outward: the tightest float that is true
    for value, status in ((tight, 0), (nextafter(tight, -inf if bound == "primal" else inf), 3)):
        forge(file, lambda record, tensors, value=value: stored(record, **{bound: value}))
        assert main(["certify", file, data, "--exact"]) == status
    assert "Not proved: a stored bound is not confirmed" in capsys.readouterr().out


@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_json_object(model, capsys, n_classes):
    file, data = model(n_classes=n_classes)
    assert main(["certify", file, data, "--exact", "--json"]) == 0
    out = capsys.readouterr().out
    record = json.loads(out)
    assert out.count("\n") == 1
    assert record["certified"] is record["confirmed"] is True and record["relative_gap"] <= record["tol"]
    trained = load(file)
    labels = trained.labels.tolist()
    assert [one["class"] for one in record["outputs"]] == (labels[1:] if n_classes == 2 else labels)
    for one, proof in zip(record["outputs"], trained.proofs, strict=True):
        kept = proof.certificate
        assert one["confirmed"] and (one["stored"]["primal"], one["stored"]["dual"]) == (kept.primal, kept.dual)
        assert kept.primal >= one["exact"]["primal"] >= one["exact"]["dual"] >= kept.dual
        assert one["exact"]["relative_gap"] <= record["relative_gap"]
    forge(file, lambda record, tensors: [
        proof["certificate"].update(dual=proof["certificate"]["primal"]) for proof in record["proofs"]
    ])  # fmt: skip
    assert main(["certify", file, data, "--exact", "--json"]) == 3
    record = json.loads(capsys.readouterr().out)
    assert not record["certified"] and not record["confirmed"] and not record["outputs"][0]["confirmed"]


def test_weights_that_are_not_good_enough_are_not_proved(model, capsys):
    file, data = model()
    forge(file, lambda record, tensors: tensors.update(intercept=tensors["intercept"] + 0.1))
    assert main(["certify", file, data, "--exact"]) == 3
    assert main(["certify", file, data, "--exact", "--tol", "1"]) == 3  # the stored primal is below J
    assert "a stored bound is not confirmed" in capsys.readouterr().out


def test_other_data_and_other_lengths_are_refused(model, tmp_path, capsys):
    file, data = model()
    make_data(tmp_path / "other.svm", seed=1)
    assert main(["certify", file, str(tmp_path / "other.svm"), "--exact"]) == 2
    forge(file, lambda record, tensors: tensors.update({"dual.0.alpha": tensors["dual.0.alpha"][:-1]}))
    assert main(["certify", file, data, "--exact"]) == 2
    assert "alpha must hold 60 numbers, not 59" in capsys.readouterr().err


@pytest.mark.parametrize("lam", [-1.0, 0.0])
def test_a_forged_lam_is_refused(model, capsys, lam):
    """D of a negative lam is above J: the stored bounds may be as wide as they like."""
    file, data = model()
    forge(file, lambda r, t: (r["risk"]["each"].update(lam=lam), stored(r, primal=1e300, dual=-1e300)))
    assert main(["certify", file, data, "--exact", "--tol", "1e9"]) == 2
    assert "lam must be" in capsys.readouterr().err


def test_classes_that_the_data_lack_are_refused(model, capsys):
    """Against a class that nobody has, w = 0 is perfect."""
    file, data = model()

    def absent(record, tensors):
        record["labels"][1] = 7777
        for name, value in (("coef", 0.0), ("dual.0.alpha", 0.0), ("intercept", -2.0)):
            tensors[name].fill(value)
        stored(record, primal=0.0, dual=0.0, biases=[-2.0])

    forge(file, absent)
    for exact in ([], ["--exact"]):
        assert main(["certify", file, data, *exact]) == 2
        assert "y has the labels [0, 1], and the model [0, 7777]" in capsys.readouterr().err


def test_dual_variables_far_outside_are_refused(model, capsys):
    file, data = model()
    forge(file, lambda record, tensors: tensors.update({"dual.0.alpha": 2 * tensors["dual.0.alpha"]}))
    assert main(["certify", file, data, "--exact"]) == 2
    assert "of the size of its set, and 1e-06 is repaired" in capsys.readouterr().err


@pytest.mark.parametrize("loss", ["squared_hinge", "smoothed_hinge"])
def test_a_smooth_risk_is_proved(model, capsys, loss):
    file, data = model("--loss", loss)
    assert load(file).risk.each.name == loss
    assert main(["certify", file, data, "--exact"]) == 0
    assert "Proved" in capsys.readouterr().out


def test_absurd_work_is_refused_unless_forced(model, capsys, monkeypatch):
    paths = model()
    monkeypatch.setattr(certify_exact, "_PRODUCTS", 10)
    assert main(["certify", *paths, "--exact"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["certify", *paths, "--exact", "--force"]) == 0


def test_dense_and_sparse_columns_give_the_same_proof(model, tmp_path, capsys):
    file, data = model()
    X, y = datasets.load(data)
    np.save(tmp_path / "dense.npy", X.toarray())
    np.save(tmp_path / "dense.y.npy", y)
    assert main(["certify", file, data, "--exact"]) == 0
    assert main(["certify", file, str(tmp_path / "dense.npy"), "--exact"]) == 0
    first, second = capsys.readouterr().out.split("exact proof")[1:]
    assert first == second


def test_real_data(tmp_path, capsys):
    try:
        X, y = datasets.load_named("a9a")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    data, file = tmp_path / "a9a.svm", str(tmp_path / "model")
    datasets.save_svmlight(data, X, y)
    assert main(["train", str(data), "-o", file, "--lam", "1e-4", "--tol", "1e-8", "--quiet"]) == 0
    assert main(["certify", file, str(data), "--exact"]) == 0
    assert "Proved" in capsys.readouterr().out
