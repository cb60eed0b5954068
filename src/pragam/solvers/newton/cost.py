r"""What the semismooth Newton method should cost.

    steps, passes = first + 10^p,   p = base + digit log10(1/tol) + hard log10(1 + C R^2) + surplus log10(n/d)
                                        + rarer log10(2 rarer),

each with constants of its own, rarer the share of the rarer class: where it is small, no sample gives a first guess.
A step solves a linear system of min(n, d) unknowns, or by conjugate gradients where that exceeds ``LARGEST_MATRIX``:
measured, its cost grows like the square.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from pragam.solvers.base import Cost
from pragam.solvers.choice.sizes import Sizes, digits
from pragam.solvers.newton.system import LARGEST_MATRIX


@dataclass(frozen=True)
class NewtonConstants:
    """Least squares on logarithms, set by ``python benchmarks/choice.py --fit`` on its even seeds, which prints this
    record anew."""

    first_steps: float = 1.0
    base_steps: float = 0.173
    digit_steps: float = 0.166
    hard_steps: float = 0.231
    surplus_steps: float = -0.106
    rarer_steps: float = -0.0291
    first_passes: float = 3.0
    base_passes: float = 1.08
    digit_passes: float = 0.0842
    hard_passes: float = 0.118
    surplus_passes: float = -0.198
    rarer_passes: float = -0.0536
    start: float = 0.000697
    per_step: float = 5.76e-05
    per_square: float = 7.87e-09
    per_row: float = 1.65e-08
    per_entry: float = 1.93e-09
    per_dense_entry: float = 1.49e-09


def newton_cost(size: Sizes, tol: float, by: NewtonConstants = NewtonConstants()) -> Cost:
    """The cost for these sizes and this tolerance."""
    order, rarer = min(size.n, size.d, LARGEST_MATRIX), log10(2 * size.rarer)
    steps = by.base_steps + by.digit_steps * digits(tol) + by.hard_steps * size.magnitude
    passes = by.base_passes + by.digit_passes * digits(tol) + by.hard_passes * size.magnitude
    return Cost(
        passes=by.first_passes + 10 ** (passes + by.surplus_passes * size.surplus + by.rarer_passes * rarer),
        steps=by.first_steps + 10 ** (steps + by.surplus_steps * size.surplus + by.rarer_steps * rarer),
        per_pass=by.per_row * size.n + (by.per_dense_entry if size.kind == "dense" else by.per_entry) * size.entries,
        per_step=by.per_step + by.per_square * order**2,
        start=by.start,
    )
