"""Rows left out: every decided prediction and every bound agree with a fit of the other rows."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
from scipy import sparse

import pragam
from killed import lives
from pragam.certificate.region import region
from pragam.samples import Rows
from pragam.selection import LeaveOneOut, leave_one_out
from pragam.selection.left_out import one_row
from pragam.selection.left_out.progress import LeftOutProgress, describe

LOSSES = ("hinge", "squared_hinge", "smoothed_hinge")


def data(kind, seed=0, n=40, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)
    if kind == "duplicated rows":
        X = X[rng.integers(0, n // 3, n)]
    elif kind == "ties":
        X = np.rint(X)
    elif kind == "rows of zeros":
        X[rng.random(n) < 0.2] = 0
    elif kind == "separable":
        X[:, 0] = y * (1 + np.abs(X[:, 0]))
    elif kind == "imbalanced":
        y = np.where(np.arange(n) == 3, 1, -1)
    elif kind == "wide":
        X = rng.standard_normal((n, 3 * n))
    y[:2] = 1, -1
    return X, y, rng.uniform(0, 3, n) * (rng.random(n) < 0.9) + (np.arange(n) < 2) if kind == "weights" else None


KINDS = ("plain", "duplicated rows", "ties", "rows of zeros", "separable", "imbalanced", "weights", "wide")


def refitted(X, y, C, i, loss, bias, weights):
    """Between which numbers the score of row i is, by a fit of the other rows with the same C that never saw it."""
    others, n = np.delete(np.arange(len(y)), i), len(y)
    risk, more = getattr(pragam, loss), {} if weights is None else {"sample_weight": weights[others]}
    problem = risk(X[others], y[others], 1 / (C * (n - 1)), bias=bias, **more)
    found = pragam.solve(problem, tol=1e-12)
    place = region(problem, found.w, found.alpha, found.certificate)
    return place.decisions(pragam.operators.check_data(X[i : i + 1]))[0, 0]


@pytest.mark.filterwarnings("ignore:1 of 2 classes is never predicted")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_of_the_other_rows_with_as_large_a_c_agrees(kind, bias, loss):
    X, y, weights = data(kind)
    model = pragam.LinearSVC(C=0.3, loss=loss, fit_intercept=bias).fit(X, y, weights)
    found = model.leave_one_out(X, y)
    for i in range(len(y)):
        low, high = refitted(X, y, 0.3, i, loss, bias, weights)
        assert found.bounds[i, 0] <= high and low <= found.bounds[i, 1]
        if found.decided_by[i] != "open" and low * high > 0:
            assert found.predictions[i] == (1 if low > 0 else -1)
            assert found.wrong[i] == (found.predictions[i] != y[i])
        if min(abs(low), abs(high)) > 1e-6 and low * high > 0:
            assert found.decided_by[i] != "open"


def test_what_the_result_says_is_consistent():
    X, y, _ = data("plain", n=200)
    found = pragam.LinearSVC(fit_intercept=True).fit(X, y).leave_one_out(X, y)
    assert found.is_settled and found.errors == int(found.wrong.sum()) == int((found.predictions != y).sum())
    assert found.error == found.errors / 200 and found.interval == (found.error, found.error)
    assert sum(found.decided(stage) for stage in ("model", "moved", "solve")) == 200
    assert found.decided("solve") <= found.solves
    assert str(found.errors) in found.remark and f"{found.errors} errors of 200 rows" in repr(found)
    decided = np.where(found.predictions == 1, found.bounds[:, 0] > 0, found.bounds[:, 1] < 0)
    assert decided.all()


def test_a_row_on_its_wrong_side_is_decided_by_the_model_and_one_that_nobody_feels_keeps_its_score():
    X, y, _ = data("plain", n=120)
    model = pragam.LinearSVC(C=0.5, tol=1e-12).fit(X, y)
    found, margins = model.leave_one_out(X, y), y * model.decision_function(X)
    low, high = np.where(y > 0, found.bounds.T, -found.bounds.T[::-1])
    felt = margins < 1 - 1e-3
    assert np.isfinite(high[felt]).all() and (low[felt] <= margins[felt]).all()
    beyond = margins > 1 + 1e-3
    assert (low[beyond] <= margins[beyond]).all() and (margins[beyond] <= high[beyond]).all()
    assert set(found.decided_by[(margins < -1e-3) | beyond]) == {"model"}


def test_the_model_need_not_be_solved_well():
    X, y, _ = data("plain", n=80)
    rough, fine = (pragam.LinearSVC(C=0.5, tol=tol, solver="dcd").fit(X, y) for tol in (0.5, 1e-12))
    first, second = (model.leave_one_out(X, y) for model in (rough, fine))
    assert first.errors == second.errors and np.array_equal(first.predictions, second.predictions)


def test_every_storage_and_float32():
    X, y, _ = data("ties", n=60)
    errors = set()
    for store in (np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_matrix, lambda X: X.astype(np.float32)):
        errors.add(pragam.LinearSVC(C=0.2).fit(store(X), y).leave_one_out(store(X), y).errors)
    assert len(errors) == 1


@pytest.mark.parametrize(
    "more", [{"standardize": True}, {"standardize": True, "fit_intercept": False}, {"intercept_scaling": 2.0}]
)
def test_features_in_front_are_those_of_all_rows(more):
    X, y, _ = data("plain", n=50)
    X = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0) + 0.0)
    model = pragam.LinearSVC(C=0.2, tol=1e-12, **more).fit(X, y)
    found = model.leave_one_out(X, y)
    beyond = y * model.decision_function(X) > 1 + 1e-6
    assert found.is_settled and np.allclose(found.bounds[beyond, 0], model.decision_function(X)[beyond], atol=1e-5)


def test_balanced_weights_stay_those_of_all_rows():
    X, y, _ = data("plain", n=60)
    y[5:] = np.where(X[5:, 0] > 0.8, 1, -1)
    balanced = pragam.LinearSVC(C=0.3, class_weight="balanced").fit(X, y).leave_one_out(X, y)
    share = {label: len(y) / (2 * np.sum(y == label)) for label in (-1, 1)}
    given = pragam.LinearSVC(C=0.3, class_weight=share).fit(X, y).leave_one_out(X, y)
    assert np.array_equal(balanced.predictions, given.predictions)


def test_a_score_of_zero_stays_open():
    """Without the first row the others are their own mirror image, so its score is 0 exactly."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 1.0], [0.0, -1.0]])
    y = np.array([1, 1, -1, 1, -1])
    found = pragam.LinearSVC(C=1.0, fit_intercept=False).fit(X, y).leave_one_out(X, y)
    assert found.decided_by[0] == "open" and found.bounds[0, 0] <= 0 <= found.bounds[0, 1]
    assert found.errors == (0, 1) and found.interval == (0.0, 0.2) and found.error == found.interval
    assert found.predictions.mask.tolist() == [True, False, False, False, False]
    assert "float64 proves no sign" in found.remark


