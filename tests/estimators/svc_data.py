"""Small classification problems for the tests of the estimator."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pragam import LinearSVC


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    C: float


def make_data(seed: int, n_classes: int = 2, sparse_share: float = 0.0) -> Data:
    """Overlapping Gaussian classes of random size, with integer weights, a few of them zero, and a random C."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 60)), int(rng.integers(1, 9))
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.standard_normal((n, d)) + rng.standard_normal((n_classes, d))[y]
    X[rng.random((n, d)) < sparse_share] = 0.0
    weights = rng.integers(0, 4, n).astype(float)
    weights[:n_classes] = 1.0
    return Data(X, y, weights, float(10 ** rng.uniform(-2, 1)))


def radius(model: LinearSVC, n: int) -> np.ndarray:
    """How far each row of coef_ can be from the optimum, or from w(alpha): lam/2 |w - w*|^2 <= J(w) - D(alpha).

    The gap is a difference of two sums of n terms, so it is known up to n roundings of the size of J.
    """
    rounding = 4 * n * np.finfo(np.float64).eps
    gaps = np.array([proof.gap + rounding * abs(proof.primal) for proof in model.certificates_])
    return np.sqrt(2 * gaps * n * model.C)


def assert_same_model(one: LinearSVC, other: LinearSVC, X: np.ndarray) -> None:
    """Both are within their own certified distance of the one optimum, and so are their intercepts: the best
    intercept is a quantile of y_i - <x_i, w>, which moves no further than the scores do."""
    distance = radius(one, len(X)) + radius(other, len(X))
    assert (np.linalg.norm(one.coef_ - other.coef_, axis=1) <= distance).all()
    assert (np.abs(one.intercept_ - other.intercept_) <= distance * np.linalg.norm(X, axis=1).max() + 1e-12).all()
