"""pragam's model file: round trips to the last bit, and a clear refusal of everything else."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from model_zoo import CLASSES, assert_same, make_model
from safetensors.numpy import save
from scipy import sparse

from pragam import Certificate
from pragam.io import Model, load, load_model, save_liblinear, save_model


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("seed", range(5))
def test_round_trip(tmp_path, kind, seed):
    model = make_model(CLASSES[kind], seed)
    save_model(tmp_path / "m", model)
    assert_same(load_model(tmp_path / "m"), model)
    assert_same(load(str(tmp_path / "m")), model)
    assert os.listdir(tmp_path) == ["m"]


def test_strided_arrays_keep_their_numbers(tmp_path):
    model = make_model([0, 1, 2])
    strided = replace(model, coef=np.asfortranarray(model.coef), alpha=model.alpha[:, ::-2])
    save_model(tmp_path / "m", strided)
    assert_same(load_model(tmp_path / "m"), strided)


def test_a_model_without_proof_has_a_file_too(tmp_path):
    model = replace(make_model([0, 1]), alpha=np.empty((1, 0)), certificates=[])
    save_model(tmp_path / "m", model)
    assert_same(load_model(tmp_path / "m"), model)


def test_every_cut_of_the_file_is_refused(tmp_path):
    path = tmp_path / "m"
    save_model(path, make_model([0, 1]))
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=f"{path}: not a usable model file"):
            load_model(path)


def test_no_flipped_byte_gives_anything_but_a_model_or_a_value_error(tmp_path):
    path = tmp_path / "m"
    save_model(path, make_model([0, 1]))
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for where in rng.integers(0, len(content), 400):
        damaged = content.copy()
        damaged[where] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            assert isinstance(load_model(path), Model)
        except ValueError as error:
            assert str(error).startswith(f"{path}: ")


def _tensors(**changes):
    tensors = {"coef": np.ones((1, 3)), "intercept": np.zeros(1), "alpha": np.zeros((1, 2)), **changes}
    return {name: array for name, array in tensors.items() if array is not None}


_PROOF = {"primal": 1.0, "dual": 0.5, "biases": [0.0], "exact": True, "rigorous": True, "slack": 0.0}


def _record(**changes):
    record = {
        "format": "pragam-model",
        "version": 3,
        "risk": {"name": "hinge"},
        "classes": [0, 1],
        "certificates": [_PROOF],
        "parameters": {},
    }
    return {**record, "fingerprint": {}, **changes}


_FAULTS = {
    "no coef": (_tensors(coef=None), _record(), "no tensor 'coef'"),
    "no alpha": (_tensors(alpha=None), _record(), "no tensor 'alpha'"),
    "float32": (_tensors(coef=np.ones((1, 3), np.float32)), _record(), "coef must hold float64 .* F32"),
    "integers": (_tensors(alpha=np.ones((1, 2), np.int64)), _record(), "alpha must hold float64"),
    "vector": (_tensors(coef=np.ones(3)), _record(), "coef must have 2 dim"),
    "two outputs": (_tensors(coef=np.ones((2, 3))), _record(), r"coef must have .* 1 row\(s\) for 2 classes"),
    "intercepts": (_tensors(intercept=np.ones(2)), _record(), "intercept must have"),
    "nan": (_tensors(coef=np.full((1, 3), np.nan)), _record(), "coef contains NaN"),
    "inf": (_tensors(alpha=np.full((1, 2), np.inf)), _record(), "alpha contains NaN"),
    "no metadata": (_tensors(), None, "no entry 'pragam'"),
    "other format": (_tensors(), _record(format="onnx"), "format is not 'pragam-model'"),
    "a list": (_tensors(), [], "format is not"),
    "newer": (_tensors(), _record(version=4), "version is 4, and this pragam reads up to 3"),
    "version 0": (_tensors(), _record(version=0), "version is 0"),
    "version text": (_tensors(), _record(version="1"), "version is '1'"),
    "version true": (_tensors(), _record(version=True), "version is True"),
    "one class": (_tensors(), _record(classes=[1]), "at least two labels"),
    "mixed classes": (_tensors(), _record(classes=[1, "a"]), "all finite numbers or all strings"),
    "boolean classes": (_tensors(), _record(classes=[True, False]), "all finite numbers or all strings"),
    "huge class": (_tensors(), _record(classes=[0, 2**70]), "all finite numbers or all strings"),
    "equal classes": (_tensors(), _record(classes=[1, 1.0]), "distinct"),
    "nested class": (_tensors(), _record(classes=[[0], 1]), "all finite numbers or all strings"),
    "no classes": (_tensors(), _record(classes=None), "classes must be a list"),
    "parameters": (_tensors(), _record(parameters=[]), "parameters must be a dict"),
    "two proofs": (_tensors(), _record(certificates=[_PROOF] * 2), "certificates must be none or 1, not 2"),
    "no primal": (_tensors(), _record(certificates=[{"dual": 1.0}]), "a certificate must hold primal"),
    "no proof": (_tensors(), _record(certificates=[3]), "a certificate must hold primal"),
    "text proof": (_tensors(), _record(certificates=[{**_PROOF, "dual": "0.5"}]), "a certificate must hold primal"),
    "nan proof": (_tensors(), _record(certificates=[{**_PROOF, "dual": np.nan}]), "NaN, which is not finite"),
    "no risk": (_tensors(), _record(risk=None), "risk must be a dict"),
    "no name": (_tensors(), _record(risk={"lam": 1.0}), "the risk must have a name, which {'lam': 1.0} has not"),
    "odd name": (_tensors(), _record(risk={"name": ["hinge"]}), "the risk must have a name"),
    "two biases": (_tensors(), _record(certificates=[{**_PROOF, "biases": [0.0, 1.0]}]), "must hold primal"),
    "text bias": (_tensors(), _record(certificates=[{**_PROOF, "biases": ["0"]}]), "must hold primal"),
    "huge lam": (_tensors(), _record(risk={"lam": 10**400}), "the number 10+, which is not finite"),
    "huge primal": (_tensors(), _record(certificates=[{**_PROOF, "primal": 10**400}]), "which is not finite"),
    "wide": (_tensors(), _record(fingerprint={"d": 2**31, "nnz": 9}), "17.2 GB; train it again with --compact-columns"),
    "float columns": (_tensors(columns=np.arange(3.0)), _record(), "columns must hold int64"),
    "two columns": (_tensors(columns=np.arange(2)), _record(), "columns must be an int64 array of length 3"),
    "same columns": (_tensors(columns=np.array([1, 4, 4])), _record(), "columns must be increasing"),
    "negative column": (_tensors(columns=np.array([-1, 4, 5])), _record(), "columns must be increasing"),
    "inf parameter": (_tensors(), _record(parameters={"lam": np.inf}), "Infinity, which is not finite"),
}  # fmt: skip


@pytest.mark.parametrize("fault", _FAULTS)
def test_each_fault_is_named(tmp_path, fault):
    tensors, record, message = _FAULTS[fault]
    metadata = None if record is None else {"pragam": json.dumps(record)}
    (tmp_path / "m").write_bytes(save(tensors, metadata))
    with pytest.raises(ValueError, match=f"{tmp_path / 'm'}: not a usable model file: .*{message}"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"format": 1e999}', "9" * 10_000])
def test_metadata_that_are_no_json(tmp_path, text):
    (tmp_path / "m").write_bytes(save(_tensors(), {"pragam": text}))
    with pytest.raises(ValueError, match="not a usable model file"):
        load_model(tmp_path / "m")


def test_the_faults_start_from_a_good_file(tmp_path):
    (tmp_path / "m").write_bytes(save(_tensors(), {"pragam": json.dumps(_record())}))
    assert load_model(tmp_path / "m").certificates == [Certificate(1.0, 0.5, np.zeros(1), rigorous=True)]


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
@pytest.mark.parametrize("save", [save_model, save_liblinear])
def test_a_model_comes_through_a_pipe(tmp_path, save):
    model = make_model([0, 1, 2], n=30_000)
    save(tmp_path / "m", model)
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes((tmp_path / "m").read_bytes()))
    writer.start()
    assert_same(load(tmp_path / "fifo"), load(tmp_path / "m"))
    writer.join()


def test_columns_are_kept_and_selected(tmp_path):
    model = replace(make_model([0, 1], d=3), columns=np.array([2, 5, 10**12]))
    save_model(tmp_path / "m", model)
    assert_same(load_model(tmp_path / "m"), model)
    X = sparse.csr_array(([1.0, 2, 3, 4], [5, 7, 10**12, 2], [0, 2, 4]), shape=(2, 10**12 + 1))
    Z, ignored = model.select(X)
    assert Z.toarray().tolist() == [[0, 1, 0], [4, 0, 3]] and ignored == 1
    Z, ignored = make_model([0, 1], d=6).select(X)
    assert Z.toarray().tolist() == [[0, 0, 0, 0, 0, 1], [0, 0, 4, 0, 0, 0]] and ignored == 2
    assert make_model([0, 1], d=6).select(sparse.csr_array((2, 4)))[0].shape == (2, 6)
    with pytest.raises(ValueError, match="a weight for every column"):
        save_liblinear(tmp_path / "text", model)


def test_a_missing_file_and_a_folder_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none")
    with pytest.raises(OSError):
        load_model(tmp_path)


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failure_while_writing_leaves_the_old_file_alone(tmp_path, monkeypatch, broken):
    old = make_model([0, 1])
    save_model(tmp_path / "m", old)

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="No space left"):
        save_model(tmp_path / "m", make_model([0, 1], seed=1))
    assert os.listdir(tmp_path) == ["m"]
    assert_same(load_model(tmp_path / "m"), old)


def test_what_json_cannot_hold_is_refused_before_the_file_is_touched(tmp_path):
    with pytest.raises(ValueError):
        save_model(tmp_path / "m", replace(make_model([0, 1]), parameters={"lam": float("nan")}))
    assert os.listdir(tmp_path) == []


def test_scores_and_labels():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    two = Model(np.array([[1.0, -1.0]]), np.zeros(1), ["a", "b"], np.empty((1, 0)))
    assert two.predict(X).tolist() == ["b", "a", "a"]  # a score of 0 is the first class
    three = Model(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.zeros(3), [3, 1, 2], np.empty((3, 0)))
    assert three.predict(X).tolist() == [3, 1, 3]  # of equal scores the first one wins
    shifted = replace(three, intercept=np.array([0.0, 0.0, 0.1]))
    np.testing.assert_array_equal(shifted.decision_function(X), X @ three.coef.T + [0, 0, 0.1])
    for kind in (sparse.csr_array, sparse.csc_array, np.asfortranarray, np.float32):
        assert shifted.predict(kind(X)).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="X has 1 columns, and the model needs 2"):
        two.predict(X[:, :1])


@pytest.mark.parametrize("version, risk", [(1, {}), (2, {"lam": 0.5}), (2, {"name": "hinge", "lam": 0.5})])
def test_a_risk_without_a_name_was_once_the_hinge(tmp_path, version, risk):
    proof = {**_PROOF, "bias": 0.0} if version == 1 else _PROOF
    record = _record(version=version, risk=risk, certificates=[proof], parameters={"lam": 0.5} if version == 1 else {})
    (tmp_path / "m").write_bytes(save(_tensors(), {"pragam": json.dumps(record)}))
    assert load_model(tmp_path / "m").risk == {"name": "hinge", "lam": 0.5}


@pytest.mark.parametrize("risk", [{}, {"name": "a risk of tomorrow", "depth": [1, 2]}])
def test_an_unknown_risk_is_no_obstacle_to_predicting(tmp_path, risk):
    model = replace(make_model([0, 1]), risk=risk)
    save_model(tmp_path / "m", model)
    assert_same(load_model(tmp_path / "m"), model)


def test_no_model_with_a_nameless_risk_can_be_made():
    with pytest.raises(ValueError, match="the risk must have a name"):
        replace(make_model([0, 1]), risk={"lam": 0.1})
