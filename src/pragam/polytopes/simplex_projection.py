"""Projection on the scaled simplex, row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pragam import _kernels
from pragam.polytopes.base import Vector

#: No label is wrong: rows are projected on simplices.
_SIMPLICES = np.zeros(0, dtype=np.uint8)


def project_simplex(v: ArrayLike, total: ArrayLike = 1.0) -> Vector:
    """The nearest point of {alpha >= 0, sum_k alpha_k = total} to ``v``, or to each row of ``v``.

    alpha_k = max(v_k - theta, 0), theta the largest of (v_(1) + ... + v_(r) - total) / r over all r, where
    v_(1) >= v_(2) >= ... (Held, Wolfe and Crowder 1974; Duchi et al. 2008), found by Newton's method.

    Parameters
    ----------
    v : array of shape (K,) or (n, K), K >= 1
    total : non-negative float, or array of shape (n,)
    """
    v, total = np.asarray(v, dtype=np.float64), np.asarray(total, dtype=np.float64)
    if v.ndim not in (1, 2) or v.shape[-1] == 0:
        raise ValueError(f"v must have shape (K,) or (n, K) with K >= 1, not {v.shape}")
    if total.shape not in ((), v.shape[:-1]):
        raise ValueError(f"total must be a number or have one entry a row of v, not shape {total.shape}")
    if not np.all((total >= 0) & (total < np.inf)):
        raise ValueError("total must be non-negative and finite")
    if not np.isfinite(v).all():
        raise ValueError("v must be finite")
    rows, point = np.ascontiguousarray(v).reshape(-1, v.shape[-1]), np.empty(v.size)
    totals = np.ascontiguousarray(np.broadcast_to(total, len(rows)))
    _kernels.get("label_project")(rows.reshape(-1), totals, _SIMPLICES, v.shape[-1], point)
    return point.reshape(v.shape)
