r"""What blocked Newton should cost, in counted work.

    rounds = first + digit log10(1/tol),    two for each step, and one for each stage

A round multiplies the data once or twice, adds up d^2/2 products for each row inside its box, and looks at each dual
variable some twenty times.
"""

from __future__ import annotations

from dataclasses import dataclass

from pragam.problem import DataProblem
from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import digits


@dataclass(frozen=True)
class BlockNewtonConstants:
    """Rounds as ``benchmarks/cluster.py`` counts them; the others are of the right order, and fitted to nothing."""

    first: float = 0.0
    per_digit: float = 2.5
    per_entry: float = 2e-9
    per_dual: float = 6e-8
    per_kept_entry: float = 2e-8  # of the solution on the sample
    per_pair: float = 1e-10  # of entries of a row inside its box
    free: float = 0.1  # the share of such rows


def block_newton_cost(
    problem: DataProblem, tol: float, share: float, by: BlockNewtonConstants = BlockNewtonConstants()
) -> Cost:
    """The cost with such a share of the rows in the sample."""
    n, d = problem.A.storage.shape
    entries = float(problem.A.entries)
    rounds = by.first + by.per_digit * digits(tol)
    pairs = by.free * entries * entries / max(n, 1)
    return Cost(
        passes=rounds,
        steps=rounds / 2,
        per_pass=by.per_entry * entries + by.per_dual * problem.A.shape[0] + by.per_pair * pairs,
        per_step=5e-11 * d**3,
        start=by.per_kept_entry * entries * share,
    )
