r"""Labellings of chains by dynamic programming: the best one, the k best ones, and max-marginals.

The score of a labelling y of a sequence is  start_{y_0} + sum_t nodes_t(y_t) + sum_t transitions(y_t, y_{t+1}) +
end_{y_last}.  With the best score of a prefix that ends in label j and of what follows label j,

    before_t(j) = nodes_t(j) + max over i of before_{t-1}(i) + transitions(i, j)
    after_t(j)  = max over k of transitions(j, k) + nodes_{t+1}(k) + after_{t+1}(k),

before_t(j) + after_t(j) is the highest score of all labellings with label j at t: the max-marginal. Minus infinity
forbids. All sequences move together, one position at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam.vector import Vector

Indices = NDArray[np.int64]

#: Numbers in the largest temporary array.
_ROOM = 1 << 21


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

    def positions(self) -> Iterator[Indices]:
        """For t = 1, 2, ... the tokens at position t of all sequences that are so long, in parts that fit ``_ROOM``."""
        order = np.argsort(-self.lengths, kind="stable")
        first, lengths = self.first[order], self.lengths[order]
        part = max(1, _ROOM // self.nodes.shape[1] ** 2)
        for t in range(1, int(lengths[0])):
            longer = int(np.searchsorted(-lengths, -t))
            for k in range(0, longer, part):
                yield first[k : min(k + part, longer)] + t

    def before(self) -> Vector:
        """before_t(j), (tokens, K)."""
        out = self.nodes.copy()
        out[self.first] += self.starts
        for now in self.positions():
            out[now] += (out[now - 1][:, :, None] + self.transitions).max(axis=1)
        return out

    def after(self) -> Vector:
        """after_t(j), (tokens, K)."""
        out = np.zeros_like(self.nodes)
        out[self.first + self.lengths - 1] = self.ends
        for now in reversed(list(self.positions())):
            out[now - 1] = (self.transitions + (self.nodes[now] + out[now])[:, None, :]).max(axis=2)
        return out


def best_labels(scores: ChainScores) -> tuple[Indices, Vector]:
    """A labelling of the highest score for each sequence (Viterbi), and that score. Of equal labels the first wins."""
    before, last = scores.before(), scores.first + scores.lengths - 1
    labels = np.empty(len(before), dtype=np.int64)
    ending = before[last] + scores.ends
    labels[last] = ending.argmax(axis=1)
    for now in reversed(list(scores.positions())):
        labels[now - 1] = (before[now - 1] + scores.transitions[:, labels[now]].T).argmax(axis=1)
    return labels, ending.max(axis=1)


def label_margins(scores: ChainScores, labels: Indices) -> Vector:
    """For each token, how far the max-marginal of its label is above that of the best other label."""
    marginals = scores.before() + scores.after()
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
