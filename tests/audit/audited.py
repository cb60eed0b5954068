"""Data of the audit's tests."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning


def overlapping(n=120, d=6, n_classes=2, seed=0):
    """Gaussian classes that overlap, with labels 0, 1, .. and weights of the rows, some of them 0."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.standard_normal((n, d)) + 0.8 * rng.standard_normal((n_classes, d))[y]
    weights = np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 3.0, n))
    return X, y, weights


def fitted(model, X, y, sample_weight=None):
    """The model after its fit, however that ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight=sample_weight)
