"""Pairwise dual ascent on flows: the specification of ``flow_sequences`` and ``flow_visit_zones``, and ``flow_zones``.

A visit finds a direction: y+, the best path, and y-, the worst one that carries mass. Directions are found for a block of
visits at the weights before it. Then mass moves, run by run of the tokens where they differ, each by the exact step at
the weights as they are then. Scores are in single precision, slopes and curvatures of steps in double.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.records.flows import EDGE, Chains, Floats, Flow, Rule, Table
from pragam._kernels.twins.flow_tables import edges, single
from pragam._kernels.twins.rows import Row, csr_rows, dense_rows, pattern_rows

__all__ = [
    "flow_sequences_csr", "flow_sequences_dense", "flow_sequences_pattern", "flow_visit_zones_csr",
    "flow_visit_zones_dense", "flow_visit_zones_pattern", "flow_zones",
]  # fmt: skip

Indices = NDArray[np.int64]
Answer = tuple[int, float, float, int, int, float]
#: The most edges that a token can have.
_MOST_EDGES = 65535
_WHOLE = 2**30


def flow_sequences_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sequences(single(csr_rows(data, indices, indptr)), *args)


def flow_sequences_dense(X: Any, *args: Any) -> Answer:
    return _sequences(single(dense_rows(X)), *args)


def flow_sequences_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sequences(pattern_rows(indices, indptr), *args)


def flow_visit_zones_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _zones(single(csr_rows(data, indices, indptr)), *args)


def flow_visit_zones_dense(X: Any, *args: Any) -> Answer:
    return _zones(single(dense_rows(X)), *args)


def flow_visit_zones_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _zones(pattern_rows(indices, indptr), *args)


def flow_zones(chains: Chains, flow: Flow, zones: NDArray[np.uint32]) -> int:
    """The sequence, first token and the one after the last of each run of tokens with two labels or more.

    Returns their number, and writes as many as there is room for.
    """
    split = [len(set(edges(flow, t)["label"].tolist())) > 1 for t in range(len(chains.truth))]
    n = 0
    for i in range(len(chains.rates)):
        t, end = int(chains.first[i]), int(chains.first[i + 1])
        while t < end:
            begin = t
            while t < end and split[t]:
                t += 1
            if t > begin:
                zones[3 * n : 3 * n + 3] = (i, begin, t)[: len(zones[3 * n : 3 * n + 3])]
                n += 1
            t += t == begin
    return n


class Direction(NamedTuple):
    """Tokens begin .. end - 1 of a sequence, and labels from ``begin`` to the token after them if there is one."""

    sequence: int
    begin: int
    end: int
    plus: list[int]
    minus: list[int]
    edge: list[int]  # of minus, its place in the list of each token
    gap: float


def _sequences(
    row: Row, chains: Chains, table: Table, flow: Flow, order: Indices, rule: Rule, clock: float
) -> Answer:
    ascent = _Ascent(row, chains, table, flow)
    return ascent.visits(len(order), rule, clock, lambda k: ascent.whole(int(order[k])))


def _zones(
    row: Row,
    chains: Chains,
    table: Table,
    flow: Flow,
    zones: NDArray[np.uint32],
    order: Indices,
    rule: Rule,
    clock: float,
) -> Answer:
    ascent = _Ascent(row, chains, table, flow)
    return ascent.visits(len(order), rule, clock, lambda k: ascent.zone(*zones[3 * order[k] :][:3].tolist()))


class _Ascent:
    def __init__(self, row: Row, chains: Chains, table: Table, flow: Flow) -> None:
        K = chains.K
        self.row, self.chains, self.table, self.flow = row, chains, table, flow
        self.stride = len(chains.cost) // K
        self.weights, self.cost = table.weights.reshape(-1, self.stride), chains.cost.reshape(K, self.stride)
        self.late = table.late.reshape(-1, self.stride)
        self.rows = len(self.weights) - 2 * K - 2
        self.transitions = self.weights[self.rows : self.rows + K]
        self.transposed = self.weights[self.rows + K : self.rows + 2 * K]

    def visits(self, n: int, rule: Rule, clock: float, find: Callable[[int], Direction]) -> Answer:
        """Visits made, their gaps, what D gained, steps, tokens and the clock; fewer visits if the pool is full."""
        gap = gain = 0.0
        moves = tokens = 0
        for begin in range(0, n, rule.block):
            found = [find(k) for k in range(begin, min(begin + rule.block, n))]
            for k, along in enumerate(found):
                is_done, gained, moved = self.take(along, rule.relax, clock)
                gain, moves = gain + gained, moves + moved
                if not is_done:
                    return begin + k, gap, gain, moves, tokens, clock
                gap += self.chains.totals[along.sequence] * max(along.gap, 0.0)
                clock += along.end - along.begin
                tokens += along.end - along.begin
        return n, gap, gain, moves, tokens, clock

    # Directions -----------------------------------------------------------------------------------------------------

    def whole(self, i: int) -> Direction:
        """From the worst path in the support of sequence i to the best labelling of all."""
        first, K = int(self.chains.first[i]), self.chains.K
        L = int(self.chains.first[i + 1]) - first
        nodes = [self.score(i, t) for t in range(L)]
        values = [np.where(np.arange(self.stride) < K, nodes[0], np.float32(-inf))]
        for t in range(1, L):
            values.append(nodes[t] + (values[-1][:K, None] + self.transitions).max(axis=0))
        plus = [int(np.argmax(values[-1]))]
        for t in range(L - 2, -1, -1):
            plus.insert(0, int(np.argmax(values[t] + self.transposed[plus[0]])))
        mean = sum(
            float(mass) * float(nodes[t][b] + (self.transitions[a, b] if t else np.float32(0)))
            for t in range(L)
            for a, b, mass in edges(self.flow, first + t).tolist()
        )
        edge, _ = self.extreme(first, nodes, 0, L - 1, -1)
        minus = [int(edges(self.flow, first + t)[k]["label"]) for t, k in enumerate(edge)]
        return Direction(i, 0, L, plus, minus, edge, float(values[-1][plus[-1]]) - mean * 2.0**-30)

    def zone(self, i: int, first: int, end: int) -> Direction:
        """From the worst to the best path in the support, over tokens with several labels."""
        start, stop = int(self.chains.first[i]), int(self.chains.first[i + 1])
        begin, over = first - start, end - start
        last = min(over, stop - start - 1)
        nodes = [self.score(i, t) if t < over else None for t in range(begin, last + 1)]
        worst, low = self.extreme(start, nodes, begin, last, -1)
        best, high = self.extreme(start, nodes, begin, last, 1)
        plus, minus = (
            [int(edges(self.flow, first + t)[k]["label"]) for t, k in enumerate(path)] for path in (best, worst)
        )
        return Direction(i, begin, over, plus, minus, worst, float(high) - float(low))

    def score(self, i: int, t: int) -> Floats:
        """What each label of token t is worth beside its transitions, its cost included."""
        chains, first = self.chains, int(self.chains.first[i])
        token, out = first + t, np.zeros(self.stride, dtype=np.float32)
        for column, value in zip(*self.row(token), strict=True):
            out += self.weights[column] * np.float32(value)
        truth = int(chains.truth[token])
        out += self.cost[truth] * chains.scale[token]
        if t == 0:
            out += self.weights[-2]
        if token + 1 == chains.first[i + 1]:
            out += self.weights[-1]
        if chains.own[token]:
            size = np.float32(chains.rates[i]) * chains.own[token]
            for _, label, mass in edges(self.flow, token).tolist():
                out[label] -= size * (np.float32(mass) * np.float32(2.0**-30))
            out[truth] += size
        return out

    def extreme(self, first: int, nodes: list[Any], begin: int, last: int, sign: int) -> tuple[list[int], float]:
        """The edges of the best (sign 1) or worst path in the support from ``begin`` to ``last``, and its value."""
        values: dict[int, tuple[Any, int]] = {}
        sources: list[list[int]] = []
        for t, node in zip(range(begin, last + 1), nodes, strict=True):
            own: dict[int, tuple[Any, int]] = {}
            source = []
            for k, (a, b, _) in enumerate(edges(self.flow, first + t).tolist()):
                step = (self.transitions[a, b] if t else np.float32(0)) + (node[b] if node is not None else np.float32(0))
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

    # Steps ----------------------------------------------------------------------------------------------------------

    def take(self, along: Direction, relax: float, clock: float) -> tuple[bool, float, int]:
        """A step for each run of tokens where plus and minus differ; whether all were made, the gain, and how many."""
        gain, moves, s = 0.0, 0, along.begin
        while s < along.end:
            e = s
            while e < along.end and along.plus[e - along.begin] != along.minus[e - along.begin]:
                e += 1
            if e > s:
                gained = self.run(along, s, e - 1, relax, np.float32(clock))
                if gained is None:
                    return False, gain, moves
                gain, moves = gain + gained, moves + (gained != 0)
            s = max(e, s + 1)
        return True, gain, moves

    def run(self, along: Direction, s: int, e: int, relax: float, clock: np.float32) -> float | None:
        """The gain of the step along tokens s .. e; None if the pool has no room for its edges."""
        chains, flow, i = self.chains, self.flow, along.sequence
        first = int(chains.first[i])
        last = min(e + 1, int(chains.first[i + 1]) - first - 1)
        places = [along.edge[t - along.begin] for t in range(s, last + 1)]
        start = int(edges(flow, first + s)[places[0]]["before"])
        up, down = (
            list(zip([start, *labels[:-1]], labels, strict=True))
            for labels in (path[s - along.begin : last + 1 - along.begin] for path in (along.plus, along.minus))
        )
        slope, bend = self.slope_and_bend(i, s, e, up, down)
        if not slope > 0:
            return 0.0
        tokens = range(first + s, first + last + 1)
        new = [t for t, edge in zip(tokens, up, strict=True) if _find(flow, t, edge) < 0]
        if any(flow.count[t] == _MOST_EDGES for t in new):
            return 0.0
        most = min(int(edges(flow, t)[k]["mass"]) for t, k in zip(tokens, places, strict=True))
        rate = chains.rates[i]
        wanted = relax * slope / (rate * bend) * _WHOLE if bend else inf
        mass = int(wanted) if wanted < most else most
        if mass == 0:
            return 0.0
        if int(flow.used[0]) + sum(_growth(flow, t) for t in new) > len(flow.pool) // 2:
            return None
        share = mass * 2.0**-30
        for t, plus, minus, k in zip(tokens, up, down, places, strict=True):
            _move(flow, t, plus, k, mass)
            self.shift(first, t, t - first <= e, t + 1 == chains.first[i + 1], plus, minus, np.float32(rate * share), clock)
        return float(chains.totals[i] * share * (slope - 0.5 * share * rate * bend))

    def slope_and_bend(self, i: int, s: int, e: int, up: list[Any], down: list[Any]) -> tuple[float, float]:
        """How much more y+ is worth than y-, and |Phi(y+) - Phi(y-)|^2, over a run."""
        chains, first = self.chains, int(self.chains.first[i])
        L = int(chains.first[i + 1]) - first
        slope, bend = 0.0, 2.0 * (s == 0) + 2.0 * (e + 1 == L)
        sums: dict[int, Any] = {}
        for t in range(s, e + 1):
            token, a, b = first + t, up[t - s][1], down[t - s][1]
            truth, (columns, values) = int(chains.truth[token]), self.row(token)
            slope += float(chains.scale[token]) * (float(self.cost[truth, a]) - float(self.cost[truth, b]))
            for column, value in zip(columns, values, strict=True):
                slope += float(value) * (float(self.weights[column, a]) - float(self.weights[column, b]))
            own = float(chains.own[token])
            if own:
                slope += chains.rates[i] * own * ((a == truth) - (b == truth) - self.mass(token, a) + self.mass(token, b))
            for end, is_end in ((-2, t == 0), (-1, t + 1 == L)):
                if is_end:
                    slope += float(self.weights[end, a]) - float(self.weights[end, b])
            for label, sign in ((a, 1), (b, -1)):
                np.add.at(sums.setdefault(label, np.zeros(max(self.rows, 1))), columns, sign * np.float64(values))
            bend += 2 * own
        bend += sum(float(total @ total) for total in sums.values())
        counts: dict[Any, int] = {}
        for t, (plus, minus) in enumerate(zip(up, down, strict=True), s):
            if t:
                slope += float(self.transitions[plus]) - float(self.transitions[minus])
                counts[plus], counts[minus] = counts.get(plus, 0) + 1, counts.get(minus, 0) - 1
                if plus == minus:
                    counts[plus] = counts.get(plus, 0)
        return slope, bend + sum(count**2 for count in counts.values())

    def mass(self, token: int, label: int) -> float:
        own = edges(self.flow, token)
        return int(own["mass"][own["label"] == label].sum(dtype=np.int64)) * 2.0**-30

    def shift(
        self, first: int, token: int, is_inside: bool, is_last: bool, plus: Any, minus: Any, change: Any, clock: Any
    ) -> None:
        """The weights follow the flow at one token of a run, or at the one after it."""
        for (before, label), by in ((plus, -change), (minus, change)):
            if token > first:
                self.add(self.rows + before, label, by, clock)
                self.add(self.rows + self.chains.K + label, before, by, clock)
            if is_inside:
                for column, value in zip(*self.row(token), strict=True):
                    self.add(int(column), label, by * np.float32(value), clock)
                if token == first:
                    self.add(-2, label, by, clock)
                if is_last:
                    self.add(-1, label, by, clock)

    def add(self, row: int, label: int, by: Any, clock: Any) -> None:
        self.weights[row, label] += by
        if len(self.late):
            self.late[row, label] += by * clock


def _find(flow: Flow, t: int, edge: tuple[int, int]) -> int:
    own = edges(flow, t)
    found = np.flatnonzero((own["before"] == edge[0]) & (own["label"] == edge[1]))
    return int(found[0]) if len(found) else -1


def _growth(flow: Flow, t: int) -> int:
    """How much of the pool one more edge takes."""
    return 0 if flow.count[t] < flow.capacity[t] else min(_MOST_EDGES, 2 * int(flow.capacity[t]))


def _move(flow: Flow, t: int, edge: tuple[int, int], k: int, mass: int) -> None:
    """Mass to an edge, from the k-th of the token's list."""
    pool, found = flow.pool.view(EDGE), _find(flow, t, edge)
    if found >= 0:
        edges(flow, t)["mass"][found] += mass
    else:
        if growth := _growth(flow, t):
            used = int(flow.used[0])
            pool[used : used + flow.count[t]] = edges(flow, t)
            flow.first[t], flow.capacity[t], flow.used[0] = used, growth, used + growth
        flow.count[t] += 1
        edges(flow, t)[-1] = (*edge, mass)
    own = edges(flow, t)
    own["mass"][k] -= mass
    if own["mass"][k] == 0:
        own[k] = own[-1]
        flow.count[t] -= 1
