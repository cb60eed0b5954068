"""Files of Gaussian-process labellers: what predicts and what proves comes back, and everything else is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.metrics.pairwise import rbf_kernel

from pragam import ChainSVC, GPSequenceClassifier, Status, models
from pragam.models import GPModel
from pragam.samples import Chains
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
    loaded = models.load(tmp_path / "m")
    assert isinstance(loaded, GPModel) and loaded.certify(Chains.of(data, Y, LENGTHS)) == [model.certificate_]
    again.fit(data, Y, LENGTHS)  # its parameters are those of an estimator


def test_a_certificate_is_of_the_training_data_alone():
    model = model_of()
    for own in (model, model_of(n_landmarks=6)):
        with pytest.raises(ValueError, match=r"belongs to other data .*n 15.*not to these .*n 4"):
            own.certify(X[:4], Y[:4], [3, 1])
    with pytest.raises(ValueError, match="X has 4 tokens, and the model was trained on 15"):
        model.model_.pose(Chains.of(X[:4], Y[:4], [3, 1]))
    with pytest.raises(ValueError, match="kernel functions of other tokens"):
        model.certify(X[::-1], Y[::-1], LENGTHS)


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
            models.load(stored)
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
    """The file with other entries of its record; "map" is its kernel's, and "proof" its proof's."""
    with safe_open(path, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    record["features"][0] |= changes.pop("map", {})
    record["proofs"][0] |= changes.pop("proof", {})
    save_file(load_file(path) | (tensors or {}), path, {"pragam": json.dumps(record | changes)})


RISK = {"name": "gp_sequences", "lam": 0.01, "transition_scale": 0.3, "basis": "gram", "transitions": None}


def kernel(name, **parameters):
    return {"map": {"kernel": {"class": name, "parameters": parameters}}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "its format is not"),
        ({"version": 9}, "its format version is 9"),
        ({"kind": "chain"}, "its risk 'gp_sequences' of 'gp'"),
        ({"labels": [1]}, "which a model of 'gp_sequences' cannot have"),
        ({"labels": [1, 2]}, "coef must be of the shape"),
        ({"risk": {"name": "gp_sequences", "lam": 0.01}}, "its risk 'gp_sequences' must have"),
        ({"risk": RISK | {"lam": 0.0}}, "lam must be"),
        ({"risk": RISK | {"basis": "factor"}}, "needs a kernel of that basis"),
        ({"risk": RISK | {"transitions": [[1]]}}, "boolean matrix"),
        ({"risk": RISK | {"transitions": [[True]]}}, "boolean matrix of the shape"),
        ({"features": []}, "needs a kernel"),
        ({"proof": {"certificate": {}}}, "primal must be a float"),
        ({"proof": {"dual": {"kind": "tables"}}}, "it has no tensor 'dual.0.tables'"),
        ({"proof": {"dual": {"kind": ["gibbs"]}}}, "unknown kind"),
        ({"proof": {"n_iter": None}}, "n_iter must be a int"),
        ({"proof": {"status": "DONE"}}, "is not known"),
        ({"map": {"kernel": None}}, "kernel must be a dict, not None"),
        ({"map": {"kernel": {}}}, "none of scikit-learn's"),
        ({"map": {"nodes": "twice"}}, "nodes must be one of"),
        ({"map": {"precision": "float16"}}, "precision must be one of"),
        ({"map": {"columns": 3}}, "a matrix of 3 columns"),
        ({"map": {"columns": "3"}}, "columns must be a whole number"),
        (kernel("eval"), "none of scikit-learn's"),
        (kernel("RBF", none=1), "RBF cannot be made"),
        (kernel("RBF", length_scale="a"), "its kernel cannot be computed"),
        ({"map": {"kernel": {"name": "unknown", "parameters": {}}}}, "its kernel cannot be computed"),
        ({"calibration": {"temperature": 0.0}}, "its temperature must be"),
        ({"calibration": {"temperature": "warm"}}, "temperature must be a float"),
    ],
)
def test_records_that_make_no_sense_are_refused(tmp_path, changes, message):
    model_of().save(tmp_path / "m")
    changed(tmp_path / "m", **changes)
    with pytest.raises(ValueError, match=message) as refusal:
        GPSequenceClassifier.load(tmp_path / "m")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("case", "tensors", "message"),
    [
        ("default", {"features.0.lengths": np.array([15, 0])}, "lengths must be"),
        ("default", {"features.0.lengths": np.array([16, -1])}, "lengths must be"),
        ("default", {"features.0.map": np.zeros((15, 15))}, "either the lengths"),
        ("default", {"features.0.rows": np.full((15, 2), np.nan)}, "rows contains NaN"),
        ("default", {"features.0.rows": np.zeros((14, 2))}, "lengths must be"),
        ("default", {"features.0.rows": np.zeros((15, 2), dtype=np.int64)}, "must hold float64"),
        ("default", {"coef": np.full((15, 3), np.inf)}, "coef contains NaN"),
        ("default", {"coef": np.zeros((14, 3))}, "coef must have 15 rows"),
        ("landmarks", {"features.0.map": np.full((6, 6), np.nan)}, "a row of finite numbers"),
        ("landmarks", {"features.0.map": np.zeros((5, 6))}, "for each of 6"),
        ("sparse", {"features.0.rows.indices": np.full(16, 2)}, "no CSR matrix"),
        ("sparse", {"features.0.rows.indptr": np.arange(16)[::-1].copy()}, "no CSR matrix"),
        ("sparse", {"features.0.rows.indptr": np.empty(0, dtype=np.int64)}, "no CSR matrix"),
    ],
)
def test_tensors_that_make_no_sense_are_refused(tmp_path, case, tensors, message):
    CASES[case]().save(tmp_path / "m")
    changed(tmp_path / "m", tensors)
    with pytest.raises(ValueError, match=message):
        models.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"dual.0.scores": np.zeros((14, 3))}, "does not belong"),
        ({"dual.0.lengths": np.array([15])}, "does not belong"),
        ({"dual.0.scores": np.full((15, 3), np.nan)}, "not in Q"),
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
    with pytest.raises(ValueError, match="its risk is 'gp_sequences', and ChainSVC has 'chain_hinge'"):
        ChainSVC.load(tmp_path / "gp")
    with pytest.raises(ValueError, match="its risk is 'chain_hinge', and GPSequenceClassifier has 'gp_sequences'"):
        GPSequenceClassifier.load(tmp_path / "chain")


OLD = Path(__file__).parents[1] / "files" / "old" / "gp1" / "gram.model"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": 3}, "kernel must be a dict, not 3"),
        ({"parameters": {"status": "CONVERGED", "n_iter": 1}}, "temperature must be a float, not None"),
        ({"parameters": {"status": "CONVERGED"}}, "n_iter must be a int, not None"),
        ({"parameters": {"status": ["CONVERGED"], "n_iter": 1}}, "status must be a str"),
        ({"classes": [1, 2]}, "coef must have 17 rows"),
        ({"risk": {}}, "it names no risk"),
    ],
)
def test_an_old_file_that_makes_no_sense_is_refused(tmp_path, changes, message):
    with safe_open(OLD, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    save_file(load_file(OLD), tmp_path / "m", {"pragam": json.dumps(record | changes)})
    with pytest.raises(ValueError, match=message):
        models.load(tmp_path / "m")


def test_an_old_file_without_a_kernel_is_refused(tmp_path):
    with safe_open(OLD, "numpy") as file:
        record = json.loads(file.metadata()["pragam"])
    del record["kernel"]
    save_file(load_file(OLD), tmp_path / "m", {"pragam": json.dumps(record)})
    with pytest.raises(ValueError, match="its kernel must be an object or null, and there is none"):
        GPSequenceClassifier.load(tmp_path / "m")
