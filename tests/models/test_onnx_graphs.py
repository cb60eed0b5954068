"""ONNX graphs compute what models do, in the type of X: every rule, every kind of label, alone and in a Pipeline."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pragam
from pragam import models
from pragam.models.features import Columns, Features
from pragam.patch import linear_svc, linear_svr
from pragam.samples import Rows

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

rng = np.random.default_rng(0)
X = rng.standard_normal((120, 4))
NEW = rng.standard_normal((300, 4))
LEVEL = np.digitize(X[:, 0] - X[:, 1] + 0.3 * rng.standard_normal(120), [-1, 0, 1])
NAMES = np.array(["low", "mid é", "high", "top"])[LEVEL]
CORNER = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)  # classes that are no levels: each has a half-space of its own
SETS = (X[:, :3] + 0.5 * rng.standard_normal((120, 3)) > 0).astype(int)
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.standard_normal(120)
ORDER = ["low", "mid é", "high", "top"]
CASES = {
    "binary": (pragam.LinearSVC(), LEVEL > 1),
    "binary strings": (pragam.LinearSVC(loss="squared_hinge"), np.where(LEVEL > 1, "yes", "no")),
    "penalised intercept": (pragam.LinearSVC(intercept_scaling=3.0), LEVEL == 2),
    "standardised": (pragam.LinearSVC(standardize=True), CORNER),
    "standardised, centred": (pragam.LinearSVC(standardize=True, intercept_scaling=3.0), LEVEL == 2),
    "one against the rest": (pragam.LinearSVC(), np.array(["a", "b", "c é", "d"])[CORNER]),
    "whole numbers": (pragam.LinearSVC(fit_intercept=False), 10 - 7 * CORNER.astype(np.int8)),
    "numbers as labels": (pragam.LinearSVC(), CORNER.astype(float)),
    "joint": (pragam.LinearSVC(multi_class="crammer_singer"), LEVEL),
    "joint of two": (pragam.MulticlassSVC(), LEVEL > 1),
    "joint with biases": (pragam.MulticlassSVC(cost=1.0 - np.eye(4)), NAMES),
    "sets": (pragam.MultilabelSVC(), SETS),
    "sets of one": (pragam.MultilabelSVC(), LEVEL),
    "levels": (pragam.OrdinalSVC(order=ORDER), NAMES),
    "two levels": (pragam.OrdinalSVC(), LEVEL > 1),
    "levels next to it": (pragam.OrdinalSVC(thresholds="immediate"), LEVEL),
    "tube": (pragam.LinearSVR(epsilon=0.1), NUMBERS),
    "tube with a penalised intercept": (pragam.LinearSVR(intercept_scaling=1.0), NUMBERS),
    "quantile": (pragam.QuantileRegressor(quantile=0.3), NUMBERS),
    "quantiles": (pragam.QuantileRegressor(quantile=[0.9, 0.1, 0.5]), NUMBERS),
    "sorted quantiles": (pragam.QuantileRegressor(quantile=[0.9, 0.1, 0.5], sort_quantiles=True, C=1e-3), NUMBERS),
    "in place of LinearSVC": (linear_svc.LinearSVC(), CORNER),
    "in place of LinearSVR": (linear_svr.LinearSVR(), NUMBERS),
}
WITHIN = {"float64": 1e-12, "float32": 1e-5}
both_types = pytest.mark.parametrize("dtype", WITHIN)
every_case = pytest.mark.parametrize("name", CASES)


def run(graph, X):
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {session.get_inputs()[0].name: X}), strict=True))


def assert_the_same(found, model, X, dtype):
    """Scores within a share of the largest, and labels wherever they are not within that of another label."""
    is_classifier = hasattr(model, "decision_function")
    exact = model.decision_function(X) if is_classifier else model.predict(X)
    scores = found["scores" if is_classifier else "prediction"]
    room = WITHIN[dtype] * np.abs(exact).max()
    assert scores.shape == exact.shape and scores.dtype == dtype
    assert np.abs(scores - exact).max() <= room
    assert set(found) == ({"label", "scores"} if is_classifier else {"prediction"})
    if is_classifier:
        labels, right = found["label"], model.predict(X)
        assert labels.shape == right.shape and labels.dtype.kind in {right.dtype.kind, "O"}
        if right.ndim == 2 or exact.ndim == 1:
            is_clear = np.abs(exact) > room
        else:
            best = np.sort(exact, axis=1)
            is_clear = best[:, -1] - best[:, -2] > 2 * room
        assert is_clear.mean() > 0.9
        assert (labels == right)[is_clear].all()
        if dtype == "float64":
            assert (labels == right).all()


@every_case
@both_types
def test_a_graph_computes_what_the_model_does(name, dtype):
    estimator, y = CASES[name]
    model = estimator.fit(X, y)
    assert_the_same(run(model.to_onnx(dtype=dtype), NEW.astype(dtype)), model, NEW.astype(dtype), dtype)


@every_case
@both_types
def test_a_pipeline_converts(name, dtype):
    estimator, y = CASES[name]
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    found = run(pragam.onnx.convert(pipeline, dtype=dtype), NEW.astype(dtype))
    if hasattr(estimator, "decision_function") or dtype == "float64":
        assert_the_same(found, pipeline, NEW.astype(dtype), dtype)


@both_types
def test_raw_columns_of_very_different_sizes(dtype):
    """Float32 rounds each product: of sums that cancel, a share of their terms is lost."""
    raw, kind = load_wine(return_X_y=True)
    raw = raw.astype(dtype)
    model = pragam.LinearSVC().fit(raw, kind)
    found, exact = run(model.to_onnx(dtype=dtype), raw), model.decision_function(raw)
    terms = np.abs(raw.astype(float)) @ np.abs(model.coef_.T) + np.abs(model.intercept_)
    unit = np.finfo(dtype).eps / 2
    assert (np.abs(found["scores"] - exact) <= (raw.shape[1] + 3) * unit * terms).all()


def test_skl2onnx_itself_converts_after_register():
    pragam.onnx.register()
    search = GridSearchCV(pragam.LinearSVC(), {"C": [0.1, 1.0]}).fit(X, CORNER)
    whole = make_pipeline(StandardScaler(), search.best_estimator_).fit(X, CORNER)
    graph = skl2onnx.to_onnx(whole, X[:1])
    assert_the_same(run(graph, NEW), whole, NEW, "float64")
    whole_numbers = (10 * NEW).astype(np.int64)
    model = pragam.LinearSVC().fit(X, CORNER)
    graph = skl2onnx.to_onnx(model, whole_numbers[:1])
    assert_the_same(run(graph, whole_numbers), model, whole_numbers, "float64")


def test_wide_data_of_which_a_model_takes_some_columns():
    wide = np.hstack([X, rng.standard_normal((120, 3))])
    columns = Features((Columns(np.array([1, 4])),))
    settings = pragam.driver.jobs.Settings(tol=1e-6)
    model = models.fit(
        pragam.risks.OneVsRest(each=pragam.risks.Hinge(lam=0.01)), Rows.of(wide, NAMES), settings, columns
    ).model
    for data in (wide, wide[:, :5]):
        found = run(models.to_onnx(model), data)
        assert (found["label"] == model.predict(Rows.of(data))).all()


def test_metadata_say_what_is_proven(tmp_path):
    model = pragam.LinearSVC().fit(X, np.array(ORDER)[CORNER])
    model.to_onnx(tmp_path / "m.onnx")
    said = {each.key: each.value for each in onnx.load(tmp_path / "m.onnx").metadata_props}
    assert said["risk"] == str(model.model_)
    assert float(said["relative_gap"]) == model.certificate_.relative_gap
    assert float(said["objective"]) == model.certificate_.primal
    assert said["labels"] == "high, low, mid é, top"


def test_what_cannot_be_converted_is_refused_and_nothing_written(tmp_path):
    path = tmp_path / "m.onnx"
    model = pragam.LinearSVC().fit(X, CORNER)
    with pytest.raises(ValueError, match=r"dtype must be one of float64, float32, not 'int8'"):
        model.to_onnx(path, "int8")
    with pytest.raises(ValueError, match=r"dtype must be .*not 'single file'"):
        pragam.onnx.convert(model, path, "single file")
    huge = pragam.LinearSVC(tol=0.1).fit(1e-45 * X[:, :1], X[:, 0] > 0)
    huge.model_.tensors["coef"][:] = 1e60
    with pytest.raises(ValueError, match=r"too large for float32: pass dtype='float64'"):
        huge.to_onnx(path, "float32")
    chain = pragam.ChainSVC(max_iter=3, tol=1.0).fit(X[:20], LEVEL[:20])
    with pytest.raises(ValueError, match="only linear models become ONNX graphs, not those of kind chain"):
        models.save_onnx(path, chain.model_)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("package", "call"), [("onnx", "to_onnx"), ("skl2onnx", "convert")])
def test_without_the_package_the_extra_is_named(package, call, monkeypatch):
    model = pragam.LinearSVC().fit(X, CORNER)
    from pragam.onnx import pipelines

    pipelines.register.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install onnx skl2onnx$"):
        model.to_onnx() if call == "to_onnx" else pragam.onnx.convert(model)
