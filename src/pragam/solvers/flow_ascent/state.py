"""What ascent on flows remembers, and the kernels' calls on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.flows.records import Chains, Rule
from pragam.solvers.base import State
from pragam.solvers.flow_ascent.edge_lists import EdgeLists
from pragam.solvers.flow_ascent.schedule import Gap, Schedule
from pragam.solvers.flow_ascent.token_rows import TokenRows
from pragam.solvers.flow_ascent.weight_table import WeightTable

Indices = NDArray[np.int64]

#: D has hardly risen if it has by less than this share of the gap in half of all rounds: a thousand times as many would
#: not do.
_SLOW = 1e-3
#: Nothing is said of fewer rounds.
_FEW_ROUNDS = 64


class Visited(NamedTuple):
    """Of visits: how many were made, their gaps, what D has gained, steps taken, tokens scored, and the clock."""

    visits: int
    gap: float
    gain: float
    moves: int
    tokens: int
    clock: float


@dataclass
class Round:
    """One sweep over all sequences, and some over the zones of the support; where it stands."""

    order: Indices  # of the sequences, then of the zones
    at: int = 0  # visits of this sweep that were made
    sweep: int = 0  # 0: the sequences; then those of the zones
    gap: float = 0.0  # of the sequences, as they were met
    moves: int = 0  # of mass
    zones: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))

    @property
    def is_new(self) -> bool:
        return self.sweep == 0 and self.at == 0

    @property
    def is_over(self) -> bool:
        return self.at >= len(self.order)


@dataclass
class FlowState(State):
    rows: TokenRows
    chains: Chains
    table: WeightTable
    flow: EdgeLists
    rng: np.random.Generator
    schedule: Schedule
    gap: Gap
    dual: float  # D, by the gains of the steps
    round: Round
    renewed_at: float = 0.0  # passes when the table was last computed from the flow
    broken: int = 0  # estimates in a row that promised the tolerance, and a certificate did not confirm it
    idle: int = 0  # rounds in a row in which nothing has moved
    rounds: int = 0
    mark: float = -inf  # D when the number of rounds was last a power of two
    is_stuck: bool = False  # whether D has hardly risen since the one before that

    def visit(self, name: str, rule: Rule, visits: int, *which: Any) -> Visited:
        """The next visits of the round, by one of the kernels."""
        current = self.round
        order = current.order[current.at : current.at + visits]
        kernel = _kernels.get(f"{name}_{self.rows.kind}")
        visited = Visited(*kernel(
            *self.rows.arrays, self.chains, self.table.record, self.flow.record, *which, order, rule, self.table.clock
        ))  # fmt: skip
        current.at += visited.visits
        current.moves += visited.moves
        self.table.clock = visited.clock
        self.dual += visited.gain
        self.passes += visited.tokens / max(len(self.chains.truth), 1)
        if visited.visits < len(order):
            self.flow.enlarge(self.chains)
        return visited if visited.visits or not len(order) else self.visit(name, rule, visits, *which)

    def count_round(self) -> None:
        """At the end of a round: was the second half of all rounds worth it?"""
        self.rounds += 1
        if self.rounds >= _FEW_ROUNDS and self.rounds & (self.rounds - 1) == 0:
            self.is_stuck = self.dual - self.mark < _SLOW * self.round.gap
            self.mark = self.dual

    def renew(self, lam: float) -> None:
        """Compute the table anew from the flow: its updates, in single precision, may have led it astray."""
        kernel = _kernels.get(f"flow_renew_{self.rows.kind}")
        loss, norm2 = kernel(*self.rows.arrays, self.chains, self.table.record, self.flow.record)
        self.dual = loss - 0.5 * lam * norm2
        self.passes += 1.0
        self.renewed_at = self.passes

    def find_zones(self) -> NDArray[np.uint32]:
        """Sequence, first token and the one after the last, of each run of tokens with several labels."""
        kernel = _kernels.get("flow_zones")
        zones = np.empty(3 * kernel(self.chains, self.flow.record, np.empty(0, np.uint32)), dtype=np.uint32)
        kernel(self.chains, self.flow.record, zones)
        return zones
