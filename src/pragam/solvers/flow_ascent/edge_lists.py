"""A flow in memory while it changes: a list of edges for each token, in one pool that grows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.records.flows import EDGE, Chains, Flow
from pragam.structured.trellis_flow import TrellisFlow

#: Room for one more edge in every list at the start, as most tokens will need.
_SPARE = 1
#: The pool's room beyond the lists, as a share of theirs and at least.
_SLACK, _LEAST = 0.25, 1024


class EdgeLists:
    """The edges of all tokens. ``record`` is what kernels change."""

    def __init__(self, flow: TrellisFlow, first_tokens: NDArray[np.int64]) -> None:
        self.record = _spread(_edges(flow, _is_first(flow, first_tokens)), flow.first)

    def trellis_flow(self, chains: Chains) -> TrellisFlow:
        """The edges one token after the other."""
        first = np.zeros(len(self.record.count) + 1, dtype=np.int64)
        np.cumsum(self.record.count, out=first[1:])
        before, label = np.empty(first[-1], dtype=np.uint16), np.empty(first[-1], dtype=np.uint16)
        mass = np.empty(first[-1], dtype=np.uint32)
        _kernels.get("flow_edges")(chains, self.record, first, before, label, mass)
        return TrellisFlow(first, before, label, mass)

    def enlarge(self, chains: Chains) -> None:
        """Make room: the lists in order again, each with room for one more, and slack behind them."""
        flow = self.trellis_flow(chains)
        self.record = _spread(_edges(flow), flow.first)


def _is_first(flow: TrellisFlow, first_tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether an edge is one of the first token of its sequence."""
    change = np.zeros(len(flow.mass) + 1, dtype=np.int8)
    change[flow.first[first_tokens[:-1]]] += 1
    change[flow.first[first_tokens[:-1] + 1]] -= 1
    return np.cumsum(change[:-1], dtype=np.int8) > 0


def _edges(flow: TrellisFlow, is_first: NDArray[np.bool_] | None = None) -> NDArray[np.void]:
    """The edges as kernels have them. The label before a first token means nothing, and is 0."""
    edges = np.empty(len(flow.mass), dtype=EDGE)
    edges["before"] = flow.previous if is_first is None else np.where(is_first, 0, flow.previous)
    edges["label"], edges["mass"] = flow.label, flow.mass
    return edges


def _spread(edges: NDArray[np.void], first: NDArray[np.int64]) -> Flow:
    """The lists edges[first_t : first_{t+1}], with room between them."""
    count = np.diff(first)
    capacity = count + _SPARE
    place = np.cumsum(capacity) - capacity
    used = int(capacity.sum())
    room = used + max(int(_SLACK * used), _LEAST)
    pool = np.zeros(room, dtype=EDGE)
    pool[np.arange(len(edges)) + np.repeat(place - first[:-1], count)] = edges
    return Flow(
        place.astype(np.uint32),
        count.astype(np.uint16),
        capacity.astype(np.uint16),
        pool.view(np.uint32),
        np.array([used], dtype=np.int64),
    )
