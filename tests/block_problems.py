"""Problems on data in blocks, for the solvers that read these: the risks of boxes on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import pragam
from pragam.operators import check_data
from pragam.operators.storage import InMemory


def cut(X, count):
    """Storages of about as many rows each."""
    cuts = np.linspace(0, X.shape[0], count + 1).astype(int)
    return [check_data(X[a:b]) for a, b in pairwise(cuts)]


def in_blocks(X, count=20):
    return InMemory(cut(X, count))


class Sent:
    """A block that can be sent to another process."""

    def __init__(self, X):
        self.X = X

    def open(self):
        return self.X

    def ahead(self):
        pass


def data(n=4000, d=5, seed=0, noise=1.0):
    """Few columns of different sizes and an offset, and a score that they explain in part."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2, d) + 0.3
    return X, X @ rng.standard_normal(d) + noise * rng.standard_normal(n)


def box_risks(lam: float, threshold: float) -> dict[str, Callable[..., Any]]:
    """Each as a function of X and a score, which is the target, or tells the classes apart at the threshold."""

    def signs(score):
        return np.where(score > threshold, 1, -1)

    def weights(score):
        return np.arange(len(score)) % 3

    return {
        "hinge": lambda X, score, **more: pragam.hinge(X, signs(score), lam, **more),
        "weighted hinge": lambda X, score, **more: pragam.hinge(
            X, signs(score), lam, sample_weight=weights(score), **more
        ),
        "squared hinge": lambda X, score, **more: pragam.squared_hinge(X, signs(score), lam, **more),
        "smoothed hinge": lambda X, score, **more: pragam.smoothed_hinge(X, signs(score), lam, gamma=0.5, **more),
        "tube": lambda X, score, **more: pragam.epsilon_insensitive(X, score, lam, epsilon=0.2, **more),
        "quantile": lambda X, score, **more: pragam.quantile(X, score, lam, q=0.2, **more),
    }
