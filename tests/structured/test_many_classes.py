"""Classes and sets of labels as structures: the optimum by simplices and pairs, and dual points of few labels."""

from __future__ import annotations

import numpy as np
import pytest

import pragam
from pragam.structured import Graph, Labellings, Oracle, graph_hinge, structured_hinge


def drawn(seed, n=60, d=6, K=5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.argmax(X @ rng.standard_normal((d, K)) + rng.standard_normal((n, K)), axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_single_nodes_are_the_classes_of_crammer_and_singer(seed):
    X, y = drawn(seed)
    graphs = [Graph(row[None], [], [label]) for row, label in zip(X, y, strict=True)]
    nodes = pragam.solve(graph_hinge(graphs, lam=0.05, loss="hamming_sum"), "block-ascent", tol=1e-5)
    classes = pragam.solve(pragam.multiclass_hinge(X, y, lam=0.05), tol=1e-7)
    assert nodes.converged and nodes.certificate.rigorous and nodes.certificate.exact
    assert nodes.certificate.primal == pytest.approx(classes.certificate.primal, rel=2e-5)
    assert isinstance(nodes.alpha, Labellings)
    oracle = structured_hinge(Classes(X, y, 5), n=len(X), n_weights=30, lam=0.05)
    found = pragam.solve(oracle, "block-ascent", tol=1e-5).certificate
    assert found.primal == pytest.approx(classes.certificate.primal, rel=2e-5)


class Classes(Oracle):
    """One of K classes: the loss of ``multiclass_hinge``."""

    def __init__(self, X, y, K):
        self.X, self.y, self.K = X, y, K

    def argmax(self, i, w):
        return int((w.reshape(self.K, -1) @ self.X[i] + (np.arange(self.K) != self.y[i])).argmax())

    def features(self, i, label):
        out = np.zeros((self.K, self.X.shape[1]))
        out[label] = self.X[i]
        return out.ravel()

    def loss(self, i, label):
        return float(label != self.y[i])

    def truth(self, i):
        return int(self.y[i])


def test_many_classes_have_dual_points_of_few_labels():
    """500 classes and 200 examples: a vector would have 100,000 numbers."""
    X, y = drawn(7, n=200, d=8, K=500)
    problem = structured_hinge(Classes(X, y, 500), n=200, n_weights=4000, lam=0.01)
    result = pragam.solve(problem, "block-ascent", tol=1e-2)
    assert result.converged
    assert sum(np.size(labels) for labels in result.alpha.labels) < 20_000


class WrongAndRight(Oracle):
    """One pair of a wrong and a right label, or none: the loss of ``multilabel_hinge``."""

    def __init__(self, X, Y):
        self.X, self.Y, self.K = X, Y, Y.shape[1]

    def argmax(self, i, w):
        scores = w.reshape(self.K, -1) @ self.X[i]
        wrong, right = np.flatnonzero(~self.Y[i]), np.flatnonzero(self.Y[i])
        if not len(wrong) or not len(right):
            return None
        pair = wrong[scores[wrong].argmax()], right[scores[right].argmin()]
        return pair if 1 + scores[pair[0]] - scores[pair[1]] > 0 else None

    def features(self, i, pair):
        out = np.zeros((self.K, self.X.shape[1]))
        if pair is not None:
            out[pair[0]], out[pair[1]] = self.X[i], -self.X[i]
        return out.ravel()

    def loss(self, i, pair):
        return float(pair is not None)

    def truth(self, i):
        return None


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_labels_are_those_of_the_multilabel_hinge(seed):
    X, _ = drawn(seed)
    Y = X @ np.random.default_rng(seed).standard_normal((6, 4)) > 0.3
    problem = structured_hinge(WrongAndRight(X, Y), n=len(X), n_weights=24, lam=0.1)
    pairs = pragam.solve(problem, "block-ascent", tol=1e-5)
    same = pragam.solve(pragam.multilabel_hinge(X, Y, lam=0.1), tol=1e-7)
    assert pairs.converged
    assert pairs.certificate.primal == pytest.approx(same.certificate.primal, rel=2e-5)
