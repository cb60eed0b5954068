"""pragam's model file: round trips to the last bit, and a clear refusal of everything else."""

from __future__ import annotations

import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from model_zoo import CLASSES, assert_same, make_model
from safetensors.numpy import save as tensors_to_bytes
from scipy import sparse

from forged import forge, read, write
from pragam import Certificate
from pragam.models import LinearModel, load, save, save_liblinear
from pragam.models.features import Columns, Constant, Features
from pragam.risks import EpsilonInsensitive, Hinge, OneVsRest, OrdinalHinge, Unstated
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
    tensors = {**model.tensors, "coef": np.asfortranarray(model.tensors["coef"])}
    proofs = tuple(replace(proof, dual=proof.dual[::-2]) for proof in model.proofs)
    strided = replace(model, tensors=tensors, proofs=proofs)
    save(tmp_path / "m", strided)
    assert_same(load(tmp_path / "m"), strided)


def test_a_model_without_proof_has_a_file_too(tmp_path):
    model = replace(make_model([0, 1]), proofs=())
    save(tmp_path / "m", model)
    assert_same(load(tmp_path / "m"), model)


def test_dual_points_can_be_left_out(tmp_path):
    model = make_model([0, 1, 2])
    save(tmp_path / "m", model, proofs=False)
    bare = replace(model, proofs=tuple(replace(proof, dual=None) for proof in model.proofs))
    assert_same(load(tmp_path / "m"), bare)
    assert not any(name.startswith("dual") for name in read(tmp_path / "m")[1])


def test_maps_are_kept_and_applied(tmp_path):
    maps = Columns(np.array([2, 5, 10**12])), Constant(0.5)
    model = make_model([0, 1], features=Features(maps))
    save(tmp_path / "m", model)
    again = load(tmp_path / "m")
    assert_same(again, model)
    X = sparse.csr_array(([1.0, 2, 3, 4], [5, 7, 10**12, 2], [0, 2, 4]), shape=(2, 10**12 + 1))
    expected = np.array([[0, 1, 0, 0.5], [4, 0, 3, 0.5]]) @ model.tensors["coef"].T + model.tensors["intercept"]
    np.testing.assert_array_equal(again.scores(Rows.of(X)), model.scores(Rows.of(X)))
    np.testing.assert_allclose(again.scores(Rows.of(X)), expected, rtol=1e-12)


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
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)


ENTRIES = [
    "format",
    "version",
    "kind",
    "risk",
    "labels",
    "features",
    "proofs",
    "calibration",
    "fingerprint",
    "settings",
]
ODD = [None, 1.5, "x", [], {}, [1], {"name": 1}, True]


@pytest.fixture
def file(tmp_path):
    save(tmp_path / "m", make_model([0, 1], d=3, features=Features((Columns(np.array([1, 4, 5])),))))
    assert load(tmp_path / "m").labels.tolist() == [0, 1]
    return tmp_path / "m"


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_that_is_missing_or_of_another_type_is_refused(file, entry):
    """Or it is one that a model may have: no labels would be numbers, no proofs a stranger's model."""
    forge(file, lambda record, tensors: record.pop(entry), file.with_name("f"))
    with pytest.raises(ValueError, match=f"{file.with_name('f')}: not a usable model file: "):
        load(file.with_name("f"))
    for value in ODD:
        forge(file, lambda record, tensors, value=value: record.update({entry: value}), file.with_name("f"))
        try:
            assert isinstance(load(file.with_name("f")), LinearModel)
            assert (entry, value) in [
                ("features", []), ("proofs", []), ("calibration", {}), ("fingerprint", {}), ("settings", {}),
                ("fingerprint", {"name": 1}), ("settings", {"name": 1}), ("calibration", {"name": 1}),
            ] or pytest.fail(f"{entry} = {value!r} was taken")  # fmt: skip
        except ValueError as error:
            assert str(error).startswith(f"{file.with_name('f')}: ") and "\n" not in str(error)


def _entry(**changes):
    return lambda record, tensors: record.update(changes)


def _proof(**changes):
    return lambda record, tensors: record["proofs"][0].update(changes)


def _bound(**changes):
    return lambda record, tensors: record["proofs"][0]["certificate"].update(changes)


