r"""Strong convexity of a function is smoothness of its conjugate, and what this means for the adjoint.

Problem:    f(w) = lam Omega(w), Omega = 1/2 |.|^2; the adjoint D(alpha) = <c, alpha> - f*(-A' alpha).
Algorithm:  None: random points, and the top singular vector of A. grad D(alpha) = A w(alpha) + c.
Guarantee:  f is lam-strongly convex. grad f* = ./lam is 1/lam-Lipschitz. Omega* has curvature H* = 1. grad D
            is Lipschitz with constant sigma_max(A)^2 / lam, which is 1/lam for orthonormal rows and n/lam for
            n equal unit rows.
Source:     Hiriart-Urruty and Lemarechal 1993, Theorems 4.2.1 and 4.2.2 (Theorem 1 in Saha, Zhang and
            Vishwanathan, and section 4.1 there).
Tight:      Yes, equalities, the last one along the top singular vector.
Corrected:  H* = 1, where the proof of Theorem 3 has 1/2. L = sigma_max^2 / lam, where the remark after the
            rate has sigma_max^2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pragam.operators.base import Vector
from pragam.paper.theory._check import Check, Relation, worst, worst_case
from pragam.paper.theory._instances import hinges, lipschitz, matrix, other_risks
from pragam.problem import Problem
from pragam.risks import hinge

THEOREM = "Hiriart-Urruty and Lemarechal 1993, Theorems 4.2.1 and 4.2.2"
REMARK = "Saha, Zhang and Vishwanathan, section 4.1 (corrected)"
Pairs = Callable[[Problem], Iterator[tuple[float, float]]]


def check() -> Iterator[Check]:
    yield _check("strong_convexity", "The regulariser is strongly convex with modulus lam.", _modulus, "==", THEOREM)
    yield _check("conjugate", "The gradient of its conjugate has Lipschitz constant 1/lam.", _conjugate, "==", THEOREM)
    yield _check("curvature", "The curvature H* of Omega* is 1.", _curvature, "==", THEOREM)
    yield _check("gradient", "grad D(alpha) = A w(alpha) + c, by exact central differences.", _gradient, "==", THEOREM)
    yield _check("lipschitz", "grad D is Lipschitz with constant sigma_max(A)^2/lam.", _random_ratio, "<=", REMARK)
    yield _check("lipschitz_attained", "Along the top singular vector that constant is attained.", _top, "==", REMARK)
    yield worst_case(
        "conjugate_strong_convexity.printed_examples",
        "The paper's examples have L = 1/lam (unit vectors) and L = n/lam (equal rows), not 1 and n.",
        _printed_examples(),
        "==",
        1e-9,
        REMARK,
    )


def _check(part: str, statement: str, pairs: Pairs, relation: Relation, reference: str) -> Check:
    problems = [*hinges(False), *other_risks()]
    measured, bound = worst((pair for problem in problems for pair in pairs(problem)), relation)
    return Check(f"conjugate_strong_convexity.{part}", statement, measured, bound, relation, 1e-9, reference)


def _modulus(problem: Problem) -> Iterator[tuple[float, float]]:
    for w, v in _random_pairs(problem.n_weights):
        middle = (_regulariser(problem, w) + _regulariser(problem, v)) / 2 - _regulariser(problem, (w + v) / 2)
        yield 8 * middle / float((w - v) @ (w - v)), problem.lam


def _regulariser(problem: Problem, w: Vector) -> float:
    return problem.primal(w) - problem.risk(w)


def _conjugate(problem: Problem) -> Iterator[tuple[float, float]]:
    for alpha, beta in _random_pairs(problem.Q.size):
        moved = np.linalg.norm(problem.w_of_alpha(alpha) - problem.w_of_alpha(beta))
        yield float(moved / np.linalg.norm(problem.A.rmatvec(alpha - beta))), 1 / problem.lam


def _curvature(problem: Problem) -> Iterator[tuple[float, float]]:
    """The second difference of -lam Omega*(-A' alpha / lam), which is that of D."""
    for alpha, h in _random_pairs(problem.Q.size):
        second = problem.dual(alpha + h) + problem.dual(alpha - h) - 2 * problem.dual(alpha)
        u = problem.A.rmatvec(h)
        yield -second * problem.lam / float(u @ u), 1.0


def _gradient(problem: Problem) -> Iterator[tuple[float, float]]:
    for alpha, h in _random_pairs(problem.Q.size):
        yield (problem.dual(alpha + h) - problem.dual(alpha - h)) / 2, float(_grad(problem, alpha) @ h)


def _random_ratio(problem: Problem) -> Iterator[tuple[float, float]]:
    L = lipschitz(problem)
    for alpha, beta in _random_pairs(problem.Q.size):
        yield _ratio(problem, alpha, beta), L


def _top(problem: Problem) -> Iterator[tuple[float, float]]:
    top = np.linalg.svd(matrix(problem))[0][:, 0]
    yield _ratio(problem, top, -top), lipschitz(problem)


def _printed_examples() -> Iterator[tuple[float, float]]:
    n = 16
    for lam in (1e-1, 1e-3):
        yield lipschitz(hinge(np.eye(n), np.where(np.arange(n) % 2, 1.0, -1.0), lam=lam)), 1 / lam
        yield lipschitz(hinge(np.eye(1, 3).repeat(n, axis=0), np.ones(n), lam=lam)), n / lam


def _grad(problem: Problem, alpha: Vector) -> Vector:
    return problem.A.matvec(problem.w_of_alpha(alpha)) + problem.c


def _ratio(problem: Problem, alpha: Vector, beta: Vector) -> float:
    moved = np.linalg.norm(_grad(problem, alpha) - _grad(problem, beta))
    return float(moved / np.linalg.norm(alpha - beta))


def _random_pairs(size: int) -> Iterator[tuple[Vector, Vector]]:
    rng = np.random.default_rng(0)
    for _ in range(10):
        yield rng.standard_normal(size), rng.standard_normal(size)
