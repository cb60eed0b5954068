"""Files that were edited so that they say something else than what is proven: refused, or said."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from forged import forge
from pragam import models
from pragam.samples import Chains, Rows

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((40, 3)), np.arange(40) % 3


def saved(tmp_path, model, X=X, y=Y, **more):
    model.fit(X, y, **more).save(tmp_path / "m")
    return tmp_path / "m"


def test_tokens_of_a_kernel_are_part_of_the_proof(tmp_path):
    """Predictions are by the stored tokens, the problem by those of the data: they must be the same."""
    lengths = [10] * 4
    path = saved(tmp_path, pragam.GPSequenceClassifier(lam=0.01), lengths=lengths)
    samples = Chains.of(X, Y, lengths)
    assert models.load(path).certify(samples)[0].relative_gap < 1e-3
    forge(path, lambda record, tensors: tensors.update({"features.0.rows": -tensors["features.0.rows"]}))
    with pytest.raises(ValueError, match="kernel functions of other tokens"):
        models.load(path).certify(samples)


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (pragam.LinearSVC(), {"risk.each.class_weight": "balanced"}, "each must have no class_weight"),
        (pragam.LinearSVC(), {"risk.each": None}, "each must be a record of hinge"),
        (pragam.LinearSVC(), {"calibration": {"foo": 1.0}}, "its calibration has 'foo'"),
        (pragam.LinearSVC(), {"fingerprint.n": [[1]]}, "its fingerprint's n must be a whole number"),
        (pragam.OrdinalSVC(), {"risk.order": [2, 1, 0]}, r"its levels are \[0, 1, 2\], and its order \[2, 1, 0\]"),
        (pragam.OrdinalSVC(), {"risk.order": 3}, "order must be a list of labels, not 3"),
        (pragam.QuantileRegressor(), {"risk.risks": [3]}, "risks must be a record of"),
        (pragam.QuantileRegressor(), {"risk.risks": 1}, "risks must be regressions with one lam"),
        (pragam.LinearSVC(standardize=True), {"features": [{"kind": "standardize"}]}, "centred must be True or False"),
    ],
)
def test_what_a_record_says_of_the_problem_counts(tmp_path, model, change, message):
    path = saved(tmp_path, model)

    def change_all(record, tensors):
        for place, value in change.items():
            *outer, last = place.split(".")
            inner = record
            for name in outer:
                inner = inner[name]
            inner[last] = value

    forge(path, change_all)
    with pytest.raises(ValueError, match=message) as caught:
        models.load(path)
    assert "\n" not in str(caught.value)


def test_bounds_that_are_none_are_refused(tmp_path):
    path = saved(tmp_path, pragam.LinearSVC())
    forge(path, lambda record, tensors: tensors.update(radius=-np.ones(3)))
    with pytest.raises(ValueError, match="radius must be >= 0"):
        models.load(path)


def test_weights_and_maps_are_said(tmp_path):
    weights = np.where(np.arange(40) < 4, 1, 1e-12)
    path = saved(tmp_path, pragam.LinearSVC(intercept_scaling=0.5), sample_weight=weights)
    said = str(models.load(path))
    assert "weights of samples from 1e-12 to 1" in said and "a constant column of 0.5" in said
    assert said in pragam.audit(models.load(path), X, Y).claim


def test_labels_that_are_none_are_named():
    for y in (np.array(["a", None] * 20, dtype=object), [1, "a", None, 2] * 10):
        with pytest.raises(ValueError, match=r"^y "):
            pragam.LinearSVC().fit(X, y)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("factor", np.ones(2), "mean must hold a finite number for each of 2 columns"),
        ("factor", np.array([1.0, np.nan, 1.0]), "factor must hold a finite number"),
        ("factor", np.array([1.0, 1e-310, 1.0]), "factor must hold 0 or numbers between"),
        ("mean", np.ones((3, 1)), "mean must hold a finite number for each of 3 columns"),
    ],
)
def test_a_map_of_standardised_columns_makes_sense(tmp_path, name, values, message):
    path = saved(tmp_path, pragam.LinearSVC(standardize=True, fit_intercept=False))
    forge(path, lambda record, tensors: tensors.update({f"features.0.{name}": values}))
    with pytest.raises(ValueError, match=message):
        models.load(path)


def test_standardised_columns_are_part_of_the_proof(tmp_path):
    """With other factors the stored weights and dual points are those of another problem."""
    path = saved(tmp_path, pragam.LinearSVC(standardize=True, tol=1e-9))
    forge(path, lambda record, tensors: tensors.update({"features.0.factor": 2 * tensors["features.0.factor"]}))
    assert max(proof.relative_gap for proof in models.load(path).certify(Rows.of(X, Y))) > 1e-3
