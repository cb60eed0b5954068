"""Every risk on small random data: the problem, its objective written down naively, and its optimum by Clarabel.

``RISKS[name](rng, bias, weighted)`` draws one. The objective and the optimum use nothing of pragam but the name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

import pragam
from clarabel_qp import Piece, pieces_optimum


class Raw(NamedTuple):
    """What a problem was made of: the risk as a record, its dense X, y and the weights, or None."""

    risk: dict
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None


class Drawn(NamedTuple):
    """A problem, J(w, biases), (min J, w, biases) and what it was made of."""

    problem: pragam.Problem
    objective: Callable
    optimum: Callable
    raw: Raw


def data(rng, weighted):
    """(X, weights, keywords): dense or sparse, with an offset, some weights zero."""
    n, d = int(rng.integers(6, 25)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < rng.choice([0.5, 1.0])) + rng.choice([0.0, 0.0, 3.0])
    weights = rng.exponential(size=n) * (rng.random(n) < 0.8) if weighted else np.ones(n)
    weights[0] = 1.0
    return X, weights, {"sample_weight": weights} if weighted else {}


def stored(rng, X):
    return [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array][rng.integers(4)](X)


def lam_of(rng):
    return float(10 ** rng.uniform(-2, 0.5))


def _binary(rng, weighted):
    X, weights, keywords = data(rng, weighted)
    y = np.where(X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(len(X)) > 0, 1.0, -1.0)
    y[:2] = 1, -1
    weights[1] = max(weights[1], 0.5)  # both classes weigh something
    return X, y, weights, keywords


def _margin_risk(build, loss, curved):
    """Losses h(1 - y (<x, w> + b)) with h = ``loss``; ``curved(rng)`` draws the keywords of the builder."""

    def draw(rng, bias, weighted):
        X, y, weights, keywords = _binary(rng, weighted)
        lam, more = lam_of(rng), curved(rng)
        problem = build(stored(rng, X), y, lam, bias=bias, **keywords, **more)

        def objective(w, b):
            s = 1 - y * (X @ w + (b[0] if bias else 0.0))
            return lam / 2 * w @ w + np.mean(weights * loss(s, **more))

        def optimum():
            pieces = [Piece(-y[:, None] * X, -y[:, None] * np.ones((1, int(bias))), np.ones(len(y)))]
            return pieces_optimum(pieces, weights / len(y), lam, **_shape(build, more))

        risk = {"name": build.__name__, "lam": lam, "bias": bias, **more}
        return Drawn(problem, objective, optimum, Raw(risk, X, y, keywords.get("sample_weight")))

    return draw


def _shape(build, more):
    """[s]_+ unless it is squared, or quadratic over a width."""
    return {"squared": True} if build is pragam.squared_hinge else {"width": more.get("gamma", 0.0)}


def _smoothed(s, gamma):
    return np.where(s <= 0, 0.0, np.where(s <= gamma, s**2 / (2 * gamma), s - gamma / 2))


def _targets(rng, weighted):
    X, weights, keywords = data(rng, weighted)
    return X, X @ rng.standard_normal(X.shape[1]) + 3 * rng.standard_normal(len(X)) + 5, weights, keywords


def epsilon_insensitive(rng, bias, weighted):
    X, y, weights, keywords = _targets(rng, weighted)
    lam, epsilon = lam_of(rng), float(rng.choice([0.0, 0.5, 2.0]))
    problem = pragam.epsilon_insensitive(stored(rng, X), y, lam, epsilon=epsilon, bias=bias, **keywords)

    def objective(w, b):
        r = y - X @ w - (b[0] if bias else 0.0)
        return lam / 2 * w @ w + np.mean(weights * np.maximum(np.abs(r) - epsilon, 0))

    def optimum():
        ones = np.ones((len(y), int(bias)))
        pieces = [Piece(-X, -ones, y - epsilon), Piece(X, ones, -y - epsilon)]
        return pieces_optimum(pieces, weights / len(y), lam)

    risk = {"name": "epsilon_insensitive", "lam": lam, "bias": bias, "epsilon": epsilon}
    return Drawn(problem, objective, optimum, Raw(risk, X, y, keywords.get("sample_weight")))


def quantile(rng, bias, weighted):
    X, y, weights, keywords = _targets(rng, weighted)
    lam, q = lam_of(rng), float(rng.uniform(0.1, 0.9))
    problem = pragam.quantile(stored(rng, X), y, lam, q=q, bias=bias, **keywords)

    def objective(w, b):
        r = y - X @ w - (b[0] if bias else 0.0)
        return lam / 2 * w @ w + np.mean(weights * np.maximum(q * r, (q - 1) * r))

    def optimum():
        ones = np.ones((len(y), int(bias)))
        pieces = [Piece(-p * X, -p * ones, p * y) for p in (q, q - 1)]
        return pieces_optimum(pieces, weights / len(y), lam, at_least_zero=False)

    risk = {"name": "quantile", "lam": lam, "bias": bias, "q": q}
    return Drawn(problem, objective, optimum, Raw(risk, X, y, keywords.get("sample_weight")))


def _ordinal(thresholds):
    def draw(rng, bias, weighted):
        X, weights, keywords = data(rng, weighted)
        n, K = len(X), int(rng.integers(2, 5))
        y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
        weights[:K] = np.maximum(weights[:K], 0.5)  # every level weighs something
        X = X + 0.7 * y[:, None]
        lam = lam_of(rng)
        problem = pragam.ordinal_hinge(stored(rng, X), y, lam, thresholds=thresholds, **keywords)
        t = np.where(y[:, None] > np.arange(K - 1), 1.0, -1.0)
        gap = y[:, None] - np.arange(K - 1)
        counts = np.ones(t.shape) if thresholds == "all" else 1.0 * ((gap == 0) | (gap == 1))

        def objective(w, b):
            losses = np.maximum(1 - t * ((X @ w)[:, None] + b), 0)
            return lam / 2 * w @ w + np.mean(weights * np.sum(counts * losses, axis=1))

        def optimum():
            """Every (example, threshold) is an example of its own."""
            i, k = np.nonzero(counts)
            sign = -t[i, k][:, None]
            piece = Piece(sign * X[i], sign * np.eye(K - 1)[k], np.ones(len(i)))
            return pieces_optimum([piece], weights[i] / n, lam)

        risk = {"name": "ordinal_hinge", "lam": lam, "n_levels": K, "thresholds": thresholds}
        return Drawn(problem, objective, optimum, Raw(risk, X, y, keywords.get("sample_weight")))

    return draw


def _classes(rng, weighted):
    X, weights, keywords = data(rng, weighted)
    K = int(rng.integers(2, 5))
    y = np.r_[np.arange(K), rng.integers(0, K, len(X) - K)]
    weights[:K] = np.maximum(weights[:K], 0.5)
    return X + np.eye(K, X.shape[1])[y], y, K, weights, keywords


def multiclass_hinge(rng, bias, weighted):
    X, y, K, weights, keywords = _classes(rng, weighted)
    n, d = X.shape
    lam = lam_of(rng)
    cost = rng.exponential(size=(K, K)) * (1 - np.eye(K)) if rng.random() < 0.5 else None
    problem = pragam.multiclass_hinge(stored(rng, X), y, lam, cost=cost, bias=bias, **keywords)
    cost = 1 - np.eye(K) if cost is None else cost

    def objective(w, b):
        f = X @ w.reshape(K, d).T + (b if bias else 0.0)
        return lam / 2 * w @ w + np.mean(weights * np.max(cost[y] + f - f[np.arange(n), y][:, None], axis=1))

    def optimum():
        pieces = []
        for k in range(K):
            difference = (np.eye(K)[k] - np.eye(K)[y])[:, :, None]
            pieces.append(
                Piece((difference * X[:, None, :]).reshape(n, K * d), difference[:, :, 0][:, : K * bias], cost[y, k])
            )
        return pieces_optimum(pieces, weights / n, lam, at_least_zero=False)

    risk = {"name": "multiclass_hinge", "lam": lam, "bias": bias, "n_classes": K, "cost": cost}
    return Drawn(problem, objective, optimum, Raw(risk, X, y, keywords.get("sample_weight")))


def multilabel_hinge(rng, bias, weighted):
    X, _, K, weights, keywords = _classes(rng, weighted)
    n, d = X.shape
    Y = rng.random((n, K)) < 0.5
    Y[:K] = np.eye(K, dtype=bool)  # every label is right for some and wrong for some
    weights[:K] = np.maximum(weights[:K], 0.5)
    lam = lam_of(rng)
    given = [Y, Y.astype(int), sparse.csr_array(1.0 * Y)][rng.integers(3)]
    problem = pragam.multilabel_hinge(stored(rng, X), given, lam, bias=bias, **keywords)

    def objective(w, b):
        f = X @ w.reshape(K, d).T + (b if bias else 0.0)
        worst = [max([1 + f[i, c] - f[i, a] for a in range(K) for c in range(K) if Y[i, a] and not Y[i, c]], default=0)
                 for i in range(n)]  # fmt: skip
        return lam / 2 * w @ w + np.mean(weights * np.maximum(worst, 0))

    def optimum():
        pieces = []
        for a in range(K):
            for c in range(K):
                pair = (Y[:, a] & ~Y[:, c])[:, None] * (np.eye(K)[c] - np.eye(K)[a])
                weights_part = (pair[:, :, None] * X[:, None, :]).reshape(n, K * d)
                pieces.append(Piece(weights_part, pair[:, : K * bias], 1.0 * pair.any(axis=1)))
        return pieces_optimum(pieces, weights / n, lam)

    risk = {"name": "multilabel_hinge", "lam": lam, "bias": bias}
    return Drawn(problem, objective, optimum, Raw(risk, X, Y, keywords.get("sample_weight")))


RISKS = {
    "hinge": _margin_risk(pragam.hinge, lambda s: np.maximum(s, 0), lambda rng: {}),
    "squared hinge": _margin_risk(pragam.squared_hinge, lambda s: np.maximum(s, 0) ** 2, lambda rng: {}),
    "smoothed hinge": _margin_risk(
        pragam.smoothed_hinge, _smoothed, lambda rng: {"gamma": float(rng.choice([0.05, 0.5, 2]))}
    ),
    "epsilon-insensitive": epsilon_insensitive,
    "quantile": quantile,
    "ordinal, all": _ordinal("all"),
    "ordinal, immediate": _ordinal("immediate"),
    "multiclass": multiclass_hinge,
    "multilabel": multilabel_hinge,
}
#: Ordinal risks have their thresholds in any case.
CASES = [(name, bias) for name in RISKS for bias in (False, True) if bias or not name.startswith("ordinal")]
#: Their best biases are a linear program, solved by proximal steps: a solve may take seconds.
SLOW = [("multiclass", True), ("multilabel", True)]
