r"""What the sequential dual method should cost.

    passes = first + 10^p,   p = base + (digit + digit_surplus s) log10(1/tol) + hard log10(1 + C R^2),

s = log10(n / d), as for coordinate ascent on a box (:mod:`pragam.solvers.dcd.cost`). With biases the multipliers make
steps, which are small where C R^2 is: the problem is then next to a linear program in the biases. A pass meets each
example and each entry, with K labels, once. The number of passes is known to a factor of 2.5 or so. The gap of a
sweep is that of the examples it meets, so its rate is trusted less than that of coordinate ascent.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log10

from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import digits
from pragam.solvers.sequential_dual.working_set import LabelProblem


@dataclass(frozen=True)
class SequentialDualConstants:
    """``python benchmarks/labels_choice.py`` prints the passes and times that they follow."""

    first: float = 3.0
    base: float = 0.14
    digit: float = 0.18
    digit_surplus: float = 0.04
    hard: float = 0.8
    easy: float = 0.1  # C R^2 below which biases take longer
    start: float = 4e-4
    per_step: float = 5e-5
    per_example: float = 2e-7
    per_label: float = 1.2e-8  # of an example
    per_entry: float = 2e-9
    per_product: float = 1.5e-10  # of an entry with the weight of a label
    trial: float = 3.0
    trust: float = 0.3


def sequential_dual_cost(
    problem: LabelProblem, tol: float, by: SequentialDualConstants = SequentialDualConstants()
) -> Cost:
    """The cost for this problem and tolerance."""
    storage, K, totals = problem.A.storage, problem.A.K, problem.Q.totals
    n, d = storage.shape
    squares = float(storage.row_norms2.sum()) / max(n, 1)
    hardness = float(totals.mean()) / problem.lam * squares if n else 0.0
    magnitude = min(log10(1 + hardness), 100.0) if isfinite(hardness) else 100.0
    digit = by.digit + by.digit_surplus * log10(max(n, 1) / max(d, 1))
    passes = by.first + 10 ** min(by.base + digit * digits(tol) + by.hard * magnitude, 100.0)
    is_easy = problem.n_biases > 0 and hardness < by.easy
    if is_easy:
        passes *= by.easy / max(hardness, 1e-300)
    per_pass = (by.per_example + by.per_label * K) * n + (by.per_entry + by.per_product * K) * storage.stored
    return Cost(
        passes, 1.5 * passes, per_pass, by.per_step, by.start, trial=inf if is_easy else by.trial, trust=by.trust
    )
