"""Model files of sequences: what predicts and what proves comes back, and everything else is refused clearly."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.metrics.pairwise import rbf_kernel

from pragam import ChainSVC, Status, models
from pragam.files.dual_points import from_tensors, to_tensors
from pragam.models import ChainModel
from pragam.samples import Chains
from pragam.structured import Labellings, Mixture, TrellisFlow

RNG = np.random.default_rng(0)
LENGTHS = [3, 1, 4, 2]
X = RNG.standard_normal((10, 2))
Y = RNG.integers(0, 3, 10)
TOKENS = [
    [{"a": float(x), "b": "\n" if x > 0 else "ü="} for x, _ in rows] for rows in np.split(X, np.cumsum(LENGTHS)[:-1])
]
TAGS = [[["O", "B-x", "I-x"][k] for k in part] for part in np.split(Y, np.cumsum(LENGTHS)[:-1])]


def model_of(**parameters):
    return ChainSVC(**{"lam": 0.1, **parameters}).fit(X, Y, LENGTHS)


CASES = {
    "flow": lambda: model_of(solver="flow-ascent"),
    "labellings": lambda: model_of(solver="qp-bmrm"),
    "vector": lambda: model_of(solver="pragam"),
    "cost": lambda: model_of(loss=np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0.0]]), labels=[0, 1, 2]),
    "transitions": lambda: model_of(transitions=np.array([[1, 1, 1], [1, 1, 1], [1, 1, 1]], dtype=bool)),
    "rbf": lambda: model_of(kernel="rbf", kernel_params={"gamma": 0.5}),
    "kernel": lambda: model_of(kernel=ConstantKernel(2.0) * RBF([1.0, 2.0]) + WhiteKernel(0.1)),
    "weights": lambda: ChainSVC(lam=0.1).fit(X, Y, LENGTHS, sample_weight=[1, 2, 0, 1], token_weight=np.arange(10)),
}

KINDS = {"flow": TrellisFlow, "labellings": Labellings, "vector": np.ndarray}


@pytest.mark.parametrize("case", CASES)
def test_what_predicts_and_what_proves_comes_back(tmp_path, case):
    model = CASES[case]()
    model.save(tmp_path / "m")
    if case in KINDS:
        assert type(model.dual_) is KINDS[case]
    again = ChainSVC.load(tmp_path / "m")
    assert os.listdir(tmp_path) == ["m"]
    assert (again.predict(X, LENGTHS) == model.predict(X, LENGTHS)).all()
    assert (again.token_margins(X, LENGTHS) == model.token_margins(X, LENGTHS)).all()
    assert again.certificate_ == model.certificate_ == again.certify(X, Y, LENGTHS)
    assert again.status_ is Status.CONVERGED and again.lam == model.lam and again.tol == model.tol
    again.fit(X, Y, LENGTHS)  # its parameters are those of an estimator
    loaded = models.load(tmp_path / "m")
    assert isinstance(loaded, ChainModel) and loaded.certify(Chains.of(X, Y, LENGTHS)) == [model.certificate_]


def test_features_by_name_come_back(tmp_path):
    model = ChainSVC(lam=0.1).fit(TOKENS, TAGS)
    model.save(tmp_path / "m")
    again = ChainSVC.load(tmp_path / "m")
    assert again.feature_names_ == model.feature_names_ == ["a", "b=\n", "b=ü="]
    assert again.predict(TOKENS) == model.predict(TOKENS) and again.certify(TOKENS, TAGS) == model.certificate_


def test_a_kernel_that_json_cannot_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="kernel by name"):
        model_of(kernel=lambda A, B: rbf_kernel(A, B)).save(tmp_path / "m")
    assert os.listdir(tmp_path) == []


class Stored:
    """Tensors as a file has them."""

    def __init__(self, tensors):
        self.tensors = tensors

    def array(self, name, dtype="F64"):
        return self.tensors[name]


def test_every_kind_of_dual_point_comes_back():
    flow = TrellisFlow.of(Y)
    several = Labellings(RNG.random((2, 4)), (Y, Y[::-1]))
    record, tensors = to_tensors(Mixture(np.array([0.25, 0.5, 0.25]), (flow, several, X.ravel())))
    mixture = from_tensors(json.loads(json.dumps(record)), Stored(tensors))
    assert (mixture.weights == [0.25, 0.5, 0.25]).all() and (mixture.points[2] == X.ravel()).all()
    for name in ("first", "previous", "label", "mass"):
        assert (getattr(mixture.points[0], name) == getattr(flow, name)).all()
    assert (mixture.points[1].weights == several.weights).all()
    assert np.array_equal(mixture.points[1].labels, several.labels)
    with pytest.raises(ValueError, match="unknown kind 'other'"):
        from_tensors({"kind": "other"}, Stored({}))
    with pytest.raises(ValueError, match="no dual point of the type str"):
        to_tensors("alpha")


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "m"
    model_of(solver="qp-bmrm").save(path)
    return path


def test_cut_and_damaged_files_are_refused_or_load(stored):
    content = bytearray(stored.read_bytes())
    for length in range(0, len(content), 97):
        stored.write_bytes(content[:length])
        with pytest.raises(ValueError, match="not a usable model file"):
            models.load(stored)
    for where in RNG.integers(0, len(content), 300):
        damaged = content.copy()
        damaged[where] ^= int(RNG.integers(1, 256))
        stored.write_bytes(damaged)
        try:
            ChainSVC.load(stored)
        except ValueError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "its format is not"),
        ({"version": 9}, "its format version is 9"),
        ({"labels": [1]}, "which a model of 'chain_hinge' cannot have"),
        ({"labels": [1, 2]}, "coef must be of the shape"),
        ({"risk": {"name": "hinge"}}, "its risk 'hinge' must have"),
        ({"proofs": [{}]}, "certificate must be a dict"),
        ({"features": [{"kind": "kernel"}]}, "kernel must be a dict"),
        ({"features": [{"kind": "names", "template": 3}]}, "it has no tensor 'features.0.names'"),
        ({"risk": {"name": "chain_hinge", "lam": 1, "loss": "hamming_sum", "transitions": [[1]]}}, "boolean matrix"),
        ({"risk": {"name": "chain_hinge", "lam": 1, "loss": "none", "transitions": None}}, "loss must be"),
    ],
)
def test_records_that_make_no_sense_are_refused(stored, changes, message):
    with safe_open(stored, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(stored), stored, {"pragam": json.dumps(record | changes)})
    with pytest.raises(ValueError, match=message) as refusal:
        models.load(stored)
    assert "\n" not in str(refusal.value)


OLD = Path(__file__).parents[1] / "files" / "old" / "sequences1"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("flat", {"certificate": {}}, "primal must be a float"),
        ("flat", {"dual": {"kind": "flow"}}, "it has no tensor 'dual.0.first'"),
        ("flat", {"kernel": {"name": "rbf", "parameters": {}}}, "it has no tensor 'landmarks'"),
        ("names", {"template": 3}, "its template must be a text"),
        ("kernel", {"kernel": 3}, "kernel must be a dict, not 3"),
        ("flat", {"parameters": {}}, "status must be a str"),
        ("flat", {"version": 2}, "its format version is 2, and this pragam reads up to 1"),
    ],
)
def test_an_old_file_that_makes_no_sense_is_refused(tmp_path, name, changes, message):
    path = OLD / f"{name}.model"
    with safe_open(path, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(path), tmp_path / "m", {"pragam": json.dumps(record | changes)})
    with pytest.raises(ValueError, match=message):
        models.load(tmp_path / "m")
