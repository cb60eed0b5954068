"""A large problem in parts of consecutive examples: what a certificate computes of it then takes little memory.

R(w, b) = sum over the parts of R_part(w, b),      A' alpha = sum over the parts of A_part' alpha_part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pragam.operators.needs import HasExampleRows
from pragam.problem import AnyProblem, Rest

Part = tuple[AnyProblem, slice]


def parts_of(problem: AnyProblem) -> Iterator[Part]:
    """The parts, without the problem's ``rest``, and where their dual variables are; or the problem as it is."""
    Q: Any = problem.Q
    runs = list(Q.runs()) if isinstance(problem.A, HasExampleRows) and hasattr(Q, "runs") else []
    if len(runs) < 2:
        yield problem, slice(0, Q.size)
    else:
        yield from (_part(problem, *ends) for ends in runs)


def _part(problem: Any, first: int, last: int) -> Part:
    """The problem of the examples from ``first`` up to ``last``; X, c and the origin are on the same memory."""
    Q, at = problem.Q, slice(first * problem.Q.K, last * problem.Q.K)
    part = replace(
        problem,
        A=problem.A.part(first, last),
        c=problem.c[at],
        Q=Q.take(np.arange(first, last)),
        B=problem.B.take(np.arange(at.start, at.stop)),
        origin=None if problem.origin is None else problem.origin[at],
        rest=Rest(),
    )
    return part, at
