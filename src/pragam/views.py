r"""The same problem seen through some of its rows: packed, screened or sampled.

A view has a ``problem``, and maps dual points: ``restrict`` (of the whole -> of the view) and ``lift`` (back). The
weights are the same on both sides, because what is fixed enters the ``rest`` of the view's problem:

    rest.weights = A_F' (alpha_F - origin_F),   rest.levels = B_F' (alpha_F - origin_F),
    rest.value   = <c_F, alpha_F> - g_F(alpha_F)                                            for the fixed rows F.

- :func:`on_rows`: these rows move, the others are fixed.
- :func:`sampled`: these rows stand for all; the others are gone. Its optimum is a start, never a proof.
- :func:`sampled_examples`: the same for examples with a block of dual variables each.
- :func:`packed`: all rows, in another order, on a packed copy of binary data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pragam.operators.base import Vector
from pragam.operators.needs import HasExampleRows
from pragam.operators.pattern import PatternRows
from pragam.polytopes.per_example import PerExample
from pragam.problem import BoxProblem, Problem, Rest


@dataclass(frozen=True)
class View:
    """A problem on some rows of another one."""

    problem: BoxProblem
    rows: NDArray[np.int64] | None = None  # their numbers in the whole; None: all, in order
    fixed: Vector | None = None  # the dual point of the whole where the view has nothing to say; None: no such rows

    def restrict(self, alpha: Vector) -> Vector:
        """The view's part of a dual point of the whole."""
        return alpha if self.rows is None else alpha[self.rows]

    def lift(self, alpha: Vector) -> Vector:
        """The dual point of the whole that belongs to one of the view."""
        if self.rows is None:
            return alpha
        whole = np.empty_like(alpha) if self.fixed is None else self.fixed.copy()
        whole[self.rows] = alpha
        return whole

    @property
    def n_fixed(self) -> int:
        """The number of rows that do not move."""
        return 0 if self.fixed is None else self.fixed.size - self.problem.Q.size

    @property
    def share(self) -> float:
        """The share of the rows that the view has."""
        return 1.0 if self.fixed is None else self.problem.Q.size / self.fixed.size


def on_rows(problem: BoxProblem, rows: NDArray[np.int64], alpha: Vector) -> View:
    """Only these rows move; the others stay at ``alpha``, a feasible point but for rounding. The rows are copied."""
    still = alpha.copy()
    still[rows] = 0.0
    gone = still if problem.origin is None else np.where(still == alpha, alpha - problem.origin, 0.0)
    if problem.origin is not None:
        gone[rows] = 0.0
    before = problem.rest
    weights, levels = problem.A.rmatvec(gone), problem.B.rmatvec(gone)
    value = float(problem.c @ still) - (problem.g.value(alpha) - problem.g.take(rows).value(alpha[rows]))
    rest = Rest(
        weights if before.weights is None else weights + before.weights,
        levels if before.levels is None else levels + before.levels,
        value + before.value,
    )
    return View(_taken(problem, rows, _attainable(problem, rows, rest)), rows, alpha)


def sampled(problem: BoxProblem, rows: NDArray[np.int64]) -> View:
    """An estimate of the whole from some rows, every loss weighted up."""
    return View(_taken(problem, rows, problem.rest, problem.Q.size / len(rows)), rows)


def sampled_examples(
    problem: Problem[HasExampleRows, PerExample], examples: NDArray[np.int64], growth: Vector
) -> Problem[HasExampleRows, PerExample]:
    """An estimate of the whole from these examples, the loss of each weighted up by its own growth."""
    K = problem.Q.K
    variables = (examples[:, None] * K + np.arange(K)).ravel()
    return replace(
        problem,
        A=problem.A.take_examples(examples),
        c=problem.c[variables],
        Q=problem.Q.take(examples, growth),
        B=problem.B.take(variables),
        origin=None if problem.origin is None else problem.origin[variables] * np.repeat(growth, K),
    )


def packed(problem: BoxProblem) -> View:
    """The problem on packed rows if every sparse row has one value throughout (binary features), else itself.

    The copy takes 2 bytes an entry, where X takes 8 to 16, and its rows are sorted by length: products with it are
    faster (``benchmarks/kernels.py``).
    """
    found = PatternRows.by_length(problem.A)
    if found is None:
        return View(problem)
    A, order = found
    return View(_taken(problem, order, problem.rest, A=A), order)


def _taken(
    problem: BoxProblem, rows: NDArray[np.int64], rest: Rest, growth: float = 1.0, A: PatternRows | None = None
) -> BoxProblem:
    return replace(
        problem,
        A=problem.A.take(rows) if A is None else A,
        c=problem.c[rows],
        Q=problem.Q.take(rows, growth),
        B=problem.B.take(rows),
        g=problem.g.take(rows, growth),
        origin=None if problem.origin is None else problem.origin[rows] * growth,
        rest=rest,
    )


def _attainable(problem: BoxProblem, rows: NDArray[np.int64], rest: Rest) -> Rest:
    """The same with levels that these rows attain, as they do but for rounding."""
    if problem.n_biases == 0 or rest.levels is None:
        return rest
    B, box = problem.B.take(rows), problem.Q.take(rows)
    truth = np.zeros(B.shape[1]) if problem.origin is None else B.rmatvec(problem.origin[rows])
    ends = np.sort([B.sigma * box.lower, B.sigma * box.upper], axis=0)
    low, high = (np.bincount(B.group, end, minlength=B.shape[1]) for end in ends)
    return replace(rest, levels=truth - np.clip(truth - rest.levels, low, high))