def _tensor(**changes):
    return lambda record, tensors: tensors.update({name.replace("__", "."): array for name, array in changes.items()})


def _each(**changes):
    return lambda record, tensors: record["risk"]["each"].update(changes)


_CHAIN = {"name": "chain_hinge", "lam": 1.0, "loss": "hamming_mean", "transitions": None}
FAULTS = {
    "no coef": (lambda r, t: t.pop("coef"), "no tensor 'coef'"),
    "no alpha": (lambda r, t: t.pop("dual.0.alpha"), "no tensor 'dual.0.alpha'"),
    "no columns": (lambda r, t: t.pop("features.0.columns"), "no tensor 'features.0.columns'"),
    "float32": (_tensor(coef=np.ones((1, 3), np.float32)), "coef must hold float64 .* F32"),
    "integers": (_tensor(dual__0__alpha=np.ones(6, np.int64)), "alpha must hold float64"),
    "vector": (_tensor(coef=np.ones(3)), r"coef must have 2 dimension\(s\), not the shape \(3,\)"),
    "two outputs": (_tensor(coef=np.ones((2, 3))), r"coef must be of the shape \(1, 3\)"),
    "intercepts": (_tensor(intercept=np.ones(2)), r"intercept must be of the shape \(1,\)"),
    "radii": (_tensor(radius=np.ones(2)), "radius must be of the shape"),
    "lows": (_tensor(low=np.ones((1, 1))), "low must have 1 dimension"),
    "nan": (_tensor(coef=np.full((1, 3), np.nan)), "coef contains NaN"),
    "inf": (_tensor(coef=np.full((1, 3), np.inf)), "coef contains NaN or infinity"),
    "nan radius": (_tensor(radius=np.array([np.nan])), "radius contains NaN"),
    "nan alpha": (_tensor(dual__0__alpha=np.full(6, np.nan)), "dual.0.alpha contains NaN"),
    "inf weights": (_tensor(given__weights=np.full(6, np.inf)), "given.weights must be a vector of finite numbers"),
    "negative weights": (_tensor(given__weights=np.full(6, -1.0)), "given.weights must be a vector of finite numbers"),
    "weights of text": (_tensor(given__weights=np.ones(6, np.uint8)), "given.weights must hold float64"),
    "other format": (_entry(format="onnx"), "format is not 'pragam-model'"),
    "newer": (_entry(version=5), "version is 5, and this pragam reads up to 4"),
    "version 0": (_entry(version=0), "version is 0"),
    "version text": (_entry(version="4"), "version is '4'"),
    "version true": (_entry(version=True), "version is True"),
    "other kind": (_entry(kind="chain"), "it is of the kind 'chain', and its risk 'one_vs_rest' of 'linear'"),
    "unknown kind": (_entry(kind="tree"), "it is of the kind 'tree'"),
    "one label": (_entry(labels=[1]), r"its labels are \[1\]"),
    "no labels": (_entry(labels=[]), r"its labels are \[\]"),
    "three labels": (_entry(labels=[0, 1, 2]), "must be of the shape"),
    "mixed labels": (_entry(labels=[1, "a"]), "all numbers or all strings"),
    "huge label": (_entry(labels=[0, 2**70]), "all numbers or all strings"),
    "equal labels": (_entry(labels=[1, 1.0]), "labels must be different ones"),
    "nested label": (_entry(labels=[[0], 1]), "labels must be"),
    "null label": (_entry(labels=[None, 1]), "all numbers or all strings"),
    "two proofs": (lambda r, t: r.update(proofs=r["proofs"] * 2), "no tensor 'dual.1.alpha'"),
    "no primal": (lambda r, t: r["proofs"][0]["certificate"].pop("primal"), "primal must be a float, not None"),
    "no proof": (_entry(proofs=[3]), "it must hold an object with certificate"),
    "no status": (lambda r, t: r["proofs"][0].pop("status"), "status must be a str"),
    "odd status": (_proof(status="FINE"), "its status, 'FINE', is not known"),
    "odd dual": (_proof(dual={"kind": "oracle"}), "its dual point is of the unknown kind 'oracle'"),
    "dual of text": (_proof(dual="vector"), "its dual point is of the unknown kind None"),
    "text bound": (_bound(dual="0.5"), "dual must be a float, not '0.5'"),
    "nan bound": (_bound(dual=np.nan), "NaN, which is not finite"),
    "huge bound": (_bound(primal=10**400), "which is not finite"),
    "text bias": (_bound(biases=["0"]), "biases must be numbers"),
    "exact of 1": (_bound(exact=1), "exact must be a bool"),
    "no name": (_entry(risk={"lam": 1.0}), "it names no risk"),
    "odd name": (_entry(risk={"name": ["hinge"]}), "it names no risk"),
    "unknown risk": (_entry(risk={"name": "of tomorrow"}), "its risk is 'of tomorrow', and this pragam knows "),
    "no each": (_entry(risk={"name": "one_vs_rest"}), "its risk 'one_vs_rest' must have class_weight, each"),
    "more of a risk": (lambda r, t: r["risk"].update(depth=3), "must have class_weight, each, not class_weight, depth"),
    "negative lam": (_each(lam=-1.0), "lam must be a finite number > 0"),
    "huge lam": (_each(lam=10**400), "the number 10+, which is not finite"),
    "text bias of the risk": (_each(bias="yes"), "bias must be"),
    "a risk of sequences": (_entry(risk=_CHAIN), "it is of the kind 'linear', and its risk 'chain_hinge' of 'chain'"),
    "wide": (_entry(fingerprint={"d": 2**31, "nnz": 9}), "17.2 GB; train it again with --compact-columns"),
    "float columns": (_tensor(features__0__columns=np.arange(3.0)), "columns must hold int64"),
    "two columns": (_tensor(features__0__columns=np.arange(2)), "columns must be 3, one for each weight"),
    "same columns": (_tensor(features__0__columns=np.array([1, 4, 4])), "columns must be increasing"),
    "negative column": (_tensor(features__0__columns=np.array([-1, 4, 5])), "columns must be increasing"),
    "unknown map": (_entry(features=[{"kind": "hash"}]), "its features are of the unknown kind 'hash'"),
    "a map of text": (_entry(features=["columns"]), "it must hold an object with kind"),
    "a constant of 0": (_entry(features=[{"kind": "constant", "value": 0}]), "value must be"),
    "calibration": (_entry(calibration={"cut": "0"}), "cut must be a float"),
    "inf setting": (_entry(settings={"lam": np.inf}), "Infinity, which is not finite"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(file, fault):
    change, message = FAULTS[fault]
    forge(file, change)
    with pytest.raises(ValueError, match=f"^{file}: not a usable model file: .*{message}") as caught:
        load(file)
    assert "\n" not in str(caught.value)


def test_an_intercept_without_a_bias_is_refused(tmp_path):
    """The certificate would say nothing of it, and predictions would use it."""
    model = make_model([0, 1, 2])
    free = replace(model, risk=OneVsRest(each=Hinge(lam=0.1, bias=False)))
    save(tmp_path / "m", free)
    with pytest.raises(ValueError, match="intercept must be 0 where the risk has no bias"):
        load(tmp_path / "m")
    save(tmp_path / "m", replace(free, tensors={**model.tensors, "intercept": np.zeros(3)}))
    assert load(tmp_path / "m").risk.each.bias is False


def test_a_file_without_our_metadata(tmp_path):
    (tmp_path / "m").write_bytes(tensors_to_bytes({"coef": np.ones((1, 3))}))
    with pytest.raises(ValueError, match="no entry 'pragam'"):
        load(tmp_path / "m")


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '{"format": 1e999}', "9" * 10_000])
def test_metadata_that_are_no_record(tmp_path, text):
    write(tmp_path / "m", text, {"coef": np.ones((1, 3))})
    with pytest.raises(ValueError, match="not a usable model file"):
        load(tmp_path / "m")


