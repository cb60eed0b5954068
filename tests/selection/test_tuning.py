"""lam by validation: the split, the columns, the choice and its rules."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam.selection import PAPER_LAMS, Fold, Tuning, split, tune

LAMS = [2.0**-k for k in range(0, 9, 2)]


def blobs(n=120, K=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.standard_normal((n, 4)) + 1.2 * rng.standard_normal((K, 4))[y], y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_columns_are_those_of_separate_models(K, store):
    X, y = blobs(K=K)
    rest, held = split(len(y), y, 0.25, 3)
    found = tune(store(X), y, LAMS, share=0.25, seed=3, tol=1e-8)
    for k, lam in enumerate(LAMS):
        model = pragam.LinearSVC(C=1 / (len(rest) * lam), tol=1e-8).fit(X[rest], y[rest])
        accuracy = model.score(X[held], y[held])
        assert found.accuracy[k] == accuracy
        assert found.error[k] == pytest.approx(np.sqrt(accuracy * (1 - accuracy) / len(held)))
        assert found.gap[k] == max(part[k].certificate.relative_gap for part in found.results[0]) <= 1e-8
    assert set(found.columns()) == {"lam", "accuracy", "error", "gap"} and found.columns()["lam"] == LAMS
    assert found.converged and (found.n_train, found.n_validation) == (len(rest), len(held))


def made(lam, accuracy, m=100):
    accuracy = np.array(accuracy)
    other = np.zeros(len(lam))
    error = np.sqrt(accuracy * (1 - accuracy) / m)
    return Tuning(np.array(lam), accuracy, error, other, other, other, other, [], [Fold(np.arange(9), np.arange(m))])


def test_the_best_is_the_largest_of_the_most_accurate_and_the_simplest_is_within_one_error():
    found = made([1e-3, 1.0, 1e-2, 1e-1], [0.9, 0.7, 0.9, 0.88])  # the error of 0.9 is 0.03
    assert found.best == 1e-2 and found.simplest == 1e-1
    alone = made([1e-3, 1e-2, 1e-1], [0.9, 0.86, 0.8])
    assert alone.best == alone.simplest == 1e-3


def test_the_split_takes_a_share_of_every_class_and_leaves_one_of_each():
    y = np.r_[np.zeros(50), np.ones(10), 2]
    rest, held = split(61, y, 0.2, 0)
    assert sorted([*rest, *held]) == list(range(61))
    assert np.bincount(y[held].astype(int), minlength=3).tolist() == [10, 2, 0]
    assert (split(61, y, 0.2, 0)[1] == held).all() and not (split(61, y, 0.2, 1)[1] == held).all()
    assert np.unique(y[split(61, y, 0.99, 0)[0]]).tolist() == [0, 1, 2]


def test_validation_rows_may_be_given():
    X, y = blobs()
    found = tune(X[:80], y[:80], LAMS, validation=(X[80:], y[80:]))
    assert (found.n_train, found.n_validation) == (80, 40)
    weights, bias = found.results[0][0][1].w, found.results[0][0][1].bias
    assert found.accuracy[1] == np.mean((X[80:] @ weights + bias > 0) == y[80:])


def test_the_starts_are_feasible_for_all_rows_and_near_the_optimum():
    X, y = blobs(K=3)
    found = tune(X, y, LAMS, tol=1e-9)
    for k, (w, alpha) in enumerate(found.starts(len(y))):
        problem = pragam.hinge(X, np.where(y == k, 1, -1), found.best)
        assert pragam.certify(problem, w, alpha).relative_gap < 0.3
        assert pragam.solve(problem, start=(w, alpha), max_iter=0).certificate.relative_gap < 0.3


def test_time_that_is_over_leaves_every_point_with_a_gap():
    found = tune(*blobs(K=3), LAMS, tol=1e-12, max_seconds=0.0)
    assert not found.converged and np.isfinite(found.gap).all() and np.isfinite(found.accuracy).all()


def test_the_grid_is_the_papers():
    assert PAPER_LAMS[0] == 2.0**-20 and PAPER_LAMS[-1] == 1.0 and len(PAPER_LAMS) == 21


@pytest.mark.parametrize(
    ("message", "change"),
    [
        ("share", {"share": 0.0}),
        ("share", {"share": 1.0}),
        ("share", {"share": 0.001}),
        ("seed", {"seed": -1}),
        ("lams", {"lams": [0.0]}),
        ("validation", {"validation": (np.ones((2, 3)), [0, 1])}),
        ("two classes", {"y": np.zeros(120)}),
    ],
)
def test_errors_name_the_argument(message, change):
    X, y = blobs()
    with pytest.raises(ValueError, match=message):
        tune(**{"X": X, "y": y, **change})
