"""A file gives back the estimator: parameters, predictions and the proof, whoever wrote it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from row_data import CASES, case, labels

from pragam import LinearSVC, LinearSVR, MulticlassSVC, models


@pytest.fixture(params=CASES)
def stored(request, tmp_path):
    model, data = case(request.param)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(*data)
    return model, data, tmp_path / "model.safetensors"


def test_what_was_saved_is_loaded(stored):
    model, (X, y, _), path = stored
    model.save(path)
    again = type(model).load(path)
    assert again.get_params() == model.get_params()
    for name in ("coef_", "intercept_", "classes_", "n_features_in_"):
        assert hasattr(again, name) == hasattr(model, name)
        assert np.array_equal(getattr(again, name, 0), getattr(model, name, 0))
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.decision_bounds(X), model.decision_bounds(X))
    assert again.certify(X, y) == again.certificate_ == model.certificate_
    assert (again.status_, again.n_iter_) == (model.status_, model.n_iter_) and len(again.history_) == 0


def test_a_file_without_an_estimator_says_its_parameters(stored):
    """As a command writes it: C = 1/(n lam), and what the record holds."""
    model, (X, y, _), path = stored
    models.save(path, model.model_)
    again = type(model).load(path)
    assert pytest.approx(model.C, rel=1e-12) == again.C
    own = set(model.get_params()) & {
        "loss", "multi_class", "fit_intercept", "intercept_scaling", "epsilon", "quantile", "thresholds", "tol",
    }  # fmt: skip
    assert {name: getattr(again, name) for name in own} == {name: getattr(model, name) for name in own}
    assert again.certify(X, y) == model.certificate_
    lam = again.fit(X, y).model_.risk.lam
    assert lam == pytest.approx(model.model_.risk.lam, rel=1e-12)


def test_without_proofs_a_file_states_the_gap_and_cannot_prove_it(stored):
    model, (X, y, _), path = stored
    model.save(path, proofs=False)
    again = type(model).load(path)
    assert again.certificate_ == model.certificate_
    with pytest.raises(ValueError, match="no dual point"):
        again.certify(X, y)


def test_class_weights_and_names_of_columns_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = labels(K=2)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = LinearSVC(class_weight={0: 0.5, 1: 2}, random_state=np.random.RandomState(0)).fit(frame, y)
    model.save(tmp_path / "m")
    again = LinearSVC.load(tmp_path / "m")
    assert again.class_weight == {0: 0.5, 1: 2} and again.random_state is None
    assert again.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(again.predict(frame), model.predict(frame))
    models.save(tmp_path / "m", replace(model.model_, settings={}))
    assert LinearSVC.load(tmp_path / "m").fit(frame, y).certificate_.primal == pytest.approx(
        model.certificate_.primal, rel=1e-12
    )


def test_the_file_of_another_risk_is_refused(tmp_path):
    X, y, _ = labels()
    MulticlassSVC().fit(X, y).save(tmp_path / "m")
    with pytest.raises(ValueError, match=r"its risk is 'multiclass_hinge', and LinearSVR has 'epsilon_insensitive'"):
        LinearSVR.load(tmp_path / "m")
    assert LinearSVC.load(tmp_path / "m").multi_class == "crammer_singer"
