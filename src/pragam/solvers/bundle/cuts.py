r"""The cutting planes of a bundle method, shared by qp-bmrm and ls-bmrm.

R is a support function, so each vertex v of Q is a cut: R(w) >= <v, A w + c> = <a, w> + b with a = A' v and
b = <c, v>. The vertex that attains R(w) gives a subgradient of R at w. A convex combination of cuts belongs to the
same combination of vertices, which lies in Q: the bundle's lower bound max_p min_w is D at a feasible alpha, and so
every bundle method is certified by the one certificate.
"""

from __future__ import annotations

from typing import NamedTuple

from pragam.operators.base import Vector
from pragam.problem import Problem


class Cut(NamedTuple):
    alpha: Vector
    a: Vector  # A' alpha
    b: float  # <c, alpha>


def cut_of(problem: Problem, alpha: Vector) -> Cut:
    """The cut of a point of Q; one product with A'."""
    return Cut(alpha, problem.A.rmatvec(alpha), float(problem.c @ alpha))


def cut_at(problem: Problem, w: Vector) -> Cut:
    """A cut that touches R at w; one product with A and one with A'."""
    return cut_of(problem, problem.Q.maximise_linear(problem.A.matvec(w) + problem.c))
