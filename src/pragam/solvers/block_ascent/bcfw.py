r"""Block-coordinate Frank-Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher, ICML 2013, Algorithm 4).

A visit of example i asks the oracle for the labelling y of the highest loss-augmented score, and moves the example's
distribution p_i towards it by exact line search:

    p_i <- (1 - gamma) p_i + gamma y,     gamma = clip( lam gap_i / (totals_i^2 |psi_i(y) - E_p psi_i|^2), 0, 1 ),

gap_i = totals_i (h_i(y) - E_p h_i), h_i(y) = loss_i(y) + <w, psi_i(y)>. The sum of the gaps over a sweep estimates the
duality gap. After k visits the expected distance of D from its maximum is at most 2 n / (k + 2 n) (C + h_0).

*Little memory.* The literature stores E_p psi_i of each example, a vector of the length of w. Here an example is its
labellings and their weights, which the dual point needs anyway; a visit computes their features again. Equal
labellings are merged, and one whose weight has fallen below 1e-12 gives it to the new one.

*Averaging* (option): the weights proposed are a mean of the iterates, one of each sweep, weighted by its number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pragam.operators.base import Vector
from pragam.solvers.base import Solver, Start, State
from pragam.solvers.block_ascent.examples import (
    Column,
    ExamplesProblem,
    Indices,
    answers_one_by_one,
    column_of,
    parts_of_start,
    relative,
)
from pragam.structured.by_example import ByExample

#: Weights below this are rounding.
_NOTHING = 1e-12


class Mixture(NamedTuple):
    """The distribution of one example: labellings and their weights, which sum to 1."""

    weights: Vector
    labellings: list[Any]


@dataclass
class BcfwState(State):
    w: Vector
    mean_w: Vector
    mixtures: list[Mixture]
    losses: Vector  # the expected loss of each example
    live: Indices  # the examples of positive weight
    rng: np.random.Generator
    sweeps: int = 0
    gap: float = np.inf  # the sum of the gaps of the blocks in the last sweep


@dataclass(frozen=True)
class Bcfw(Solver[ExamplesProblem, BcfwState]):
    """Block-coordinate Frank-Wolfe.

    Parameters
    ----------
    averaging : bool
        Propose the weighted mean of the iterates, instead of the last one.
    """

    averaging: bool = False

    name = "bcfw"
    needs = ("Q.structure",)
    serves = "labellings of structures with an oracle for one example (chain_hinge, graph_hinge)"

    @classmethod
    def misfits(cls, problem: ExamplesProblem) -> list[str]:
        return answers_one_by_one(problem)

    def init(self, problem: ExamplesProblem, rng: np.random.Generator, start: Start | None, tol: float) -> BcfwState:
        examples: ByExample = problem.Q.structure
        mixtures = [Mixture(*parts) for parts in zip(*parts_of_start(examples, start), strict=True)]
        total, losses = np.zeros(problem.n_weights), np.zeros(examples.n)
        for i, mixture in enumerate(mixtures):
            for weight, labelling in zip(*mixture, strict=True):
                column = column_of(examples, i, labelling)
                total[column.indices] += examples.totals[i] * weight * column.values
                losses[i] += weight * column.loss
        w = total / -problem.lam
        return BcfwState(0.0, w, w.copy(), mixtures, losses, np.flatnonzero(examples.totals > 0), rng)

    def step(self, problem: ExamplesProblem, state: BcfwState) -> BcfwState:
        """One sweep over the examples in random order."""
        state.gap = sum(visit(problem, state, int(i)) for i in state.rng.permutation(state.live))
        state.sweeps += 1
        state.mean_w = state.mean_w + 2 / (state.sweeps + 1) * (state.w - state.mean_w)
        state.passes += 1
        return state

    def candidate(self, problem: ExamplesProblem, state: BcfwState) -> tuple[Vector, Any]:
        alpha = problem.Q.structure.point_of(
            [m.weights for m in state.mixtures], [m.labellings for m in state.mixtures]
        )
        return (state.mean_w if self.averaging else state.w), alpha

    def iterate(self, problem: ExamplesProblem, state: BcfwState) -> Vector:
        return state.w

    def iterations_per_step(self, problem: ExamplesProblem) -> int:
        return int(problem.Q.structure.n)

    def estimate(self, problem: ExamplesProblem, state: BcfwState) -> float:
        loss = float(problem.Q.structure.totals @ state.losses)
        return relative(state.gap, loss - 0.5 * problem.lam * float(state.w @ state.w))


def visit(problem: ExamplesProblem, state: BcfwState, i: int) -> float:
    """One iteration, on example i; the gap of the block before it."""
    examples: ByExample = problem.Q.structure
    weights, labellings = state.mixtures[i]
    columns = [column_of(examples, i, each) for each in labellings]
    new = column_of(examples, i, examples.decode_one(i, state.w))
    touched, z = _difference(new, columns, weights)
    rise = new.loss - float(weights @ [column.loss for column in columns])
    total, lam = float(examples.totals[i]), problem.lam
    slope = rise + float(state.w[touched] @ z)
    curvature = total / lam * float(z @ z)
    if slope <= 0:
        return 0.0
    gamma = min(slope / curvature, 1.0) if curvature > 0 else 1.0
    state.mixtures[i] = _mixed(Mixture(weights, labellings), columns, new, gamma)
    state.w[touched] -= gamma * total / lam * z
    state.losses[i] += gamma * rise
    return total * slope


def _difference(new: Column, columns: list[Column], weights: Vector) -> tuple[Indices, Vector]:
    """psi of the new labelling less that of the combination: indices and values."""
    indices = np.concatenate([new.indices, *(column.indices for column in columns)])
    values = np.concatenate([new.values, *(-p * column.values for p, column in zip(weights, columns, strict=True))])
    touched, place = np.unique(indices, return_inverse=True)
    sums = np.bincount(place, weights=values, minlength=len(touched))
    return touched.astype(np.int64, copy=False), sums.astype(np.float64, copy=False)


def _mixed(old: Mixture, columns: list[Column], new: Column, gamma: float) -> Mixture:
    """(1 - gamma) old + gamma new; what is next to nothing goes to the new one."""
    is_same = np.array([new.is_like(column) for column in columns])
    weights = (1 - gamma) * old.weights
    keep = np.flatnonzero((weights > _NOTHING) & ~is_same)
    kept = weights[keep]
    return Mixture(np.append(kept, max(1 - kept.sum(), 0.0)), [*(old.labellings[j] for j in keep), new.labelling])
