"""An intercept is free, a column of B; or penalised, the weight of a constant column; or there is none."""

from __future__ import annotations

from typing import Any

from pragam.models.features import Constant, Features


def is_free(estimator: Any) -> bool:
    """Whether the intercept is not penalised: ``intercept_scaling`` is None."""
    return estimator.fit_intercept and estimator.intercept_scaling is None


def constant_column(estimator: Any) -> Features:
    """What stands before the weights: a column of ``intercept_scaling`` if that penalises the intercept."""
    if not estimator.fit_intercept or estimator.intercept_scaling is None:
        return Features()
    return Features((Constant(float(estimator.intercept_scaling)),))
