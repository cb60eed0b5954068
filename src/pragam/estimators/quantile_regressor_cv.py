"""QuantileRegressor with C by cross-validation."""

from __future__ import annotations

from pragam.estimators.cross_validated import CrossValidated
from pragam.estimators.parameters import estimator
from pragam.estimators.quantile_regressor import QuantileRegressor


@estimator
class QuantileRegressorCV(CrossValidated, QuantileRegressor):
    """:class:`QuantileRegressor` at the C that cross-validation finds on a grid: each fold is a path of certified
    solves.

    The score is that of QuantileRegressor unless ``scoring`` says otherwise: R^2 of one quantile, minus the mean
    pinball loss of several. For one quantile ``make_scorer(mean_pinball_loss, alpha=q, greater_is_better=False)`` of
    scikit-learn measures what is minimised.
    """
