"""Ordinal labels: whose order counts, and what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import pragam
from pragam.risks.levels import levels_of

X = np.arange(12.0).reshape(6, 2)


class Categorical:
    """What is used of a pandas Categorical: it is no dependency."""

    def __init__(self, codes, categories, ordered=True):
        self.codes, self.categories, self.ordered = np.array(codes, np.int8), categories, ordered


def test_numbers_keep_their_order():
    for y in ([3, 1, 10, 1, 3, 10], [0.5, -2.0, 7.5, -2.0, 0.5, 7.5], np.array([3, 1, 10, 1, 3, 10], np.uint8)):
        level, K = levels_of(y, None, 6)
        assert K == 3 and level.tolist() == [1, 0, 2, 0, 1, 2]


def test_an_order_is_the_users():
    y = ["low", "high", "mid", "low", "high", "mid"]
    level, K = levels_of(y, ["low", "mid", "high"], 6)
    assert K == 3 and level.tolist() == [0, 2, 1, 0, 2, 1]
    level, _ = levels_of([1, 2, 3, 1, 2, 3], [3, 1, 2], 6)
    assert level.tolist() == [1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: SimpleNamespace(cat=c)], ids=["Categorical", "column"])
def test_an_ordered_categorical_keeps_its_order(wrap):
    level, K = levels_of(wrap(Categorical([2, 0, 1, 0, 1, 2], ["z", "y", "x"])), None, 6)
    assert K == 3 and level.tolist() == [2, 0, 1, 0, 1, 2]
    with pytest.raises(ValueError, match="y is a Categorical without an order"):
        levels_of(wrap(Categorical([2, 0, 1, 0, 1, 2], ["z", "y", "x"], ordered=False)), None, 6)
    with pytest.raises(ValueError, match="y has no level in row 4"):
        levels_of(wrap(Categorical([2, 0, 1, 0, -1, 2], ["z", "y", "x"])), None, 6)


def test_categories_that_do_not_occur_are_named_to_the_caller():
    y = Categorical([0, 1, 3, 0, 1, 3], list("abcde"))
    with pytest.warns(UserWarning, match=r"y has no example of level 'c', 'e'") as caught:
        problem = pragam.ordinal_hinge(X, y, 0.1)
    assert problem.n_biases == 4 and caught[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_an_order_may_name_levels_that_do_not_occur():
    level, K = levels_of(list("abdabd"), list("abcde"), 6)
    assert K == 5 and level.tolist() == [0, 1, 3, 0, 1, 3]


@pytest.mark.parametrize("thresholds", ["all", "immediate"])
def test_levels_that_do_not_occur_have_finite_biases(thresholds):
    """At either end and in between; next to two of them, no example counts for the threshold."""
    y = [2, 3, 6, 2, 3, 6]
    result = pragam.solve(pragam.ordinal_hinge(X, y, 0.1, thresholds, order=range(8)), tol=1e-8)
    assert result.converged and len(result.biases) == 7 and np.isfinite(result.biases).all()
    fewer = pragam.solve(pragam.ordinal_hinge(X, y, 0.1, "immediate"), tol=1e-8)
    if thresholds == "immediate":  # what is between 3 and 6 falls into two thresholds of its own
        assert result.certificate.primal <= fewer.certificate.primal + 1e-7
    with pytest.raises(AttributeError, match="biases"):
        _ = result.bias


BAD = [
    ({"y": list("abcabc")}, "y holds labels without an order .* pass order"),
    ({"y": np.array(list("abcabc"), object)}, "pass order"),
    ({"y": list("abcabc"), "order": ["a", "b"]}, r"y has labels that are not in order: \['c'\]"),
    ({"y": list("abcabc"), "order": ["a", "b", "c", "a"]}, "order must not name a label twice"),
    ({"y": np.ones(6)}, "y must have at least two levels, not 1"),
    ({"y": np.ones(6), "order": [1]}, "y must have at least two levels"),
    ({"y": np.r_[np.nan, np.arange(5)]}, "y contains NaN"),
    ({"y": np.arange(5)}, "y must hold one label"),
    ({"thresholds": "both"}, "thresholds must be 'all' or 'immediate', not 'both'"),
    ({"lam": 0.0}, "lam must"),
    ({"sample_weight": -np.ones(6)}, "sample_weight"),
    ({"X": np.full((6, 2), 1e200)}, "X has rows"),
    ({"X": np.zeros((0, 2)), "y": []}, "X has no rows"),
    ({"y": np.ma.masked_equal([1, 2, 3, 1, 2, 3], 3)}, "y is a masked"),
]


@pytest.mark.parametrize("change, message", BAD)
def test_what_is_wrong_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        pragam.ordinal_hinge(**({"X": X, "y": [1, 2, 3, 1, 2, 3]} | change))


@pytest.mark.parametrize("thresholds", ["all", "immediate"])
def test_two_levels_are_a_hinge(thresholds):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    problem, plain = pragam.ordinal_hinge(X, y, 0.1, thresholds), pragam.hinge(X, y, 0.1)
    w, b = rng.standard_normal(3), np.array([0.3])
    assert problem.primal(w, b) == pytest.approx(plain.primal(w, b), rel=1e-14)


def test_the_optimal_thresholds_are_in_order():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 5, 80)
    X = y[:, None] + rng.standard_normal((80, 3))
    result = pragam.solve(pragam.ordinal_hinge(X, y, 1e-2), tol=1e-9)
    assert np.all(np.diff(-result.biases) >= -1e-9)
