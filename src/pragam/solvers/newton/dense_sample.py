r"""A first guess of ``newton-dense`` from a sample of the rows, where there are many more rows than weights.

One of ONE_OF neighbours is drawn, or one of fewer, with all of the dual variables that read it. The sizes of their
boxes are increased, as they stand for the others. The solution of the sample is near that of the whole, which begins
there with a weak proximal term. For a low accuracy it takes a step or two then, and three to ten from nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pragam import _kernels
from pragam._kernels.newton.records import DenseGoal, DenseIterate, DenseProblem
from pragam.operators.base import Vector
from pragam.solvers.newton.sample import drawn_rows

#: One row of this many is drawn, if enough are left then. With 4 the sample takes longer than it spares, with 16 it is
#: worth less (tubes and quantiles of abalone, cadata, cpusmall and kin8nm, C = .01 and 1).
ONE_OF = 8
#: The estimated gap at which the sample is solved.
_TOL = 0.1
#: The most steps that its solution may take.
_STEPS = 30
#: The first delta of the whole problem, times the number of rows in the sample, over the number of weights. The same
#: problems take 10 to 20 percent longer with 30, and with 3 some of them have to make up for it.
_DELTA = 10.0


#: What has an entry for each dual variable.
_PER_DUAL = ("scale", "c", "size", "low", "high", "bend", "sigma", "group")


def begin_at_sample(problem: DenseProblem, iterate: DenseIterate, scale: Vector, rng: np.random.Generator) -> float:
    """Move the iterate to the weights that are right for a sample; ``scale`` are the signs of the rows of A.

    Returns the passes that this has taken; 0 if a sample would not help.
    """
    m, d = problem.rows.shape
    is_positive = None if problem.number.size else scale > 0
    rows = drawn_rows(m, d, is_positive, ONE_OF, rng)
    if rows is None:
        return 0.0
    part, n = sampled(problem, rows), len(problem.c)
    duals = len(part.c)
    biases = np.zeros(len(part.levels))
    guess = DenseIterate(np.zeros(d), biases, np.full(duals, 0.5), np.zeros(duals), iterate.delta.copy())
    if part.low.size:
        np.clip(guess.base, part.low, part.high, out=guess.base)
    _, read, _ = _kernels.get("dense_newton")(part, guess, DenseGoal(_TOL, _TOL, _STEPS, 1.0))
    if np.isfinite(guess.w).all() and np.isfinite(guess.biases).all():
        iterate.w[:], iterate.biases[:] = guess.w, guess.biases
        iterate.delta[0] = min(_DELTA * d / len(rows), iterate.delta[0])
    return read / n


def sampled(problem: DenseProblem, rows: NDArray[np.int64]) -> DenseProblem:
    """The problem of the dual variables that read these rows of the matrix, each standing for several."""
    duals, number = _readers(problem, rows) if problem.number.size else (rows, problem.number)
    growth = len(problem.c) / max(len(duals), 1)
    columns: dict[str, Any] = {name: getattr(problem, name) for name in _PER_DUAL}
    taken = {name: column[duals] if column.size else column for name, column in columns.items()}
    part = problem._replace(rows=problem.rows[rows], number=number, **taken)
    return part._replace(size=growth * part.size)


def _readers(problem: DenseProblem, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The dual variables that read these rows, and which of them each reads."""
    number, m = problem.number, len(problem.rows)
    each = len(number) // m
    neighbours = (each * rows[:, None] + np.arange(each)).reshape(-1)
    own = np.repeat(rows, each)
    if each * m == len(number) and np.array_equal(number[neighbours], own):  # as those of a tube: next to each other
        return neighbours, np.repeat(np.arange(len(rows)), each)
    place = np.full(m, -1)
    place[rows] = np.arange(len(rows))
    place = place[number]
    duals = np.flatnonzero(place >= 0)
    return duals, place[duals]
