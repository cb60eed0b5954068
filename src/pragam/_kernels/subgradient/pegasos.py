"""Pegasos with one random example per iteration: the specification of ``pegasos_epoch_csr`` and ``_dense``."""

from __future__ import annotations

from typing import Any

import numpy as np

from pragam._kernels.common.random import SplitMix64
from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam._kernels.subgradient.records import Examples, Iterates, Rule

__all__ = ["pegasos_epoch_csr", "pegasos_epoch_dense"]


def pegasos_epoch_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> None:
    _epoch(csr_rows(data, indices, indptr), *args)


def pegasos_epoch_dense(X: Any, *args: Any) -> None:
    _epoch(dense_rows(X), *args)


def _epoch(row: Row, examples: Examples, iterates: Iterates, rule: Rule) -> None:
    """``rule.steps`` iterations, starting with number ``clock[0]``, in place on all arrays of ``iterates``."""
    scale, c, lower, upper, _ = examples
    clock, w, total, hits, visits = iterates
    random = SplitMix64(rule.seed)
    n = len(hits)
    for _ in range(rule.steps):
        clock[0] += 1
        t = clock[0]
        i = random.below(n)
        columns, values = row(i)
        v = upper[i] if c[i] + scale[i] * float(values @ w[columns]) > 0 else lower[i]
        w *= 1 - 1 / t if t > 1 else 1
        np.add.at(w, columns, -n * v * scale[i] / (rule.lam * t) * values)
        norm = float(np.sqrt(w @ w))
        if norm > rule.radius:
            w *= rule.radius / norm
        total += w
        hits[i] += v
        visits[i] += 1
