"""Tables of pairs of labels that agree with the shares of the labels at both ends."""

from __future__ import annotations

import numpy as np

from pragam.numerics.vector import Vector


def consistent(tables: Vector, rows: Vector, columns: Vector) -> Vector:
    """Tables near the given ones whose sums over columns are ``rows``, and over rows ``columns``.

    Rows, then columns, that have too much mass are scaled down, and what lacks is spread as a product (Altschuler,
    Weed and Rigollet, "Near-linear time approximation algorithms for optimal transport", NIPS 2017, Algorithm 2).
    """
    out = within(tables, rows, columns)
    lack, also = np.maximum(rows - out.sum(axis=2), 0.0), np.maximum(columns - out.sum(axis=1), 0.0)
    mass = np.maximum(lack.sum(axis=1), np.finfo(np.float64).tiny)
    return out + lack[:, :, None] * (also / mass[:, None])[:, None, :]


def within(tables: Vector, rows: Vector, columns: Vector) -> Vector:
    """Tables scaled down, first by rows and then by columns, to sums of no more than those given."""
    out = tables * _factors(rows, tables.sum(axis=2))[:, :, None]
    return np.asarray(out * _factors(columns, out.sum(axis=1))[:, None, :], dtype=np.float64)


def _factors(wanted: Vector, sums: Vector) -> Vector:
    return np.minimum(np.divide(wanted, sums, out=np.zeros_like(sums), where=sums > 0), 1.0)
