"""The k best labellings of each chain: every label keeps the k best prefixes that end in it."""

from __future__ import annotations

import numpy as np

from pragam.numerics.vector import Vector
from pragam.structured.inference.scores import ChainScores, Indices


def k_best(scores: ChainScores, k: int) -> list[tuple[Indices, Vector]]:
    """For each sequence its k best labellings, (at most k, length), and their scores, from the best on.

    There are fewer if there are no more labellings of finite score.
    """
    return [_k_best(scores, first, length, k) for first, length in zip(scores.first, scores.lengths, strict=True)]


def _k_best(scores: ChainScores, first: int, length: int, k: int) -> tuple[Indices, Vector]:
    """Of one sequence: ``value`` (K, k) are those of the prefixes, ``origin`` the (label, rank) that each came from."""
    nodes, K = scores.nodes[first : first + length], scores.nodes.shape[1]
    k = min(k, K ** min(int(length), 64))  # there are no more
    value = np.full((K, k), -np.inf)
    value[:, 0] = nodes[0] + scores.starts
    origins = []
    for t in range(1, length):
        through = (value[:, :, None] + scores.transitions[:, None, :]).reshape(K * k, K)
        origin = np.argsort(-through, axis=0, kind="stable")[:k]  # (k, K)
        origins.append(origin)
        value = np.take_along_axis(through, origin, axis=0).T + nodes[t][:, None]
    final = (value + scores.ends[:, None]).ravel()
    state = np.argsort(-final, kind="stable")[:k]
    state = state[final[state] > -np.inf]
    values, labels = final[state], np.empty((len(state), length), dtype=np.int64)
    for t in range(length - 1, -1, -1):
        labels[:, t], rank = np.divmod(state, k)
        if t:
            state = origins[t - 1][rank, labels[:, t]]
    return labels, values
