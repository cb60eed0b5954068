"""Pairwise dual ascent on flows: the specification of ``flow_sequences`` and ``flow_visit_zones``, and ``flow_zones``.

A visit finds a direction: y+, the best path, and y-, the worst one that carries mass. Directions are found for a block
of visits at the weights before it. Then mass moves, run by run of the tokens where they differ, each by the exact step
at the weights as they are then. Scores are in the precision of the weights, slopes and curvatures of steps in double.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam._kernels.common.rows import Row, csr_rows, dense_rows, pattern_rows
from pragam._kernels.flows.paths import Direction, Paths
from pragam._kernels.flows.records import EDGE, Chains, Flow, Rule, Table
from pragam._kernels.flows.tables import edges

__all__ = [
    "flow_sequences_csr", "flow_sequences_dense", "flow_sequences_pattern", "flow_visit_zones_csr",
    "flow_visit_zones_dense", "flow_visit_zones_pattern", "flow_zones",
]  # fmt: skip

Indices = NDArray[np.int64]
Answer = tuple[int, float, float, int, int, float]
#: The most edges that a token can have.
_MOST_EDGES = 65535
_WHOLE = 2**30
#: Longer runs are cut into pieces.
_LONGEST_RUN = 8


def flow_sequences_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sequences(csr_rows(data, indices, indptr), *args)


def flow_sequences_dense(X: Any, *args: Any) -> Answer:
    return _sequences(dense_rows(X), *args)


def flow_sequences_pattern(indices: Any, indptr: Any, *args: Any) -> Answer:
    return _sequences(pattern_rows(indices, indptr), *args)


def flow_visit_zones_csr(data: Any, indices: Any, indptr: Any, *args: Any) -> Answer:
    return _zones(csr_rows(data, indices, indptr), *args)


def flow_visit_zones_dense(X: Any, *args: Any) -> Answer:
    return _zones(dense_rows(X), *args)


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


def _sequences(row: Row, chains: Chains, table: Table, flow: Flow, order: Indices, rule: Rule, clock: float) -> Answer:
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


class _Ascent(Paths):
    """Visits: paths are found for a block of them, then mass moves along each."""

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

    def take(self, along: Direction, relax: float, clock: float) -> tuple[bool, float, int]:
        """A step for each run of tokens where plus and minus differ; whether all were made, the gain, and how many.

        A long run is cut into pieces, with a token left between two of them, and taken as a whole only if none moves.
        """
        gain, moves, s = 0.0, 0, along.begin
        while s < along.end:
            e = s
            while e < along.end and along.plus[e - along.begin] != along.minus[e - along.begin]:
                e += 1
            before = moves
            cuts = range(s, e, _LONGEST_RUN + 1) if e - s > _LONGEST_RUN else ()
            for begin, end in [*((cut, min(cut + _LONGEST_RUN, e)) for cut in cuts), (s, e)]:
                if begin == end or (moves > before and (begin, end) == (s, e)):
                    continue
                gained = self.run(along, begin, end - 1, relax, self.dtype(clock))
                if gained is None:
                    return False, gain, moves
                gain, moves = gain + gained, moves + (gained != 0)
            s = max(e, s + 1)
        return True, gain, moves

    def run(self, along: Direction, s: int, e: int, relax: float, clock: Any) -> float | None:
        """The gain of the step along tokens s .. e; None if the pool has no room for its edges."""
        chains, flow, i = self.chains, self.flow, along.sequence
        first = int(chains.first[i])
        last = min(e + 1, int(chains.first[i + 1]) - first - 1)
        places = [along.edge[t - along.begin] for t in range(s, last + 1)]
        start = int(edges(flow, first + s)[places[0]]["before"])
        minus = along.minus[s - along.begin : last + 1 - along.begin]
        plus = along.plus[s - along.begin : e + 1 - along.begin] + minus[e + 1 - s :]
        up, down = (list(zip([start, *labels[:-1]], labels, strict=True)) for labels in (plus, minus))
        slope, bend = self.slope_and_bend(i, s, e, up, down)
        if not slope > 0:
            return 0.0
        tokens = range(first + s, first + last + 1)
        new = [t for t, edge in zip(tokens, up, strict=True) if _find(flow, t, edge) < 0]
        if any(flow.counts[t] == _MOST_EDGES for t in new):
            return 0.0
        most = min(int(edges(flow, t)[k]["mass"]) for t, k in zip(tokens, places, strict=True))
        rate = chains.rates[i]
        wanted = relax * slope / (rate * bend) * _WHOLE if bend else inf
        mass = int(wanted + 0.5) if wanted < most else most
        if mass == 0:
            return 0.0
        if int(flow.used[0]) + sum(_growth(flow, t) for t in new) > len(flow.pool) // 2:
            return None
        share = mass * 2.0**-30
        change = self.dtype(rate * share)
        for t, to, away, k in zip(tokens, up, down, places, strict=True):
            _move(flow, t, to, k, mass)
            self.shift(i, t, t - first <= e, to, away, change, clock)
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
                slope += (
                    chains.rates[i] * own * ((a == truth) - (b == truth) - self.mass(token, a) + self.mass(token, b))
                )
            for end, is_end in ((-2, t == 0), (-1, t + 1 == L)):
                if is_end:
                    slope += float(self.weights[end, a]) - float(self.weights[end, b])
            for label, sign in ((a, 1), (b, -1)):
                np.add.at(sums.setdefault(label, np.zeros(max(self.rows, 1))), columns, sign * np.float64(values))
            bend += 2 * own
        bend += sum(float(total @ total) for total in sums.values())
        counts: dict[Any, float] = {}  # by the row of the label before, and the label
        for t, (plus, minus) in enumerate(zip(up, down, strict=True), s):
            for row, value in [(self.link, 1.0), *self.pair_features(i, t)] if t else []:
                for (before, label), by in ((plus, float(value)), (minus, -float(value))):
                    slope += by * float(self.weights[row + before, label])
                    counts[row + before, label] = counts.get((row + before, label), 0.0) + by
        return slope, bend + sum(count**2 for count in counts.values())

    def mass(self, token: int, label: int) -> float:
        own = edges(self.flow, token)
        return int(own["mass"][own["label"] == label].sum(dtype=np.int64)) * 2.0**-30

    def shift(self, i: int, token: int, is_inside: bool, plus: Any, minus: Any, change: Any, clock: Any) -> None:
        """The weights follow the flow at one token of a run, or at the one after it."""
        first, is_last = int(self.chains.first[i]), token + 1 == self.chains.first[i + 1]
        pairs = [(self.link, self.dtype(1)), *self.pair_features(i, token - first)] if token > first else []
        for (before, label), by in ((plus, -change), (minus, change)):
            for row, value in pairs:
                self.add(row + before, label, by * value, clock)
                self.add(row + self.chains.K + label, before, by * value, clock)
            if is_inside:
                for column, value in zip(*self.row(token), strict=True):
                    self.add(int(column), label, by * value, clock)
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
    return 0 if flow.counts[t] < flow.capacity[t] else min(_MOST_EDGES, 2 * int(flow.capacity[t]))


def _move(flow: Flow, t: int, edge: tuple[int, int], k: int, mass: int) -> None:
    """Mass to an edge, from the k-th of the token's list."""
    pool, found = flow.pool.view(EDGE), _find(flow, t, edge)
    if found >= 0:
        edges(flow, t)["mass"][found] += mass
    else:
        if growth := _growth(flow, t):
            used = int(flow.used[0])
            pool[used : used + flow.counts[t]] = edges(flow, t)
            flow.first[t], flow.capacity[t], flow.used[0] = used, growth, used + growth
        flow.counts[t] += 1
        edges(flow, t)[-1] = (*edge, mass)
    own = edges(flow, t)
    own["mass"][k] -= mass
    if own["mass"][k] == 0:
        own[k] = own[-1]
        flow.counts[t] -= 1
