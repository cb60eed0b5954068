r"""The same problem seen through some of its blocks: packed, screened or sampled.

A block is a row with its dual variable, or an example of a model of several labels with all of its own. A view has a
``problem``, and maps dual points: ``restrict`` (of the whole -> of the view) and ``lift`` (back). The weights are the
same on both sides, because what is fixed enters the ``rest`` of the view's problem:

    rest.weights = A_F' (alpha_F - origin_F),   rest.levels = B_F' (alpha_F - origin_F),
    rest.value   = <c_F, alpha_F> - g_F(alpha_F)                                          for the fixed blocks F.

- :func:`on_blocks`: these blocks move, the others are fixed.
- :func:`sampled`: these blocks stand for all; the others are gone. Its optimum is a start, never a proof.
- :func:`packed`: all rows, in another order, on a packed copy of binary data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pragam.numerics.remade import remade
from pragam.numerics.rounding import gamma
from pragam.operators.base import BlockOperator, Vector
from pragam.operators.pattern import PatternRows
from pragam.polytopes.in_blocks import InBlocks
from pragam.problem import BlockProblem, BoxProblem, Problem, Rest

OperatorT = TypeVar("OperatorT", bound=BlockOperator, covariant=True)
SetT = TypeVar("SetT", bound=InBlocks, covariant=True)


@dataclass(frozen=True)
class View(Generic[OperatorT, SetT]):
    """A problem on some blocks of another one."""

    problem: Problem[OperatorT, SetT]
    variables: NDArray[np.int64] | None = None  # the numbers of its dual variables in the whole; None: all, in order
    fixed: Vector | None = None  # the dual point of the whole where the view has nothing to say; None: nowhere

    def restrict(self, alpha: Vector) -> Vector:
        """The view's part of a dual point of the whole."""
        return alpha if self.variables is None else alpha[self.variables]

    def lift(self, alpha: Vector) -> Vector:
        """The dual point of the whole that belongs to one of the view."""
        if self.variables is None:
            return alpha
        whole = np.empty_like(alpha) if self.fixed is None else self.fixed.copy()
        whole[self.variables] = alpha
        return whole

    @property
    def n_fixed(self) -> int:
        """The number of blocks that do not move."""
        return 0 if self.fixed is None else (self.fixed.size - self.problem.Q.size) // self.problem.Q.width

    @property
    def share(self) -> float:
        """The share of the blocks that the view has."""
        return 1.0 if self.fixed is None else self.problem.Q.size / self.fixed.size


@remade
def on_blocks(problem: Problem[OperatorT, SetT], blocks: NDArray[np.int64], alpha: Vector) -> View[OperatorT, SetT]:
    """Only these blocks move; the others stay at ``alpha``, a feasible point but for rounding. The rows are copied.

    Pairs of labels whose planes are not at 0 are not repaired, so with biases the view of a multilabel model has no
    dual bound of its own: certify the lifted point.
    """
    variables = problem.Q.variables(blocks)
    still, gone = alpha.copy(), alpha.copy() if problem.origin is None else alpha - problem.origin
    still[variables] = gone[variables] = 0.0
    before = problem.rest
    weights, levels = problem.A.rmatvec(gone), problem.B.rmatvec(gone)
    value = float(problem.c @ still) - (problem.g.value(alpha) - problem.g.take(variables).value(alpha[variables]))
    rest = Rest(
        weights if before.weights is None else weights + before.weights,
        levels if before.levels is None else levels + before.levels,
        value + before.value,
    )
    return View(_taken(problem, blocks, _attainable(problem, blocks, rest)), variables, alpha)


