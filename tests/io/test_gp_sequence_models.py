"""Files of Gaussian-process labellers: what predicts and what proves comes back, and everything else is refused."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from pragam.io.gp_sequence_model import load_gp_sequence_model
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.metrics.pairwise import rbf_kernel

from pragam import ChainSVC, GPSequenceClassifier, Status
from pragam.io import load_sequence_model
from pragam.structured.gp import GibbsPoint, TablePoint

RNG = np.random.default_rng(0)
LENGTHS = [3, 1, 4, 2, 5]
X = RNG.standard_normal((15, 2))
Y = np.array(["O", "B-x", "I-x", "O", "B-x", "I-x", "I-x", "O", "B-x", "O", "O", "B-x", "I-x", "B-x", "I-x"])


def model_of(X=X, **parameters):
    return GPSequenceClassifier(**{"lam": 0.01, **parameters}).fit(X, Y, LENGTHS)


CASES = {
    "default": model_of,
    "tables": lambda: model_of(solver="gp-block-ascent"),
    "float64": lambda: model_of(precision="float64", tol=1e-7),
    "float32 features": lambda: model_of(X.astype(np.float32)),
    "sparse": lambda: model_of(sparse.csr_array(np.where(X > 0, X, 0.0))),
    "landmarks": lambda: model_of(n_landmarks=6, random_state=3),
    "sparse landmarks": lambda: model_of(sparse.csr_array(np.where(X > 0, X, 0.0)), n_landmarks=6),
    "kernel": lambda: model_of(kernel=ConstantKernel(2.0) * RBF([1.0, 2.0]) + WhiteKernel(0.1)),
    "name": lambda: model_of(kernel="laplacian"),
    "per edge": lambda: model_of(nodes="per_edge"),
    "by position": lambda: model_of(nodes="by_position", transition_scale=0.0),
    "temperature": lambda: model_of(calibrate=0.4),
    "iob": lambda: model_of(transitions="iob"),
    "matrix": lambda: model_of(transitions=np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1]], dtype=bool)),
}


def data_of(case):
    return sparse.csr_array(np.where(X > 0, X, 0.0)) if "sparse" in case else X.astype(
        np.float32 if case == "float32 features" else np.float64
    )  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_predicts_and_what_proves_comes_back(tmp_path, case):
    model, data = CASES[case](), data_of(case)
    model.save(tmp_path / "m")
    assert os.listdir(tmp_path) == ["m"]
    again = GPSequenceClassifier.load(tmp_path / "m")
    assert type(again.dual_) is (TablePoint if case == "tables" else GibbsPoint)
    assert (again.predict(data, LENGTHS) == model.predict(data, LENGTHS)).all()
    np.testing.assert_array_equal(again.predict_proba(data, LENGTHS), model.predict_proba(data, LENGTHS))
    np.testing.assert_array_equal(again.transitions_, model.transitions_)
    assert again.certificate_ == model.certificate_ == again.certify(data, Y, LENGTHS)
    assert model.certificate_ == model.certify(data, Y, LENGTHS)
    assert again.status_ is Status.CONVERGED and again.n_iter_ == model.n_iter_
    ours, theirs = again.get_params(), model.get_params()
    for name in ("lam", "tol", "nodes", "precision", "n_landmarks", "transition_scale", "calibrate", "solver"):
        assert ours[name] == theirs[name]
    again.fit(data, Y, LENGTHS)  # its parameters are those of an estimator


def test_a_certificate_is_of_the_training_data_alone():
    model = model_of()
    with pytest.raises(ValueError, match="trained on"):
        model.certify(X[:4], Y[:4], [3, 1])
    with pytest.raises(ValueError, match="does not belong"):
        model_of(n_landmarks=6).certify(X[:4], Y[:4], [3, 1])
    other = model.certify(X[::-1], Y[::-1], LENGTHS)
    assert other.rigorous and other.primal > model.certificate_.dual


def test_a_kernel_that_json_cannot_name_is_refused(tmp_path):
    model = model_of(kernel=lambda A, B: rbf_kernel(A, B))
    with pytest.raises(ValueError, match="kernel by name"):
        model.save(tmp_path / "m")
    assert os.listdir(tmp_path) == []


@pytest.fixture(params=["default", "sparse", "landmarks", "tables"])
def stored(tmp_path, request):
    CASES[request.param]().save(tmp_path / "m")
    return tmp_path / "m"


def test_cut_and_damaged_files_are_refused_or_load(stored):
    content = bytearray(stored.read_bytes())
    for length in range(0, len(content), 97):
        stored.write_bytes(content[:length])
        with pytest.raises(ValueError, match="not a usable model file"):
            load_gp_sequence_model(stored)
    for where in RNG.integers(0, len(content), 150):
        damaged = content.copy()
        damaged[where] ^= int(RNG.integers(1, 256))
        stored.write_bytes(damaged)
        try:
            model = GPSequenceClassifier.load(stored)
            with np.errstate(all="ignore"):
                model.certify(X, Y, LENGTHS)  # weak duality holds whatever the numbers are
        except ValueError as error:
            assert "\n" not in str(error)


def changed(path, tensors=None, **changes):
    with safe_open(path, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(path) | (tensors or {}), path, {"pragam": json.dumps(record | changes)})


RISK = {"name": "gp_sequences", "lam": 0.01, "transition_scale": 0.3, "nodes": "once", "precision": "float32"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "its format is not"),
        ({"version": 2}, "its format version is 2"),
        ({"classes": [1]}, "at least two labels"),
        ({"classes": [1, 2]}, "weights must be 15 x 2"),
        ({"risk": RISK}, "its risk must be"),
        ({"risk": RISK | {"transitions": None, "lam": 0.0}}, "its risk must be"),
        ({"risk": RISK | {"transitions": None, "nodes": "twice"}}, "its risk must be"),
        ({"risk": RISK | {"transitions": [[1]]}}, "boolean matrix"),
        ({"risk": RISK | {"transitions": {}}}, "boolean matrix"),
        ({"certificate": {}}, "a certificate must hold"),
        ({"dual": {"kind": "tables"}}, "it has no tensor 'dual.tables'"),
        ({"dual": {"kind": ["gibbs"]}}, "unknown kind"),
        ({"kernel": 3}, "its kernel an object"),
        ({"kernel": {"class": "eval", "parameters": {}}}, "none of scikit-learn's"),
        ({"kernel": {"class": "RBF", "parameters": {"none": 1}}}, "RBF cannot be made"),
        ({"kernel": {"class": "RBF", "parameters": {"length_scale": "a"}}}, "its kernel cannot be computed"),
        ({"kernel": {"name": "unknown", "parameters": {}}}, "its kernel cannot be computed"),
        ({"columns": 3}, "3 columns"),
        ({"parameters": {"temperature": 0.0, "n_iter": 1}}, "its temperature"),
        ({"parameters": {"temperature": 1.0, "n_iter": None}}, "n_iter whole"),
        ({"parameters": {"temperature": 1.0, "n_iter": 1, "status": ["CONVERGED"]}}, "is not known"),
    ],
)
def test_records_that_make_no_sense_are_refused(tmp_path, changes, message):
    model_of().save(tmp_path / "m")
    changed(tmp_path / "m", **changes)
    with pytest.raises(ValueError, match=message):
        GPSequenceClassifier.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("case", "tensors", "message"),
    [
        ("default", {"lengths": np.array([15, 0])}, "lengths must be"),
        ("default", {"lengths": np.array([16, -1])}, "lengths must be"),
        ("default", {"kernel_map": np.zeros((15, 15))}, "either the lengths"),
        ("default", {"rows": np.full((15, 2), np.nan)}, "rows contains NaN"),
        ("default", {"rows": np.zeros((14, 2))}, "lengths must be"),
        ("default", {"rows": np.zeros((15, 2), dtype=np.int64)}, "must hold float64"),
        ("default", {"weights": np.full(54, np.inf)}, "weights contains NaN"),
        ("landmarks", {"kernel_map": np.zeros((5, 6))}, "a row for each of 6"),
        ("sparse", {"rows.indices": np.full(16, 2)}, "no CSR matrix"),
        ("sparse", {"rows.indptr": np.arange(16)[::-1].copy()}, "no CSR matrix"),
        ("sparse", {"rows.indptr": np.empty(0, dtype=np.int64)}, "no CSR matrix"),
    ],
)
def test_tensors_that_make_no_sense_are_refused(tmp_path, case, tensors, message):
    CASES[case]().save(tmp_path / "m")
    changed(tmp_path / "m", tensors)
    with pytest.raises(ValueError, match=message):
        load_gp_sequence_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"dual.scores": np.zeros((14, 3))}, "does not belong"),
        ({"dual.lengths": np.array([15])}, "does not belong"),
        ({"dual.scores": np.full((15, 3), np.nan)}, "not in Q"),
    ],
)
def test_a_dual_point_that_is_none_is_refused_when_it_is_to_prove(tmp_path, tensors, message):
    model_of().save(tmp_path / "m")
    changed(tmp_path / "m", tensors)
    with pytest.raises(ValueError, match=message):
        GPSequenceClassifier.load(tmp_path / "m").certify(X, Y, LENGTHS)


def test_models_of_other_kinds_are_refused(tmp_path):
    model_of().save(tmp_path / "gp")
    ChainSVC(lam=0.1).fit(X, Y, LENGTHS).save(tmp_path / "chain")
    with pytest.raises(ValueError, match="its format is not 'pragam-sequence-model'"):
        load_sequence_model(tmp_path / "gp")
    with pytest.raises(ValueError, match="its format is not 'pragam-gp-sequence-model'"):
        load_gp_sequence_model(tmp_path / "chain")
