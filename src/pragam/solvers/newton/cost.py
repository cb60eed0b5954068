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
    base_steps: float = 0.167
    digit_steps: float = 0.162
    hard_steps: float = 0.23
    surplus_steps: float = -0.107
    rarer_steps: float = -0.0361
    first_passes: float = 3.0
    base_passes: float = 1.06
    digit_passes: float = 0.086
    hard_passes: float = 0.116
    surplus_passes: float = -0.196
    rarer_passes: float = -0.0582
    start: float = 0.000609
    per_step: float = 4.59e-05
    per_square: float = 5.14e-09
    per_row: float = 1.09e-08
    per_entry: float = 1e-09
    per_dense_entry: float = 7.58e-10


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