def on_taken(
    problem: BoxProblem,
    duals: NDArray[np.int64],
    rows: BlockOperator,
    alpha: Vector,
    adjoint: Vector,
    growth: float | Vector = 1.0,
) -> View[Any, Any]:
    """:func:`on_blocks` where a copy of the rows and A' alpha are at hand, so that no data need be read.

    With a ``growth`` each of these stands for so many like it, as in :func:`sampled`; the others are fixed. The slope
    of J at w is that of the whole where alpha is what the scores at w ask for.
    """
    part = growth * alpha[duals]
    before = problem.rest
    weights, levels = adjoint - rows.rmatvec(part), problem.B.rmatvec(alpha) - problem.B.take(duals).rmatvec(part)
    value = float(problem.c @ alpha) - float(problem.c[duals] @ part) - problem.g.value(alpha)
    rest = Rest(
        weights if before.weights is None else weights + before.weights,
        levels if before.levels is None else levels + before.levels,
        value + problem.g.take(duals, growth).value(part) + before.value,
    )
    return View(_taken(problem, duals, _attainable(problem, duals, rest, growth), growth, rows), duals, alpha)


def sampled(
    problem: Problem[OperatorT, SetT], blocks: NDArray[np.int64], growth: float | Vector | None = None
) -> View[OperatorT, SetT]:
    """An estimate of the whole from some blocks, the loss of each weighted up: by the same, or by its own growth."""
    growth = problem.Q.n_blocks / len(blocks) if growth is None else growth
    return View(_taken(problem, blocks, problem.rest, growth), problem.Q.variables(blocks))


@remade
def packed(problem: BoxProblem) -> View:
    """The problem on packed rows if every sparse row has one value throughout (binary features), else itself.

    The copy takes 2 bytes an entry, where X takes 8 to 16, and its rows are sorted by length: products with it are
    faster (``benchmarks/kernels.py``). A problem that keeps what is prepared has the same copy at every lam.
    """
    view: View = problem.keep("packed", lambda: _packed(problem))
    if view.variables is None:
        return View(problem)
    return view if view.problem.lam == problem.lam else replace(view, problem=view.problem.at(problem.lam))


def _packed(problem: BoxProblem) -> View:
    found = PatternRows.by_length(problem.A)
    if found is None:
        return View(problem)
    rows, order = found
    return View(_taken(problem, order, problem.rest, rows=rows).keeping(), order)


def _taken(
    problem: Problem[OperatorT, SetT],
    blocks: NDArray[np.int64],
    rest: Rest,
    growth: float | Vector = 1.0,
    rows: BlockOperator | None = None,
) -> Problem[OperatorT, SetT]:
    variables = problem.Q.variables(blocks)
    grown = np.repeat(growth, problem.Q.width) if np.ndim(growth) else growth
    A: Any = problem.A.take(blocks) if rows is None else rows  # of the same kind, and so is the set
    Q: Any = problem.Q.take(blocks, growth)
    return replace(
        problem,
        A=A,
        c=problem.c[variables],
        Q=Q,
        B=problem.B.take(variables),
        g=problem.g.take(variables, grown),
        origin=None if problem.origin is None else problem.origin[variables] * grown,
        rest=rest,
    )


def _attainable(problem: BlockProblem, blocks: NDArray[np.int64], rest: Rest, growth: float | Vector = 1.0) -> Rest:
    """The same with levels between those that these blocks attain, as they are but for rounding."""
    if problem.n_biases == 0 or rest.levels is None:
        return rest
    variables = problem.Q.variables(blocks)
    B, hull = problem.B.take(variables), problem.Q.take(blocks, growth).hull()
    truth = np.zeros(B.shape[1]) if problem.origin is None else B.rmatvec(problem.origin[variables])
    ends = np.sort([B.sigma * end for end in hull], axis=0)
    low, high = (np.bincount(B.group, end, minlength=B.shape[1]) for end in ends)
    # Whoever sums in another order may find less; a sum of zeros is one in any order.
    lost = [gamma(len(B.group)) * np.bincount(B.group, _finite_size(end), minlength=B.shape[1]) for end in ends]
    low = np.asarray(low + lost[0])
    high = np.maximum(high - lost[1], low)
    return replace(rest, levels=truth - np.clip(truth - rest.levels, low, high))


def _finite_size(end: Vector) -> Vector:
    return np.where(np.isfinite(end), np.abs(end), 0.0)
