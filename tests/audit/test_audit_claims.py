"""Each model that an audit accepts, fitted by its package on real data: J(model) by the formula of the page from the
model's own scores, and the distance to the optimum of other solvers, which lies in the proven interval."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from audited import fitted
from claimed import least, losses
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import QuantileRegressor, SGDClassifier, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

import pragam
from clarabel_qp import multiclass_optimum


def real(kind):
    """Some rows of a real set: classes -1 and 1, three classes, numbers or four levels; columns of spread 1."""
    load = {"two": load_breast_cancer, "three": load_wine}.get(kind, load_diabetes)
    X, y = load(return_X_y=True)
    X, y = X[::4][:110], y[::4][:110]
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).round(4)
    if kind == "levels":
        return X, np.digitize(y, np.quantile(y, [0.25, 0.5, 0.75]))
    return X, (2 * y - 1 if kind == "two" else y / 50 if kind == "numbers" else y)


def column(X, value):
    return np.column_stack([X, np.full(len(X), value)])


def agrees(audit, value, optimum, rtol=1e-9):
    """J(model) is the formula's; the distance to the other solver's optimum is in the interval, up to its accuracy."""
    assert audit.total.objective.upper == pytest.approx(value, rel=1e-11)
    room = rtol * optimum
    assert audit.above.lower - room <= value - optimum <= audit.above.upper + room
    assert audit.total.optimum.lower - room <= optimum <= audit.total.optimum.upper + room
    assert audit.total.rigorous


BINARY = [
    (LinearSVC(loss="squared_hinge", C=0.3, dual=True, intercept_scaling=2.0), "squared_hinge", True),
    (LinearSVC(loss="squared_hinge", C=0.3, dual=False), "squared_hinge", True),
    (LinearSVC(loss="hinge", C=0.3), "hinge", True),
    (LinearSVC(loss="squared_hinge", fit_intercept=False, dual=False), "squared_hinge", None),
    (SVC(kernel="linear", C=0.3), "hinge", False),
    (SGDClassifier(loss="hinge", alpha=0.05, random_state=0), "hinge", False),
    (SGDClassifier(loss="squared_hinge", alpha=0.05, random_state=0, average=True), "squared_hinge", False),
    (SGDClassifier(loss="hinge", alpha=0.05, fit_intercept=False, random_state=0), "hinge", None),
]


@pytest.mark.parametrize(("model", "loss", "penalised"), BINARY, ids=lambda value: str(value)[:40])
def test_two_classes(model, loss, penalised):
    X, y = real("two")
    fitted(model, X, y)
    lam = getattr(model, "alpha", None) or 1 / (len(y) * model.C)
    scaling = getattr(model, "intercept_scaling", 1.0)
    Z = column(X, scaling) if penalised else X
    square = (model.coef_**2).sum() + np.square(model.intercept_ / scaling).sum() * bool(penalised)
    value = lam / 2 * square + losses(loss, model.decision_function(X), y).mean()
    agrees(pragam.audit(model, X, y), value, least(loss, Z, y, lam, bias=penalised is False))


def test_crammer_and_singer():
    X, y = real("three")
    model = fitted(LinearSVC(multi_class="crammer_singer", C=0.1, tol=0.1), X, y)
    lam, f = 1 / (len(y) * 0.1), model.decision_function(X)
    wrong = (np.arange(3) != y[:, None]) + f - f[np.arange(len(y)), y][:, None]
    value = lam / 2 * ((model.coef_**2).sum() + (model.intercept_**2).sum()) + wrong.max(axis=1).mean()
    agrees(pragam.audit(model, X, y), value, multiclass_optimum(column(X, 1.0), y, lam, np.ones(len(y))))


def test_pairs_of_classes():
    """An SVC of three classes claims three problems, each on the rows of two classes, with the same C."""
    X, y = real("three")
    model = SVC(kernel="linear", C=0.1, tol=0.1, decision_function_shape="ovo").fit(X, y)
    lam, f, value, optimum = 1 / (len(y) * 0.1), model.decision_function(X), 0.0, 0.0
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        own, side = (y == i) | (y == j), np.where(y == i, 1, -1)
        value += lam / 2 * (model.coef_[k] ** 2).sum() + losses("hinge", f[:, k], side)[own].sum() / len(y)
        optimum += least("hinge", X, side, lam, bias=True, rows=own)
    agrees(pragam.audit(model, X, y), value, optimum)


NUMBERS = [
    (LinearSVR(epsilon=0.3, C=0.2, intercept_scaling=4.0), True),
    (LinearSVR(epsilon=0.0, fit_intercept=False), None),
    (SVR(kernel="linear", epsilon=0.3, C=0.2), False),
    (SGDRegressor(loss="epsilon_insensitive", epsilon=0.3, alpha=0.05, random_state=0), False),
    (SGDRegressor(loss="epsilon_insensitive", epsilon=0.3, fit_intercept=False, random_state=0, average=9), None),
]


@pytest.mark.parametrize(("model", "penalised"), NUMBERS, ids=lambda value: str(value)[:40])
def test_tubes(model, penalised):
    X, y = real("numbers")
    fitted(model, X, y)
    lam = getattr(model, "alpha", None) or 1 / (len(y) * model.C)
    scaling = getattr(model, "intercept_scaling", 1.0)
    square = (model.coef_**2).sum() + (np.square(model.intercept_ / scaling)).sum() * bool(penalised)
    value = lam / 2 * square + losses("tube", model.predict(X), y, epsilon=model.epsilon).mean()
    Z = column(X, scaling) if penalised else X
    optimum = least("tube", Z, y, lam, bias=penalised is False, epsilon=model.epsilon)
    agrees(pragam.audit(model, X, y), value, optimum)


@pytest.mark.parametrize("quantile", [0.1, 0.5])
@pytest.mark.parametrize("intercept", [True, False])
def test_quantile_regression_without_a_penalty(quantile, intercept):
    X, y = real("numbers")
    model = QuantileRegressor(quantile=quantile, alpha=0, fit_intercept=intercept).fit(X, y)
    value = losses("quantile", model.predict(X), y, q=quantile).mean()
    audit = pragam.audit(model, X, y)
    agrees(audit, value, least("quantile", X, y, 0.0, intercept, q=quantile))
    assert audit.within and audit.predictions is None and "nothing is penalised" in audit.claim


@pytest.mark.parametrize("constant", [True, False])
def test_quantreg(constant):
    sm = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    X, y = real("numbers")
    exog = sm.add_constant(X) if constant else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of its limit of iterations, at which it is close enough
        results = sm.QuantReg(y, exog).fit(q=0.3)
    value = losses("quantile", results.predict(exog), y, q=0.3).mean()
    for given in (results, results._results):
        audit = pragam.audit(given, exog, y)
        agrees(audit, value, least("quantile", X, y, 0.0, constant, q=0.3))
    assert ("with an intercept" in audit.claim) == constant and audit.within is not None
    with pytest.warns(UserWarning, match="Maximum number of iterations"):
        rough = pragam.audit(sm.QuantReg(y, exog).fit(q=0.3, max_iter=2), exog, y)
    assert rough.within is False
    with pytest.raises(ValueError, match="of these only QuantReg's"):
        pragam.audit(sm.OLS(y, exog).fit(), exog, y)
    with pytest.raises(ValueError, match="X must be the exog"):
        pragam.audit(results, exog[:, 1:], y)


def svor(X, y, **settings):
    classifiers = pytest.importorskip("skordinal.classifiers", reason="skordinal is not installed")
    return classifiers.SVOR(**{"kernel": "linear", "constraints": "implicit", **settings}).fit(X, y)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_svor(C):
    X, y = real("levels")
    model = svor(X, y + 3, C=C, tol=1e-8)
    n, d = X.shape
    lam, projection = d / (n * C), model.predict_projection(X)
    w = np.linalg.lstsq(X, projection, rcond=None)[0]
    value = lam / 2 * (w**2).sum() + losses("ordinal", projection[:, None] - model.thresholds_, y).mean()
    audit = pragam.audit(model, X, y + 3)
    agrees(audit, value, least("ordinal", X, y, lam, True))
    assert audit.relative.upper < (2e-6 if C < 1 else 1e-4)
    # The distance that no tolerance takes away is that of a kernel with 0.001 more on its diagonal.
    ridge = np.hstack([X, np.sqrt(0.001 * d) * np.eye(n)])
    ours = pragam.solve(pragam.ordinal_hinge(ridge, y, lam=lam), tol=1e-11)
    np.testing.assert_allclose(ours.w[:d], w, atol=1e-5 * np.abs(w).max())


@pytest.mark.parametrize(
    ("change", "why"), [({"kernel": "rbf"}, "kernel='rbf'"), ({"constraints": "explicit"}, "constraints='explicit'")]
)
def test_other_svors_are_refused(change, why):
    X, y = real("levels")
    with pytest.raises(ValueError, match=why):
        pragam.audit(svor(X, y, **change), X, y)


REHLINE = [
    ({"name": "svm"}, "two", "hinge"),
    ({"name": "squared hinge"}, "two", "squared_hinge"),
    ({"name": "QR", "qt": 0.2}, "numbers", "quantile"),
    ({"name": "SVR", "epsilon": 0.3}, "numbers", "tube"),
    ({"name": "mae"}, "numbers", "tube"),
]


@pytest.mark.parametrize(("loss", "kind", "ours"), REHLINE, ids=lambda value: str(value)[:20])
def test_rehline(loss, kind, ours):
    """It knows its own objective, n C times ours."""
    rehline = pytest.importorskip("rehline")
    X, y = real(kind)
    model = fitted(rehline.plqERM_Ridge(loss=loss, C=0.2, tol=1e-8, max_iter=100_000), X, y.astype(float))
    audit = pragam.audit(model, X, y)
    more = {"epsilon": loss.get("epsilon", 0.0), "q": loss.get("qt", 0.5)}
    lam = 1 / (len(y) * 0.2)
    value = lam / 2 * (model.coef_**2).sum() + losses(ours, X @ model.coef_, y, **more).mean()
    agrees(audit, value, least(ours, X, y, lam, False, **more))
    assert model.objective_ == pytest.approx(len(y) * 0.2 * audit.total.objective.upper, rel=1e-11)
    assert audit.relative.upper < 1e-5


def test_rehline_refused():
    rehline = pytest.importorskip("rehline")
    X, y = real("numbers")
    with pytest.raises(ValueError, match="the loss 'huber', a risk that pragam does not have"):
        pragam.audit(rehline.plqERM_Ridge(loss={"name": "huber"}).fit(X, y), X, y)
    bound = rehline.plqERM_Ridge(loss={"name": "mae"}, constraint=[{"name": "nonnegative"}])
    with pytest.raises(ValueError, match="constraints"):
        pragam.audit(bound.fit(X, y), X, y)
    with pytest.raises(ValueError, match="not fitted"):
        pragam.audit(rehline.plqERM_Ridge(loss={"name": "mae"}), X, y)
    with pytest.raises(ValueError, match="y must be -1 or 1"):
        pragam.audit(fitted(rehline.plqERM_Ridge(loss={"name": "svm"}), X, 1.0 * (y > 2)), X, 1.0 * (y > 2))


@pytest.mark.parametrize(
    ("number", "loss", "kind"), [(1, "squared_hinge", "two"), (3, "hinge", "two"), (13, "tube", "numbers")]
)
@pytest.mark.parametrize("bias", [-1, 0.5])
def test_liblinear_files(tmp_path, number, loss, kind, bias):
    util = pytest.importorskip("liblinear.liblinearutil")
    from scipy import sparse

    X, y = real(kind)
    model = util.train(y, sparse.csr_matrix(X), f"-s {number} -c 0.2 -p 0.3 -B {bias} -q")
    util.save_model(str(tmp_path / "m"), model)
    f = np.array(util.predict([], sparse.csr_matrix(X), model, "-q")[2])[:, 0]
    w = np.array(model.w[: X.shape[1] + (bias > 0)])
    f = f if kind == "numbers" or model.get_labels()[0] == 1 else -f
    lam, Z = 1 / (len(y) * 0.2), column(X, bias) if bias > 0 else X
    value = lam / 2 * (w**2).sum() + losses(loss, f, y, epsilon=0.3).mean()
    more = {"epsilon": 0.3} if number == 13 else {}
    audit = pragam.audit(tmp_path / "m", X, y, C=0.2, **more)
    agrees(audit, value, least(loss, Z, y, lam, False, epsilon=0.3))


TEXTS = [
    "a red apple",
    "a green apple",
    "the red car",
    "a green car",
    "apple pie",
    "the old car",
    "red pie",
    "car park",
]
PIPELINES = [
    make_pipeline(StandardScaler(), SelectKBest(k=5), LinearSVC(dual=False)),
    make_pipeline(MaxAbsScaler(), "passthrough", SVC(kernel="linear")),
    make_pipeline(SelectKBest(k=3), make_pipeline(StandardScaler(), SGDClassifier(random_state=0))),
]


@pytest.mark.parametrize("model", PIPELINES, ids=lambda model: model.steps[0][0])
def test_pipelines(model):
    """The same as the last step on what the others make of X."""
    X, y = real("two")
    model.fit(X, y)
    last, Z = model, X
    while hasattr(last, "steps"):
        Z, last = last[:-1].transform(Z), last.steps[-1][1]
    assert pragam.audit(model, X, y).to_dict() == pragam.audit(last, Z, y).to_dict()


def test_a_pipeline_that_begins_with_text():
    y = np.array([1, 1, 0, 0, 1, 0, 1, 0])
    model = make_pipeline(TfidfVectorizer(), LinearSVC(loss="hinge", tol=1e-9, max_iter=100_000)).fit(TEXTS, y)
    audit = pragam.audit(model, TEXTS, y)
    assert audit.within and audit.predictions.differ == 0
    rough = make_pipeline(TfidfVectorizer(), LinearSVC(loss="hinge", C=100, max_iter=1, random_state=0))
    assert pragam.audit(fitted(rough, TEXTS, y), TEXTS, y).relative.lower > 1e-6