def test_a_row_of_zeros_without_an_intercept_has_the_label_that_zero_has():
    X, y = np.array([[0.0], [0.0], [1.0], [-1.0]]), np.array([1, -1, 1, -1])
    found = pragam.LinearSVC(fit_intercept=False).fit(X, y).leave_one_out(X, y)
    assert found.bounds[:2].tolist() == [[0, 0], [0, 0]] and found.wrong[:2].tolist() == [True, False]


def test_labels_of_any_kind():
    X, y, _ = data("plain", n=50)
    names = np.where(y > 0, "yes", "no")
    first = pragam.LinearSVC().fit(X, names).leave_one_out(X, names)
    assert first.errors == pragam.LinearSVC().fit(X, y).leave_one_out(X, y).errors
    assert set(first.predictions.compressed()) <= {"yes", "no"}


# What ends the search early -------------------------------------------------------------------------------------------


def posed(n=150):
    X, y, _ = data("plain", n=n, d=6)
    return pragam.LinearSVC(C=5.0).fit(X, y).model_, Rows.of(X, y)


def test_no_time_leaves_an_interval_that_holds_the_error():
    model, samples = posed()
    whole = leave_one_out(model, samples)
    for seconds in (0.0, 1e-3):
        found = leave_one_out(model, samples, max_seconds=seconds)
        assert found.interval[0] <= whole.error <= found.interval[1]
    none = leave_one_out(model, samples, max_seconds=0)
    assert not none.is_settled and "time budget" in none.remark


