r"""The cutting planes of a bundle method, shared by qp-bmrm and ls-bmrm.

R is a maximum over the feasible dual points, so each of them, v, is a cut: R(w) >= <a, w> + b with a = A' v + tilt and
b = <c, v> - g(v). The one that attains R(w) gives a subgradient of R at w. A convex combination of cuts belongs to the
same combination of points, which is feasible, and g is convex: the bundle's lower bound max_p min_w is at most D there.
So every bundle method is certified by the one certificate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pragam.operators.base import Vector
from pragam.problem import AnyProblem


class Cut(NamedTuple):
    alpha: Any  # a dual point
    a: Vector  # A' alpha + tilt
    b: float  # <c, alpha> - g(alpha)


def cut_of(problem: AnyProblem, alpha: Any) -> Cut:
    """The cut of a feasible point; one product with A'."""
    x = problem.Q.coordinates(alpha)
    return Cut(alpha, problem.slope(x), float(problem.c @ x) - problem.g.value(x))


def cut_at(problem: AnyProblem, w: Vector) -> Cut:
    """A cut that touches R at w; one product with A and one with A'."""
    return cut_of(problem, problem.maximise(problem.A.matvec(w) + problem.c))
