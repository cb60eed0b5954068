"""LinearSVC under budgets, warm starts, threads and seeds: what it says and what it keeps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from svc_data import assert_same_model, make_data

from pragam import LinearSVC, Status


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("budget", ["max_iter", "max_seconds"])
def test_a_spent_budget_is_one_warning_with_numbers_and_a_remedy(budget, n_classes):
    X, y, _, C = make_data(1, n_classes)
    model = LinearSVC(C, tol=1e-5, **{budget: 0})
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    text = str(caught[0].message)
    worst = max(proof.relative_gap for proof in model.certificates_)
    for part in (f"gap is {worst:.2e}", "tol=1e-05", f"{budget}=0", f"{budget} or" if budget == "max_iter" else budget):
        assert part in text
    assert "Raise" in text
    assert ("3 of 3 one-vs-rest problems" in text) == (n_classes == 3)
    assert [status.name for status in model.statuses_] == [budget.upper()] * len(model.certificates_)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    assert set(model.predict(X)) <= set(range(n_classes))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_warning_when_converged(n_classes):
    for seed in range(10):
        X, y, _, C = make_data(seed, n_classes)
        with warnings.catch_warnings():
            warnings.simplefilter("error", Warning if n_classes == 2 else ConvergenceWarning)
            model = LinearSVC(C, tol=1e-3).fit(X, y)
        assert all(status is Status.CONVERGED for status in model.statuses_)
        assert all(proof.relative_gap <= 1e-3 for proof in model.certificates_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_ample_budget_changes_nothing(n_classes):
    X, y, _, C = make_data(1, n_classes)
    one = LinearSVC(C).fit(X, y)
    other = LinearSVC(C, max_iter=10**6, max_seconds=1e6).fit(X, y)
    assert np.array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_warm_start_saves_iterations(n_classes):
    for seed in range(10):
        X, y, weights, C = make_data(seed, n_classes)
        model = LinearSVC(C, warm_start=True).fit(X, y)
        cold = model.n_iter_
        assert cold > 0
        assert model.fit(X, y).n_iter_ == 0
        assert_same_model(model, LinearSVC(C).fit(X, y), X)
        assert_same_model(model.fit(X, y, weights), LinearSVC(C).fit(X, y, weights), X)


def test_warm_start_begins_afresh_with_other_rows_or_classes():
    X, y, _, C = make_data(3)
    others = ((X[:-2], y[:-2]), (X, y + 1), (X, np.arange(len(y)) % 3))
    for other_X, other_y in others:
        warm = LinearSVC(C, warm_start=True).fit(X, y).fit(other_X, other_y)
        cold = LinearSVC(C).fit(other_X, other_y)
        assert warm.n_iter_ == cold.n_iter_
        assert np.array_equal(warm.coef_, cold.coef_)


def test_without_warm_start_nothing_is_remembered():
    X, y, _, C = make_data(3)
    model = LinearSVC(C).fit(X, y)
    first = model.coef_
    assert np.array_equal(model.fit(X, y).coef_, first)
    assert model.n_iter_ > 0


@pytest.mark.parametrize("n_classes", [2, 5])
def test_threads_do_not_change_a_bit(n_classes):
    for seed in range(10):
        X, y, weights, C = make_data(seed, n_classes)
        one, two = (LinearSVC(C, n_jobs=n_jobs, random_state=7).fit(X, y, weights) for n_jobs in (1, 2))
        for name in ("coef_", "intercept_", "dual_coef_", "support_"):
            assert np.array_equal(getattr(one, name), getattr(two, name))
        assert one.certificates_ == two.certificates_
        assert one.n_iter_ == two.n_iter_


def test_seeds():
    X, y, _, C = make_data(1, 3)

    def fit(random_state: object) -> LinearSVC:
        return LinearSVC(C, tol=1e-2, solver="dcd", random_state=random_state).fit(X, y)

    reference = fit(None)
    for seed in (None, 0, 3, np.int64(5), np.random.RandomState(3)):
        assert_same_model(fit(seed), reference, X)
    assert np.array_equal(fit(None).coef_, fit(None).coef_)
    assert np.array_equal(fit(3).coef_, fit(3).coef_)
    assert np.array_equal(fit(np.random.RandomState(3)).coef_, fit(np.random.RandomState(3)).coef_)
    paths = {fit(seed).histories_[0].primal.tobytes() for seed in range(5)}
    assert len(paths) > 1  # the seed is used


@pytest.mark.parametrize("n_classes", [2, 3])
def test_verbose_tells_the_gap_on_stderr(capsys, n_classes):
    X, y, _, C = make_data(1, n_classes)
    LinearSVC(C, verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "LinearSVC" in err and "relative gap" in err
    LinearSVC(C).fit(X, y)
    assert capsys.readouterr() == ("", "")
