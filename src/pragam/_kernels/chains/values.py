"""What the best labelling of each sequence is worth."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np

from pragam._kernels.chains.records import Scores, Truth
from pragam._kernels.common.rows import Row, csr_rows, dense_rows
from pragam.numerics.vector import Vector

__all__ = ["chain_values_csr", "chain_values_dense"]


def chain_values_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> None:
    _values(csr_rows(data, indices, indptr), *args)


def chain_values_dense(X: Any, *args: Any) -> None:
    _values(dense_rows(X), *args)


def _values(row: Row, weights: Scores, truth: Truth, values: Vector, sizes: Vector, threads: int) -> None:
    """The best score of each sequence, costs included, less that of its true labels; and the sum of the largest sizes
    of its tokens' scores and of links. Both are infinite where a score is not finite.
    """
    features, n_features, has_constant, links, starts, ends, largest_link = weights
    labels, scale, cost, first = truth
    stride = len(starts)
    K = len(links) // stride
    W = features[: len(features) - 8].reshape(-1, K) if len(features) else np.zeros((n_features + has_constant, K))
    table, costs = links.reshape(K, stride)[:, :K], cost.reshape(K, stride)[:, :K]
    for i in range(len(values)):
        best, own, size = np.zeros(0), 0.0, 0.0
        for t in range(first[i], first[i + 1]):
            columns, x = row(t)
            node = x @ W[columns] + (W[-1] if has_constant else 0.0) + scale[t] * costs[labels[t]]
            size += np.abs(node).max() + (largest_link if t > first[i] else 0.0)
            node = node + (starts[:K] if t == first[i] else 0.0) + (ends[:K] if t + 1 == first[i + 1] else 0.0)
            own += node[labels[t]] + (table[labels[t - 1], labels[t]] if t > first[i] else 0.0)
            best = node + ((best[:, None] + table).max(axis=0) if t > first[i] else 0.0)
        is_finite = isfinite(size) and isfinite(own)
        values[i], sizes[i] = (best.max() - own, size) if is_finite else (inf, inf)
