r"""Pairwise dual ascent on trellis flows, for sequence labelling ("flow-ascent").

A dual point gives each sequence i a unit flow m through its trellis, a mixture of labellings, and

    w = sum_i rate_i (Phi_i(y_i) - E_m Phi_i),   D = sum_i totals_i E_m loss_i - lam/2 |w|^2,   rate_i = totals_i / lam.

A visit to a sequence finds y+, the best labelling by score and loss (Viterbi), and y-, the worst one that carries mass.
They agree at most tokens. In each run of tokens where they differ, mass gamma moves from y- to y+,

    gamma = min(relax d / (rate_i q), least mass on y-),   d = <w, Phi(y+) - Phi(y-)> + loss(y+) - loss(y-),
    q = |Phi(y+) - Phi(y-)|^2     over the run,

which for relax = 1 raises D most. This is pairwise Frank-Wolfe (Lacoste-Julien and Jaggi, NIPS 2015) block by block
(Lacoste-Julien, Jaggi, Schmidt and Pletscher, ICML 2013), with a step for each run instead of one for the sequence.

*Flows in whole numbers.* Masses are multiples of 2^-30, so that the flow is conserved exactly: the dual point that the
driver certifies is feasible as it is (:mod:`~pragam.solvers.flow_ascent.edge_lists`). A step of less than one unit is
not made: slopes below rate_i q 2^-30 stay, which limits the gap where there are few sequences and lam is small.

*Zones.* Between sweeps over all sequences, sweeps over the tokens that have several labels in the support let these
settle their masses, without Viterbi (:mod:`~pragam.solvers.flow_ascent.schedule`).

*Order.* Every sweep has a random order of its own. In a fixed order D hardly rises after some sweeps.

*The mean.* The weights that are proposed are near the mean over the last round, the dual point is at its end: the gap
is then about 0.6 times as large.

*Weights in single precision*, unless the tolerance is small, in rows of all labels, without features that occur once
(:mod:`~pragam.solvers.flow_ascent.weight_table`, :mod:`~pragam.solvers.flow_ascent.token_rows`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam._kernels.flows.records import Chains, Rule
from pragam.numerics.vector import Vector
from pragam.runtime.threads import n_threads
from pragam.solvers.base import Certified, Cost, Solver, Start
from pragam.solvers.flow_ascent.cost import ChainProblem, flow_ascent_cost
from pragam.solvers.flow_ascent.edge_lists import EdgeLists
from pragam.solvers.flow_ascent.pair_rows import pair_rows
from pragam.solvers.flow_ascent.schedule import RELAX, RENEWAL, SHARE, Gap, Schedule
from pragam.solvers.flow_ascent.state import FlowState, Round
from pragam.solvers.flow_ascent.token_rows import token_rows
from pragam.solvers.flow_ascent.weight_table import WeightTable, cost_rows, padded
from pragam.structured.chains.structure import ChainStructure
from pragam.structured.chains.trellis_flow import TrellisFlow

#: The kernels number labels with 16 bits, and edges with 32.
_MOST_LABELS, _MOST_TOKENS = 2**16 - 1, 2**30
#: Weights are in single precision down to this tolerance: their rounding leaves a gap of some 1e-7 of a score.
_SINGLE = 1e-4
#: Scores may be as large as this in either precision.
_LARGEST = {np.float32: 1e30, np.float64: 1e150}
#: Weights get double precision after this many consecutive estimates that a certificate did not confirm.
_BROKEN = 3
#: It is over after this many consecutive rounds in which nothing has moved.
_IDLE = 5
#: Sequences whose directions are found together.
_BLOCK = 8


@dataclass(frozen=True)
class FlowAscent(Solver[ChainProblem, FlowState]):
    """Pairwise dual ascent on trellis flows."""

    name = "flow-ascent"
    needs = ("Q.trellis",)
    serves = "sequences (chain_hinge)"

    @classmethod
    def misfits(cls, problem: ChainProblem) -> list[str]:
        model: ChainStructure = problem.Q.trellis
        wrong = []
        if model.storage.lacks or (model.edge_features is not None and model.edge_features.lacks):
            wrong.append("needs rows of X, which its storage does not hand out")
        if model.K > _MOST_LABELS or model.n_tokens > _MOST_TOKENS:
            wrong.append(f"takes at most {_MOST_LABELS} labels and {_MOST_TOKENS} tokens")
        return wrong

    def cost(self, problem: ChainProblem, tol: float) -> Cost:
        return flow_ascent_cost(problem, tol)

    def init(self, problem: ChainProblem, rng: np.random.Generator, start: Start | None, tol: float) -> FlowState:
        dtype: Any = np.float32 if tol >= _SINGLE else np.float64
        warm = start.alpha if start is not None and isinstance(start.alpha, TrellisFlow) else None
        return self._begin(problem, rng, warm, tol, dtype)

    def _begin(
        self,
        problem: ChainProblem,
        rng: np.random.Generator,
        warm: TrellisFlow | None,
        tol: float,
        dtype: Any,
    ) -> FlowState:
        """At a flow, or at the truth if there is none."""
        model: ChainStructure = problem.Q.trellis
        with np.errstate(over="ignore"):
            rates = model.totals / problem.lam
            reach = float(rates.max()) * (1.0 + float(np.max(model.storage.row_norms2, initial=0.0)))
        if not reach < _LARGEST[np.float64]:
            raise ArithmeticError("weights of sequences over lam, times squares of features, are too large for sums")
        dtype = np.float64 if reach > _LARGEST[np.float32] else dtype
        rows = token_rows(model.storage, dtype)
        chains = Chains(
            model.first_token, model.labels.astype(np.uint16), model.token_scale.astype(dtype),
            cost_rows(model.cost, dtype), rows.norms, rows.own, rates, model.totals, model.K,
            rows.constant, pair_rows(model.edge_features, dtype),
        )  # fmt: skip
        flow = model.truth() if warm is None else warm
        table = WeightTable(model, rows.n_rows, dtype)
        links = model.K * (1 + len(chains.pairs.values) / model.n_tokens)
        work = padded(model.K) / 8 * (rows.entries_a_token + links)
        schedule = Schedule(tol, work, model.n_tokens / model.n, _BLOCK, table.weights.nbytes)
        state = FlowState(
            2.0, rows, chains, table, EdgeLists(flow, model.first_token), rng, schedule, Gap(), 0.0,
            Round(_shuffled(rng, np.flatnonzero(model.totals))), 2.0,
        )  # fmt: skip
        if warm is not None:
            state.renew(problem.lam)
        return state

    def step(self, problem: ChainProblem, state: FlowState) -> FlowState:
        """The next visits of the round: to sequences, then to zones of the support."""
        if state.round.is_new and (state.broken >= _BROKEN or state.idle or state.is_stuck):
            state = self._refined(problem, state)
        current, schedule = state.round, state.schedule
        if current.is_new and state.gap.is_near(schedule.tol):
            state.table.begin_mean()
        relax = RELAX if state.gap.raw < np.inf else 1.0
        rule = Rule(relax, schedule.block, n_threads() if schedule.pays_threads else 1)
        if current.sweep == 0:
            current.gap += state.visit("flow_sequences", rule, schedule.visits).gap
        else:
            state.visit("flow_visit_zones", rule, schedule.zone_visits, current.zones)
        if current.is_over:
            self._next_sweep(problem, state)
        return state

    def candidate(self, problem: ChainProblem, state: FlowState) -> tuple[Vector, TrellisFlow]:
        """Weights near the mean over the round, and the flow at its end."""
        flow = state.flow
        w = state.table.model_weights(problem.Q.trellis, state.rows, state.chains, flow.record, SHARE)
        return w, flow.trellis_flow(state.chains)

    def observe(self, problem: ChainProblem, state: FlowState, certified: Certified) -> FlowState:
        if state.round.is_new:
            tol = state.schedule.tol
            is_broken = state.gap.relative <= tol < certified.proof.relative_gap
            state.broken = state.broken + 1 if is_broken else 0
            state.gap.learn(certified.proof.gap)
        return state

    def _refined(self, problem: ChainProblem, state: FlowState) -> FlowState:
        """Weights in double precision, where single precision is the limit: where nothing moves any more, or D hardly
        rises, or estimates are not kept. ArithmeticError if it is no better with these: then whole-number masses are
        too coarse."""
        if state.table.record.weights.dtype == np.float32:
            flow = state.flow.trellis_flow(state.chains)
            finer = self._begin(problem, state.rng, flow, state.schedule.tol, np.float64)
            finer.passes += state.passes
            finer.renewed_at = finer.passes
            return finer
        if state.idle >= _IDLE:
            raise ArithmeticError("no move of 2^-30 of a sequence raises D any more; the gap is what such masses leave")
        if state.is_stuck:
            raise ArithmeticError(
                f"half of {state.rounds} rounds have hardly raised D; masses of 2^-30 may be too coarse"
            )
        return state

    def estimate(self, problem: ChainProblem, state: FlowState) -> float:
        return state.gap.relative if state.round.is_new else np.inf

    def progress(self, problem: ChainProblem, state: FlowState) -> float:
        """The estimate at the end of the last round."""
        return state.gap.relative

    def _next_sweep(self, problem: ChainProblem, state: FlowState) -> None:
        """Over the zones, or the end of the round and the sequences again."""
        current = state.round
        if current.sweep == 0:
            current.zones = state.find_zones()
        if current.sweep < state.schedule.zone_sweeps and current.zones.size:
            current.sweep += 1
            current.at, current.order = 0, _shuffled(state.rng, np.arange(len(current.zones) // 3))
            return
        state.gap.note(current.gap, state.dual)
        state.idle = 0 if current.moves else state.idle + 1
        state.count_round()
        if state.passes > state.renewed_at + RENEWAL:
            state.renew(problem.lam)
        state.round = Round(_shuffled(state.rng, np.flatnonzero(state.chains.totals)))


def _shuffled(rng: np.random.Generator, order: np.ndarray) -> np.ndarray:
    rng.shuffle(order)
    return order
