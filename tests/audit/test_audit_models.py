"""Models of every kind, from training, from a file and inside an estimator: each is audited on its training data."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from audited import RECORDS, graphs, overlapping, sequences, targets
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pragam
from pragam import models
from pragam.auditing import audit_model
from pragam.driver.jobs import Settings
from pragam.models import LinearModel
from pragam.models.features import Columns, Constant, Features
from pragam.risks import Hinge, OrdinalHinge, Unstated
from pragam.samples import Chains, Graphs, Rows
from pragam.structured.chains.record import ChainHinge
from pragam.structured.graphs.record import GraphHinge

TREE, CYCLE = [[0, 1], [1, 2], [1, 3]], [[0, 1], [1, 2], [2, 0], [2, 3]]


class Estimator:
    """Whatever keeps a model of ours under ``model_``."""

    def __init__(self, model):
        self.model_ = model


def trained(risk, samples, **more):
    return models.fit(risk, samples, Settings(tol=1e-8), **more).model


def three_ways(model, folder):
    """The model, the path of its file, and an estimator that holds it."""
    models.save(folder / "m", model)
    return model, folder / "m", str(folder / "m"), Estimator(model)


@pytest.mark.parametrize(("risk", "kind"), RECORDS, ids=lambda value: str(value)[:60])
def test_every_risk_of_rows(tmp_path, risk, kind):
    X, y, weights = overlapping(n=40, d=4, n_classes=2 if kind == "two" else 3)
    y = targets(kind, X, y)
    model = trained(risk, Rows.of(X, y, weights))
    for given in three_ways(model, tmp_path):
        audit = pragam.audit(given, X, y)
        assert audit.within is True and audit.total.rigorous
        assert len(audit.verdicts) == len(risk.parts(model.labels))
        assert audit.total.objective.upper == pytest.approx(model.certificate.primal, rel=1e-12)
        assert (audit.predictions is None) == (kind == "numbers")
        assert audit.predictions is None or (audit.predictions.differ == 0 and sum(audit.predictions) == len(y))
    worse = replace(model, tensors={**model.tensors, "coef": model.tensors["coef"] + 1.0}, fingerprint={})
    assert pragam.audit(worse, X, y, weights).relative.lower > 1e-3


@pytest.mark.parametrize(
    "model",
    [
        pragam.LinearSVC(),
        pragam.LinearSVC(loss="squared_hinge", class_weight="balanced", fit_intercept=False),
        pragam.MulticlassSVC(),
        pragam.MultilabelSVC(),
        pragam.OrdinalSVC(),
        pragam.LinearSVR(),
        pragam.QuantileRegressor(quantile=[0.2, 0.8]),
    ],
    ids=lambda model: repr(model)[:40],
)
def test_our_estimators_of_rows(model):
    X, y, weights = overlapping(n=50, n_classes=3)
    kind = "sets" if isinstance(model, pragam.MultilabelSVC) else "three"
    y = targets("numbers" if hasattr(model, "quantile") or "SVR" in type(model).__name__ else kind, X, y)
    model.set_params(tol=1e-8).fit(X, y, sample_weight=weights)
    audit = pragam.audit(model, X, y, weights)
    assert audit.within and audit.model == f"pragam's {type(model).__name__}"
    assert audit.total.objective.upper == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert pragam.audit(model, X, y).total == audit.total  # the model keeps its weights
    with pytest.raises(ValueError, match="sample_weight must be that of the training"):
        pragam.audit(model, X, y, 2 * weights)


def test_levels_are_proven_level_by_level():
    """All predictions of the optimum are known, and those by other thresholds differ from them or not."""
    X, y, _ = overlapping(n_classes=4)
    model = trained(OrdinalHinge(lam=0.05), Rows.of(X, y))
    assert pragam.audit(model, X, y).predictions == (len(y), 0, 0)
    moved = replace(model, tensors={**model.tensors, "intercept": model.tensors["intercept"] + 1e3})
    said, right = moved.predict(Rows.of(X)), model.predict(Rows.of(X))
    assert pragam.audit(moved, X, y).predictions == (np.sum(said == right), np.sum(said != right), 0)


def test_sets_of_labels_by_name():
    X, _, _ = overlapping(n=40)
    names = np.array(["red", "green", "blue"])
    sets = [set(names[row.astype(bool)].tolist()) for row in targets("sets", X, None)]
    model = pragam.MultilabelSVC(tol=1e-8, fit_intercept=False).fit(X, sets)
    assert pragam.audit(model, X, sets).within
    with pytest.raises(ValueError, match="labels that the model does not know"):
        pragam.audit(model, X, [*sets[1:], {"black"}])


def test_sequences(tmp_path):
    X, y, lengths = sequences()
    model = trained(ChainHinge(lam=0.1), Chains.of(X, y, lengths))
    for given in three_ways(model, tmp_path):
        audit = pragam.audit(given, X, y, lengths=lengths)
        assert audit.within and audit.predictions is None and audit.total.rigorous
    ends = np.cumsum(lengths)[:-1]
    assert pragam.audit(model, np.split(X, ends), np.split(y, ends)).within
    worse = replace(model, tensors={**model.tensors, "transitions": np.eye(3)})
    lower, upper = pragam.audit(worse, X, y, lengths=lengths).relative
    assert 0.01 < lower <= upper < lower * (1 + 1e-4)
    with pytest.raises(ValueError, match="other data"):
        pragam.audit(model, X, y, lengths=lengths[::-1])


def test_graphs(tmp_path):
    trees = graphs(TREE)
    model = trained(GraphHinge(lam=0.1), Graphs(trees))
    for given in three_ways(model, tmp_path):
        assert pragam.audit(given, trees).within
    with pytest.raises(ValueError, match="y must be None"):
        pragam.audit(model, trees, [0])
    worse = replace(model, tensors={**model.tensors, "coef": model.tensors["coef"] + np.eye(2)})
    assert pragam.audit(worse, trees).relative.lower > 0.01


def test_graphs_with_cycles_are_proven_of_their_relaxation_alone():
    """The bounds enclose, and nothing is called proven: the relaxed problem is not the one of labellings."""
    cyclic = graphs(CYCLE)
    model = models.fit(GraphHinge(lam=0.1), Graphs(cyclic), Settings(tol=1e-3)).model
    audit = pragam.audit(model, cyclic, tol=1e-2)
    assert audit.within is None and not audit.total.rigorous and audit.relative.lower <= audit.relative.upper


def test_weights_of_sequences_and_graphs_are_kept():
    X, y, lengths = sequences()
    model = trained(ChainHinge(lam=0.1), Chains.of(X, y, lengths, weights=np.arange(1.0, 6.0)))
    assert pragam.audit(model, X, y, lengths=lengths).within
    assert pragam.audit(model, X, y, np.arange(1.0, 6.0), lengths=lengths).within
    trees = graphs(TREE)
    assert pragam.audit(trained(GraphHinge(lam=0.1), Graphs(trees, np.arange(1.0, 5.0))), trees).within


def test_features_in_front_of_the_weights():
    """Some columns of wide data, and an intercept that is penalised."""
    X, y, _ = overlapping()
    for maps in ((Columns(np.array([0, 2, 5])),), (Constant(0.1),), (Columns(np.array([1, 4])), Constant(3.0))):
        model = trained(Hinge(lam=0.05, bias=False), Rows.of(X, y), features=Features(maps))
        for form in (np.asarray, sparse.csr_array):
            audit = pragam.audit(model, form(X), y)
            assert audit.within and audit.predictions.differ == 0
            assert audit.problems[0].A.shape[1] == model.tensors["coef"].shape[1]


@pytest.mark.parametrize("value", [0.1, 1.0, 1e300])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_a_constant_feature_is_exact(value, form):
    """float32 data keep their type where it holds the value, and become float64 where it does not."""
    X = np.float32(overlapping(n=8)[0])
    kind, arrays = Constant(value).apply(Rows.of(form(X))).X.rows()
    whole = arrays[0] if kind == "dense" else sparse.csr_array(tuple(arrays), shape=(8, 7)).toarray()
    assert whole.dtype == (np.float32 if value == 1.0 else np.float64)
    assert np.array_equal(whole[:, :-1], X) and all(float(each) == value for each in whole[:, -1])


def test_a_pipeline_of_ours():
    X, y, _ = overlapping()
    model = make_pipeline(StandardScaler(), pragam.LinearSVC(tol=1e-8)).fit(100 * X + 7, y)
    assert pragam.audit(model, 100 * X + 7, y).within


def test_other_samples_are_refused():
    X, y, _ = overlapping(n_classes=3)
    model = trained(Hinge(lam=0.1), Rows.of(X, y > 0))
    assert audit_model(model, Rows.of(X, y > 0)).within
    for samples in (Rows.of(X[:-1], y[:-1] > 0), Rows.of(X[:, 1:], y > 0), Rows.of(X, y > 1), Rows.of(2 * X, y > 0)):
        with pytest.raises(ValueError, match="other data"):
            audit_model(model, samples)
    with pytest.raises(ValueError, match="y has the labels"):
        audit_model(replace(model, fingerprint={}), Rows.of(X, np.where(y > 0, 5, 7)))
    with pytest.raises(ValueError, match="y must be given"):
        pragam.audit(model, X)
    with pytest.raises(ValueError, match="lengths must not be given"):
        pragam.audit(model, X, y > 0, lengths=[60, 60])
    with pytest.raises(ValueError, match="C and lam are for LIBLINEAR"):
        audit_model(model, Rows.of(X, y > 0), C=1.0)


def test_a_model_that_says_nothing_is_refused():
    X, y, _ = overlapping()
    silent = LinearModel.of_weights(Unstated(), np.array([0, 1]), np.zeros((1, 6)), np.zeros(1))
    with pytest.raises(ValueError, match="nobody can tell what was minimised"):
        pragam.audit(silent, X, y)


def test_a_rough_model_is_found_rough():
    X, y, _ = overlapping(n_classes=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pragam.MulticlassSVC(max_iter=1, solver="pegasos-n").fit(X, y)
    audit = pragam.audit(model, X, y)
    assert audit.relative.lower > 1e-6 and audit.within is False
    assert audit.above.lower <= audit.above.upper <= model.certificate_.gap  # a better dual point, the same weights
