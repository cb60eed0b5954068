"""Data that coordinate ascent crawls on."""

from __future__ import annotations

import numpy as np

HARD = ["gaussian", "offset", "separable", "wide", "badly scaled", "duplicated"]


def hard_data(kind):
    rng = np.random.default_rng(0)
    n, d = (30, 80) if kind == "wide" else (200, 10)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + rng.standard_normal(n) > 0, 1, -1)
    if kind == "offset":
        X += 100
    elif kind == "separable":
        X[:, 0] += 5 * y
    elif kind == "badly scaled":
        X *= np.logspace(-4, 4, d)
    elif kind == "duplicated":
        X, y = np.repeat(X[:40], 5, axis=0), np.repeat(y[:40], 5)
    return X, y
