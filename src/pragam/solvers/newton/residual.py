r"""What is left of a problem near its solution: the same problem in v = w - w_0, at biases b_0 that are floats.

    J(w_0 + v, b_0) = lam/2 |v|^2 + <tilt + lam w_0, v> + max over Q of <alpha, A v + s_0> - g(alpha) + constant
    s_0 = A w_0 + B b_0 + c,  computed in twice the precision

Where J is far smaller than the scores, the rounding of scores hides the rest of the gap, and so does that of b. Here
the scores are small, and the biases have been rounded already: what v finds is found for them. It is iterative
refinement (Wilkinson, *Rounding errors in algebraic processes*, 1963).
"""

from __future__ import annotations

from dataclasses import replace

from pragam.numerics.rounding import two_sum
from pragam.operators.base import Vector
from pragam.operators.planes import Planes
from pragam.problem import BoxProblem, Rest


def residual_problem(problem: BoxProblem, w: Vector) -> BoxProblem:
    """The problem in v = w - w_0 with the best biases for w_0, which are fixed. Its dual variables have no planes."""
    product, tail, room = problem.A.sharp_matvec(w)
    high, cut = two_sum(product, problem.c)
    b = problem.best_biases(high + (tail + cut))
    high, low, _ = problem.B.sharp_add_to(high, tail + cut, room, b)
    scores = high + low
    tilt = problem.tilt + problem.lam * w
    value = problem.constant + 0.5 * problem.lam * float(w @ w) + float(problem.tilt @ w) - float(problem.levels @ b)
    rest = Rest(weights=tilt, value=value)
    return replace(problem, c=scores, B=Planes.none(len(scores)), origin=None, rest=rest)
