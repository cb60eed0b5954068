r"""Pairwise steps over the cached labellings of one example.

With the weights p of the labellings, a step that moves the mass delta from labelling j to l changes D by

    total (delta (h_l - h_j) - delta^2/2 total/lam |psi_l - psi_j|^2),     h_j = loss_j + <w, psi_j>.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["cached_steps"]


def cached_steps(
    support: NDArray[np.int64],
    rows: Vector,
    losses: Vector,
    gram: Vector,
    total: float,
    lam: float,
    slope: float,
    most: int,
    p: Vector,
    w: Vector,
) -> float:
    """Pairwise steps to the labelling of the highest score, from where D gains most; p and w in place.

    ``rows`` (J, support), flat, are the features psi on the support, and ``gram`` (J, J) their products. The steps end
    when the steepest has the share ``slope`` of the slope of the first, or after ``most`` of them. Returns the gap of
    the block before them, total (max h - <h, p>).
    """
    J, rate = len(losses), total / lam
    X, G = rows.reshape(J, -1), gram.reshape(J, J)
    h, before, floor = losses + X @ w[support], p.copy(), 0.0
    gap = total * float(h.max() - h @ p)
    if not gap > 0:
        return gap
    for _ in range(most):
        to = int(h.argmax())
        rises, bends = h[to] - h, rate * (G[to, to] + G.diagonal() - 2 * G[to])
        with np.errstate(divide="ignore", invalid="ignore"):
            moves = np.where(bends > 0, np.minimum(p, rises / bends), p)
        gains = np.where(p > 0, moves * (rises - 0.5 * moves * bends), 0.0)
        away, steepest = int(gains.argmax()), float(rises[p > 0].max())
        if steepest <= floor or not gains[away] > 0:
            break
        floor = max(floor, slope * steepest)
        p[to] += moves[away]
        p[away] -= moves[away]
        h = h - moves[away] * rate * (G[to] - G[away])
    p /= p.sum()
    w[support] -= rate * ((p - before) @ X)
    return gap
