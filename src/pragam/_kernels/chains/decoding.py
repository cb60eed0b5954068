"""The best labelling of sequences by dynamic programming (Viterbi)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.vector import Vector

__all__ = ["chain_backward", "chain_forward"]

Indices = NDArray[np.int64]


def chain_forward(scores: Vector, first: Indices, tables: Vector, K: int, threads: int = 1) -> None:
    """scores(t, j) becomes the score of the best labelling up to token t that ends with label j.

    Tokens first[b] .. first[b + 1] - 1 are sequence b. The table of token t links it to the one before; there is one
    for all, or one for each token.
    """
    S = scores.reshape(-1, K)
    for b in range(len(first) - 1):
        for t in range(first[b] + 1, first[b + 1]):
            S[t] += (S[t - 1][:, None] + _table(tables, t, K)).max(axis=0)


def chain_backward(scores: Vector, first: Indices, tables: Vector, K: int, last: Indices, labels: Indices) -> None:
    """The labels of the best labellings from what ``chain_forward`` made.

    A sequence ends with the label last[b], or with its best one where that is negative.
    """
    S = scores.reshape(-1, K)
    for b in range(len(first) - 1):
        end = first[b + 1] - 1
        labels[end] = last[b] if last[b] >= 0 else S[end].argmax()
        for t in range(end, first[b], -1):
            labels[t - 1] = (S[t - 1] + _table(tables, t, K)[:, labels[t]]).argmax()


def _table(tables: Vector, t: int, K: int) -> Vector:
    return tables.reshape(-1, K, K)[t if tables.size > K * K else 0]
