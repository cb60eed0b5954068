"""Small data that are hard on bounds: ties, nothing, separable, imbalanced, weights and scales of all sizes."""

from __future__ import annotations

import numpy as np


def hostile(kind, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 12)), int(rng.integers(1, 4))
    X, y = rng.standard_normal((n, d)), np.where(np.arange(n) % 2 == 0, 1, -1)
    lam, weights = float(10.0 ** rng.uniform(-3, 0)), None
    if kind == "duplicated rows":
        X = X[rng.integers(0, max(n // 2, 1), n)]
    elif kind == "rows of zeros":
        X[rng.random(n) < 0.5] = 0
    elif kind == "whole numbers":
        X, lam = np.rint(X), 0.125
    elif kind == "separable":
        X = np.abs(X) * y[:, None] + y[:, None]
    elif kind == "imbalanced":
        y = np.where(np.arange(n) == 0, 1, -1)
    elif kind == "one class":
        y = np.ones(n, int)
    elif kind == "weights":
        weights = 10.0 ** rng.uniform(-8, 2, n) * (rng.random(n) < 0.8)
        weights[:2] = 1.0
    elif kind == "float32":
        X = X.astype(np.float32)
    elif kind == "offset":
        X = X + 10.0 ** rng.uniform(2, 6)
    elif kind == "scales":
        X = X * 10.0 ** rng.uniform(-3, 3, d)
    elif kind == "large":
        X = X * 1e120
    elif kind == "small":
        X = X * 1e-120
    elif kind == "tiny lam":
        lam = 1e-9
    else:
        assert kind == "large lam"
        lam = 1e4
    return X, y, lam * float(np.mean(np.sum(np.square(X, dtype=float), axis=1)) or 1.0), weights


HOSTILE = (
    "duplicated rows", "rows of zeros", "whole numbers", "separable", "imbalanced", "one class", "weights", "float32",
    "offset", "scales", "large", "small", "tiny lam", "large lam",
)  # fmt: skip
