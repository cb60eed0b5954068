"""Estimators on packed data: the optimum in memory, by certificates, and what is said before a solve."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.estimators import LinearSVC, LinearSVR, OrdinalSVC, QuantileRegressor

N, D = 800, 6


def rows(store, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.7) + 0.2
    return store(X), X @ rng.standard_normal(D) + rng.standard_normal(N)


def classes(score, k):
    return np.searchsorted(np.quantile(score, np.arange(1, k) / k), score)


#: An estimator, and its targets from scores.
DOORS = {
    "two classes": (LinearSVC(C=0.1), lambda score: np.where(score > 0, "yes", "no")),
    "three classes": (LinearSVC(C=0.1), lambda score: classes(score, 3)),
    "crammer singer": (LinearSVC(C=0.1, multi_class="crammer_singer"), lambda score: classes(score, 3)),
    "penalised": (LinearSVC(C=0.1, intercept_scaling=2.0), lambda score: classes(score, 2)),
    "standardised": (LinearSVC(C=0.1, standardize=True), lambda score: classes(score, 2)),
    "numbers": (LinearSVR(C=0.1, epsilon=0.2), np.asarray),
    "quantile": (QuantileRegressor(quantile=0.3, C=0.1), np.asarray),
    "several quantiles": (QuantileRegressor(quantile=[0.2, 0.7], C=0.1), np.asarray),
    "levels": (OrdinalSVC(C=0.1), lambda score: classes(score, 4)),
}


def packed_of(X, y, folder):
    """The directory, and X and y in its order."""
    folder.mkdir(exist_ok=True)
    packed = pragam.pack([(X, y)], folder / "packed", chunk_bytes=2**13)
    whole = packed.take(np.arange(len(packed)))
    here = whole.X if not packed.is_sparse else sparse.csr_array(whole.rows()[1], shape=whole.shape)
    return packed, here, packed.y


def meet(first, second):
    """Whether two certificates can be of the same minimum, each pair of bounds proven."""
    assert first.rigorous and second.rigorous
    assert first.dual <= second.primal and second.dual <= first.primal


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", DOORS)
def test_the_optimum_is_that_in_memory(name, store, tmp_path):
    model, targets = DOORS[name]
    X, score = rows(store)
    packed, here, y = packed_of(X, targets(score), tmp_path)
    there = model.set_params(tol=1e-5).fit(packed)
    assert there.status_ is pragam.Status.CONVERGED and there.certificate_.relative_gap <= 1e-5
    again = there.certify(packed)
    meet(there.certificate_, model.__class__(**model.get_params()).fit(here, y).certificate_)
    meet(again, there.certify(here, y))  # of the same weights and dual points
    np.testing.assert_array_equal(there.predict(packed), there.predict(here))


@pytest.mark.parametrize(
    "solver", ["pragam", "qp-bmrm", "ls-bmrm", "pegasos-n", "working-set", "windows", "block-newton", "merged-ascent"]
)
def test_every_solver_of_packed_data_proves_an_interval_around_the_same_minimum(solver, tmp_path):
    X, score = rows(sparse.csr_array)
    packed, here, y = packed_of(X, classes(score, 2), tmp_path)
    exact = pragam.solve(pragam.hinge(here, y, lam=0.05), tol=1e-10).certificate
    found = pragam.solve(pragam.hinge(packed, lam=0.05), solver, tol=1e-2, max_iter=3000)
    assert found.solver == solver and found.certificate.relative_gap <= 1e-2
    meet(found.certificate, exact)


def test_patched_classes_take_packed_data(tmp_path):
    from pragam.patch.linear_svc import LinearSVC as Classifier
    from pragam.patch.linear_svr import LinearSVR as Regressor

    X, score = rows(np.asarray)
    for model, y in (
        (Classifier(C=0.1, loss="hinge", tol=1e-6), classes(score, 2)),
        (Regressor(C=0.1, tol=1e-6), score),
    ):
        packed, here, own = packed_of(X, y, tmp_path / type(model).__name__)
        there = type(model)(**model.get_params()).fit(packed)
        np.testing.assert_allclose(there.coef_, model.fit(here, own).coef_, atol=2e-3)


@pytest.mark.parametrize(("k", "several"), [(2, ""), (3, "; 3 problems like this one")])
def test_what_a_fit_should_take_is_said_before(k, several, tmp_path, capsys, caplog):
    X, score = rows(sparse.csr_array)
    packed, here, y = packed_of(X, classes(score, k), tmp_path)
    with caplog.at_level(logging.INFO, "pragam"):
        LinearSVC(C=0.1, tol=1e-2, verbose=1).fit(packed)
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"800 x 6, {packed.stored:,} entries, ") and first.endswith(f"are held{several}")
    assert "readings and" in first and caplog.messages[0] == first
    LinearSVC(C=0.1).fit(packed)
    LinearSVC(C=0.1, verbose=1).fit(here, y)
    assert "readings" not in capsys.readouterr().err


def test_memory_is_refused_for_data_in_memory():
    X, score = rows(np.asarray)
    with pytest.raises(ValueError, match=r"^memory is for data in blocks, of which solvers .* pragam\.open_packed$"):
        pragam.solve(pragam.hinge(X, classes(score, 2)), memory=1e6)


def test_memory_is_refused_where_no_solver_holds_rows(tmp_path):
    X, score = rows(np.asarray)
    packed, *_ = packed_of(X, classes(score, 3), tmp_path)
    with pytest.raises(ValueError, match=r"^memory is for losses of one score each: .* holds any rows$"):
        pragam.solve(pragam.multiclass_hinge(packed, lam=0.1), memory=1e6)


def test_every_point_of_a_path_keeps_to_the_memory(tmp_path):
    X, score = rows(np.asarray)
    packed, *_ = packed_of(X, classes(score, 2), tmp_path)
    found = pragam.path(pragam.hinge(packed), [0.1], solver="working-set", memory=500)
    assert found[0].status is pragam.Status.FAILED and "give it at least" in found[0].reason
