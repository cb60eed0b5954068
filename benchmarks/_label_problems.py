"""Small problems of the risks on simplices at ordinary scale, with every awkward trait that data have.

Up to 60 rows and 20 columns with entries of about 1: Gaussian, with repeated rows, binary, sparse, whole numbers,
nearly collinear; lam from 1e-8 to 100; in half of them weights (some 0, or whole numbers), in half of the multiclass
ones costs over six decades, biases in most; dense in either order, CSR, CSC, float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

import pragam

RISKS = ("multiclass_hinge", "multilabel_hinge", "max_affine")
KINDS = ("gauss", "repeated", "binary", "sparse", "whole", "collinear")
STORAGES: tuple[Callable[[np.ndarray], Any], ...] = (
    np.ascontiguousarray,
    np.asfortranarray,
    sparse.csr_array,
    sparse.csc_array,
    lambda X: X.astype(np.float32),
)


def label_problem(seed: int, risks: Sequence[str] = RISKS) -> tuple[str, pragam.Problem]:
    """(risk, problem) of a seed. A ValueError of the risk says that it refuses the data."""
    rng = np.random.default_rng([seed, 21])
    risk = str(rng.choice(risks))
    n, d = int(rng.choice([2, 3, 5, 8, 12, 20, 30, 60])), int(rng.choice([1, 2, 3, 5, 10, 20]))
    X, K, lam = _features(rng, n, d), int(rng.choice([2, 3, 4, 6])), float(10 ** rng.uniform(-8, 2))
    stored = STORAGES[rng.integers(len(STORAGES))]
    if risk == "max_affine":
        return risk, pragam.max_affine(stored(X.T), rng.standard_normal(n) * rng.choice([1.0, 1e3, 0.0]), lam)
    settings: dict[str, Any] = {"bias": bool(rng.random() < 0.6), "sample_weight": _weights(rng, n)}
    if risk == "multilabel_hinge":
        y = rng.random((n, K)) < rng.choice([0.1, 0.4, 0.8])
        return risk, pragam.multilabel_hinge(stored(X), y, lam, **settings)
    y = _classes(rng, X, K)
    if rng.random() < 0.5:
        settings["cost"] = _costs(rng, len(np.unique(y)))
    return risk, pragam.multiclass_hinge(stored(X), y, lam, **settings)


def _features(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    X, kind = rng.standard_normal((n, d)), rng.choice(KINDS)
    if kind == "repeated":
        X = X[rng.integers(0, max(1, n // 3), n)]
    if kind == "binary":
        X = (rng.random((n, d)) < 0.3).astype(float)
    if kind == "sparse":
        X = X * (rng.random((n, d)) < 0.2)
    if kind == "whole":
        X = rng.integers(-3, 4, (n, d)).astype(float)
    if kind == "collinear" and d > 1:
        X[:, 1:] = X[:, :1] * rng.standard_normal(d - 1) + 10 ** rng.uniform(-12, -3) * X[:, 1:]
    return X


def _weights(rng: np.random.Generator, n: int) -> np.ndarray | None:
    """None, any, some of them 0, or whole numbers."""
    kind = rng.integers(6)
    return {0: rng.random(n), 1: rng.random(n) * (rng.random(n) < 0.6), 2: rng.integers(0, 5, n) * 1.0}.get(int(kind))


def _classes(rng: np.random.Generator, X: np.ndarray, K: int) -> np.ndarray:
    """At random, or slices of a score with or without noise."""
    n, d = X.shape
    if rng.random() < 0.4:
        return rng.integers(0, K, n)
    score = X @ rng.standard_normal(d) + rng.choice([0.0, 0.1, 1.0, 5.0]) * rng.standard_normal(n)
    return np.digitize(score, np.quantile(score, np.arange(1, K) / K))


def _costs(rng: np.random.Generator, K: int) -> np.ndarray:
    cost = rng.random((K, K)) * 10 ** rng.uniform(-3, 3) * (rng.random((K, K)) < 0.8)
    return np.where(np.eye(K) > 0, 0.0, cost if rng.random() < 0.8 else np.round(cost))
