r"""How much each dual variable matters to the next move of the weights.

Where (w, b) moves so that the slopes s_j move by R size_j, variable j crosses its box, of length l_j, if its kink is no
farther than that: t_j = dist(s_j, kink) / size_j <= R. What crosses moves the gradient by l_j size_j. R is not known
beforehand, so all scales of it are looked at, smaller ones more closely:

    influence_j = l_j size_j (1 / t_j^2 - 1 / r^2)  ~  integral over r >= R >= t_j of l_j size_j dR / R^3.

The next move will hardly be longer than the last one, which says how far r is; at first it is infinite.

A smoothed kink of curvature kappa_j is as wide as the variable takes to cross, l_j kappa_j, or as slopes usually reach.

The unit of a move is that of columns of equal size, size_j^2 = sum_k a_jk^2 / m_k + sigma_j^2, with m_k the mean square
of column k: weights of columns that are seldom anything but zero move far, and their rows must be known.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from pragam.operators.base import Vector
from pragam.operators.data_rows import DataRows
from pragam.operators.storage import ColumnMap, Standardized, Storage

#: No distance is taken for less, in units of the mean: nearer rows come into memory anyway.
_LEAST = 1e-12
#: Slopes seldom move by more than this share of the length of a move. On covtype at lam = 1e-6 (a tenth in memory, to
#: 1e-6, eight seeds) 0.3 takes 4.8 readings, 1 and 0.1 take 5, and no end 5.5; on a9a twenty times it is 3 with each.
_USUAL = 0.3
#: What lies farther keeps this share of its influence.
_FAINT = 1e-6


def influence_of(slopes: Vector, size: Vector, lower: Vector, upper: Vector, kappa: Any, reach: float = inf) -> Vector:
    """Of the dual variables in the boxes [lower, upper] with these slopes and curvatures; 0 where none can move.

    ``reach`` is how far slopes may move, r.
    """
    length = upper - lower
    away = np.abs(slopes)
    if np.any(kappa):
        width = np.minimum(length * kappa, size * float(np.mean(away / size)))
        length = np.where(kappa > 0, width / np.where(kappa > 0, kappa, 1.0), length)
        inside = np.clip(slopes, np.where(np.isfinite(lower), lower * kappa, -np.inf), upper * kappa)
        away = np.abs(slopes - inside) + width
    far = away / size
    usual = float(np.mean(far)) if len(far) else 0.0
    far += _LEAST * usual if usual > 0 else 1.0  # all are at their kinks: one is as good as another
    near = (1.0 - far / reach) * (1.0 + far / reach) if 0 < reach < inf else 1.0
    return length * size / far / far * np.maximum(near, _FAINT)


def length_of(dw: Vector, db: Vector, scales: ColumnMap) -> float:
    """That of a move: a slope s_j moves by no more than it times size_j."""
    own = dw / scales.factor
    return sqrt(float(own @ own) + float(db @ db))


def reach_of(dw: Vector, db: Vector, scales: ColumnMap) -> float:
    """About how far slopes have moved, in units of their sizes."""
    return _USUAL * length_of(dw, db, scales)


def scales_of(X: Storage) -> ColumnMap:
    """Columns divided by the root of their mean square in these rows, a column of zeros by what it may have missed."""
    squares = X.T.row_norms2
    seldom = float(squares.sum()) / max(X.stored, 1)  # as if one more row had an entry
    factor = np.sqrt(X.shape[0] / np.maximum(squares + seldom, np.finfo(np.float64).tiny))
    return ColumnMap(np.clip(factor, 1e-100, 1e100))


def sizes_of(A: DataRows, scales: ColumnMap, sigma: Vector) -> Vector:
    """size_j of the dual variables of some rows."""
    norms2 = Standardized(A.storage, scales).row_norms2
    size = np.sqrt((norms2 if A.number is None else norms2[A.number]) * A.scale**2 + sigma**2)
    return np.where(size > 0, size, 1.0)
