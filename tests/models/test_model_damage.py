"""Damage of model files, entry by entry, and files of risks that the linear zoo does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from model_zoo import assert_same, make_model

from forged import forge, write
from pragam import Certificate
from pragam.models import LinearModel, load, save
from pragam.models.features import Columns, Features
from pragam.risks import EpsilonInsensitive, Hinge, OneVsRest, OrdinalHinge, Unstated
from pragam.samples import Rows

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
    save(tmp_path / "m", replace(make_model([0, 1], d=3), features=Features((Columns(np.array([1, 4, 5])),))))
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
    "no columns": (lambda r, t: t.pop("features.0.columns"), "no tensor 'features.0.columns'"),
    "radii": (_tensor(radius=np.ones(2)), "radius must be of the shape"),
    "lows": (_tensor(low=np.ones((1, 1))), "low must have 1 dimension"),
    "inf": (_tensor(coef=np.full((1, 3), np.inf)), "coef contains NaN or infinity"),
    "nan alpha": (_tensor(dual__0__alpha=np.full(6, np.nan)), "dual.0.alpha contains NaN"),
    "inf weights": (_tensor(given__weights=np.full(6, np.inf)), "given.weights must be a vector of finite numbers"),
    "weights of text": (_tensor(given__weights=np.ones(6, np.uint8)), "given.weights must hold float64"),
    "unknown kind": (_entry(kind="tree"), "it is of the kind 'tree'"),
    "no labels": (_entry(labels=[]), r"its labels are \[\]"),
    "three labels": (_entry(labels=[0, 1, 2]), "must be of the shape"),
    "null label": (_entry(labels=[None, 1]), "all numbers or all strings"),
    "no status": (lambda r, t: r["proofs"][0].pop("status"), "status must be a str"),
    "dual of text": (_proof(dual="vector"), "its dual point is of the unknown kind None"),
    "exact of 1": (_bound(exact=1), "exact must be a bool"),
    "no each": (_entry(risk={"name": "one_vs_rest"}), "its risk 'one_vs_rest' must have class_weight, each"),
    "more of a risk": (lambda r, t: r["risk"].update(depth=3), "must have class_weight, each, not class_weight, depth"),
    "negative lam": (_each(lam=-1.0), "lam must be a finite number > 0"),
    "text bias of the risk": (_each(bias="yes"), "bias must be"),
    "a risk of sequences": (_entry(risk=_CHAIN), "it is of the kind 'linear', and its risk 'chain_hinge' of 'chain'"),
    "a constant of 0": (_entry(features=[{"kind": "constant", "value": 0}]), "value must be"),
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
