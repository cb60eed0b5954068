r"""Dual block ascent over blocks of sequences ("gp-block-ascent"), for Gram matrices that are large.

After Shalev-Shwartz and Zhang, *Stochastic dual coordinate ascent* (JMLR 2013), their option for entropies: a sequence
moves its distribution towards the one at the present scores, by an exact line search on D. w = w(alpha) throughout,

    B = (Y - P) / (lam n),   U = (C - E) / (lam n).

The scores of a block of sequences are one product with its rows of the Gram; what the sequences of the block change is
passed on within the block by its own small Gram. A step is a sweep over all blocks in random order, which reads the
Gram once. Sequences are their own edge marginals (a table point): D at these is far better than at the marginals of the
scores, long before the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pragam import _kernels
from pragam._kernels.chains.records import Block, Iterate
from pragam.operators.base import Vector
from pragam.solvers.base import Cost, Solver, Start, State
from pragam.solvers.gp.cost import gp_block_ascent_cost
from pragam.structured.gp.problem import GramProblem

#: The start is the truth but for this share of the uniform distribution: the entropy's slope is finite there.
_NOISE = 0.01
#: The first length that a line search tries.
_FIRST = 0.1


@dataclass
class BlockState(State):
    rng: np.random.Generator
    blocks: list[tuple[int, int]]  # first sequence and the one after the last
    first: Vector  # of each sequence, its first token; and the number of tokens
    point: Any  # a table point, changed in place
    nodes: Vector  # (tokens, K), its node marginals
    B: Vector  # coefficients, in the precision of the Gram
    U: Vector  # (K * K,)
    steps: Vector  # the length of each sequence's last step
    entropies: Vector  # of each sequence, at its last visit
    gaps: Vector
    squares: Vector  # of each block, its share of |w|^2 at its last visit


@dataclass(frozen=True)
class GPBlockAscent(Solver[GramProblem, BlockState]):
    """``block`` sequences are done at a time."""

    block: int = 32

    name = "gp-block-ascent"
    needs = ("A.block_scores", "A.block", "A.working", "Q.truth_and_noise")
    serves = "Gaussian-process sequences (gp_sequences)"

    def cost(self, problem: GramProblem, tol: float) -> Cost:
        return gp_block_ascent_cost(problem, tol)

    def init(self, problem: GramProblem, rng: np.random.Generator, start: Start | None, tol: float) -> BlockState:
        Q, n = problem.Q, problem.Q.n
        is_table = start is not None and hasattr(start.alpha, "tables")
        point = start.alpha.copy() if start is not None and is_table else Q.truth_and_noise(_NOISE)
        nodes = point.moments.nodes.copy()
        B, U = Q.parts(problem.w_of_alpha(point))
        blocks = [(i, min(i + self.block, n)) for i in range(0, n, self.block)]
        first = np.append(Q.first, Q.n_tokens)
        return BlockState(
            1.0, rng, blocks, first, point, nodes, problem.A.working(B), U.ravel().copy(), np.full(n, _FIRST),
            np.zeros(n), np.full(n, np.inf), np.zeros(len(blocks)),
        )  # fmt: skip

    def step(self, problem: GramProblem, state: BlockState) -> BlockState:
        for k in state.rng.permutation(len(state.blocks)).tolist():
            self._ascend(problem, state, k)
        state.passes += 1
        return state

    def candidate(self, problem: GramProblem, state: BlockState) -> tuple[Vector, Any]:
        point = type(state.point)(state.point.tables, state.nodes[state.first[:-1]], problem.Q.lengths)
        return problem.w_of_alpha(point), point

    def estimate(self, problem: GramProblem, state: BlockState) -> float | None:
        """J - D = mean of log Z - <scores, alpha> - H(alpha), J = D + gap; all as they were met in the last sweep."""
        gap, entropy = float(state.gaps.mean()), float(state.entropies.mean())
        square = float(state.squares.sum()) + problem.A.tau * float(state.U @ state.U)
        return gap / max(abs(gap + entropy - 0.5 * problem.lam * square), np.finfo(float).tiny)

    def _ascend(self, problem: GramProblem, state: BlockState, k: int) -> None:
        """One step for each sequence of a block."""
        begin, end = state.blocks[k]
        A, K, lengths = problem.A, problem.Q.K, problem.Q.lengths[begin:end]
        rows = slice(int(state.first[begin]), int(state.first[end]))
        gone = np.empty((rows.stop - rows.start) * K)
        scores = A.block_scores(rows, state.B).reshape(-1)
        state.squares[k] = float(scores @ state.B[rows].reshape(-1))
        order = state.rng.permutation(end - begin)
        block = Block(A.block(rows).reshape(-1), lengths, order, K, float(A.tau), 1 / (problem.lam * problem.Q.n))
        nodes, tables = state.nodes[rows].reshape(-1), state.point.tables[rows].reshape(-1)
        iterate = Iterate(scores, state.U, nodes, tables, state.steps[begin:end], gone)
        _kernels.get("chain_block_ascent")(block, iterate, state.entropies[begin:end], state.gaps[begin:end])
        state.B[rows] -= gone.reshape(-1, K).astype(state.B.dtype)
