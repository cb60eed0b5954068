"""Every estimator of rows against an interior-point solver, from the raw data alone: the objective to 1e-7."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from row_data import case

from clarabel_qp import Piece, pieces_optimum


def margins(X, signs, bias=True):
    """[1 - y_i (<x_i, w> + b)]_+."""
    return [Piece(-signs[:, None] * X, -signs[:, None] * np.ones((1, int(bias))), np.ones(len(X)))]


def tube(X, y, epsilon):
    """[|y_i - <x_i, w> - b| - epsilon]_+."""
    one = np.ones((len(X), 1))
    return [Piece(-X, -one, y - epsilon), Piece(X, one, -y - epsilon)]


def pinball(X, y, q):
    """max(q r_i, (q - 1) r_i), r_i = y_i - <x_i, w> - b."""
    one = np.ones((len(X), 1))
    return [Piece(-p * X, -p * one, p * y) for p in (q, q - 1)]


def differences(X, K, bias, pairs):
    """For each pair of columns (c, a) of classes: offset + f_c - f_a; classes of -1 leave the row out."""
    n, d = X.shape
    for c, a, offset in pairs:
        is_in = (c >= 0) & (a >= 0)
        weights, biases = np.zeros((n, K, d)), np.zeros((n, K))
        for sign, which in ((1, c), (-1, a)):
            weights[is_in, which[is_in]] += sign * X[is_in]
            biases[is_in, which[is_in]] += sign
        yield Piece(weights.reshape(n, K * d), biases[:, : K * bias], np.where(is_in, offset, 0.0))


def multiclass(X, y, cost, bias):
    K = len(cost)
    return list(differences(X, K, bias, [(np.full(len(X), k), y, cost[y, k]) for k in range(K)]))


def multilabel(X, Y, bias):
    K = Y.shape[1]
    wrong = [np.where(Y[:, c] == 0, c, -1) for c in range(K)]
    right = [np.where(Y[:, a] == 1, a, -1) for a in range(K)]
    return list(differences(X, K, bias, [(c, a, 1.0) for c in wrong for a in right]))


def summed(parts):
    """The sum of several problems that share nothing: one optimum after the other."""
    return sum(part.value for part in parts), np.array([part.w for part in parts])


def one_against_the_rest(X, y, size, lam, K, **smooth):
    sides = [1] if K == 2 else range(K)
    return summed([pieces_optimum(margins(X, np.where(y == k, 1.0, -1.0)), size, lam, **smooth) for k in sides])


def ordinal(X, y, size, lam, K, near):
    """A row for each threshold that counts for it, all with the same weights."""
    thresholds = np.arange(K - 1)
    counts = near(thresholds[None, :], y[:, None])
    row, k = np.nonzero(counts)
    signs = np.where(y[row] > k, 1.0, -1.0)
    piece = Piece(-signs[:, None] * X[row], -signs[:, None] * np.eye(K - 1)[k], np.ones(len(row)))
    found = pieces_optimum([piece], size[row], lam)
    return found.value, found.w[None, :]


def optimum(name, X, y, weights, lam):
    size = weights / len(X)
    if name in ("hinge", "hinge of three"):
        return one_against_the_rest(X, y, size, lam, y.max() + 1)
    if name == "squared hinge":
        return one_against_the_rest(X, y, size, lam, 2, squared=True)
    if name == "smoothed hinge of three":
        return one_against_the_rest(X, y, size, lam, 3, width=0.5)
    if name == "penalised intercept":
        wide = np.hstack([X, np.full((len(X), 1), 2.0)])
        found = pieces_optimum(margins(wide, np.where(y == 1, 1.0, -1.0), bias=False), size, lam)
        return found.value, found.w[None, :-1]
    if name == "tube":
        return summed([pieces_optimum(tube(X, y, 0.3), size, lam)])
    if name in ("median", "quantiles"):
        shares = [0.5] if name == "median" else [0.8, 0.2, 0.5]
        return summed([pieces_optimum(pinball(X, y, q), size, lam, at_least_zero=False) for q in shares])
    if name == "levels":
        return ordinal(X, y, size, lam, 4, lambda k, level: k == k + 0 * level)
    if name == "immediate thresholds":
        return ordinal(X, y, size, lam, 4, lambda k, level: (k == level) | (k == level - 1))
    if name in ("Crammer and Singer", "costs"):
        cost = 1.0 - np.eye(3) if name != "costs" else np.array([[0, 1, 2], [1, 0, 1], [3, 1, 0.0]])
        found = pieces_optimum(multiclass(X, y, cost, name != "costs"), size, lam, at_least_zero=False)
        return found.value, found.w.reshape(3, -1)
    found = pieces_optimum(multilabel(X, y, name == "label sets"), size, lam)
    return found.value, found.w.reshape(3, -1)


NAMES = [
    "hinge", "hinge of three", "squared hinge", "smoothed hinge of three", "penalised intercept", "tube", "median",
    "quantiles", "levels", "immediate thresholds", "Crammer and Singer", "costs", "label sets",
    "label sets without intercepts",
]  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_the_objective_and_the_weights_agree(name, seed):
    model, (X, y, weights) = case(name, seed, tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, y, weights)
    lam = 1 / (len(X) * model.C)
    value, w = optimum(name, X, y, weights, lam)
    proof = model.certificate_
    assert proof.primal == pytest.approx(value, rel=1e-7) and proof.dual == pytest.approx(value, rel=1e-7)
    distance = np.sqrt(2 * (proof.gap + 1e-9 * value) / lam)
    assert np.linalg.norm(np.atleast_2d(model.coef_) - w) <= 2 * distance
