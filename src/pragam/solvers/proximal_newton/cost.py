r"""What the proximal Newton method should cost.

    steps = first_steps + steps_per_digit log10(1/tol),

each with a Hessian of (d + K)^2 entries and as many calls of ``Q.derivative`` as it has columns, or, where that would
be large, with the products of conjugate gradients. Where every example has a row and a block of K labels
(:mod:`pragam.solvers.proximal_newton.labels`), a step has a few loops over the blocks, a Hessian of the examples that
move, with some pairs of labels each, and its factorisation; and there are fewer of them where a sample comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pragam.problem import ProxProblem
from pragam.solvers.base import Cost, has
from pragam.solvers.choice.sizes import digits
from pragam.solvers.proximal_newton.label_hessian import MATRIX
from pragam.solvers.proximal_newton.label_sample import is_sampled

#: The Hessian is a matrix, factorised, if it and [A B] have at most this many entries. Else conjugate gradients.
_MATRIX = 2_000_000


@dataclass(frozen=True)
class ProximalNewtonConstants:
    """``python benchmarks/other_risks.py`` prints the steps and times that they follow, ``labels_choice.py`` those of
    labels."""

    first_steps: float = 5.0
    steps_per_digit: float = 6.0
    per_step: float = 5e-4
    per_call: float = 3e-5  # of Q.derivative, for each column of the matrix
    per_bend: float = 1e-8  # for each entry that it reads
    per_flop: float = 1e-10  # of the product of two matrices
    per_entry: float = 1e-9  # of a product with the data
    cg_products: float = 40.0  # with the data in a step without the matrix
    per_dual: float = 3e-8  # of the loops over blocks in a step, for each dual variable
    pairs: float = 1.0  # of labels that move in a step, for each example
    per_pair_flop: float = 2e-10  # of the Hessian of labels
    per_label_step: float = 5e-4
    label_cg_products: float = 100.0
    per_label_entry: float = 3e-10  # of a product with the data, all labels in one pass
    first_after_sample: float = 6.0  # steps, those on the sample included
    digit_after_sample: float = 2.5


def proximal_newton_cost(
    problem: ProxProblem, tol: float, by: ProximalNewtonConstants = ProximalNewtonConstants()
) -> Cost:
    """The cost for this problem and tolerance."""
    (m, d), K = problem.A.shape, problem.n_biases
    steps = by.first_steps + by.steps_per_digit * max(digits(tol), 0.0)
    per_pass = by.per_entry * problem.A.entries + by.per_bend * m
    if has(problem, "A.example_rows") and has(problem, "Q.column_hessian"):
        per_step = by.per_label_step + by.per_dual * m + _label_system(problem, by)
        if is_sampled(cast(Any, problem)):
            steps = by.first_after_sample + by.digit_after_sample * max(digits(tol), 0.0)
        if d + K <= MATRIX:
            passes, per_pass = 3.0, by.per_label_entry * problem.A.entries
        else:
            passes = by.label_cg_products
        return Cost(passes=passes * steps, steps=steps, per_pass=per_pass, per_step=per_step)
    if has_small_matrices(problem):
        per_step = (d + K) * (by.per_call + by.per_bend * m + by.per_flop * m * (d + K))
        return Cost(passes=3 * steps, steps=steps, per_pass=per_pass, per_step=by.per_step + per_step)
    return Cost(passes=by.cg_products * steps, steps=steps, per_pass=per_pass, per_step=by.per_step)


def _label_system(problem: ProxProblem, by: ProximalNewtonConstants) -> float:
    """The Hessian and its factorisation, where it is a matrix."""
    (m, d), K = problem.A.shape, problem.n_biases
    if d + K > MATRIX:
        return 0.0
    labels = max(m // max(len(problem.Q.totals), 1), 1)  # type: ignore[attr-defined]
    return by.per_pair_flop * by.pairs * (m / labels) * (d / labels) ** 2 + by.per_flop * (d + K) ** 3 / 3


def has_small_matrices(problem: ProxProblem) -> bool:
    """Whether [A B] and the Hessian are matrices of a size to work with."""
    unknowns = problem.n_weights + problem.n_biases
    return max(problem.Q.size, unknowns) * unknowns <= _MATRIX