DATA = {
    "svmlight data": b"+1 1:0.5 2:3\n-1 2:1\n",
    "a NumPy matrix": b"\x93NUMPY\x01\x00" + bytes(200),
    "an .npz or another zip file": b"PK\x03\x04" + bytes(200),
    "a table of comma-separated values (CSV)": b"a,b,c\n1,2,3\n",
    "a column file": b"Confidence NN B-NP\nin IN B-PP\n\nthe DT B-NP\n",
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
@pytest.mark.parametrize("keep", [save, save_liblinear])
def test_a_model_comes_through_a_pipe(tmp_path, keep):
    model = make_model([0, 1, 2], n=30_000)
    keep(tmp_path / "m", model)
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes((tmp_path / "m").read_bytes()))
    writer.start()
    assert_same(load(tmp_path / "fifo"), load(tmp_path / "m"))
    writer.join()


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


@pytest.mark.parametrize("broken", [{"settings": {"lam": float("nan")}}, {"labels": np.array([1, None])}])
def test_what_a_file_cannot_hold_is_refused_before_it_is_touched(tmp_path, broken):
    with pytest.raises(ValueError):
        save(tmp_path / "m", replace(make_model([0, 1]), **broken))
    assert os.listdir(tmp_path) == []


def test_scores_and_labels():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    two = LinearModel.of_weights(Unstated(), np.array(["a", "b"]), np.array([[1.0, -1.0]]), np.zeros(1))
    assert two.predict(Rows.of(X)).tolist() == ["b", "a", "a"]  # a score of 0 is the first class
    coef = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    three = LinearModel.of_weights(Unstated(), np.array([3, 1, 2]), coef, np.zeros(3))
    assert three.predict(Rows.of(X)).tolist() == [3, 1, 3]  # of equal scores the first one wins
    shifted = LinearModel.of_weights(Unstated(), np.array([3, 1, 2]), coef, np.array([0.0, 0.0, 0.1]))
    np.testing.assert_array_equal(shifted.decision(Rows.of(X)), X @ coef.T + [0, 0, 0.1])
    for kind in (sparse.csr_array, sparse.csc_array, np.asfortranarray, np.float32):
        assert shifted.predict(Rows.of(kind(X))).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="X has 1 columns, and the model needs 2"):
        two.predict(Rows.of(X[:, :1]))


