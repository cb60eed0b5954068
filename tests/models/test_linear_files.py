"""Files of linear models: round trips to the last bit, and a clear refusal of everything else."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from model_zoo import CLASSES, assert_same, make_model
from safetensors.numpy import save as as_bytes
from scipy import sparse

from pragam import Certificate
from pragam.models import LinearModel, load, save, save_liblinear
from pragam.models.features import Columns, Constant, Features
from pragam.risks import MulticlassHinge, Unstated
from pragam.samples import Rows


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("seed", range(5))
def test_round_trip(tmp_path, kind, seed):
    model = make_model(CLASSES[kind], seed)
    save(tmp_path / "m", model)
    assert_same(load(tmp_path / "m"), model)
    assert_same(load(str(tmp_path / "m")), model)
    assert os.listdir(tmp_path) == ["m"]


def test_strided_arrays_keep_their_numbers(tmp_path):
    model = make_model([0, 1, 2])
    coef = np.asfortranarray(model.tensors["coef"])
    proofs = tuple(replace(proof, dual=proof.dual[::-2]) for proof in model.proofs)
    strided = replace(model, tensors={**model.tensors, "coef": coef}, proofs=proofs)
    save(tmp_path / "m", strided)
    assert_same(load(tmp_path / "m"), strided)


@pytest.mark.parametrize("change", [{"proofs": ()}, {"given": {}}, {"features": Features((Constant(2.5),))}])
def test_what_a_model_may_lack_or_have(tmp_path, change):
    model = replace(make_model([0, 1]), **change)
    save(tmp_path / "m", model)
    assert_same(load(tmp_path / "m"), model)


def test_without_dual_points_the_certificates_are_statements(tmp_path):
    model = make_model([0, 1, 2])
    save(tmp_path / "m", model, proofs=False)
    again = load(tmp_path / "m")
    assert [proof.certificate for proof in again.proofs] == [proof.certificate for proof in model.proofs]
    with pytest.raises(ValueError, match="holds no dual point"):
        again.certify(Rows.of(np.zeros((6, 4)), np.arange(6) % 3))


def test_every_cut_of_the_file_is_refused(tmp_path):
    path = tmp_path / "m"
    save(path, make_model([0, 1]))
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=f"{path}: not a usable model file"):
            load(path)


def test_no_flipped_byte_gives_anything_but_a_model_or_a_value_error(tmp_path):
    path = tmp_path / "m"
    save(path, make_model([0, 1]))
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for where in rng.integers(0, len(content), 400):
        damaged = content.copy()
        damaged[where] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            assert isinstance(load(path), LinearModel)
        except ValueError as error:
            assert str(error).startswith(f"{path}: ")


_BOUNDS = {
    "radius": np.full(1, np.inf), "low": np.full(1, -np.inf), "high": np.full(1, np.inf),
    "centre": np.ones((1, 3)), "reach": np.full(1, np.inf), "anchor": np.zeros((0, 3)), "least": np.full(1, -np.inf),
    "most": np.full(1, np.inf), "kinks": np.zeros((1, 0, 5)),
}  # fmt: skip


def _tensors(**changes):
    tensors = {"coef": np.ones((1, 3)), "intercept": np.zeros(1), **_BOUNDS, "dual.0.alpha": np.zeros(2), **changes}
    return {name: array for name, array in tensors.items() if array is not None}


_HINGE = {"name": "hinge", "lam": 0.1, "bias": True, "class_weight": None}
_CERTIFICATE = {"primal": 1.0, "dual": 0.5, "biases": [0.0], "exact": True, "rigorous": True, "slack": 0.0}
_PROOF = {"certificate": _CERTIFICATE, "status": "CONVERGED", "n_iter": 3, "solver": "dcd", "dual": {"kind": "vector"}}


def _record(**changes):
    record = {
        "format": "pragam-model",
        "version": 5,
        "kind": "linear",
        "risk": {"name": "one_vs_rest", "each": _HINGE, "class_weight": None},
        "labels": [0, 1],
        "features": [],
        "proofs": [_PROOF],
        "calibration": {},
        "fingerprint": {},
        "settings": {},
    }
    return {**record, **changes}


def _proof(**changes):
    return _record(proofs=[{**_PROOF, **changes}])


def _certificate(**changes):
    return _proof(certificate={**_CERTIFICATE, **changes})


def _columns(*columns, kind=np.int64):
    return _tensors(**{"features.0.columns": np.array(columns, dtype=kind)})


_COLUMNS = _record(features=[{"kind": "columns"}])
_FAULTS = {
    "no coef": (_tensors(coef=None), _record(), "no tensor 'coef'"),
    "no alpha": (_tensors(**{"dual.0.alpha": None}), _record(), "no tensor 'dual.0.alpha'"),
    "float32": (_tensors(coef=np.ones((1, 3), np.float32)), _record(), "coef must hold float64 .* F32"),
    "integers": (_tensors(**{"dual.0.alpha": np.ones(2, np.int64)}), _record(), "alpha must hold float64"),
    "vector": (_tensors(coef=np.ones(3)), _record(), "coef must have 2 dim"),
    "two outputs": (_tensors(coef=np.ones((2, 3))), _record(), r"coef must be of the shape \(1, 3\)"),
    "intercepts": (_tensors(intercept=np.ones(2)), _record(), "intercept must be of the shape"),
    "nan": (_tensors(coef=np.full((1, 3), np.nan)), _record(), "coef contains NaN"),
    "nan radius": (_tensors(radius=np.full(1, np.nan)), _record(), "radius contains NaN"),
    "nan kink": (_tensors(kinks=np.full((1, 2, 5), np.nan)), _record(), "kinks contains NaN"),
    "narrow kinks": (_tensors(kinks=np.zeros((1, 2, 4))), _record(), "kinks must have 5 columns"),
    "flat kinks": (_tensors(kinks=np.zeros((2, 5))), _record(), "kinks must have 3 dim"),
    "no centre": (_tensors(centre=None), _record(), "no tensor 'centre'"),
    "wide centre": (_tensors(centre=np.ones((1, 4))), _record(), r"centre must be of the shape \(1, 3\)"),
    "negative reach": (_tensors(reach=np.full(1, -1.0)), _record(), "reach must be >= 0"),
    "least above most": (_tensors(least=np.ones(1), most=np.zeros(1)), _record(), "least at most most"),
    "two anchors": (_tensors(anchor=np.zeros((2, 3))), _record(), "anchor must have no row, or one for each of 1"),
    "negative weights": (_tensors(**{"given.weights": -np.ones(2)}), _record(), "given.weights must be a vector"),
    "no metadata": (_tensors(), None, "no entry 'pragam'"),
    "other format": (_tensors(), _record(format="onnx"), "format is not 'pragam-model'"),
    "a list": (_tensors(), [], "format is not"),
    "newer": (_tensors(), _record(version=6), "version is 6, and this pragam reads up to 5"),
    "version 0": (_tensors(), _record(version=0), "version is 0"),
    "version text": (_tensors(), _record(version="1"), "version is '1'"),
    "version true": (_tensors(), _record(version=True), "version is True"),
    "other kind": (_tensors(), _record(kind="graph"), "of the kind 'graph', and its risk 'one_vs_rest' of 'linear'"),
    "one class": (_tensors(), _record(labels=[1]), "which a model of 'one_vs_rest' cannot have"),
    "mixed classes": (_tensors(), _record(labels=[1, "a"]), "all numbers or all strings"),
    "huge class": (_tensors(), _record(labels=[0, 2**70]), "all numbers or all strings"),
    "equal classes": (_tensors(), _record(labels=[1, 1.0]), "must be different ones"),
    "nested class": (_tensors(), _record(labels=[[0], 1]), "all numbers or all strings"),
    "no classes": (_tensors(), _record(labels=None), "labels must be a list"),
    "settings": (_tensors(), _record(settings=[]), "settings must be a dict"),
    "two proofs": (_tensors(), _record(proofs=[_PROOF, {**_PROOF, "dual": None}]), "it has 2 proofs for 1"),
    "no proof": (_tensors(), _record(proofs=[3]), "it must hold an object with certificate"),
    "no primal": (_tensors(), _proof(certificate={"dual": 1.0}), "primal must be a float"),
    "no certificate": (_tensors(), _proof(certificate=None), "certificate must be a dict"),
    "other status": (_tensors(), _proof(status="DONE"), "its status, 'DONE', is not known"),
    "other dual": (_tensors(), _proof(dual={"kind": "point"}), "unknown kind 'point'"),
    "text proof": (_tensors(), _certificate(dual="0.5"), "dual must be a float"),
    "nan proof": (_tensors(), _certificate(dual=np.nan), "NaN, which is not finite"),
    "text bias": (_tensors(), _certificate(biases=["0"]), "biases must be numbers"),
    "huge primal": (_tensors(), _certificate(primal=10**400), "which is not finite"),
    "no risk": (_tensors(), _record(risk=None), "risk must be a dict"),
    "no name": (_tensors(), _record(risk={"lam": 1.0}), "it names no risk"),
    "odd name": (_tensors(), _record(risk={"name": ["hinge"]}), "it names no risk"),
    "unknown risk": (_tensors(), _record(risk={"name": "of tomorrow"}), "its risk is 'of tomorrow', and this pragam"),
    "less risk": (_tensors(), _record(risk={"name": "multiclass_hinge"}), "its risk 'multiclass_hinge' must have"),
    "huge lam": (_tensors(), _record(risk={"lam": 10**400}), "the number 10+, which is not finite"),
    "wide": (_tensors(), _record(fingerprint={"d": 2**31, "nnz": 9}), "17.2 GB; train it again with --compact-columns"),
    "other map": (_tensors(), _record(features=[{"kind": "hash"}]), "of the unknown kind 'hash'"),
    "no map": (_tensors(), _record(features=[3]), "it must hold an object with kind"),
    "no constant": (_tensors(), _record(features=[{"kind": "constant"}]), "value must be"),
    "float columns": (_columns(0, 1, 2, kind=float), _COLUMNS, "columns must hold int64"),
    "two columns": (_columns(0, 1), _COLUMNS, "columns must be 3"),
    "same columns": (_columns(1, 4, 4), _COLUMNS, "columns must be increasing"),
    "negative column": (_columns(-1, 4, 5), _COLUMNS, "columns must be increasing"),
    "inf setting": (_tensors(), _record(settings={"lam": np.inf}), "Infinity, which is not finite"),
    "text calibration": (_tensors(), _record(calibration={"cut": "0"}), "cut must be a float"),
}  # fmt: skip


@pytest.mark.parametrize("fault", _FAULTS)
def test_each_fault_is_named(tmp_path, fault):
    tensors, record, message = _FAULTS[fault]
    metadata = None if record is None else {"pragam": json.dumps(record)}
    (tmp_path / "m").write_bytes(as_bytes(tensors, metadata))
    with pytest.raises(ValueError, match=f"{tmp_path / 'm'}: not a usable model file: .*{message}") as caught:
        load(tmp_path / "m")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"format": 1e999}', "9" * 10_000])
def test_metadata_that_are_no_json(tmp_path, text):
    (tmp_path / "m").write_bytes(as_bytes(_tensors(), {"pragam": text}))
    with pytest.raises(ValueError, match="not a usable model file"):
        load(tmp_path / "m")


def test_the_faults_start_from_a_good_file(tmp_path):
    (tmp_path / "m").write_bytes(as_bytes(_tensors(), {"pragam": json.dumps(_record())}))
    assert load(tmp_path / "m").certificate == Certificate(1.0, 0.5, np.zeros(1), rigorous=True)
    (tmp_path / "m").write_bytes(as_bytes(_columns(1, 4, 9), {"pragam": json.dumps(_COLUMNS)}))
    assert load(tmp_path / "m").n_features == 10


DATA = {
    "svmlight data": b"+1 1:0.5 2:3\n-1 2:1\n",
    "a NumPy matrix": b"\x93NUMPY\x01\x00" + bytes(200),
    "an .npz or another zip file": b"PK\x03\x04" + bytes(200),
    "a table of comma-separated values (CSV)": b"a,b,c\n1,2,3\n",
    "a Python pickle": b"\x80\x04\x95" + bytes(200),
    "a LIBSVM model": b"svm_type c_svc\nkernel_type linear\n",
}


@pytest.mark.parametrize("kind", DATA)
def test_what_is_no_model_is_named(tmp_path, kind):
    (tmp_path / "m").write_bytes(DATA[kind])
    with pytest.raises(ValueError) as caught:
        load(tmp_path / "m")
    assert f"{tmp_path / 'm'}: not a usable model file: " in str(caught.value)
    assert f"it looks like {kind}: " in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("write", [save, save_liblinear])
def test_a_model_comes_through_a_pipe(tmp_path, write):
    model = make_model([0, 1, 2], n=30_000)
    write(tmp_path / "m", model)
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes((tmp_path / "m").read_bytes()))
    writer.start()
    assert_same(load(tmp_path / "fifo"), load(tmp_path / "m"))
    writer.join()


def test_columns_are_kept_and_selected(tmp_path):
    columns = np.array([2, 5, 10**12])
    model = replace(make_model([0, 1], d=3), features=Features((Columns(columns),)))
    save(tmp_path / "m", model)
    again = load(tmp_path / "m")
    assert_same(again, model)
    np.testing.assert_array_equal(again.features.find(Columns).columns, columns)
    X = sparse.csr_array(([1.0, 2, 3, 4], [5, 7, 10**12, 2], [0, 2, 4]), shape=(2, 10**12 + 1))
    plain = replace(model, features=Features())
    for own in (model, again):
        found = own.scores(Rows.of(X))
        np.testing.assert_array_equal(found, plain.scores(Rows.of(sparse.csr_array([[0.0, 1, 0], [4, 0, 3]]))))
    with pytest.raises(ValueError, match="a weight for every column"):
        save_liblinear(tmp_path / "text", model)


def test_a_missing_file_and_a_folder_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    with pytest.raises(OSError):
        load(tmp_path)


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_while_writing_leaves_the_old_file_alone(tmp_path, monkeypatch, broken):
    old = make_model([0, 1])
    save(tmp_path / "m", old)

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="No space left"):
        save(tmp_path / "m", make_model([0, 1], seed=1))
    assert os.listdir(tmp_path) == ["m"]
    assert_same(load(tmp_path / "m"), old)


def test_what_json_cannot_hold_is_refused_before_the_file_is_touched(tmp_path):
    with pytest.raises(ValueError):
        save(tmp_path / "m", replace(make_model([0, 1]), settings={"lam": float("nan")}))
    assert os.listdir(tmp_path) == []


def test_scores_and_labels():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    two = LinearModel.of_weights(Unstated(), np.array(["a", "b"]), np.array([[1.0, -1.0]]), np.zeros(1))
    assert two.predict(Rows.of(X)).tolist() == ["b", "a", "a"]  # a score of 0 is the first class
    weights = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    three = LinearModel.of_weights(MulticlassHinge(), np.array([3, 1, 2]), weights, np.zeros(3))
    assert three.predict(Rows.of(X)).tolist() == [3, 1, 3]  # of equal scores the first one wins
    shifted = replace(three, tensors={**three.tensors, "intercept": np.array([0.0, 0.0, 0.1])})
    np.testing.assert_array_equal(shifted.scores(Rows.of(X)), X @ weights.T + [0, 0, 0.1])
    for kind in (sparse.csr_array, sparse.csc_array, np.asfortranarray, np.float32):
        assert shifted.predict(Rows.of(kind(X))).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="X has 1 columns, and the model needs 2"):
        two.predict(Rows.of(X[:, :1]))