def test_a_callback_sees_the_interval_shrink_and_may_stop_it():
    model, samples = posed()
    seen = []

    def listen(progress):
        seen.append(progress)
        return progress.solves >= 3

    found = leave_one_out(model, samples, callback=listen)
    assert [each.decided for each in seen] == sorted(each.decided for each in seen)
    assert [each.wrong for each in seen] == sorted(each.wrong for each in seen)
    assert "callback" in found.remark and found.solves == seen[-1].solves and seen[-1].solves >= 3
    fewest, most = found.errors
    assert fewest <= leave_one_out(model, samples).errors <= most


def test_who_watches_sees_the_interval_on_a_line(capsys):
    X, y, _ = data("plain", n=60)
    found = pragam.LinearSVC(verbose=1).fit(X, y).leave_one_out(X, y)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        f"LinearSVC 60 of 60 rows left out are decided, {found.errors} errors, {found.solves} solves"
    )
    assert describe(LeftOutProgress(10, 6, 1, 2, 0.5)) == (
        "6 of 10 rows left out are decided, 1 to 5 errors, 2 solves, 0.5 s"
    )
    pragam.LinearSVC().fit(X, y).leave_one_out(X, y)
    assert not capsys.readouterr().err


def test_ctrl_c_keeps_what_is_decided():
    model, samples = posed()

    def listen(progress):
        if progress.solves == 2:
            os.kill(os.getpid(), signal.SIGINT)

    found = leave_one_out(model, samples, callback=listen)
    assert "interrupted" in found.remark and 2 <= found.solves <= 4 and not found.is_settled
    assert found.decided("solve") >= 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_in_another_thread():
    model, samples = posed(60)
    found = []
    thread = threading.Thread(target=lambda: found.append(leave_one_out(model, samples)))
    thread.start()
    thread.join()
    assert found[0].errors == leave_one_out(model, samples).errors


def same(first: LeaveOneOut, second: LeaveOneOut):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("bounds", "wrong", "decided_by", "solves", "ended")
    )


@pytest.mark.parametrize("after", [2, 3, 7])
def test_a_search_that_is_killed_goes_on_to_the_same_result(tmp_path, monkeypatch, after):
    model, samples = posed(70)
    found, deaths = lives(monkeypatch, lambda: leave_one_out(model, samples, checkpoint=tmp_path / "kept"), after)
    assert deaths > 2 and same(found, leave_one_out(model, samples))
    again = leave_one_out(model, samples, checkpoint=tmp_path / "kept")
    assert same(again, found)


def test_a_checkpoint_of_other_rows_is_refused(tmp_path):
    model, samples = posed()
    leave_one_out(model, samples, checkpoint=tmp_path / "kept", max_seconds=0.0)
    X, y, _ = data("plain", seed=1, n=150, d=6)
    other = pragam.LinearSVC(C=5.0).fit(X, y).model_
    with pytest.raises(ValueError, match="other data"):
        leave_one_out(other, Rows.of(X, y), checkpoint=tmp_path / "kept")


# What is refused ------------------------------------------------------------------------------------------------------


def refusals():
    X, y, _ = data("plain")
    three = np.arange(len(y)) % 3
    yield pragam.LinearSVC(), X, three, "3 classes"
    yield pragam.LinearSVC(multi_class="crammer_singer"), X, y, "multiclass_hinge"
    yield pragam.LinearSVR(), X, X[:, 0], "epsilon_insensitive"
    yield pragam.QuantileRegressor(), X, X[:, 0], "quantile"
    yield pragam.OrdinalSVC(), X, three, "ordinal_hinge"
    yield pragam.MultilabelSVC(), X, np.stack([y > 0, three == 1], axis=1), "multilabel_hinge"


