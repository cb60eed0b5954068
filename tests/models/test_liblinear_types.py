"""LIBLINEAR's solver types, both ways on real data, judged by the package itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from pragam import models
from pragam.driver.jobs import Settings
from pragam.models.features import Columns, Constant, Features
from pragam.models.liblinear_types import TYPES
from pragam.risks import (
    Each,
    EpsilonInsensitive,
    Hinge,
    MulticlassHinge,
    MultilabelHinge,
    OneVsRest,
    OrdinalHinge,
    Quantile,
    SmoothedHinge,
    SquaredHinge,
)
from pragam.samples import Rows


@pytest.fixture
def util():
    return pytest.importorskip("liblinear.liblinearutil")


def real(kind):
    """Two classes, three or numbers, in columns of mean 0 and spread 1, and a row of zeros, which is a tie."""
    load = {"two": load_breast_cancer, "three": load_wine, "numbers": load_diabetes}[kind]
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X[0] = 0.0
    return X, (y / 50 if kind == "numbers" else y * 3 - 1)


def assert_same(ours, model, util, theirs, X):
    """The same labels, and decision values within 1e-12 of the largest."""
    labels, _, scores = util.predict([], sparse.csr_matrix(X), theirs, "-q")
    mine = ours.scores(Rows.of(X))
    np.testing.assert_allclose(mine, np.array(scores)[:, : mine.shape[1]], rtol=1e-12, atol=1e-12 * np.abs(mine).max())
    predicted = ours.predict(Rows.of(X))
    if model.risk.has_labels:
        np.testing.assert_array_equal(predicted, labels)
    else:
        np.testing.assert_allclose(predicted, labels, rtol=1e-12, atol=1e-12 * np.abs(mine).max())


CLASSIFIERS = [(number, kind) for number in (0, 1, 2, 3, 4, 5, 6, 7) for kind in ("two", "three")]
OTHERS = [(11, "numbers"), (12, "numbers"), (13, "numbers"), (21, "two"), (21, "three")]


def test_all_types_are_tried():
    assert {number for number, _ in CLASSIFIERS + OTHERS} == {kind.number for kind in TYPES.values()}


@pytest.mark.parametrize(("number", "kind"), CLASSIFIERS + OTHERS)
@pytest.mark.parametrize("bias", [-1, 0, 1, 2.5])
def test_what_liblinear_wrote_predicts_the_same_here(tmp_path, util, number, kind, bias):
    X, y = real(kind)
    bias = -1 if number == 21 else bias  # LIBLINEAR trains no model of one class with a bias
    theirs = util.train(y, sparse.csr_matrix(X), f"-s {number} -c 0.1 -B {bias} -q")
    util.save_model(str(tmp_path / "m"), theirs)
    ours = models.load(tmp_path / "m")
    assert TYPES[ours.settings["solver"]].number == number
    assert_same(ours, ours, util, theirs, X)
    if number != 21:
        assert len({str(label) for label in ours.predict(Rows.of(X))}) > 1


WRITTEN = [
    (Hinge(lam=0.01), "two", "L2R_L1LOSS_SVC_DUAL"),
    (OneVsRest(each=Hinge(lam=0.01)), "three", "L2R_L1LOSS_SVC_DUAL"),
    (OneVsRest(each=SquaredHinge(lam=0.01)), "three", "L2R_L2LOSS_SVC"),
    (OneVsRest(each=SquaredHinge(lam=0.01, bias=False)), "two", "L2R_L2LOSS_SVC_DUAL"),
    (SquaredHinge(lam=0.01, bias=False), "two", "L2R_L2LOSS_SVC_DUAL"),
    (MulticlassHinge(lam=0.01), "three", "MCSVM_CS"),
    (MulticlassHinge(lam=0.01, bias=True), "three", "MCSVM_CS"),
    (MulticlassHinge(lam=0.01), "two", "MCSVM_CS"),
    (MulticlassHinge(lam=0.01, bias=True), "two", "MCSVM_CS"),
    (EpsilonInsensitive(lam=0.01), "numbers", "L2R_L1LOSS_SVR_DUAL"),
    (EpsilonInsensitive(lam=0.01, bias=False), "numbers", "L2R_L1LOSS_SVR_DUAL"),
]


@pytest.mark.parametrize(("risk", "kind", "solver"), WRITTEN, ids=lambda value: str(value)[:60])
def test_what_we_write_predicts_the_same_there(tmp_path, util, risk, kind, solver):
    X, y = real(kind)
    model = models.fit(risk, Rows.of(X, y), Settings(tol=1e-4)).model
    models.save_liblinear(tmp_path / "m", model)
    assert (tmp_path / "m").read_text().startswith(f"solver_type {solver}\n")
    theirs = util.load_model(str(tmp_path / "m"))
    if risk.name == "multiclass_hinge" and kind == "two":  # LIBLINEAR has one of two opposite scores
        labels, _, scores = util.predict([], sparse.csr_matrix(X), theirs, "-q")
        np.testing.assert_array_equal(model.predict(Rows.of(X)), labels)
        np.testing.assert_allclose(2 * np.array(scores)[:, 0], model.decision(Rows.of(X)), rtol=1e-10, atol=1e-12)
    else:
        assert_same(model, model, util, theirs, X)
    assert_same(models.load(tmp_path / "m"), model, util, theirs, X)


@pytest.mark.parametrize("value", [1.0, 0.3, 7.0])
@pytest.mark.parametrize("kind", ["two", "three"])
def test_a_penalised_intercept_keeps_its_column(tmp_path, util, kind, value):
    """LIBLINEAR's -B: to the last bit, and at LIBLINEAR's own optimum."""
    X, y = real(kind)
    features, lam = Features((Constant(value),)), 1 / (0.1 * len(y))
    record = OneVsRest(each=SquaredHinge(lam=lam, bias=False))
    model = models.fit(record, Rows.of(X, y), Settings(tol=1e-10), features=features).model
    models.save_liblinear(tmp_path / "m", model)
    lines = (tmp_path / "m").read_text().splitlines()
    assert f"bias {value:.17g}" in lines
    written = np.array([[float(word) for word in line.split()] for line in lines[lines.index("w") + 1 :]])
    np.testing.assert_array_equal(written.T, model.tensors["coef"])
    theirs = util.train(y, sparse.csr_matrix(X), f"-s 1 -c 0.1 -B {value} -e 1e-10 -q")
    assert_same(model, model, util, util.load_model(str(tmp_path / "m")), X)
    util.save_model(str(tmp_path / "theirs"), theirs)
    near, ours = models.load(tmp_path / "theirs"), model.scores(Rows.of(X))
    sign = (
        1 if near.labels.tolist() == model.labels.tolist() else -1
    )  # LIBLINEAR's first label is that of the first row
    np.testing.assert_allclose(sign * near.scores(Rows.of(X)), ours, atol=1e-5 * np.abs(ours).max())


@pytest.mark.parametrize(
    ("risk", "why"),
    [
        (SmoothedHinge(lam=0.1), "no solver type for the risk smoothed_hinge"),
        (OneVsRest(each=SmoothedHinge(lam=0.1)), "no solver type for the risk smoothed_hinge"),
        (OrdinalHinge(lam=0.1), "no solver type for the risk ordinal_hinge"),
        (MultilabelHinge(lam=0.1), "no solver type for the risk multilabel_hinge"),
        (Quantile(lam=0.1), "no solver type for the risk quantile"),
        (Each(risks=[EpsilonInsensitive(lam=0.1)]), "no solver type for the risk each"),
        (MulticlassHinge(lam=0.1, cost=[[0, 2], [1, 0]]), "the cost 1 for every wrong class"),
    ],
    ids=str,
)
def test_other_risks_are_refused(tmp_path, risk, why):
    model = models.LinearModel.of_weights(risk, np.array([0, 1]), np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(ValueError, match=why):
        models.save_liblinear(tmp_path / "m", model)
    assert not (tmp_path / "m").exists()


def test_compact_columns_are_refused(tmp_path):
    features = Features((Columns(np.array([1, 4])),))
    model = models.LinearModel.of_weights(Hinge(), np.array([0, 1]), np.zeros((1, 2)), np.zeros(1), features=features)
    with pytest.raises(ValueError, match="compact columns"):
        models.save_liblinear(tmp_path / "m", model)
