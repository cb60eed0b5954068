"""An intercept is free, a column of B; or penalised, the weight of a constant column; or there is none."""

from __future__ import annotations

from typing import Any

from pragam.models.features import Constant, Features, Map
from pragam.models.standardize import Standardize


def is_free(estimator: Any) -> bool:
    """Whether there is an intercept that is not penalised: ``intercept_scaling``, if there is such, is None."""
    return getattr(estimator, "fit_intercept", True) and _scaling(estimator) is None


def features_of(estimator: Any, samples: Any) -> Features:
    """What stands before the weights: standardised columns, and a column of ``intercept_scaling``.

    A free intercept makes centring needless: it would move the intercept alone.
    """
    return unlearnt_features_of(estimator).learnt(samples)


def unlearnt_features_of(estimator: Any) -> Features:
    """The same before they have taken anything from samples, so that each fold takes it from its own."""
    maps: list[Map] = []
    if estimator.standardize:
        maps.append(Standardize(centred=not is_free(estimator)))
    if getattr(estimator, "fit_intercept", True) and _scaling(estimator) is not None:
        maps.append(Constant(float(_scaling(estimator))))
    return Features(tuple(maps))


def _scaling(estimator: Any) -> Any:
    return getattr(estimator, "intercept_scaling", None)
