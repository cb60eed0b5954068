"""The optimal values of the models by an independent interior-point solver, from the raw data alone.

Nothing of pragam is used here, so an agreement tests the whole chain: risk, operator, polytope and solver.

A set Q of dual variables is given by its constraints, ``(G, h, E, f)`` for G alpha <= h and E alpha = f.
"""

from __future__ import annotations

from typing import NamedTuple

import clarabel
import numpy as np
from scipy import sparse


class Solved(NamedTuple):
    """The solution of a quadratic program, and the multipliers of its equalities."""

    value: float
    x: np.ndarray
    equalities: np.ndarray


def minimise(P, q, G, h):
    """min 1/2 x'Px + q'x subject to Gx <= h; the value, after a check that primal and dual values agree."""
    return solve_qp(P, q, G, h).value


def solve_qp(P, q, G, h, E=None, f=()):
    """min 1/2 x'Px + q'x subject to Gx <= h and Ex = f. Only a solution of full accuracy is returned."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    E = np.empty((0, len(q))) if E is None else E
    cones = [clarabel.ZeroConeT(len(f)), clarabel.NonnegativeConeT(len(h))]
    rows, right = sparse.vstack([sparse.csr_matrix(E), sparse.csr_matrix(G)], format="csc"), np.r_[f, h]
    solution = clarabel.DefaultSolver(sparse.triu(P, format="csc"), q, rows, right, cones, settings).solve()
    assert solution.status == clarabel.SolverStatus.Solved, f"not solved: {solution.status}"
    gap = abs(solution.obj_val - solution.obj_val_dual)
    assert gap <= 1e-9 * abs(solution.obj_val) + 1e-11, f"not exact: gap {gap}"
    value = 0.5 * (solution.obj_val + solution.obj_val_dual)
    return Solved(value, np.array(solution.x), np.array(solution.z)[: len(f)])


class Optimum(NamedTuple):
    """min J, and where it is attained."""

    value: float
    w: np.ndarray
    biases: np.ndarray


def optimum(A, c, constraints, lam, kappa=0.0, B=None, levels=None, tilt=None, constant=0.0):
    r"""min over w, b of

        J = constant + lam/2 |w|^2 + <tilt, w> - <levels, b> + max over alpha in Q of <alpha, A w + B b + c> - g(alpha)

    where g(alpha) = 1/2 sum_j kappa_j alpha_j^2 and ``constraints`` are those of Q. Solved as

        min over alpha, w of lam/2 |w|^2 + g(alpha) - <c, alpha>,   A'alpha + lam w = -tilt,  B'alpha = levels,

    whose multipliers of the last are -b: the derivative of the maximum of D by the levels is -b.
    """
    m, d = A.shape
    B = np.empty((m, 0)) if B is None else B
    levels, tilt = np.zeros(B.shape[1]) if levels is None else levels, np.zeros(d) if tilt is None else tilt
    G, h, E, f = constraints
    P = sparse.diags(np.r_[np.broadcast_to(kappa, m), np.full(d, lam)])
    equalities = np.vstack([
        np.hstack([A.T, lam * np.eye(d)]),
        np.hstack([B.T, np.zeros((B.shape[1], d))]),
        np.hstack([E, np.zeros((len(f), d))]),
    ])  # fmt: skip
    G = np.hstack([G, np.zeros((len(h), d))])
    solved = solve_qp(P, np.r_[-c, np.zeros(d)], G, h, equalities, np.r_[-tilt, levels, f])
    return Optimum(constant - solved.value, solved.x[m:], -solved.equalities[d : d + len(levels)])


class Piece(NamedTuple):
    """An affine function of (w, b) for each example: weights w + biases b + offset."""

    weights: np.ndarray
    biases: np.ndarray
    offset: np.ndarray


def pieces_optimum(pieces, size, lam, at_least_zero=True, squared=False, width=0.0):
    r"""min lam/2 |w|^2 + sum_i size_i h(max over pieces of their value at example i), as a program in (w, b, xi, t).

    h(s) = s, or [s]_+, or [s]_+^2 if ``squared``, or [s]_+ made quadratic over a ``width``. The last is the least of
    xi + t^2/(2 width) over xi >= 0, xi + t >= s. Examples of size 0 are left out.
    """
    keep = size > 0
    pieces, u = [Piece(*(x[keep] for x in piece)) for piece in pieces], size[keep]
    m, d, K = len(u), pieces[0].weights.shape[1], pieces[0].biases.shape[1]
    linear = [] if squared else [np.eye(m)]  # the columns of xi
    bent = [np.eye(m)] if squared or width else []  # and of t
    curvature = 2 * u if squared else u / width if width else np.empty(0)
    P = sparse.diags(np.r_[np.full(d, lam), np.zeros(K + m * len(linear)), curvature])
    q = np.r_[np.zeros(d + K), u if linear else [], np.zeros(m * len(bent))]
    G = np.vstack([np.hstack([p.weights, p.biases, *(-x for x in linear + bent)]) for p in pieces])
    h = np.concatenate([-p.offset for p in pieces])
    if at_least_zero:
        first = [-x for x in (linear + bent)[:1]] + [0 * x for x in (linear + bent)[1:]]
        G, h = np.vstack([G, np.hstack([np.zeros((m, d + K)), *first])]), np.r_[h, np.zeros(m)]
    solved = solve_qp(P, q, G, h)
    return Optimum(solved.value, solved.x[:d], solved.x[d : d + K])


def project(v, G, h, E, f):
    """The point of {G x <= h, E x = f} nearest to v."""
    return solve_qp(sparse.eye(len(v)), -v, G, h, E, f).x


def box_rows(lower, upper):
    """lower <= alpha <= upper; equal bounds are equalities, infinite ones none."""
    one, same = np.eye(len(lower)), lower == upper
    below, above = np.isfinite(upper) & ~same, np.isfinite(lower) & ~same
    return np.vstack([one[below], -one[above]]), np.r_[upper[below], -lower[above]], one[same], lower[same]


def simplices_rows(totals, K):
    """alpha_ik >= 0, sum_k alpha_ik = totals_i. Examples of total 0 are equalities throughout."""
    return _held(totals, K, np.kron(np.diag(1.0 * (totals > 0)), np.ones(K))[totals > 0], totals[totals > 0])


def pairs_rows(totals, wrong):
    """p, q >= 0, sum p = sum q <= totals_i, p on the wrong labels of example i and q on the right ones."""
    n, K = wrong.shape
    some = totals > 0
    sums = [(np.kron(np.eye(n), np.ones(K)) * side.ravel())[some] for side in (wrong, ~wrong)]
    G, h, E, f = _held(totals, K, sums[0] - sums[1], np.zeros(some.sum()))
    return np.vstack([G, sums[0]]), np.r_[h, totals[some]], E, f


def _held(totals, K, E, f):
    """alpha >= 0 where the total is positive and alpha = 0 elsewhere, besides E alpha = f."""
    one, some = np.eye(len(totals) * K), np.repeat(totals > 0, K)
    return -one[some], np.zeros(some.sum()), np.vstack([E, one[~some]]), np.r_[f, np.zeros((~some).sum())]


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