@pytest.mark.parametrize("k", range(6))
def test_other_models_are_refused_in_a_sentence(k):
    estimator, X, y, what = list(refusals())[k]
    with pytest.raises(ValueError, match=f"two classes with the hinge, .*{what}") as error:
        estimator.fit(X, y).leave_one_out(X, y)
    assert "\n" not in str(error.value)


def test_other_samples_are_refused():
    X, y, _ = data("plain")
    model = pragam.LinearSVC().fit(X, y)
    with pytest.raises(ValueError, match="other data"):
        model.leave_one_out(X[1:], y[1:])


def test_gaps_fall():
    assert list(one_row.GAPS) == sorted(one_row.GAPS, reverse=True)


@pytest.mark.filterwarnings("ignore:1 of 2 classes is never predicted")
@pytest.mark.parametrize("loss", LOSSES)
def test_where_one_class_is_left_every_best_intercept_predicts_it(loss):
    """w* = 0 then, and any b of at least 1 in size, with the sign of the class, is best."""
    X, y, _ = data("plain", n=30)
    two = pragam.LinearSVC(loss=loss).fit(X[:2], y[:2]).leave_one_out(X[:2], y[:2])
    assert two.errors == 2 and two.wrong.all()
    one = pragam.LinearSVC(loss=loss, class_weight={-1: 0, 1: 1}).fit(X, y).leave_one_out(X, y)
    assert np.array_equal(one.predictions, np.ones(30)) and one.errors == np.count_nonzero(y < 0)
    assert (one.bounds[:, 0] <= 1).all() and (one.bounds[:, 1] == np.inf).all()


@pytest.mark.parametrize("store", [np.asarray, sparse.csc_matrix])
@pytest.mark.parametrize("loss", LOSSES)
def test_other_data_are_refused(loss, store):
    X, y, _ = data("plain")
    weights = np.linspace(0.5, 2, len(y))
    plain, weighted = (pragam.LinearSVC(C=0.3, loss=loss).fit(X, y, w) for w in (None, weights))
    for others in ((X + 1, y), (X[::-1], y[::-1]), (X, -y), (X * (1 + 1e-6), y)):
        for model in (plain, weighted):
            with pytest.raises(ValueError, match="X and y are not those that the model was trained on"):
                model.leave_one_out(store(others[0]), others[1])
    with pytest.raises(ValueError, match="sample weights differ"):
        weighted.leave_one_out(X, y, weights[::-1])
    with pytest.raises(ValueError, match="sample weights differ"):
        plain.leave_one_out(X, y, weights)
    assert weighted.leave_one_out(store(X), y, weights).errors == weighted.leave_one_out(X, y).errors
    assert plain.leave_one_out(X, y, np.ones(len(y))).errors == plain.leave_one_out(store(X), y).errors


@pytest.mark.filterwarnings("ignore:The iteration budget ended")
def test_where_float64_proves_nothing_of_the_model_few_rows_are_tried(tmp_path):
    X, y, _ = data("plain", n=30)
    model = pragam.LinearSVC(max_iter=1, tol=0.5).fit(1e150 * X, y)
    found = model.leave_one_out(1e150 * X, y, checkpoint=tmp_path / "kept")
    assert found.n_open == 30 and found.solves < 10 and "scale X" in found.remark
    again = model.leave_one_out(1e150 * X, y, checkpoint=tmp_path / "kept")
    assert again.solves == found.solves and again.remark == found.remark


def test_of_many_columns_the_end_is_looked_for_between_a_few_rows():
    """Bounds of all rows at once would outlive any budget: each of them is as long as X is wide."""
    rng = np.random.default_rng(0)
    n, d = 400, 20_000
    X = sparse.csr_matrix((np.ones(8 * n), (np.repeat(np.arange(n), 8), rng.integers(0, d, 8 * n))), shape=(n, d))
    y = np.where(rng.random(n) > 0.5, 1, 0)
    seen = []
    found = (
        pragam.LinearSVC(C=1.0)
        .fit(X, y)
        .leave_one_out(X, y, callback=lambda progress: seen.append(progress.decided) or len(seen) == 3)
    )
    assert len(seen) == 3 and found.solves == 0 and found.ended
    assert seen[0] < seen[2] < 120 and found.n_open == n - seen[2]
