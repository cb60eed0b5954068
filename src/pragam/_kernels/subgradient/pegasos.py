"""Pegasos with one random example per iteration: the specification of ``pegasos_epoch_csr`` and ``_dense``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam._kernels.common.random import SplitMix64
from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam.numerics.vector import Vector

__all__ = ["pegasos_epoch_csr", "pegasos_epoch_dense"]


def pegasos_epoch_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> None:
    _epoch(csr_rows(data, indices, indptr), *args)


def pegasos_epoch_dense(X: Any, *args: Any) -> None:
    _epoch(dense_rows(X), *args)


def _epoch(
    row: Row,
    scale: Vector,
    c: Vector,
    lower: Vector,
    upper: Vector,
    length2: Vector,
    lam: float,
    radius: float,
    steps: int,
    clock: Vector,
    w: Vector,
    total: Vector,
    hits: Vector,
    visits: Vector,
    seed: int,
) -> None:
    """``steps`` iterations, starting with number ``clock[0]``, in place on all arrays from ``clock`` to ``visits``.

    ``total`` accumulates the sum of the iterates. ``hits`` and ``visits`` accumulate the sum and the number of the
    vertex coordinates v chosen for each row. ``length2`` holds |x_i|^2.
    """
    random = SplitMix64(seed)
    n = len(hits)
    for _ in range(steps):
        clock[0] += 1
        t = clock[0]
        i = random.below(n)
        columns, values = row(i)
        v = upper[i] if c[i] + scale[i] * float(values @ w[columns]) > 0 else lower[i]
        w *= 1 - 1 / t if t > 1 else 1
        np.add.at(w, columns, -n * v * scale[i] / (lam * t) * values)
        norm = float(np.sqrt(w @ w))
        if norm > radius:
            w *= radius / norm
        total += w
        hits[i] += v
        visits[i] += 1
