"""What a solve on data in blocks should take, in a sentence: its readings may last for hours, so it is said before."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from pragam import solvers
from pragam.numerics.constant import is_once
from pragam.operators.data_rows import DataRows
from pragam.operators.needs import HasData
from pragam.problem import AnyProblem
from pragam.solvers.base import AnySolver, Cost, Tools

#: Vectors with a number for each dual variable that a solve of a plain hinge on blocks holds at most. Three are the
#: problem: signs, those of the plane, squared norms. ``windows`` and ``working-set`` have alpha and one more, and the
#: best alpha; two products are remembered and two on their way; the others are a repair, or scores with their errors.
#: ``block-newton`` has the blocks' own dual variables, what it looked at, and its proximal centre besides;
#: ``merged-ascent`` these variables, the last points, the best one, and the directions of a round.
_PLAIN, _NEWTON, _MERGED = 14, 28, 27
#: Where g is curved there are its curvatures, and what a proof finds of them; maps of columns bound rounding twice.
_CURVED, _MAPPED = 3, 4
#: Solvers that hold little beside alpha.
_THIN = ("windows", "working-set")


def expectation(problem: AnyProblem, solver: str | AnySolver, tol: float, memory: float | None = None) -> str:
    """The size of the data, the solver that begins, its readings and seconds, and what is held in memory."""
    from pragam.driver.solve import solve

    method = solvers.choose(solver, problem).given(Tools(solve, memory))
    name, cost = method.first(problem, tol) if isinstance(method, solvers.Auto) else (method.name, None)
    cost = method.cost(problem, tol).on(problem) if cost is None else cost
    held = f"{_bytes(8.0 * vectors_of(problem, name or method.name) * problem.Q.size)} of vectors"
    held += f" and at most {_bytes(memory)} of rows are held" if memory else " and a fifth of the rows are held"
    return f"{_data(problem)}; {name or 'the first solver'} should take {_work(cost)}; about {held}"


def vectors_of(problem: AnyProblem, solver: str) -> int:
    """How many vectors with a number for each dual variable the problem and its solve hold at most, where the solver is
    one of those for data in blocks."""
    Q: Any = problem.Q
    columns = [x for x in (problem.c, getattr(Q, "lower", None), getattr(Q, "upper", None)) if x is not None]
    own = sum(not is_once(column) for column in columns) + (problem.n_biases > 1)
    own += _CURVED * bool(np.any(problem.g.curvature))
    if isinstance(problem.A, DataRows):
        own += 2 * (problem.A.number is not None)
        own += _MAPPED * (problem.A.storage.bare is not problem.A.storage)
    if solver in _THIN:
        return _PLAIN + own
    return (_MERGED if solver == "merged-ascent" else _NEWTON) + 2 * own


def announcement(
    problems: Sequence[AnyProblem], solver: str | AnySolver, tol: float, memory: float | None = None
) -> str:
    """The expectation of the first of several problems on the same data, and how many there are."""
    others = f"; {len(problems)} problems like this one" if len(problems) > 1 else ""
    return expectation(problems[0], solver, tol, memory) + others


def _data(problem: AnyProblem) -> str:
    if not isinstance(problem.A, HasData):
        return f"{problem.Q.size} dual variables"
    storage = problem.A.storage
    n, d = storage.shape
    size = getattr(storage, "bytes", None)
    return f"{n:,} x {d:,}, {storage.stored:,} entries" + (f", {_bytes(size)}" if size else "")


def _work(cost: Cost) -> str:
    if not isfinite(cost.total):
        return "an unknown number of readings"
    return f"about {cost.passes:.0f} readings and {max(cost.total, 0.1):.2g} s of computing"


def _bytes(count: float) -> str:
    """In a unit that leaves up to three digits."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count / 1e3:.3g} KB"
