"""Small data full of ties, and the wrong predictions of their exact models in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

import pragam
from exact_judge import exact_biases
from polytopes.strategies import exact, exact_dot


def noisy(seed, n=9, m=12, d=2):
    rng = np.random.default_rng(seed)
    X, y = np.rint(2 * rng.standard_normal((n, d))) / 2, np.arange(n) % 2
    X[:, 0] += y
    V, t = np.rint(2 * rng.standard_normal((m, d))) / 2, rng.integers(0, 2, m)
    return X, y, V, t


def exact_counts(X, y, V, t, lam, bias):
    """The wrong predictions of the exact model at the ends of its best biases, and in the middle."""
    w, ends = exact_biases(pragam.hinge(X, np.where(y == 1, 1, -1), lam, bias=bias))
    low, high = ends[0] if bias else (Fraction(0), Fraction(0))
    assert low > -inf and high < inf
    for b in (low, (low + high) / 2, high):
        scores = [exact_dot(exact(x), w) + b for x in V]
        yield sum((score > 0) != (truth == 1) for score, truth in zip(scores, t, strict=True))
