"""Every estimator of rows with a small problem of its kind, whose rows have integer weights, a few of them zero."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pragam import LinearSVC, LinearSVR, MulticlassSVC, MultilabelSVC, OrdinalSVC, QuantileRegressor


class Data(NamedTuple):
    X: np.ndarray
    y: Any
    weights: np.ndarray


def labels(seed=0, n=60, d=4, K=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % K)
    return Data(rng.standard_normal((n, d)) + rng.standard_normal((K, d))[y], y, _weights(rng, n))


def numbers(seed=0, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return Data(X, X @ np.arange(d) + 10 + rng.exponential(size=n), _weights(rng, n))


def levels(seed=0, n=60, d=4, K=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.digitize(X @ np.arange(1, d + 1) + rng.standard_normal(n), np.linspace(-4, 4, K - 1))
    y[:K] = np.arange(K)
    return Data(X, y, _weights(rng, n))


def label_sets(seed=0, n=60, d=4, K=3):
    """Some rows have no right label, or no wrong one."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return Data(X, (X @ rng.standard_normal((d, K)) + rng.standard_normal((n, K)) > 0).astype(int), _weights(rng, n))


def _weights(rng, n):
    weights = rng.integers(0, 4, n).astype(float)
    weights[:5] = 1.0
    return weights


#: Name: an estimator, and its data.
CASES = {
    "hinge": (LinearSVC(), lambda seed=0: labels(seed, K=2)),
    "hinge of three": (LinearSVC(0.5), labels),
    "squared hinge": (LinearSVC(loss="squared_hinge"), lambda seed=0: labels(seed, K=2)),
    "smoothed hinge of three": (LinearSVC(loss="smoothed_hinge"), labels),
    "penalised intercept": (LinearSVC(intercept_scaling=2.0), lambda seed=0: labels(seed, K=2)),
    "no intercept": (LinearSVC(fit_intercept=False, class_weight="balanced"), labels),
    "Crammer and Singer of two": (LinearSVC(multi_class="crammer_singer"), lambda seed=0: labels(seed, K=2)),
    "Crammer and Singer": (LinearSVC(multi_class="crammer_singer"), labels),
    "costs": (MulticlassSVC(cost=[[0, 1, 2], [1, 0, 1], [3, 1, 0]], fit_intercept=False), labels),
    "tube": (LinearSVR(epsilon=0.3), numbers),
    "median": (QuantileRegressor(), numbers),
    "quantiles": (QuantileRegressor(2.0, quantile=[0.8, 0.2, 0.5]), numbers),
    "levels": (OrdinalSVC(), levels),
    "immediate thresholds": (OrdinalSVC(0.3, thresholds="immediate"), levels),
    "label sets": (MultilabelSVC(), label_sets),
    "label sets without intercepts": (MultilabelSVC(0.2, fit_intercept=False), label_sets),
}
#: Those whose dual sets are boxes: small ones are solved to rounding.
BOXES = [name for name in CASES if not any(word in name for word in ("Crammer", "costs", "sets"))]


def case(name: str, seed: int = 0, **parameters: Any) -> tuple[Any, Data]:
    """A fresh estimator with other parameters, and its data."""
    from sklearn.base import clone

    estimator, data = CASES[name]
    return clone(estimator).set_params(**parameters), data(seed)
