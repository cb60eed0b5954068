"""What models claim to minimise, stated a second time: losses of scores in NumPy, least values by other solvers."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from clarabel_qp import Piece, pieces_optimum


def losses(loss, f, y, epsilon=0.0, q=0.5):
    """One number for each row; y is -1 or 1, a number, or the number of a level, where f has a column a threshold."""
    if loss == "hinge":
        return np.maximum(1 - y * f, 0)
    if loss == "squared_hinge":
        return np.maximum(1 - y * f, 0) ** 2
    if loss == "quantile":
        return np.maximum(q * (y - f), (q - 1) * (y - f))
    if loss == "ordinal":
        side = np.where(y[:, None] > np.arange(f.shape[1]), 1, -1)
        return np.maximum(1 - side * f, 0).sum(axis=1)
    return np.maximum(np.abs(y - f) - epsilon, 0)


def _pieces(loss, X, y, bias, epsilon, q):
    """The affine functions of (w, b) whose largest is the loss, and how its maximum with 0 is meant."""
    one = np.ones((len(y), int(bias)))
    if loss in ("hinge", "squared_hinge"):
        return [Piece(-y[:, None] * X, -y[:, None] * one, np.ones(len(y)))], True
    if loss == "quantile":
        return [Piece(-p * X, -p * one, p * y) for p in (q, q - 1)], False
    return [Piece(-s * X, -s * one, s * y - epsilon) for s in (1, -1)], True


def least(loss, X, y, lam, bias, epsilon=0.0, q=0.5, rows=None):
    """min lam/2 |w|^2 + (1/n) sum of the losses; with ``rows``, of those alone."""
    keep = np.ones(len(y), bool) if rows is None else rows
    if loss == "ordinal":
        return _least_ordinal(X, y, lam)
    pieces, at_least_zero = _pieces(loss, X, y.astype(float), bias, epsilon, q)
    size = np.where(keep, 1 / len(y), 0.0)
    if lam > 0:
        return pieces_optimum(pieces, size, lam, at_least_zero, squared=loss == "squared_hinge").value
    n, k = len(y), X.shape[1] + int(bias)
    G = np.vstack([np.hstack([piece.weights, piece.biases, -np.eye(n)]) for piece in pieces])
    h = np.concatenate([-piece.offset for piece in pieces])
    bounds = [(None, None)] * k + [(0 if at_least_zero else None, None)] * n
    found = linprog(np.r_[np.zeros(k), size], G, h, bounds=bounds, method="highs")
    assert found.status == 0
    return found.fun


def _least_ordinal(X, y, lam):
    """A hinge for each row and threshold, which share the weights."""
    K = y.max() + 1
    level, plane = np.repeat(y, K - 1), np.tile(np.arange(K - 1), len(y))
    side = np.where(level > plane, 1.0, -1.0)
    piece = Piece(
        -side[:, None] * np.repeat(X, K - 1, axis=0), -side[:, None] * np.eye(K - 1)[plane], np.ones(len(side))
    )
    return pieces_optimum([piece], np.full(len(side), 1 / len(y)), lam).value
