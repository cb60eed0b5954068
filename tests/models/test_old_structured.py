"""Files of sequences, graphs and Gaussian processes from when each had a format of its own: they predict and prove."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pragam import ChainSVC, GPSequenceClassifier, GraphSVC, models
from pragam.cli import main
from pragam.samples import Chains, Graphs
from pragam.structured import Graph

FOLDER = Path(__file__).parents[1] / "files" / "old"
PREDICTED = json.loads((FOLDER / "predictions.json").read_text())
ESTIMATORS = {"sequences1": ChainSVC, "gp1": GPSequenceClassifier, "graphs1": GraphSVC}


def data_of(name):
    room = FOLDER / name.split("/")[0]
    if name == "sequences1/names":
        found = json.loads((room / "names.json").read_text())
        return found["X"], found["y"]
    with np.load(room / ("trees.npz" if "graphs" in name else "tokens.npz")) as file:
        if "graphs" in name:
            return ([Graph(file[f"X{i}"], file[f"edges{i}"], file[f"y{i}"]) for i in range(3)],)
        return file["X"], file["y"], file["lengths"]


def samples_of(name):
    return Graphs(*data_of(name)) if "graphs" in name else Chains.of(*data_of(name))


def plain(found):
    return [np.asarray(part).tolist() for part in found]


NAMES = [name for name in PREDICTED if not name.endswith(".proba")]


@pytest.mark.parametrize("name", NAMES)
def test_an_old_model_predicts_and_proves_what_it_did(name):
    model, samples = models.load(FOLDER / f"{name}.model"), samples_of(name)
    assert plain(model.predict(samples)) == plain(PREDICTED[name])
    (proof,) = model.certify(samples)
    stored = model.certificate
    # The file is of another machine, whose sums may be rounded otherwise. Both bounds hold of the same J and D, each to
    # within its slack; but the features of one kernel are computed by a matrix product now, with other roundings.
    apart = proof.slack + stored.slack + (1e-14 * stored.primal if name == "sequences1/kernel" else 0.0)
    assert abs(proof.primal - stored.primal) <= apart and abs(proof.dual - stored.dual) <= apart
    assert proof.exact == stored.exact and proof.rigorous == stored.rigorous
    assert proof.slack == pytest.approx(stored.slack, rel=1e-9) and (proof.biases == stored.biases).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_old_model_is_an_estimator_and_a_file_of_today(name, tmp_path):
    data = data_of(name)
    old = ESTIMATORS[name.split("/")[0]].load(FOLDER / f"{name}.model")
    old.save(tmp_path / "m")
    again = type(old).load(tmp_path / "m")
    assert again.certify(*data) == old.certify(*data) and again.certificate_ == old.certificate_
    assert again.status_ is old.status_ and again.n_iter_ == old.n_iter_ > 0
    for own in (old, again):
        assert own.labels == own.classes_.tolist() and own.solver == "auto" and own.tol < 1e-2
        assert own.fit(*data).certificate_.relative_gap <= own.tol  # its parameters are those of an estimator


def test_data_of_another_width_are_not_those_of_the_training():
    samples = Chains.of(np.eye(2), [0, 1])
    for name in ("sequences1/flat", "sequences1/kernel", "gp1/gram"):
        with pytest.raises(ValueError, match=r"belongs to other data \(d 3\), not to these \(d 2\)"):
            models.load(FOLDER / f"{name}.model").certify(samples)


def test_an_old_temperature_holds():
    found = models.load(FOLDER / "gp1" / "landmarks.model").proba(samples_of("gp1/landmarks"))
    np.testing.assert_allclose(found, PREDICTED["gp1/landmarks.proba"], rtol=0, atol=1e-15)


def test_an_old_file_of_a_command(capsys):
    path = FOLDER / "sequences1" / "columns"
    assert main(["predict", f"{path}.model", f"{path}.txt"]) == 0
    assert capsys.readouterr().out == Path(f"{path}.labels").read_text()
    assert main(["certify", f"{path}.model", f"{path}.txt"]) == 0
    model = ChainSVC.load(f"{path}.model")
    assert model.tol == 0.01 and model.lam == 0.1 and len(model.feature_names_) == model.n_features_in_ == 69
