r"""Several problems on the same rows as one: a weight vector for each, and a block of dual variables for each example.

K binary problems with A_k = diag(scale_k) X, scales of +1 and -1, and boxes 0 <= alpha_ik <= totals_i are the problem

    min over W, b of  sum_k J_k(w_k, b_k),      A = LabelRows(X, K),   Q = LabelBox(totals, K),

whose primal, dual and gap are the sums of theirs. Its example rows are walked once for all K. So they are for one class
against the rest, with any weights of examples, as long as these are the same for every class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pragam.operators import LabelRows, Planes
from pragam.operators.base import Vector
from pragam.operators.together import share_data
from pragam.polytopes import LabelBox
from pragam.polytopes.box import Box
from pragam.problem import AnyProblem, Problem
from pragam.solvers.base import Start
from pragam.solvers.sequential_dual.working_set import LabelProblem


def stacked(problems: Sequence[AnyProblem]) -> LabelProblem | None:
    """The sum of the problems as one problem; None if they do not go together."""
    operators: Any = [problem.A for problem in problems]
    if not share_data(operators) or "rows" in operators[0].lacks:
        return None
    first: Any = problems[0]
    K = len(problems)
    if not all(_is_signed(problem) and _goes_with(problem, first) for problem in problems):
        return None
    signs = np.stack([A.scale for A in operators], axis=1).ravel()
    planes = Planes(signs, np.tile(np.arange(K), first.Q.size), K if first.n_biases else 0)
    Q: Any = LabelBox(first.Q.upper, K)
    c = np.stack([problem.c for problem in problems], axis=1).ravel()
    return Problem(LabelRows(operators[0].storage, K, signs), c, Q, first.lam, planes)


def parts(K: int, w: Vector, alpha: Vector, *biases: Vector) -> list[Start]:
    """What a pair of the stacked problem is for each of the K: (w_k, alpha_k)."""
    duals = np.ascontiguousarray(alpha.reshape(-1, K).T)
    return [Start(*pair) for pair in zip(w.reshape(K, -1), duals, strict=True)]


def _is_signed(problem: Any) -> bool:
    """Whether it is sum_i totals_i max over 0 <= t <= 1 of t (c_i +- (<x_i, w> + b)), nothing more."""
    sign, Q = problem.A.scale, problem.Q
    if problem.is_tilted or problem.rest.levels is not None or problem.constant or np.any(problem.g.curvature):
        return False
    if not isinstance(Q, Box) or Q.lower.any() or not Q.is_bounded or not (np.abs(sign) == 1).all():
        return False
    return problem.n_biases == 0 or (problem.n_biases == 1 and np.array_equal(problem.B.sigma, sign))


def _goes_with(problem: Any, other: Any) -> bool:
    same = problem.lam == other.lam and problem.n_biases == other.n_biases
    return same and (problem is other or np.array_equal(problem.Q.upper, other.Q.upper))
