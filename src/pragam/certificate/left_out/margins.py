r"""The problems whose rows can be left out: a loss of the margin of each row, and a dual variable of its own.

    s_i = 1 - y_i (<x_i, w> + b),    h_i(s) = max over alpha in [0, u_i] of alpha s - kappa_i alpha^2 / 2

So h_i is 0 where s <= 0, and grows strictly from there unless u_i = 0. The hinge, the squared and the smoothed one are
of this kind. Without row i the same problem has the box [0, 0] for alpha_i: no row is copied, and lam and the other
boxes stay.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from pragam.certificate.kinks import has_kinks
from pragam.polytopes import Box
from pragam.problem import AnyProblem, DataProblem

#: A problem that :func:`has_margins`.
MarginProblem = DataProblem


def has_margins(problem: AnyProblem) -> TypeGuard[MarginProblem]:
    """Whether it is one of these, on rows in memory, with one bias or none, and whole: nothing in it is fixed."""
    if not has_kinks(problem) or problem.A.number is not None or problem.n_biases > 1:
        return False
    A, B, rest = problem.A, problem.B, problem.rest
    is_whole = problem.origin is None and rest.weights is None and rest.levels is None
    are_signs = bool((np.abs(A.scale) == 1).all())
    return (
        is_whole and are_signs and (not problem.n_biases or bool((B.sigma == A.scale).all()))
        and bool((problem.c == 1).all()) and not problem.Q.lower.any()
    )  # fmt: skip


def without_row(problem: MarginProblem, i: int) -> MarginProblem:
    """The problem whose optima never saw row i."""
    upper = problem.Q.upper.copy()
    upper[i] = 0.0
    return replace(problem, Q=Box(problem.Q.lower, upper))
