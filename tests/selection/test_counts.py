"""Counts of wrong predictions of exact models: true of rational optima, settled where they can be, and honest else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import pragam
from pragam import risks
from pragam.selection import tune
from selection.small_counts import exact_counts, noisy

LAMS = [1.0, 0.1, 0.01]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
def test_the_count_of_every_exact_model_is_between_the_bounds(bias, tol):
    """Whole numbers: ties, equal rows of both labels, rows of zeros, several best biases."""
    for seed in range(12):
        X, y, V, t = noisy(seed)
        for is_exact in (False, True):
            found = tune(X, y, LAMS, validation=(V, t), bias=bias, tol=tol, exact=is_exact)
            for lam, (fewest, most) in zip(LAMS, found.bounds.tolist(), strict=True):
                for count in exact_counts(X, y, V, t, lam, bias):
                    assert fewest <= count <= most, (seed, lam)


def test_what_is_exact_is_settled_and_agrees_with_finer_fits():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = np.where(X @ rng.standard_normal(6) + rng.standard_normal(300) > 0, 1, 0)
    for store in (np.asarray, sparse.csr_array):
        rough = tune(store(X), y, LAMS, tol=1e-2, solver="dcd")
        found = tune(store(X), y, LAMS, tol=1e-2, solver="dcd", exact=True)
        fine = tune(store(X), y, LAMS, tol=1e-11)
        assert len(rough.unsettled) and not len(found.unsettled) and found.converged and found.is_exact
        assert (found.bounds[:, 0] == fine.wrong).all() and (found.bounds[:, 1] == fine.wrong).all()
        assert (rough.bounds[:, 0] <= fine.wrong).all() and (fine.wrong <= rough.bounds[:, 1]).all()
        assert "proven at every lam" in found.remark and "may settle" in rough.remark
        np.testing.assert_array_equal(found.wrong, np.round((1 - found.score) * found.n_validation))


def test_folds_add_up_and_classes_and_levels_are_counted():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.standard_normal(90), [-0.5, 0.5])
    from pragam.driver.jobs import Settings
    from pragam.samples import Rows
    from pragam.selection import choose

    for risk in (
        risks.OneVsRest(each=risks.Hinge(lam=1.0)),
        risks.OrdinalHinge(lam=1.0),
        risks.MulticlassHinge(lam=1.0),
    ):
        found = choose(risk, Rows.of(X, y), LAMS, Settings(tol=1e-5), n_folds=3, exact=True)
        assert len(found.folds) == 3 and (found.bounds[:, 0] <= found.bounds[:, 1]).all()
        np.testing.assert_array_equal(found.wrong, np.round((1 - found.score) * 90))
        assert (found.bounds[:, 1] <= 90).all() and (found.bounds[:, 0] >= 0).all()


def test_equal_rows_with_both_labels_cost_at_least_the_fewer():
    """Two equal rows are left out with label 1 and one with label 0: between 1 and 2 errors, whatever is predicted."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]] * 4), np.array([1, 0] * 4)
    V, t = np.array([[0.0, 1.0]] * 3 + [[3.0, 0.0]]), np.array([1, 1, 0, 1])
    found = tune(X, y, [0.1], validation=(V, t), bias=False, exact=True)
    assert found.bounds.tolist() == [[1, 2]] and found.unsettled.tolist() == [0.1]
    assert "stays an interval: float64 proves no smaller gap" in found.remark  # w* is (w, 0): the scores are 0
    assert found.wrong.tolist() == [2]


def test_rows_of_zeros_have_a_score_of_exactly_zero_without_a_bias():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]] * 4), np.array([1, 0] * 4)
    V, t = np.zeros((3, 2)), np.array([1, 0, 0])
    for store in (np.asarray, sparse.csr_array):
        found = tune(store(X), y, [0.1], validation=(store(V), t), bias=False)
        assert found.bounds.tolist() == [[1, 1]] and found.wrong.tolist() == [1]


def test_numbers_and_sets_of_labels_are_not_counted():
    X, y = np.random.default_rng(0).standard_normal((30, 2)), np.arange(30.0)
    found = tune(X, y, [0.1], risk=risks.EpsilonInsensitive(lam=1.0))
    assert found.counts is None
    with pytest.raises(ValueError, match="counted where labels of rows in memory are predicted"):
        _ = found.wrong


def test_time_that_is_over_leaves_intervals_and_says_so():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = np.where(X @ rng.standard_normal(6) + rng.standard_normal(300) > 0, 1, 0)
    found = tune(X, y, LAMS, tol=1e-12, max_seconds=0.0, exact=True)
    assert not found.converged and not found.is_exact and "more time" in found.remark
    assert (found.bounds[:, 0] <= found.wrong).all() or (found.bounds[:, 0] <= found.bounds[:, 1]).all()


def test_a_callback_ends_the_search():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = np.where(X @ rng.standard_normal(6) + rng.standard_normal(300) > 0, 1, 0)
    calls = []
    tune(X, y, LAMS, tol=1e-2, solver="dcd", callback=lambda progress: calls.append(progress.lam))
    seen = []

    def enough(progress):
        seen.append(progress.lam)
        return len(seen) > len(calls)  # the first call beyond the path

    found = tune(X, y, LAMS, tol=1e-2, solver="dcd", exact=True, callback=enough)
    assert len(seen) == len(calls) + 1 and not found.is_exact and len(found.unsettled)


def test_a_mere_flag_is_asked_for():
    with pytest.raises(ValueError, match="exact must be"):
        tune(np.eye(4), np.arange(4) % 2, [0.1], exact="yes")


def test_its_name_at_the_door():
    assert pragam.tune is tune
