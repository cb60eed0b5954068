"""Generated rows that are hard on bounds of scores: (X, numbers of which the signs are labels, weights or None)."""

from __future__ import annotations

from typing import Any

import numpy as np


def noisy(rng: Any, n: int = 150, d: int = 4) -> tuple[Any, Any, Any]:
    """Rows beside a plane, numbers of which the signs are labels, and no weights."""
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n), None


def equal_rows(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    again = rng.integers(0, 40, 150)
    return X[again], t[again] + 2 * rng.standard_normal(150) * (rng.random(150) < 0.3), None


def ties(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng, d=3)
    return np.rint(X), np.rint(t) + 0.5, None


def empty_rows(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    return X * (rng.random((150, 1)) > 0.3) * (rng.random((150, 4)) > 0.3), t, None


def separable(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    X[:, 0] = np.sign(t) * (0.1 + np.abs(X[:, 0]))
    return X, X[:, 0], None


def imbalanced(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    return X, np.where(np.arange(150) % 30 == 0, np.abs(t), -np.abs(t)), None


def weighted(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    return X, t, 10.0 ** rng.uniform(-6, 6, 150) * (rng.random(150) < 0.8) + (np.arange(150) < 8)


def offset(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    X[:, 0] += 1e4
    return X, t, None


def scales(rng: Any) -> tuple[Any, Any, Any]:
    X, t, _ = noisy(rng)
    return X * 10.0 ** rng.uniform(-3, 3, 4), t, None


def mirrored(rng: Any) -> tuple[Any, Any, Any]:
    """Every row has its negative with the same label: scores of 0 and biases that are not unique."""
    X, t, _ = noisy(rng, 75)
    return np.vstack([X, -X]), np.concatenate([t, t]), None


def wide(rng: Any) -> tuple[Any, Any, Any]:
    return noisy(rng, 80, 200)


MADE = (noisy, equal_rows, ties, empty_rows, separable, imbalanced, weighted, offset, scales, mirrored, wide)
