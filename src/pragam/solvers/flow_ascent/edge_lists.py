"""A flow in memory while it changes: a list of edges for each token, in one pool that grows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.flows.records import EDGE, Chains, Flow
from pragam.structured.chains.trellis_flow import TrellisFlow

#: Room for one more edge in every list at the start, as most tokens will need.
_SPARE = 1
#: The pool's room beyond the lists, as a share of theirs and at least.
_SLACK, _LEAST = 0.25, 1024
#: Tokens whose lists are moved together.
_CHUNK = 2**16


class EdgeLists:
    """The edges of all tokens. ``record`` is what kernels change."""

    def __init__(self, flow: TrellisFlow, first_tokens: NDArray[np.int64]) -> None:
        self.record = _spread(flow)
        tokens = first_tokens[:-1]
        # The label before a first token means nothing, and kernels compare it.
        self.record.pool.view(EDGE)["before"][_places(self.record, tokens)] = 0

    def trellis_flow(self, chains: Chains) -> TrellisFlow:
        """The edges one token after the other."""
        first = np.zeros(len(self.record.counts) + 1, dtype=np.int64)
        np.cumsum(self.record.counts, out=first[1:])
        before, label = np.empty(first[-1], dtype=np.uint16), np.empty(first[-1], dtype=np.uint16)
        mass = np.empty(first[-1], dtype=np.uint32)
        _kernels.get("flow_edges")(chains, self.record, first, before, label, mass)
        return TrellisFlow(first, before, label, mass)

    def enlarge(self, chains: Chains) -> None:
        """Make room: the lists in order again, each with room for one more, and slack behind them.

        The old pool goes before the new one comes.
        """
        flow = self.trellis_flow(chains)
        del self.record
        self.record = _spread(flow)


def _spread(flow: TrellisFlow) -> Flow:
    """The lists of a flow, with room between them; some tokens at a time, for the sake of memory."""
    counts = np.diff(flow.first).astype(np.uint16)
    capacity = counts + np.uint16(_SPARE)
    place = np.zeros(len(counts), dtype=np.uint32)
    np.cumsum(capacity[:-1], dtype=np.uint32, out=place[1:])
    used = int(capacity.sum(dtype=np.int64))
    pool = np.zeros(used + max(int(_SLACK * used), _LEAST), dtype=EDGE)
    record = Flow(place, counts, capacity, pool.view(np.uint32), np.array([used], dtype=np.int64))
    for begin in range(0, len(counts), _CHUNK):
        tokens = np.arange(begin, min(begin + _CHUNK, len(counts)))
        at, own = _places(record, tokens), slice(flow.first[begin], flow.first[tokens[-1] + 1])
        pool["before"][at], pool["label"][at], pool["mass"][at] = flow.previous[own], flow.label[own], flow.mass[own]
    return record


def _places(record: Flow, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where the pool has the edges of these tokens, one list after the other."""
    counts = record.counts[tokens].astype(np.int64)
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(record.first[tokens] - (ends - counts), counts)
