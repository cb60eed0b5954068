"""One small problem of each kind that coordinate ascent takes, posed directly, with its optimum by Clarabel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

import pragam
from clarabel_qp import minimise
from pragam.conjugates import Quadratic, Zero
from pragam.operators import Planes, ScaledRows, SharedRows
from pragam.polytopes import Box


@dataclass(frozen=True)
class Losses:
    """sum_j max over 0 <= a <= upper_j of a s_j - kappa_j/2 a^2,  s_j = scale_j (<x_number_j, w> + b_group_j) + c_j."""

    X: np.ndarray
    number: np.ndarray
    scale: np.ndarray
    c: np.ndarray
    upper: np.ndarray
    kappa: np.ndarray
    group: np.ndarray
    K: int

    def problem(self, lam, bias, storage=np.asarray):
        X, n = storage(self.X), len(self.X)
        is_own = np.array_equal(self.number, np.arange(n))
        A = ScaledRows(X, self.scale) if is_own else SharedRows(X, self.number, self.scale)
        g = Quadratic(self.kappa) if self.kappa.any() else Zero()
        B = Planes(self.scale, self.group, self.K) if bias else None
        return pragam.Problem(A, self.c, Box(np.zeros(len(self.c)), self.upper), lam, B, g)

    def optimum(self, lam, bias):
        """min lam/2 |w|^2 + sum_j u_j xi_j + t_j^2/(2 kappa_j),  xi, t >= 0,  xi_j + t_j >= s_j.

        There is no xi where u is infinite, no t where kappa is 0, and no row where u is 0.
        """
        keep = self.upper > 0
        number, scale, c, u, kappa, group = (
            v[keep] for v in (self.number, self.scale, self.c, self.upper, self.kappa, self.group)
        )
        m, d, K = len(c), self.X.shape[1], self.K if bias else 0
        linear, curved = np.flatnonzero(np.isfinite(u)), np.flatnonzero(kappa > 0)
        planes = np.zeros((m, K))
        if bias:
            planes[np.arange(m), group] = scale
        slack = np.hstack([np.eye(m)[:, linear], np.eye(m)[:, curved]])
        P = sparse.diags(np.r_[np.full(d, lam), np.zeros(K + len(linear)), 1 / kappa[curved]])
        q = np.r_[np.zeros(d + K), u[linear], np.zeros(len(curved))]
        above = np.hstack([scale[:, None] * self.X[number], planes, -slack])
        positive = np.hstack([np.zeros((slack.shape[1], d + K)), -np.eye(slack.shape[1])])
        return minimise(P, q, np.vstack([above, positive]), np.r_[-c, np.zeros(len(positive))])


def _data(rng, n, d):
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 0.7 * rng.standard_normal(n) + 0.4


def _weights(rng, n):
    """Some are 0."""
    return rng.integers(0, 4, n) * rng.uniform(0.3, 1.5, n)


def _binary(X, score, upper, kappa):
    n = len(X)
    sign = np.where(score > np.median(score), 1.0, -1.0)
    return Losses(X, np.arange(n), -sign, np.ones(n), upper, kappa, np.zeros(n, np.int64), 1)


def squared_hinge(rng, n=40, d=6):
    """weight/n [s]_+^2: no upper bound where the weight is positive, and nothing at all where it is 0."""
    X, score = _data(rng, n, d)
    weight = _weights(rng, n)
    curved = np.where(weight > 0, n / (2 * np.maximum(weight, 1e-9)), 0.0)
    return _binary(X, score, np.where(weight > 0, np.inf, 0.0), curved)


def smoothed_hinge(rng, n=40, d=6):
    """weight/n times s^2/(2 gamma) up to gamma, and s - gamma/2 beyond."""
    X, score = _data(rng, n, d)
    weight = _weights(rng, n)
    curved = np.where(weight > 0, 0.5 * n / np.maximum(weight, 1e-9), 0.0)
    return _binary(X, score, weight / n, curved)


def hinge(rng, n=40, d=6):
    X, score = _data(rng, n, d)
    return _binary(X, score, _weights(rng, n) / n, np.zeros(n))


def tube(rng, n=30, d=5):
    """weight/n [|y - f(x)| - epsilon]_+: two dual variables a row, side by side."""
    X, y = _data(rng, n, d)
    number, side, weight = np.repeat(np.arange(n), 2), np.tile([-1.0, 1.0], n), _weights(rng, n)
    c = -side * y[number] - 0.3
    return Losses(X, number, side, c, weight[number] / n, np.zeros(2 * n), np.zeros(2 * n, np.int64), 1)


def squared_tube(rng, n=30, d=5):
    """The same, squared."""
    flat = tube(rng, n, d)
    kappa = np.where(flat.upper > 0, 1 / (2 * np.maximum(flat.upper, 1e-9)), 0.0)
    return Losses(flat.X, flat.number, flat.scale, flat.c, np.where(flat.upper > 0, np.inf, 0.0), kappa, flat.group, 1)


def ordinal(rng, n=30, d=5, K=3):
    """weight/n sum_k [1 -+ (f(x) + b_k)]_+ over K thresholds: K dual variables a row, each on a plane of its own."""
    X, score = _data(rng, n, d)
    label = np.searchsorted(np.quantile(score, np.linspace(0, 1, K + 2)[1:-1]), score)
    number, group = np.repeat(np.arange(n), K), np.tile(np.arange(K), n)
    sign, weight = np.where(label[number] > group, 1.0, -1.0), _weights(rng, n)
    return Losses(X, number, -sign, np.ones(n * K), weight[number] / n, np.zeros(n * K), group, K)


def smoothed_ordinal(rng, n=30, d=5, K=3):
    """The same, smoothed."""
    flat = ordinal(rng, n, d, K)
    kappa = np.where(flat.upper > 0, 0.3 / np.maximum(flat.upper, 1e-9), 0.0)
    return Losses(flat.X, flat.number, flat.scale, flat.c, flat.upper, kappa, flat.group, K)


KINDS = {
    f.__name__: f
    for f in (hinge, squared_hinge, smoothed_hinge, tube, squared_tube, ordinal, smoothed_ordinal)
}  # fmt: skip


def losses(kind, seed, sparsity=0.0, **size):
    rng = np.random.default_rng([seed, *map(ord, kind)])
    made = KINDS[kind](rng, **size)
    made.X[rng.random(made.X.shape) < sparsity] = 0.0
    return made
