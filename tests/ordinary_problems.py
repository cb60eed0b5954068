"""Small problems of ordinary scale with every awkward trait that data have: duplicates, collinear columns, zeros."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import pragam

BOX_RISKS = ("hinge", "squared_hinge", "smoothed_hinge", "epsilon_insensitive", "quantile", "ordinal_hinge")
LABEL_RISKS = ("multiclass_hinge", "multilabel_hinge", "max_affine")


def ordinary(seed, risks=BOX_RISKS):
    """A problem with up to 60 rows and 20 columns, entries of about 1, and lam between 1e-8 and 100."""
    rng = np.random.default_rng([seed, 77])
    risk = str(rng.choice(risks))
    n, d = int(rng.choice([1, 2, 3, 5, 8, 12, 20, 30, 60])), int(rng.choice([0, 1, 2, 3, 5, 10, 20]))
    n = max(n, 2) if risk in ("ordinal_hinge", "multiclass_hinge") else n  # they need two different labels
    X = _features(rng, n, d)
    f = X @ rng.standard_normal(d) + rng.choice([0.0, 0.1, 1.0, 5.0]) * rng.standard_normal(n)
    lam = float(10 ** rng.uniform(-8, 2))
    if risk == "max_affine":
        return pragam.max_affine(np.ascontiguousarray(X.T), rng.standard_normal(n) * rng.choice([1.0, 1e3]), lam)
    y, settings = _targets(risk, f, rng)
    if risk != "ordinal_hinge":
        settings["bias"] = bool(rng.random() < 0.6)
    if rng.random() < 0.4:
        settings["sample_weight"] = rng.random(n) * (rng.random(n) < rng.choice([0.6, 1.0]))
    if rng.random() < 0.3:
        X = sparse.csr_array(X)
    return getattr(pragam, risk)(X, y, lam, **settings)


def _features(rng, n, d):
    X = rng.standard_normal((n, d))
    kind = rng.choice(["gauss", "duplicated", "binary", "sparse", "integers", "collinear"])
    if kind == "duplicated":
        X = X[rng.integers(0, max(1, n // 3), n)]
    if kind == "binary":
        X = (rng.random((n, d)) < 0.3).astype(float)
    if kind == "sparse":
        X *= rng.random((n, d)) < 0.2
    if kind == "integers":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    if kind == "collinear" and d > 1:
        X[:, 1:] = X[:, :1] * rng.standard_normal(d - 1) + 10 ** rng.uniform(-12, -3) * X[:, 1:]
    return X


def _targets(risk, f, rng):
    """What y looks like to this risk, and the risk's own settings."""
    n, K = len(f), int(rng.choice([2, 3, 4, 6]))
    if risk in ("hinge", "squared_hinge", "smoothed_hinge"):
        return np.where(f > 0, 1, -1), {
            "gamma": float(rng.choice([0.5, 1e-3, 10.0]))
        } if risk == "smoothed_hinge" else {}
    if risk in ("epsilon_insensitive", "quantile"):
        y = f * rng.choice([1.0, 1e-3]) + rng.choice([0.0, 3.0])
        if risk == "quantile":
            return y, {"q": float(rng.choice([0.5, 0.1, 0.999, 1e-9]))}
        return y, {"epsilon": float(rng.choice([0.0, 0.1, 100.0, 1e-200]))}
    if risk == "multilabel_hinge":
        Y = rng.random((n, K)) < rng.choice([0.1, 0.4, 0.8])
        Y[0, :2] = True, False  # one comparison at least
        return Y, {}
    levels = np.digitize(f, np.quantile(f, np.linspace(0, 1, K + 1)[1:-1]))
    y = levels if len(np.unique(levels)) > 1 else np.arange(n) % 2
    return y, {"thresholds": str(rng.choice(["all", "immediate"]))} if risk == "ordinal_hinge" else {}
