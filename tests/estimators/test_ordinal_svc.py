"""OrdinalSVC: whose order counts, thresholds, and predictions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from row_data import levels

from pragam import OrdinalSVC

NAMES = np.array(["low", "mid", "high", "top"])


def pandas_categorical(y, ordered=True):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(pandas.Categorical(NAMES[y], categories=NAMES.tolist(), ordered=ordered))


def polars_enum(y):
    polars = pytest.importorskip("polars")
    return polars.Series(NAMES[y].tolist(), dtype=polars.Enum(NAMES.tolist()))


@pytest.mark.parametrize("thresholds", ["all", "immediate"])
@pytest.mark.parametrize("form", [pandas_categorical, lambda y: pandas_categorical(y).array, polars_enum])
def test_an_ordered_type_is_an_order(form, thresholds):
    X, y, weights = levels()
    plain = OrdinalSVC(thresholds=thresholds).fit(X, y, weights)
    typed = OrdinalSVC(thresholds=thresholds).fit(X, form(y), weights)
    named = OrdinalSVC(thresholds=thresholds, order=NAMES.tolist()).fit(X, NAMES[y].tolist(), weights)
    for model in (typed, named):
        assert model.classes_.tolist() == NAMES.tolist()
        assert np.array_equal(model.coef_, plain.coef_) and np.array_equal(model.thresholds_, plain.thresholds_)
        assert np.array_equal(model.predict(X), NAMES[plain.predict(X)])
        assert model.certify(X, NAMES[y]) == model.certificate_ == plain.certificate_
        assert model.score(X, NAMES[y]) == plain.score(X, y)


def test_categories_without_an_order_are_refused():
    X, y, _ = levels()
    with pytest.raises(ValueError, match="y is a Categorical without an order"):
        OrdinalSVC().fit(X, pandas_categorical(y, ordered=False))
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="y is a Categorical without an order"):
        OrdinalSVC().fit(X, polars.Series(NAMES[y].tolist(), dtype=polars.Categorical))


def test_categories_that_do_not_occur_are_levels_with_a_warning_and_an_order_is_meant():
    X, y, _ = levels()
    few = np.where(y == 2, 1, y)
    with pytest.warns(UserWarning, match="y has no example of level 'high'") as caught:
        model = OrdinalSVC().fit(X, pandas_categorical(few))
    assert len(caught) == 1 and caught[0].filename == __file__ and len(model.thresholds_) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = OrdinalSVC(order=NAMES).fit(X, NAMES[few])
    assert np.array_equal(other.coef_, model.coef_)


def test_predictions_are_the_number_of_thresholds_below():
    X, y, _ = levels()
    model = OrdinalSVC().fit(X, y)
    assert (np.diff(model.thresholds_) >= 0).all()
    count = (X @ model.coef_[0] > model.thresholds_[:, None]).sum(axis=0)
    assert np.array_equal(model.predict(X), count)
    assert np.array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_every_threshold_has_a_finite_interval():
    X, y, _ = levels()
    bounds = OrdinalSVC().fit(X, y).decision_bounds(X)
    assert bounds.shape == (60, 4, 2) and np.isfinite(bounds).all()


def test_two_levels_are_a_hinge():
    from pragam import LinearSVC

    X, y, weights = levels(K=2)
    ordinal, hinge = OrdinalSVC().fit(X, y, weights), LinearSVC().fit(X, y, weights)
    assert ordinal.coef_ == pytest.approx(hinge.coef_, rel=1e-6, abs=1e-8)
    assert ordinal.decision_function(X).shape == (60,)
