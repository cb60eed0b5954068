"""Projection on the scaled simplex, row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pragam.polytopes.base import Vector


def project_simplex(v: ArrayLike, total: ArrayLike = 1.0) -> Vector:
    """The nearest point of {alpha >= 0, sum_k alpha_k = total} to ``v``, or to each row of ``v``.

    alpha_k = max(v_k - theta, 0), theta the largest of (v_(1) + ... + v_(r) - total) / r over all r, where
    v_(1) >= v_(2) >= ... (Held, Wolfe and Crowder 1974; Duchi et al. 2008). The cost is O(K log K) per row.

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
    total = total[..., None]
    # Entries more than total below the largest one end at 0. After this cut all numbers are of the size of total,
    # so the sum is exact up to rounding, however large v is.
    with np.errstate(over="ignore"):
        near = np.maximum(v - v.max(axis=-1, keepdims=True), -total)
    falling = np.sort(near, axis=-1)[..., ::-1]
    theta = (np.cumsum(falling, axis=-1) - total) / np.arange(1, near.shape[-1] + 1)
    point: Vector = np.maximum(near - theta.max(axis=-1, keepdims=True), 0.0)
    return point
