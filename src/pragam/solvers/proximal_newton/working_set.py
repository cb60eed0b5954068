r"""The examples that may still move in a stage, with what the others contribute.

An example far enough at a vertex stays there: its alpha_i is fixed, and its loss is <alpha_i, s_i>, linear in (w, b).
So

    A' alpha + tilt = adjoint,    B' alpha - levels = off,    <c, alpha> = linear        of the others alone

and the stage is a problem of the examples left. They may only become more inside a stage: one that drops them cycles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.labels.records import Blocks, BlockSums
from pragam.operators.base import Vector
from pragam.operators.needs import HasExampleRows
from pragam.operators.planes import Planes
from pragam.polytopes.pairs import Pairs
from pragam.polytopes.per_example import PerExample
from pragam.problem import Problem

LabelProblem = Problem[HasExampleRows, PerExample]

#: A working set of a larger share of the examples is all of them: nothing is copied.
_MOST = 0.6


@dataclass
class WorkingSet:
    """Some examples at (w, b), and the sums over the others."""

    examples: NDArray[np.int64] | None  # None: all
    A: HasExampleRows
    B: Planes
    c: Vector
    blocks: Blocks
    scores: Vector  # A w + B b + c
    beta: Vector  # alpha in units of the totals
    adjoint: Vector
    off: Vector
    linear: float
    sums: BlockSums

    @property
    def alpha(self) -> Vector:
        return amounts(self.blocks.totals, self.beta, self.blocks.K)

    def move(self, t: float, ds: Vector, tau: float) -> Vector:
        """The scores by t ds, and beta after them; the change of alpha."""
        change = np.empty_like(ds)
        args = self.blocks, self.c, t, self.scores, ds, tau, self.beta, change
        self.sums = BlockSums(*_kernels.get("block_move")(*args))
        return change


def amounts(totals: Vector, beta: Vector, K: int) -> Vector:
    """alpha_ik = totals_i beta_ik."""
    return (totals[:, None] * beta.reshape(-1, K)).ravel()


def shares(totals: Vector, alpha: Vector, K: int) -> Vector:
    """beta_ik = alpha_ik / totals_i, and 0 where the total is."""
    rows = alpha.reshape(-1, K)
    return np.divide(rows, totals[:, None], out=np.zeros_like(rows), where=totals[:, None] > 0).ravel()


def flags(Q: PerExample) -> NDArray[np.uint8]:
    """Which labels are wrong, for pairs; nothing for simplices."""
    return Q.flags if isinstance(Q, Pairs) else np.zeros(0, dtype=np.uint8)


def gathered(
    problem: LabelProblem, near: NDArray[np.uint8], base: Vector, scores: Vector, beta: Vector, tau: float
) -> WorkingSet:
    """The working set of the examples that are ``near``, or of all."""
    Q, K = problem.Q, problem.Q.K
    everything = np.count_nonzero(near) > _MOST * Q.n_blocks
    examples = None if everything else np.flatnonzero(near)
    if examples is None:
        blocks = Blocks(base, Q.totals, flags(Q), K)
        sums = problem.tilt, -problem.levels, 0.0
        work = WorkingSet(
            None, problem.A, problem.B, problem.c, blocks, scores, beta.copy(), *sums, BlockSums(0, 0, 0, 0)
        )
    else:
        rest = amounts(Q.totals, beta, K).reshape(-1, K)
        rest[examples] = 0.0
        of_rest = problem.adjoint(rest.ravel()), problem.B.rmatvec(rest.ravel()) - problem.levels
        variables = (examples[:, None] * K + np.arange(K)).ravel()
        wrong = flags(Q)
        blocks = Blocks(base[variables], Q.totals[examples], wrong[variables] if wrong.size else wrong, K)
        work = WorkingSet(
            examples, problem.A.take(examples), problem.B.take(variables), problem.c[variables], blocks,
            scores[variables], beta[variables], *of_rest, float(problem.c @ rest.ravel()), BlockSums(0, 0, 0, 0),
        )  # fmt: skip
    work.move(0.0, np.zeros_like(work.scores), tau)
    return work
