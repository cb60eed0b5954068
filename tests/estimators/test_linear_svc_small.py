"""LinearSVC in its first minute: the exact end on small data, support vectors, sparse weights, refusals, advice."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from svc_data import make_data

import pragam
from pragam import LinearSVC, Status
from pragam.certificate import Certificate
from pragam.driver import exact_end
from pragam.estimators import advice

ROUNDING = 1e-10


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("solver", ["auto", "dcd", "newton", "qp-bmrm"])
def test_small_problems_end_at_the_optimum(solver, tol):
    for seed in range(10):
        X, y, weights, C = make_data(seed)
        model = LinearSVC(C, solver=solver, tol=tol).fit(X, y, weights)
        assert model.status_ is Status.CONVERGED
        assert model.certificate_.relative_gap <= ROUNDING
        past = model.history_
        assert past.iteration[-1] == model.n_iter_
        assert (past.primal[-1], past.dual[-1]) == (model.certificate_.primal, model.certificate_.dual)
        assert all((np.diff(column) >= 0).all() for column in (past.iteration, past.passes, past.seconds, past.dual))
        assert (np.diff(past.primal) <= 0).all()


def test_the_exact_end_is_one_iteration_more_and_none_where_it_is_not_needed():
    X, y, _, C = make_data(1)
    alone = pragam.solve(pragam.hinge(X, y, 1 / (len(y) * C)), "dcd", tol=1e-2).n_iter
    assert LinearSVC(C, solver="dcd", tol=1e-2).fit(X, y).n_iter_ == alone + 1
    assert LinearSVC(C, solver="dcd", tol=1e-2, max_iter=alone).fit(X, y).n_iter_ == alone
    assert LinearSVC(C).fit(X, y).n_iter_ == 1


def test_one_call_reaches_the_optimum_where_a_plain_solve_ends_at_the_tolerance():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 18))  # more products than newton-dense spends beyond the tolerance by itself
    y = np.where(X @ rng.standard_normal(18) + 5 * rng.standard_normal(900) > 0, 1, -1)
    plain = pragam.solve(pragam.hinge(X, y, 1 / len(y)), tol=1e-6)
    model = LinearSVC(tol=1e-6).fit(X, y)
    assert plain.certificate.relative_gap > 1e-10 and plain.n_iter == model.n_iter_ == 1
    assert model.certificate_.relative_gap <= 1e-12


def test_the_exact_end_is_dropped_if_it_is_not_better(monkeypatch):
    X, y, _, C = make_data(1)
    problem = pragam.hinge(X, y, 1 / (len(y) * C))
    rough = pragam.solve(problem, "dcd", tol=1e-2)
    worse = pragam.solve(problem, max_iter=0)
    monkeypatch.setattr(exact_end, "solve", lambda *arguments, **keywords: worse)
    stop = pragam.driver.solve_all.Stop(pragam.runtime.interrupts.Signals())
    assert exact_end.at_the_optimum(problem, rough, 1e-2, None, None, None, stop) is rough


def test_large_problems_end_at_the_tolerance():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 100))  # more than newton-dense takes
    y = np.where(X @ rng.standard_normal(100) + 5 * rng.standard_normal(3000) > 0, 1, -1)
    problem = pragam.hinge(X, y, 1 / (len(y) * 1.0))
    assert LinearSVC(tol=1e-2).fit(X, y).n_iter_ == pragam.solve(problem, tol=1e-2).n_iter


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_vectors_are_rows_of_the_training_data(n_classes, storage):
    X, y, weights, C = make_data(2, n_classes)
    model = LinearSVC(C).fit(storage(X), y, weights)
    vectors = model.support_vectors(storage(X))
    assert sparse.issparse(vectors) == sparse.issparse(storage(X))
    dense = vectors.toarray() if sparse.issparse(vectors) else vectors
    assert np.array_equal(dense, X[model.support_])
    assert model.n_support_.tolist() == np.bincount(y[model.support_], minlength=n_classes).tolist()
    assert model.coef_ == pytest.approx(model.dual_coef_ @ dense, rel=1e-6, abs=1e-6 * np.abs(model.coef_).max())


def test_support_vectors_of_other_data_are_refused():
    X, y, _, C = make_data(2)
    model = LinearSVC(C).fit(X, y)
    with pytest.raises(ValueError, match=r"the training data have \d+: pass the X of fit"):
        model.support_vectors(X[1:])
    with pytest.raises(ValueError, match="features"):
        model.support_vectors(X[:, 1:])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_coefficients_predict_the_same(n_classes):
    X, y, _, C = make_data(3, n_classes)
    model = LinearSVC(C).fit(X, y)
    scores, coef = model.decision_function(X), model.coef_
    assert model.sparsify() is model and sparse.issparse(model.coef_)
    assert model.decision_function(X) == pytest.approx(scores, rel=1e-12, abs=1e-12)
    assert np.array_equal(model.densify().coef_, coef)
    assert isinstance(model.sparsify().fit(X, y).coef_, np.ndarray)


def test_what_is_no_data_is_refused():
    X, y, weights, _ = make_data(0)
    for arguments, name in (
        ((np.ma.masked_array(X, X > 1), y), "X"),
        ((X, np.ma.masked_array(y, y > 0)), "y"),
        ((X, y, np.ma.masked_array(weights, y > 0)), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=f"{name} is a masked array"):
            LinearSVC().fit(*arguments)
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        LinearSVC().fit(X, y + 1j)


def crowded() -> tuple[np.ndarray, np.ndarray]:
    """Three large classes in a row, and two small ones between them, which no half-space holds."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), [80, 5, 80, 5, 80])
    return y[:, None] + 0.5 * rng.standard_normal((250, 1)), y


