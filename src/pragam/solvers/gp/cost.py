r"""What the solvers of Gaussian-process sequences should cost.

    steps of rkhs-lbfgs      = steps_per_digit log10(1/tol)
    steps of gp-block-ascent = steps_per_square log10(1/tol)^2

A pass multiplies with the Gram, and a step runs forward-backward, or ``chains`` times as much.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import digits
from pragam.structured.gp.problem import GPProblem


@dataclass(frozen=True)
class RkhsLbfgsConstants:
    """In seconds of the machine of ``benchmarks/gp_sequences.py``."""

    steps_per_digit: float = 15.0
    per_flop: float = 3e-11  # a multiplication and addition of a product with the Gram, in float32
    per_chain_flop: float = 1e-9  # one of forward-backward


@dataclass(frozen=True)
class GPBlockAscentConstants:
    """In seconds of the machine of ``benchmarks/gp_sequences.py``."""

    steps_per_square: float = 6.0
    chains: float = 8.0  # what a line search takes, in forward-backward
    per_flop: float = 3e-11
    per_chain_flop: float = 1e-9


def rkhs_lbfgs_cost(problem: GPProblem, tol: float, by: RkhsLbfgsConstants = RkhsLbfgsConstants()) -> Cost:
    """The cost for this problem and tolerance."""
    steps = by.steps_per_digit * max(1.0, digits(tol))
    return Cost(steps, steps, by.per_flop * problem.A.entries, by.per_chain_flop * problem.Q.size * problem.A.K)


def gp_block_ascent_cost(problem: GPProblem, tol: float, by: GPBlockAscentConstants = GPBlockAscentConstants()) -> Cost:
    """The cost for this problem and tolerance."""
    steps = by.steps_per_square * max(1.0, digits(tol)) ** 2
    per_step = by.chains * by.per_chain_flop * problem.Q.size * problem.A.K
    return Cost(steps, steps, by.per_flop * problem.A.entries, per_step)
