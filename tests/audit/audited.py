"""Data of the audit's tests."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pragam.risks import (
    Each,
    EpsilonInsensitive,
    Hinge,
    MulticlassHinge,
    MultilabelHinge,
    OneVsRest,
    OrdinalHinge,
    Quantile,
    SmoothedHinge,
    SquaredHinge,
)
from pragam.structured import Graph

#: A record of every risk of rows, and what y holds: two classes, three, numbers or sets.
RECORDS = [
    (Hinge(lam=0.05), "two"),
    (Hinge(lam=0.05, bias=False, class_weight={0: 2.0}), "two"),
    (SquaredHinge(lam=0.05), "two"),
    (SmoothedHinge(lam=0.05), "two"),
    (OneVsRest(each=Hinge(lam=0.05)), "two"),
    (OneVsRest(each=SquaredHinge(lam=0.05), class_weight="balanced"), "three"),
    (OneVsRest(each=SmoothedHinge(lam=0.05, bias=False)), "three"),
    (MulticlassHinge(lam=0.05), "three"),
    (MulticlassHinge(lam=0.05, bias=True, cost=[[0, 1, 2], [1, 0, 1], [3, 1, 0]]), "three"),
    (OrdinalHinge(lam=0.05), "three"),
    (OrdinalHinge(lam=0.05, thresholds="immediate", order=(2, 0, 1)), "three"),
    (EpsilonInsensitive(lam=0.05), "numbers"),
    (Quantile(lam=0.05, q=0.3, bias=False), "numbers"),
    (Each(risks=(Quantile(lam=0.05, q=0.1), EpsilonInsensitive(lam=0.05))), "numbers"),
    (MultilabelHinge(lam=0.05), "sets"),
    (MultilabelHinge(lam=0.05, bias=True), "sets"),
]


def targets(kind, X, y, seed=0):
    """y for a record: the classes themselves, numbers or sets of three labels."""
    rng = np.random.default_rng(seed)
    if kind == "numbers":
        return X @ np.arange(1.0, X.shape[1] + 1) + rng.standard_normal(len(X))
    return (rng.random((len(X), 3)) < 0.5).astype(int) if kind == "sets" else y


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


def sequences(seed=0):
    """(X, y, lengths) of some sentences with labels that are strings."""
    rng = np.random.default_rng(seed)
    lengths = np.array([3, 4, 2, 5, 6])
    labels = rng.integers(0, 3, lengths.sum())
    return rng.standard_normal((lengths.sum(), 3)) + labels[:, None], np.array(list("abc"))[labels], lengths


def graphs(edges, seed=0):
    """Some graphs of four nodes with these edges."""
    rng = np.random.default_rng(seed)
    return [Graph(rng.standard_normal((4, 2)), np.array(edges), y=rng.integers(0, 2, 4)) for _ in range(4)]
