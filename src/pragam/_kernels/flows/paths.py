"""Where ascent on flows goes: the best path of a sequence, or of the support in a zone, and the worst with mass."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from pragam._kernels.common.rows import Row, csr_rows
from pragam._kernels.flows.records import Chains, Flow, Table, Weights
from pragam._kernels.flows.tables import edges, features


class Direction(NamedTuple):
    """Tokens begin .. end - 1 of a sequence, and labels from ``begin`` to the token after them if there is one."""

    sequence: int
    begin: int
    end: int
    plus: list[int]
    minus: list[int]
    edge: list[int]  # of minus, its place in the list of each token
    gap: float


class Paths:
    """Scores and paths at the weights as they are."""

    def __init__(self, row: Row, chains: Chains, table: Table, flow: Flow) -> None:
        K = chains.K
        self.dtype = table.weights.dtype.type
        self.row, self.chains, self.table, self.flow = features(row, chains, self.dtype), chains, table, flow
        self.stride = len(chains.cost) // K
        self.weights, self.cost = table.weights.reshape(-1, self.stride), chains.cost.reshape(K, self.stride)
        self.late = table.late.reshape(-1, self.stride)
        self.link = len(self.weights) - 2 * K - 2  # the row of the first transition
        self.rows = self.link - 2 * K * chains.pairs.n_features
        self.transitions = self.weights[self.link : self.link + K]
        self.pairs = csr_rows(chains.pairs.values, chains.pairs.indices, chains.pairs.indptr)

    def pair_features(self, i: int, t: int) -> Any:
        """The features of token t of sequence i and the one before: of each its first link's row, and the value."""
        if not self.chains.pairs.n_features:
            return []
        features, values = self.pairs(int(self.chains.first[i]) - i + t - 1)
        return zip((self.rows + 2 * self.chains.K * features).tolist(), values.astype(self.dtype), strict=True)

    def links(self, i: int, t: int) -> Weights:
        """What links into token t are worth, by the label before and the label."""
        K, out = self.chains.K, self.transitions.copy()
        for row, value in self.pair_features(i, t):
            out += self.weights[row : row + K] * value
        return out

    def whole(self, i: int) -> Direction:
        """From the worst path in the support of sequence i to the best labelling of all."""
        first, K = int(self.chains.first[i]), self.chains.K
        L = int(self.chains.first[i + 1]) - first
        nodes = [self.score(i, t) for t in range(L)]
        links = [self.links(i, t) if t else self.transitions for t in range(L)]
        values = [np.where(np.arange(self.stride) < K, nodes[0], self.dtype(-inf))]
        for t in range(1, L):
            values.append(nodes[t] + (values[-1][:K, None] + links[t]).max(axis=0))
        plus = [int(np.argmax(values[-1]))]
        for t in range(L - 2, -1, -1):
            plus.insert(0, int(np.argmax(values[t][:K] + links[t + 1][:, plus[0]])))
        mean = sum(
            float(mass) * float(nodes[t][b] + (links[t][a, b] if t else self.dtype(0)))
            for t in range(L)
            for a, b, mass in edges(self.flow, first + t).tolist()
        )
        edge, _ = self.extreme(i, nodes, 0, L - 1, -1)
        minus = [int(edges(self.flow, first + t)[k]["label"]) for t, k in enumerate(edge)]
        return Direction(i, 0, L, plus, minus, edge, float(values[-1][plus[-1]]) - mean * 2.0**-30)

    def zone(self, i: int, first: int, end: int) -> Direction:
        """From the worst to the best path in the support, over tokens with several labels."""
        start, stop = int(self.chains.first[i]), int(self.chains.first[i + 1])
        begin, over = first - start, end - start
        last = min(over, stop - start - 1)
        nodes = [self.score(i, t) if t < over else None for t in range(begin, last + 1)]
        worst, low = self.extreme(i, nodes, begin, last, -1)
        best, high = self.extreme(i, nodes, begin, last, 1)
        plus, minus = (
            [int(edges(self.flow, first + t)[k]["label"]) for t, k in enumerate(path)] for path in (best, worst)
        )
        return Direction(i, begin, over, plus, minus, worst, float(high) - float(low))

    def score(self, i: int, t: int) -> Weights:
        """What each label of token t is worth beside its transitions, its cost included."""
        chains, first = self.chains, int(self.chains.first[i])
        token, out = first + t, np.zeros(self.stride, dtype=self.dtype)
        for column, value in zip(*self.row(token), strict=True):
            out += self.weights[column] * value
        truth = int(chains.truth[token])
        out += self.cost[truth] * chains.scale[token]
        if t == 0:
            out += self.weights[-2]
        if token + 1 == chains.first[i + 1]:
            out += self.weights[-1]
        if chains.own[token]:
            size = self.dtype(chains.rates[i]) * chains.own[token]
            for _, label, mass in edges(self.flow, token).tolist():
                out[label] -= size * (self.dtype(mass) * self.dtype(2.0**-30))
            out[truth] += size
        return out

    def extreme(self, i: int, nodes: list[Any], begin: int, last: int, sign: int) -> tuple[list[int], float]:
        """The edges of the best (sign 1) or worst path in the support from ``begin`` to ``last``, and its value."""
        first = int(self.chains.first[i])
        values: dict[int, tuple[Any, int]] = {}
        sources: list[list[int]] = []
        for t, node in zip(range(begin, last + 1), nodes, strict=True):
            own: dict[int, tuple[Any, int]] = {}
            source, links = [], self.links(i, t) if t else None
            for k, (a, b, _) in enumerate(edges(self.flow, first + t).tolist()):
                step = self.dtype(0) if links is None else links[a, b]
                step += self.dtype(0) if node is None else node[b]
                value = step if t == begin else values[a][0] + step
                source.append(0 if t == begin else values[a][1])
                if b not in own or sign * value > sign * own[b][0]:
                    own[b] = value, k
            values = own
            sources.append(source)
        label = int(edges(self.flow, first + last)[0]["label"])
        for _, b, _ in edges(self.flow, first + last).tolist():
            label = b if sign * values[b][0] > sign * values[label][0] else label
        path = [values[label][1]]
        for source in sources[:0:-1]:
            path.insert(0, source[path[0]])
        return path, values[label][0]
