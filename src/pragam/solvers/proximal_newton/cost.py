r"""What the proximal Newton method should cost.

    steps = first_steps + steps_per_digit log10(1/tol),

each with a Hessian of (d + K)^2 entries and as many calls of ``Q.derivative`` as it has columns, or, where that would
be large, with the products of conjugate gradients.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.problem import ProxProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import digits

#: The Hessian is a matrix, factorised, if it and [A B] have at most this many entries. Else conjugate gradients.
_MATRIX = 2_000_000


@dataclass(frozen=True)
class ProximalNewtonConstants:
    """``python benchmarks/other_risks.py`` prints the steps and times that they follow."""

    first_steps: float = 5.0
    steps_per_digit: float = 6.0
    per_step: float = 5e-4
    per_call: float = 3e-5  # of Q.derivative, for each column of the matrix
    per_bend: float = 1e-8  # for each entry that it reads
    per_flop: float = 1e-10  # of the product of two matrices
    per_entry: float = 1e-9  # of a product with the data
    cg_products: float = 40.0  # with the data in a step without the matrix


def proximal_newton_cost(
    problem: ProxProblem, tol: float, by: ProximalNewtonConstants = ProximalNewtonConstants()
) -> Cost:
    """The cost for this problem and tolerance."""
    (m, d), K = problem.A.shape, problem.n_biases
    steps = by.first_steps + by.steps_per_digit * max(digits(tol), 0.0)
    per_pass = by.per_entry * problem.A.entries + by.per_bend * m
    if has_small_matrices(problem):
        per_step = (d + K) * (by.per_call + by.per_bend * m + by.per_flop * m * (d + K))
        return Cost(passes=3 * steps, steps=steps, per_pass=per_pass, per_step=by.per_step + per_step)
    return Cost(passes=by.cg_products * steps, steps=steps, per_pass=per_pass, per_step=by.per_step)


def has_small_matrices(problem: ProxProblem) -> bool:
    """Whether [A B] and the Hessian are matrices of a size to work with."""
    unknowns = problem.n_weights + problem.n_biases
    return max(problem.Q.size, unknowns) * unknowns <= _MATRIX
