r"""Labellings of chains by dynamic programming: the best one, the k best ones, and max-marginals.

The score of a labelling y of a sequence is  start_{y_0} + sum_t nodes_t(y_t) + sum_t transitions(y_t, y_{t+1}) +
end_{y_last}.  With the best score of a prefix that ends in label j and of what follows label j,

    before_t(j) = nodes_t(j) + max over i of before_{t-1}(i) + transitions(i, j)
    after_t(j)  = max over k of transitions(j, k) + nodes_{t+1}(k) + after_{t+1}(k),

before_t(j) + after_t(j) is the highest score of all labellings with label j at t: the max-marginal. Minus infinity
forbids.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ChainScores:
    """The scores of sequences of the given ``lengths`` over K labels."""

    nodes: Vector  # (tokens, K)
    transitions: Vector  # (K, K), from row to column
    starts: Vector  # (K,)
    ends: Vector  # (K,)
    lengths: Indices

    @property
    def first(self) -> Indices:
        """The first token of each sequence."""
        return np.cumsum(self.lengths) - self.lengths

    def before(self) -> Vector:
        """before_t(j), (tokens, K)."""
        out = np.array(self.nodes, dtype=np.float64, order="C")
        out[self.first] += self.starts
        bounds = np.append(self.first, len(out))
        _kernels.get("chain_forward")(out.ravel(), bounds, self.transitions.ravel(), out.shape[1], n_threads(out.size))
        return out

    def max_marginals(self) -> Vector:
        """before_t(j) + after_t(j), (tokens, K). From the last token to the first, ``before`` is nodes + ``after``."""
        lengths = self.lengths[::-1].copy()
        backwards = ChainScores(self.nodes[::-1], self.transitions.T.copy(), self.ends, self.starts, lengths)
        return self.before() + (backwards.before()[::-1] - self.nodes)


def best_labels(scores: ChainScores) -> tuple[Indices, Vector]:
    """A labelling of the highest score for each sequence (Viterbi), and that score. Of equal labels the first wins.

    The score is -inf where every labelling is forbidden.
    """
    before, labels = scores.before(), np.empty(len(scores.nodes), dtype=np.int64)
    bounds, K = np.append(scores.first, len(labels)), before.shape[1]
    before[bounds[1:] - 1] += scores.ends
    free = np.full(len(scores.lengths), -1)
    _kernels.get("chain_backward")(before.ravel(), bounds, scores.transitions.ravel(), K, free, labels)
    return labels, before[bounds[1:] - 1].max(axis=1)


def label_margins(scores: ChainScores, labels: Indices) -> Vector:
    """For each token, how far the max-marginal of its label is above that of the best other label."""
    marginals = scores.max_marginals()
    places = np.arange(len(labels))
    own = marginals[places, labels]
    marginals[places, labels] = -np.inf
    return own - marginals.max(axis=1)


def k_best(scores: ChainScores, k: int) -> list[tuple[Indices, Vector]]:
    """For each sequence its k best labellings, (at most k, length), and their scores, from the best on.

    There are fewer if there are no more labellings of finite score.
    """
    return [_k_best(scores, first, length, k) for first, length in zip(scores.first, scores.lengths, strict=True)]


def _k_best(scores: ChainScores, first: int, length: int, k: int) -> tuple[Indices, Vector]:
    """Each label keeps the k best prefixes that end in it: value (K, k), and which (label, rank) each came from."""
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
