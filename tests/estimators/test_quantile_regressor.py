"""QuantileRegressor: shares of targets below, several quantiles in one model, and crossings."""

from __future__ import annotations

import numpy as np
import pytest
from row_data import numbers
from sklearn.linear_model import QuantileRegressor as LinearProgram

from pragam import QuantileRegressor


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_the_share_of_targets_below_is_the_quantile(q):
    X, y, weights = numbers(n=200)
    predicted = QuantileRegressor(100.0, quantile=q).fit(X, y, weights).predict(X)
    below = weights[y < predicted - 1e-9].sum() / weights.sum()
    at_most = weights[y <= predicted + 1e-9].sum() / weights.sum()
    assert below <= q <= at_most  # the best intercept is a weighted quantile of the residuals


def test_without_a_regulariser_it_is_the_linear_program():
    X, y, _ = numbers(1)
    exact = LinearProgram(quantile=0.3, alpha=0.0).fit(X, y)
    model = QuantileRegressor(1e5, quantile=0.3, tol=1e-9).fit(X, y)
    assert model.coef_ == pytest.approx(exact.coef_, abs=1e-4)
    assert model.intercept_ == pytest.approx(exact.intercept_, abs=1e-4)


def test_several_quantiles_are_models_of_their_own():
    X, y, weights = numbers()
    shares = [0.7, 0.1, 0.5]
    several = QuantileRegressor(2.0, quantile=shares).fit(X, y, weights)
    for k, q in enumerate(shares):
        one = QuantileRegressor(2.0, quantile=q).fit(X, y, weights)
        assert np.array_equal(several.coef_[k], one.coef_) and several.intercept_[k] == one.intercept_
        assert several.certificates_[k] == one.certificate_
    assert several.predict(X).shape == (60, 3) and several.dual_coef_.shape[0] == 3
    assert several.score(X, y) == pytest.approx(
        np.mean([[-max(q * r, (q - 1) * r) for r in y - p] for q, p in zip(shares, several.predict(X).T, strict=True)])
    )


def test_crossings_are_counted_and_sorted_away_on_request():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = X[:, 0] * rng.standard_normal(40)
    shares = [0.9, 0.2, 0.6]
    model = QuantileRegressor(10.0, quantile=shares).fit(X, y)
    far = 10 * rng.standard_normal((200, 3))
    in_order = model.predict(far)[:, np.argsort(shares)]
    assert model.crossings(far) == (np.diff(in_order, axis=1) < 0).any(axis=1).sum() > 0
    ranked = QuantileRegressor(10.0, quantile=shares, sort_quantiles=True).fit(X, y)
    assert np.array_equal(ranked.coef_, model.coef_) and ranked.crossings(far) == 0
    assert np.array_equal(np.sort(ranked.predict(far), axis=1), np.sort(model.predict(far), axis=1))
    assert np.array_equal(ranked.predict(far)[:, np.argsort(shares)], np.sort(in_order, axis=1))


def test_one_quantile_crosses_nothing_and_a_list_of_one_has_one_output():
    X, y, _ = numbers()
    assert QuantileRegressor().fit(X, y).crossings(X) == 0
    assert QuantileRegressor(quantile=[0.5]).fit(X, y).coef_.shape == (4,)


def test_the_coefficients_of_several_quantiles_can_be_drawn():
    pytest.importorskip("matplotlib").use("agg")
    X, y, _ = numbers()
    ax = QuantileRegressor(quantile=[0.1, 0.9]).fit(X, y).plot("coefficients")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["quantile 0.1", "quantile 0.9"]
