"""The optimal values of the models by an independent interior-point solver, from the raw data alone.

Nothing of pragam is used here, so an agreement tests the whole chain: risk, operator, polytope and solver.
"""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse


def minimise(P, q, G, h):
    """min 1/2 x'Px + q'x subject to Gx <= h; the value, after a check that primal and dual values agree."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    upper, cones = sparse.triu(P, format="csc"), [clarabel.NonnegativeConeT(len(h))]
    solution = clarabel.DefaultSolver(upper, q, sparse.csc_matrix(G), h, cones, settings).solve()
    gap = abs(solution.obj_val - solution.obj_val_dual)
    assert gap <= 1e-9 * abs(solution.obj_val) + 1e-11, f"not exact: {solution.status}, gap {gap}"
    return 0.5 * (solution.obj_val + solution.obj_val_dual)


def hinge_optimum(X, y, lam, weights, bias, kappa=0.0):
    """min lam/2 |w|^2 + sum_i u_i xi_i + t_i^2/(2 kappa),  xi >= 0,  xi_i + t_i >= 1 - y_i (<x_i, w> + b).

    u_i = weight_i/n; rows of weight 0 are left out. The smoothed hinge is max over 0 <= a <= u of
    a s - kappa/2 a^2 = min u xi + t^2/(2 kappa) over xi + t >= s; there is no t without smoothing.
    """
    n = len(y)
    X = X.toarray() if sparse.issparse(X) else X
    keep = weights > 0
    X, y, u = X[keep].astype(float), y[keep].astype(float), weights[keep] / n
    m, d = X.shape
    if bias and len(set(y)) < 2:
        return 0.0  # w = 0 and a large bias; the set of solutions has no interior
    t = m if kappa else 0
    P = sparse.diags(np.r_[np.full(d, lam), np.zeros(1 + m), np.full(t, 1 / kappa if kappa else 0.0)])
    q = np.r_[np.zeros(d + 1), u, np.zeros(t)]
    margin = [-y[:, None] * X, -y[:, None] * bias, -np.eye(m)] + ([-np.eye(m)] if kappa else [])
    positive = [np.zeros((m, d + 1)), -np.eye(m), np.zeros((m, t))]
    if not bias:  # an unused b would leave the system singular
        P, q = _without(P, d), np.delete(q, d)
        margin, positive = [margin[0], *margin[2:]], [np.zeros((m, d)), *positive[1:]]
    G = np.vstack([np.hstack(margin), np.hstack(positive)])
    return minimise(P, q, G, np.r_[-np.ones(m), np.zeros(m)])


def quantile_optimum(X, y, lam, weights, q, bias):
    """min lam/2 |w|^2 + sum_i u_i (q over_i + (1 - q) under_i),  over - under = y - X w - b,  both >= 0."""
    X = X.toarray() if sparse.issparse(X) else X
    keep = weights > 0
    X, y, u = X[keep].astype(float), y[keep].astype(float), weights[keep] / len(weights)
    m, d = X.shape
    columns = np.hstack([X, np.ones((m, 1))]) if bias else X
    k = columns.shape[1]
    # t_i >= u_i q r_i and t_i >= u_i (q - 1) r_i, r = y - columns x
    P = sparse.diags(np.r_[np.full(d, lam), np.zeros(k - d + m)])
    G = np.vstack([np.hstack([-p * u[:, None] * columns, -np.eye(m)]) for p in (q, q - 1)])
    return minimise(P, np.r_[np.zeros(k), np.ones(m)], G, np.r_[-q * u * y, (1 - q) * u * y])


def max_affine_optimum(A, b, lam):
    """min lam/2 |w|^2 + xi,  xi >= <a_i, w> + b_i."""
    d, m = A.shape
    P = sparse.diags(np.r_[np.full(d, lam), 0.0])
    return minimise(P, np.r_[np.zeros(d), 1.0], np.hstack([A.T, -np.ones((m, 1))]), -b)


def multiclass_optimum(X, y, lam, weights):
    """min lam/2 sum_k |w_k|^2 + sum_i (weight_i/n) xi_i,  xi_i >= [k != y_i] + <w_k - w_{y_i}, x_i>."""
    n, d = X.shape
    X = X.toarray() if sparse.issparse(X) else X
    classes = sorted(set(y.tolist()))
    K = len(classes)
    rows, right = [], []
    for i in np.flatnonzero(weights):
        for k, label in enumerate(classes):
            W = np.zeros((K, d))
            W[k] += X[i]
            W[classes.index(y[i])] -= X[i]
            rows.append(np.r_[W.ravel(), -(np.arange(n) == i).astype(float)])
            right.append(-float(label != y[i]))
    used = np.r_[np.ones(K * d, bool), weights > 0]
    P = sparse.diags(np.r_[np.full(K * d, lam), np.zeros(np.count_nonzero(weights))])
    return minimise(P, np.r_[np.zeros(K * d), weights / n][used], np.array(rows)[:, used], np.array(right))


def _without(P, i):
    keep = np.delete(np.arange(P.shape[0]), i)
    return P.tocsr()[keep][:, keep]