_PROOF = {"primal": 1.0, "dual": 0.5, "biases": [0.0], "exact": True, "rigorous": True, "slack": 0.0}


def _old(version, risk, proof, parameters):
    record = {"format": "pragam-model", "version": version, "risk": risk, "classes": [0, 1], "certificates": [proof]}
    return {**record, "parameters": parameters, "fingerprint": {}}


@pytest.mark.parametrize(
    "version, risk", [(1, {}), (2, {"lam": 0.5, "bias": True}), (2, {"name": "hinge", "lam": 0.5, "bias": True})]
)
def test_a_risk_without_a_name_was_once_the_hinge(tmp_path, version, risk):
    proof = {**_PROOF, "bias": 0.0} if version == 1 else _PROOF
    parameters = {"lam": 0.5, "bias": True, "class_weight": None} if version == 1 else {}
    tensors = {"coef": np.ones((1, 3)), "intercept": np.zeros(1), "alpha": np.zeros((1, 2))}
    write(tmp_path / "m", _old(version, risk, proof, parameters), tensors)
    model = load(tmp_path / "m")
    assert model.risk == OneVsRest(each=Hinge(lam=0.5, bias=True))
    assert model.certificate == Certificate(1.0, 0.5, np.zeros(1), rigorous=version == 2) or version == 1


def test_an_old_file_that_names_no_risk_still_predicts(tmp_path):
    tensors = {"coef": np.ones((1, 3)), "intercept": np.zeros(1), "alpha": np.zeros((1, 2))}
    write(tmp_path / "m", _old(3, {}, _PROOF, {}), tensors)
    model = load(tmp_path / "m")
    assert model.risk == Unstated() and model.predict(Rows.of(np.eye(3))).tolist() == [1, 1, 1]


@pytest.mark.parametrize("risk", [EpsilonInsensitive(lam=0.1), OrdinalHinge(lam=0.1)])
def test_other_risks_of_rows(tmp_path, risk):
    labels = np.array([1, 2, 4]) if risk.has_labels else np.empty(0)
    (shape,) = risk.shape(labels)
    intercept = np.arange(1.0, shape.outputs + 1) if shape.biases else np.zeros(shape.outputs)
    model = LinearModel.of_weights(risk, labels, np.ones((shape.rows, 3)), intercept)
    save(tmp_path / "m", model)
    assert_same(load(tmp_path / "m"), model)
