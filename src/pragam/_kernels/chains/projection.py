"""The projection onto the marginals of a chain, by a semismooth Newton method on its dual.

A chain of T edge tables has K labels a node. alpha_t(i, j) >= 0 is the mass on labels i of node t and j of node t + 1.
The projection of m minimises sum_t d_t^2 / 2 |alpha_t - m_t|^2 over the tables of mass 1 whose marginals agree. With
potentials u_0 = p 1, u_1, .., u_{T-1} in R^K and u_T = 0 the eliminated dual is

    F(p, u) = p + sum_t d_t^2 / 2 |alpha_t|^2,     alpha_t(i, j) = [m_t(i, j) + (u_{t+1}(j) - u_t(i)) / d_t^2]_+

to be minimised: convex, once differentiable and piecewise quadratic. Its gradient is 1 - (the mass of alpha_0) and the
inflow less the outflow of each inner node. Its generalised Hessian is the Laplacian of the edges with alpha > 0, each
of weight 1 / d_t^2: block tridiagonal, grounded at the last node.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["chain_project"]

#: The Hessian's diagonal grows by this share, where no edge leads to the ground.
RIDGE = 1e-12
#: A line search ends with a step of this size, relative to its length.
LINE_TOL = 1e-3
LINE_STEPS = 40
#: A warm start is scaled to within this share, in at most so many steps.
SCALE_TOL = 1e-2
SCALE_STEPS = 4


def chain_project(
    m: Vector,
    weight: Vector,
    lengths: Vector,
    K: int,
    is_warm: bool,
    tols: Vector,
    most: int,
    u: Vector,
    alpha: Vector,
    steps: Vector,
    residuals: Vector,
    threads: int = 1,
) -> None:
    """Project the chains of a batch, which follow one another in m and alpha (K x K tables), weight (d_t^2 for each
    table) and u (K potentials for each node, changed in place, and a start if ``is_warm``).

    ``lengths`` are their numbers of tables, ``tols`` the residuals at which they end. ``steps`` and ``residuals`` get
    what each has taken, and the largest residual of a constraint that is left.
    """
    ends = np.cumsum(lengths)
    for b, (T, end) in enumerate(zip(lengths, ends, strict=True)):
        tables, own = slice((end - T) * K * K, end * K * K), weight[end - T : end]
        potentials = u[(end - T + b) * K : (end + b + 1) * K].reshape(T + 1, K)
        m_b, alpha_b = m[tables].reshape(T, K, K), alpha[tables].reshape(T, K, K)
        if is_warm:
            _rescale(m_b, 1.0 / own, potentials)
        else:
            _start(m_b, own, potentials)
        steps[b], residuals[b] = _minimise(m_b, own, potentials, alpha_b, float(tols[b]), most)


def _start(m: Vector, weight: Vector, u: Vector) -> None:
    """The potentials of the best labelling, and a constant for each table that gives it the mass 1."""
    u[-1] = 0.0
    for t in range(len(m) - 1, -1, -1):
        best = (weight[t] * m[t] + u[t + 1]).max(axis=1)
        u[t] = np.where(np.isfinite(best), best, 0.0)
    u[0] = u[0].max()
    _give_masses(m, weight, u)


def _rescale(m: Vector, give: Vector, u: Vector) -> None:
    """The tables of a solver's next iteration may be larger by a factor, and so their potentials: Newton on it."""
    more = 1.0
    for _ in range(SCALE_STEPS):
        if abs(more) <= SCALE_TOL:
            return
        slope, bend = _slope(m, give, u, u)
        more = min(max(-slope / bend, -0.5), 1.0) if bend > 0 else 0.0
        u[:-1] += more * u[:-1]


def _give_masses(m: Vector, weight: Vector, u: Vector) -> None:
    """Add a constant to every table, through the potentials, such that its mass is 1."""
    total = 0.0
    for t, x in reversed(list(enumerate(m + (u[1:, None, :] - u[:-1, :, None]) / weight[:, None, None]))):
        falling = np.sort(x[np.isfinite(x)])[::-1]
        shifts = (1.0 - np.cumsum(falling)) / np.arange(1, len(falling) + 1)
        total += weight[t] * shifts[np.flatnonzero(falling + shifts > 0)[-1]]
        u[t] -= total


def _minimise(m: Vector, weight: Vector, u: Vector, alpha: Vector, tol: float, most: int) -> tuple[int, float]:
    T, K = m.shape[:2]
    give = 1.0 / weight
    for step in range(most + 1):
        _tables(m, give, u, alpha)
        gradient = _gradient(alpha)
        residual = float(np.abs(gradient).max(initial=0.0))
        if residual <= tol or not np.isfinite(residual):
            break
        if step < most:
            direction = _solve(alpha > 0, give, -gradient, K)
            du = np.zeros((T + 1, K))
            du[0] = direction[0]
            du[1:T] = direction[1:].reshape(T - 1, K)
            u += _length(m, give, u, du) * du
            _tables(m, give, u, alpha)
            if not alpha.any(axis=(1, 2)).all():
                _give_masses(m, weight, u)
    return step, residual


def _tables(m: Vector, give: Vector, u: Vector, alpha: Vector) -> None:
    np.maximum(m + give[:, None, None] * (u[1:, None, :] - u[:-1, :, None]), 0.0, out=alpha)


def _gradient(alpha: Vector) -> Vector:
    flow = alpha[:-1].sum(axis=1) - alpha[1:].sum(axis=2)
    return np.concatenate([[1.0 - alpha[0].sum()], flow.ravel()])


def _solve(active: NDArray[np.bool_], give: Vector, rhs: Vector, K: int) -> Vector:
    """H x = rhs by a dense factorisation: the kernel does it block by block."""
    T, n = len(give), rhs.size
    # The unknown of node (t, i): p for the first nodes; the last ones are grounded, in a row and column to be cut off.
    place = np.concatenate([np.zeros(K, int), 1 + np.arange((T - 1) * K), np.full(K, n)]).reshape(T + 1, K)
    H = np.zeros((n + 1, n + 1))
    for t, i, j in np.argwhere(active):
        a, b = place[t, i], place[t + 1, j]
        H[[a, b], [a, b]] += give[t]
        H[[a, b], [b, a]] -= give[t]
    H = H[:-1, :-1]
    diagonal = H.diagonal().copy()
    H[np.diag_indices_from(H)] += np.where(diagonal > 0, RIDGE * diagonal, 1.0)
    return np.asarray(np.linalg.solve(H, rhs), dtype=np.float64)


def _length(m: Vector, give: Vector, u: Vector, du: Vector) -> float:
    """How far to go along du: nearly the minimum of F on the line, by Newton's method within a bracket."""
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(LINE_STEPS):
        slope, bend = _slope(m, give, u + t * du, du)
        if slope < 0:
            low = t
        else:
            high = t
        following = t - slope / bend if bend > 0 else low
        if abs(following - t) <= LINE_TOL * t:
            return min(max(following, low), high)
        if not low < following < high:
            following = 2 * t if high == np.inf else 0.5 * (low + high)
        t = following
    return t


def _slope(m: Vector, give: Vector, u: Vector, du: Vector) -> tuple[float, float]:
    """The derivative of F along du at u, and its slope."""
    x = m + give[:, None, None] * (u[1:, None, :] - u[:-1, :, None])
    change = du[1:, None, :] - du[:-1, :, None]
    return du[0, 0] + float((np.maximum(x, 0.0) * change).sum()), float((give[:, None, None] * change**2)[x > 0].sum())