def test_classes_that_are_never_predicted_are_one_warning_with_names_and_remedies():
    X, y = crowded()
    names = np.array(["ant", "bee", "cat", "dog", "elk"])[y]
    with pytest.warns(UserWarning) as caught:
        model = LinearSVC().fit(X, names)
    missing = sorted(set(names) - set(model.predict(X)))
    assert missing and len(caught) == 1 and caught[0].filename == __file__
    text = str(caught[0].message)
    assert f"{len(missing)} of 5 classes" in text and ", ".join(missing) in text
    assert "class_weight='balanced'" in text and "MulticlassSVC" in text


def test_no_such_warning_without_a_reason():
    X, y = crowded()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearSVC().fit(X, y > 2)
        LinearSVC().fit(np.eye(5)[y], y)


def test_a_class_without_weight_is_not_missed():
    classes, codes = np.arange(3), np.zeros(1, np.int64)
    assert advice.never_predicted(classes, codes, np.array([1.0, 0.0, 0.0]), None) == ""
    assert "1 of 3 classes is never predicted on the training data: 2." in advice.never_predicted(
        classes, codes, np.array([1.0, 0.0, 5.0]), None
    )


def test_what_is_set_already_is_not_advised():
    text = advice.never_predicted(np.arange(3), np.zeros(1, np.int64), np.ones(3), "balanced")
    assert "class_weight" not in text and "Raise C, add features" in text and "pragam.MulticlassSVC" in text


def test_one_class_of_two_that_is_never_predicted_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1001, 3)), np.arange(1001) == 0
    with pytest.warns(UserWarning, match="1 of 2 classes is never predicted on the training data: True") as caught:
        LinearSVC().fit(X, y)
    assert len(caught) == 1 and "MulticlassSVC" not in str(caught[0].message)


@pytest.mark.parametrize(("gap", "is_advice"), [(1e-3, True), (0.1, True), (0.5, False), (1.0, False)])
def test_a_large_gap_is_no_tolerance_to_ask_for(gap, is_advice):
    rng = np.random.default_rng(0)
    problem = pragam.hinge(rng.standard_normal((5, 2)), np.array([1, -1, 1, -1, 1]))
    result = pragam.solve(problem, max_iter=0)
    stalled = replace(result, status=pragam.Status.STALLED, certificate=Certificate(1.0, 1.0 - gap))
    assert ("Raise tol" in advice.unfinished([stalled], LinearSVC())) == is_advice


def test_an_unfinished_fit_says_that_alone():
    X, y = crowded()
    with pytest.warns(UserWarning) as caught:
        LinearSVC(max_iter=0).fit(X, y)
    assert len(caught) == 1 and "iteration budget" in str(caught[0].message)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_several_classes_share_one_line_of_progress(capsys, n_jobs):
    X, y = crowded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LinearSVC(verbose=1, n_jobs=n_jobs, solver="dcd").fit(X, y)
    lines = capsys.readouterr().err.strip().splitlines()
    iterations = sum(part.iteration[-1] for part in model.histories_)
    assert len(lines) == 1 and lines[0].startswith("LinearSVC 5 of 5 problems")
    assert f"iteration {iterations}," in lines[0] and "(tolerance 0.0001)" in lines[0]
