r"""Pairwise dual ascent over cached labellings: for any structure with an oracle for one example.

The dual of a structured hinge risk is a product of simplices, one for each example, with a vertex for each labelling.
An *oracle sweep* visits all examples in random order. A visit asks for the labelling of the highest loss-augmented
score, takes it into the example's cache, and moves mass between the cached labellings, a pair at a time with exact
line search, from the Gram matrix of their features. w follows at once. *Support sweeps* do the same without the
oracle, until what they can gain is small beside the last oracle sweep: they cost little where an oracle is dear.

    gap of a block = totals_i (max over y of h_i(y) - sum_y p_i(y) h_i(y)),     h_i(y) = loss_i(y) + <w, psi_i(y)>

The sum over the blocks, each at the w of its visit, estimates the duality gap. At one w it is J(w) - D(p).

Sources: Platt, "Fast training of support vector machines using sequential minimal optimization" (1999), for pairs;
Osokin, Alayrac, Lukasewitz, Dokania and Lacoste-Julien, "Minding the gaps for block Frank-Wolfe optimization of
structured SVMs" (ICML 2016), for pairwise steps over cached labellings; Joachims, Finley and Yu, "Cutting-plane
training of structural SVMs" (2009), for caching.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam.operators.base import Vector
from pragam.solvers.base import Cost, Solver, Start, State
from pragam.solvers.block_ascent.cache import Cache
from pragam.solvers.block_ascent.cost import block_ascent_cost
from pragam.solvers.block_ascent.examples import (
    ExamplesProblem,
    Indices,
    answers_one_by_one,
    column_of,
    parts_of_start,
    relative,
)
from pragam.structured.by_example import ByExample

#: Support sweeps end when their gap is this share of the oracle sweep's.
_SHARE = 0.3
#: Support sweeps after an oracle sweep, at most. On 200 OCR words (to 1e-2) and 300 points of six classes (to 1e-3):
#: 110 and 108 oracle sweeps in 13.5 s and 3.1 s with none, 37 and 42 in 8.2 s and 1.5 s with 3, 29 and 15 in 9.2 s and
#: 0.9 s with 10. A dearer oracle gains more by 10.
_SUPPORT_SWEEPS = 10


@dataclass
class BlockAscentState(State):
    w: Vector
    caches: list[Cache]
    live: Indices  # the examples of positive weight
    rng: np.random.Generator
    gap: float = np.inf  # the sum of the gaps of the blocks, as the last oracle sweep met them


@dataclass(frozen=True)
class BlockAscent(Solver[ExamplesProblem, BlockAscentState]):
    """Pairwise dual ascent over cached labellings."""

    name = "block-ascent"
    needs = ("Q.structure",)
    serves = "labellings of structures with an oracle for one example (chain_hinge, graph_hinge)"

    @classmethod
    def misfits(cls, problem: ExamplesProblem) -> list[str]:
        return answers_one_by_one(problem)

    def cost(self, problem: ExamplesProblem, tol: float) -> Cost:
        return block_ascent_cost(problem, tol)

    def init(
        self, problem: ExamplesProblem, rng: np.random.Generator, start: Start | None, tol: float
    ) -> BlockAscentState:
        examples: ByExample = problem.Q.structure
        weights, labellings = parts_of_start(examples, start)
        caches = [
            Cache.of([column_of(examples, i, each) for each in labellings[i]], weights[i], float(examples.totals[i]))
            for i in range(examples.n)
        ]
        return BlockAscentState(0.0, _weights(problem, caches), caches, np.flatnonzero(examples.totals > 0), rng)

    def step(self, problem: ExamplesProblem, state: BlockAscentState) -> BlockAscentState:
        """One oracle sweep, and the support sweeps after it."""
        state.w = _weights(problem, state.caches)  # rounding does not add up from sweep to sweep
        state.gap = sum(_visit_with_oracle(problem, state, int(i)) for i in state.rng.permutation(state.live))
        state.passes += 1
        for _ in range(_SUPPORT_SWEEPS):
            several = [i for i in state.live.tolist() if len(state.caches[i].losses) > 1]
            order = state.rng.permutation(several).tolist()
            if sum(state.caches[i].ascend(state.w, problem.lam) for i in order) <= _SHARE * state.gap:
                break
        return state

    def candidate(self, problem: ExamplesProblem, state: BlockAscentState) -> tuple[Vector, Any]:
        caches = state.caches
        return state.w, problem.Q.structure.point_of([c.weights for c in caches], [c.labellings for c in caches])

    def estimate(self, problem: ExamplesProblem, state: BlockAscentState) -> float:
        losses = sum(cache.total * cache.loss for cache in state.caches)
        return relative(state.gap, losses - 0.5 * problem.lam * float(state.w @ state.w))


def _visit_with_oracle(problem: ExamplesProblem, state: BlockAscentState, i: int) -> float:
    examples: ByExample = problem.Q.structure
    column = column_of(examples, i, examples.decode_one(i, state.w))
    state.caches[i] = state.caches[i].with_column(column)
    gap = state.caches[i].ascend(state.w, problem.lam)
    state.caches[i] = state.caches[i].without_idle()
    return gap


def _weights(problem: ExamplesProblem, caches: list[Cache]) -> Vector:
    """w(p)."""
    total = np.zeros(problem.n_weights)
    for cache in caches:
        cache.add_features(total)
    return total / -problem.lam
